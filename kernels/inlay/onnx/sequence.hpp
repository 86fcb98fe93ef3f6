// Sequences (since 11) share their tensors: SequenceEmpty, SequenceConstruct of its inputs, SequenceLength, and at a
// position, which counts from the end where it is negative: SequenceInsert, SequenceErase and SequenceAt.
#pragma once
#include <inlay/support/objects.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct of_sequences : standard {
    static constexpr version_range versions{11, 28};
    static constexpr auto elements = each_type<any_value>;
    static constexpr verdict check_sequence(const node_view& n) {
        const value_type t = type_of_input(n, 0);
        return t.depth > 0 && t.kind() != value_kind::sequence ? no("the input is no sequence") : yes();
    }
    static constexpr verdict check_position(const node_view& n, int k) {
        if (!n.has_input(k)) return yes();
        const value& position = n.input(k);
        if (position.type != element::i32 && position.type != element::i64) return no("the position is no integer");
        return position.dims.known() && position.dims.elements() != 1 ? no("the position is not one number") : yes();
    }
    static constexpr element output_type(const node_view&, int) { return element::object; }
};
struct sequence_empty : of_sequences {
    static constexpr std::string_view onnx_name = "SequenceEmpty";
    static constexpr std::array constraints{v1::output(0)};
    static constexpr int required_inputs = 0;
    static constexpr verdict shapes(const node_view&, std::span<shape> y) noexcept {
        y[0] = {};
        return yes();
    }
};
struct sequence_construct : of_sequences {
    static constexpr std::string_view onnx_name = "SequenceConstruct";
    static constexpr auto elements = each_type<any_element>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < n.input_count(); ++k) {
            if (!n.has_input(k)) return no("an input is missing");
            if (n.input(k).type != n.input(0).type) return no("the inputs have different element types");
        }
        y[0] = {};
        return yes();
    }
};
struct sequence_insert : of_sequences {
    static constexpr std::string_view onnx_name = "SequenceInsert";
    static constexpr int required_inputs = 2;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = check_sequence(n); !v) return v;
        const element member = contents_of_input(n, 0), type = n.input(1).type;
        if (type == element::object) return no("what is inserted is no tensor");
        if (member != element::undefined && type != element::undefined && member != type)
            return no("the tensor has another element type than the sequence");
        y[0] = {};
        return check_position(n, 2);
    }
};
struct sequence_erase : of_sequences {
    static constexpr std::string_view onnx_name = "SequenceErase";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = check_sequence(n); !v) return v;
        y[0] = {};
        return check_position(n, 1);
    }
};
struct sequence_at : of_sequences {
    static constexpr std::string_view onnx_name = "SequenceAt";
    static constexpr int required_inputs = 2;
    static constexpr bool data_dependent = true;
    static constexpr element output_type(const node_view& n, int) { return contents_of_input(n, 0); }
    static constexpr verdict shapes(const node_view& n, std::span<shape>) noexcept {
        if (const verdict v = check_sequence(n); !v) return v;
        return check_position(n, 1);
    }
};
struct sequence_length : of_sequences {
    static constexpr std::string_view onnx_name = "SequenceLength";
    static constexpr element output_type(const node_view&, int) { return element::i64; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        y[0] = {};
        return check_sequence(n);
    }
};
}  // namespace op

template <> struct kernel<op::sequence_empty, device::reference, types<any_value>> : simple_kernel {
    struct params {};
    static constexpr params prepare(const node_view&) { return {}; }
    static status run(const params&, const state&, const arguments& a, context& c) noexcept {
        return make_values(c, [&] {
            *a.out<any_value>(0) = sequence();
            return status::ok;
        });
    }
};
// Neighbours of one shape are one run, so that long lists of equal tensors need little memory.
struct listed_tensors {
    struct run {
        shape dims{};
        int count = 0;
    };
    element type = element::undefined;
    std::array<run, 32> runs{};
    int used = 0;
    constexpr bool add(const shape& dims) {
        if (used && runs[std::size_t(used - 1)].dims == dims) {
            ++runs[std::size_t(used - 1)].count;
            return true;
        }
        if (used == int(runs.size())) return false;
        runs[std::size_t(used++)] = {dims, 1};
        return true;
    }
    constexpr bool add_inputs(const node_view& n) {
        type = n.input(0).type;
        for (int k = 0; k < n.input_count(); ++k)
            if (!add(n.input(k).dims)) return false;
        return true;
    }
};
template <> struct kernel<op::sequence_construct, device::reference, types<any_element>> : simple_kernel {
    using params = listed_tensors;
    static constexpr verdict supports(const node_view& n) {
        return listed_tensors().add_inputs(n) ? yes() : no("the inputs' shapes change more than 32 times");
    }
    static constexpr params prepare(const node_view& n) {
        listed_tensors tensors;
        tensors.add_inputs(n);
        return tensors;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        return make_values(c, [&] {
            sequence result;
            for (int r = 0, k = 0; r < p.used; ++r)
                for (int i = 0; i < p.runs[std::size_t(r)].count; ++i, ++k) {
                    const tensor_argument x{p.type, p.runs[std::size_t(r)].dims};
                    if (!x.take_copy(c, a.inputs[k]) || !c.take(bytes_of_container(1)))
                        return c.fail(no_memory_left, status::out_of_memory);
                    result.emplace_back(x.copy(a.inputs[k]));
                }
            *a.out<any_value>(0) = std::move(result);
            return status::ok;
        });
    }
};

// The sequence that is input 0 and the position that is input `at`, if there is one.
struct position_in_sequence {
    int at = 0;
    tensor_argument position{};
    static constexpr position_in_sequence of(const node_view& n, int at) { return {at, tensor_argument::input(n, at)}; }
    // `otherwise` where there is no position; -1 where it is not in [0, largest].
    std::int64_t find(const arguments& a, std::int64_t otherwise, std::int64_t size, std::int64_t largest) const {
        std::int64_t k = otherwise;
        if (position.type != element::undefined) {
            k = position.integer(a.inputs[at]);
            if (k < 0) k += size;
        }
        return k >= 0 && k <= largest ? k : -1;
    }
};
inline constexpr std::string_view no_sequence = "the input is no sequence",
                                  position_out_of_range = "the position is not in the sequence";

template <> struct kernel<op::sequence_insert, device::reference, types<any_value>> : simple_kernel {
    struct params {
        position_in_sequence position;
        tensor_argument inserted;
    };
    static constexpr params prepare(const node_view& n) {
        return {position_in_sequence::of(n, 2), tensor_argument::input(n, 1)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const sequence* input = a.in<any_value>(0)->as_sequence();
        if (!input) return c.fail(no_sequence);
        return make_values(c, [&] {
            const auto size = std::int64_t(input->size());
            const std::int64_t k = p.position.find(a, size, size, size);
            if (k < 0) return c.fail(position_out_of_range);
            if (!p.inserted.take_copy(c, a.inputs[1]) || !c.take(bytes_of_container(input->size() + 1)))
                return c.fail(no_memory_left, status::out_of_memory);
            sequence result;
            result.reserve(input->size() + 1);
            result.assign(input->begin(), input->begin() + k);
            result.emplace_back(p.inserted.copy(a.inputs[1]));
            result.insert(result.end(), input->begin() + k, input->end());
            *a.out<any_value>(0) = std::move(result);
            return status::ok;
        });
    }
};
template <> struct kernel<op::sequence_erase, device::reference, types<any_value>> : simple_kernel {
    using params = position_in_sequence;
    static constexpr params prepare(const node_view& n) { return position_in_sequence::of(n, 1); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const sequence* input = a.in<any_value>(0)->as_sequence();
        if (!input) return c.fail(no_sequence);
        const auto size = std::int64_t(input->size());
        const std::int64_t k = p.find(a, size - 1, size, size - 1);
        if (k < 0) return c.fail(position_out_of_range);
        if (!c.take(bytes_of_container(input->size()))) return c.fail(no_memory_left, status::out_of_memory);
        return make_values(c, [&] {
            sequence result(*input);
            result.erase(result.begin() + k);
            *a.out<any_value>(0) = std::move(result);
            return status::ok;
        });
    }
};
template <> struct kernel<op::sequence_at, device::reference, types<any_value>> : simple_kernel {
    struct params {
        position_in_sequence position;
        element type;
    };
    static constexpr params prepare(const node_view& n) { return {position_in_sequence::of(n, 1), n.output(0).type}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const sequence* input = a.in<any_value>(0)->as_sequence();
        if (!input) return c.fail(no_sequence);
        const auto size = std::int64_t(input->size());
        const std::int64_t k = p.position.find(a, 0, size, size - 1);
        if (k < 0) return c.fail(position_out_of_range);
        const tensor* entry = (*input)[std::size_t(k)].as_tensor();
        return entry ? give_copy(c, 0, *entry, p.type) : c.fail("what is at the position is no tensor");
    }
};
template <> struct kernel<op::sequence_length, device::reference, types<any_value>> : simple_kernel {
    struct params {};
    static constexpr params prepare(const node_view&) { return {}; }
    static status run(const params&, const state&, const arguments& a, context& c) noexcept {
        const sequence* input = a.in<any_value>(0)->as_sequence();
        if (!input) return c.fail(no_sequence);
        *a.out<std::int64_t>(0) = std::int64_t(input->size());
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
