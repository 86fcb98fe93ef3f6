// Nodes written for a library, piece by piece: what the modules' writers have in common. The same code queries whether
// the library supports a node, and creates what a region becomes there.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <limits>
#include <lowering/refusal.hpp>

namespace inlay {
inline namespace v1 {
inline void require(const verdict& v) {
    if (!v) refuse(std::string(v.reason));
}

// Why `write` refuses; empty: it does not.
template <class F> std::string refusal_of(std::string_view library, F write) try {
    write();
    return {};
} catch (const refused_node& r) {
    return one_line(r.why);
} catch (const std::exception& e) {
    return one_line(std::string(library) + ": " + e.what());
}

// A node that is being written. Writer has `piece`, what it makes in words, and of values by their ids value(), put()
// and info_of_value(); reshaped() has the elements in another shape, and with_dims() describes it.
template <class Writer> struct node_writer_to {
    Writer& to;
    node_view n;

    auto input(int k) const { return to.value(n.input_id(k)); }
    auto input(int k, const shape& dims) const {
        const auto x = input(k);
        return to.reshaped(x, with_dims(x.info, dims));
    }
    auto output_info(int k = 0) const { return to.info_of_value(n.output_id(k)); }
    // The result, in the shape that it has in the model.
    template <class Value> void put(const Value& y, int k = 0) const {
        to.put(n.output_id(k), to.reshaped(y, output_info(k)));
    }
    // Input k is a constant of floats, as libraries want weights to be.
    const shape& constant(int k, std::string_view name) const {
        if (!n.is_constant(k)) refuse_not_constant(name);
        if (n.input(k).type != element::f32)
            refuse(std::string(name) + " is of type " + std::string(name_of(n.input(k).type)) + ", not float");
        return n.input(k).dims;
    }
    [[noreturn]] void refuse_not_constant(std::string_view name) const {
        refuse(std::string(name) + " is not a constant, which " + std::string(Writer::piece) + " wants");
    }
    void require_image() const {
        if (const int rank = n.input(0).dims.rank; rank != 4)
            refuse("it is over " + std::to_string(rank - 2) + " spatial axes, and " + std::string(Writer::piece) +
                   " over 2");
    }
    float real(std::string_view name, double otherwise) const { return float(n.real(name, otherwise)); }
    // A bound of Clip: an attribute before version 11, else an input; `otherwise` where there is none.
    float bound(int k, std::string_view name, float otherwise) const {
        if (n.version() < 11) return real(name, otherwise);
        if (!n.has_input(k)) return otherwise;
        const auto value = n.input_reals(k);
        if (!value || value->size() != 1) refuse_not_constant(name);
        return float((*value)[0]);
    }
    std::pair<float, float> bounds_of_clip() const {
        constexpr float limit = std::numeric_limits<float>::max();  // ONNX's bound where there is none
        const float low = bound(1, "min", -limit), high = bound(2, "max", limit);
        if (!(low <= high)) refuse("its bounds are " + std::to_string(low) + " and " + std::to_string(high));
        return {low, high};
    }
    bool only_first_output() const {
        for (int k = 1; k < n.output_count(); ++k)
            if (n.has_output(k)) return false;
        return true;
    }
};
inline void refuse_constant_results(const node_view& n) {
    for (int k = 0; k < n.output_count(); ++k)
        if (n.has_output(k) && n.output(k).is_constant()) refuse("its result is a constant already");
}

struct node_writer;  // of the module: a node_writer_to
using writer_function = void (*)(const node_writer&);
struct named_writer {
    std::string_view op;
    writer_function write;
};
inline writer_function find_in(std::span<const named_writer> writers, std::string_view op) {
    for (const named_writer& w : writers)
        if (w.op == op) return w.write;
    return nullptr;
}
// What writes the operator, in these files of a module; null: nothing does.
writer_function find_convolution(std::string_view op);
writer_function find_pool(std::string_view op);
writer_function find_element_wise(std::string_view op);
writer_function find_normalization(std::string_view op);
writer_function find_movement(std::string_view op);
inline writer_function find_writer(std::string_view op) {
    for (auto find : {find_convolution, find_pool, find_element_wise, find_normalization, find_movement})
        if (const writer_function write = find(op)) return write;
    return nullptr;
}
}  // namespace v1
}  // namespace inlay
