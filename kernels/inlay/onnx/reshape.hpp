// Operators whose output has the elements of input 0 in the same order: Identity (1-25), Reshape (1-25), Flatten
// (1-25), Squeeze (1-25), Unsqueeze (1-25), and Dropout (1-22) at inference, whose mask is all ones. Dropout in
// training (since 12): where u >= ratio, an element and its mask stay, the element divided by 1 - ratio; elsewhere both
// are 0. u is in [0, 1): with an attribute `seed` the numbers that numpy.random.RandomState(seed) gives, in every run;
// else others in each run.
#pragma once
#include <inlay/support/any_float.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/random_stream.hpp>
#include <inlay/tensor.hpp>
#include <random>

namespace inlay {
inline namespace v1 {
namespace op {
struct identity : standard {
    static constexpr std::string_view onnx_name = "Identity";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements =
        each_type<raw<8>, raw<16>, raw<32>, raw<64>, raw<128>, raw<4>, raw<2>, std::string, any_value>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
    static constexpr bool passes_through(const node_view&) { return true; }
};

struct reshape : standard {
    static constexpr std::string_view onnx_name = "Reshape";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const auto target = integers_of(n, "shape", 1);
        if (!target.present) return no("there is no new shape");
        if (n.has_input(1) && n.input(1).dims.rank > 1) return no("the new shape is not a list");
        if (!target.is_known) return yes();
        if (target.values.size() > max_rank) return no("the new shape has more than 8 dimensions");

        const shape& x = n.input(0).dims;
        const bool zero_is_zero = n.integer("allowzero", 0) != 0;
        shape s;
        int rest = -1;                        // the dimension to be inferred
        std::int64_t product = 1, count = 1;  // elements, without the dimensions that are copied
        std::array<bool, max_rank> copied{};
        bool zero = false, sure = x.rank >= 0;
        for (const std::int64_t d : target.values) {
            const int i = s.rank;
            if (d < -1) return no("the new shape has a dimension below -1");
            if (d == -1 && rest >= 0) return no("the new shape has more than one dimension of -1");
            if (d == -1) rest = i;
            zero |= d == 0 && zero_is_zero;
            if (d == 0 && !zero_is_zero) {
                if (x.rank >= 0 && i >= x.rank)
                    return no("the new shape copies a dimension that the input does not have");
                copied[i] = true;
                s.push_back(x.rank < 0 ? -1 : x[i]);
                continue;
            }
            if (d >= 0 && !multiplied(product, d)) return no("the new shape is too large");
            s.push_back(d);
        }
        if (zero && rest >= 0) return no("the new shape has both 0 and -1 while allowzero is set");
        bool any_size = false;  // a copied dimension that is 0, or may be, makes both sizes 0
        for (int i = 0; i < x.rank; ++i) {
            if (copied[i])
                any_size |= x[i] <= 0;
            else if (x[i] < 0)
                sure = false;
            else if (!multiplied(count, x[i]))
                return no("the input is too large");
        }
        if (sure && rest >= 0) {
            if (count % product) return no("the input does not divide into the new shape");
            s[rest] = count / product;
        } else if (sure && count != product && !any_size)
            return no("the new shape has another number of elements");
        y[0] = s;
        return yes();
    }
    static constexpr bool passes_through(const node_view& n) { return same_dims(n.input(0).dims, n.output(0).dims); }
};

struct flatten : standard {
    static constexpr std::string_view onnx_name = "Flatten";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        std::int64_t axis = n.integer("axis", 1);
        if (axis < 0) axis += x.rank;
        if (axis < 0 || axis > x.rank) return no("axis is out of range");
        bool fits = true;
        const auto product = [&](int first, int end) {  // a lone unknown dimension keeps its symbol
            std::int64_t p = 1, unknown = 0;
            for (int i = first; i < end; ++i)
                if (x[i] >= 0)
                    fits = fits && multiplied(p, x[i]);
                else
                    unknown = unknown ? -1 : x[i];
            return unknown == 0 ? p : p == 1 ? unknown : -1;
        };
        const shape s{product(0, int(axis)), product(int(axis), x.rank)};
        if (!fits) return no("the input is too large");
        y[0] = s;
        return yes();
    }
    static constexpr bool passes_through(const node_view& n) { return same_dims(n.input(0).dims, n.output(0).dims); }
};

struct squeeze : standard {
    static constexpr std::string_view onnx_name = "Squeeze";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        const auto axes = integers_of(n, "axes", 1);
        if (x.rank < 0 || (axes.present && !axes.is_known)) return yes();
        std::array<bool, max_rank> dropped{};
        for (const std::int64_t number : axes.values) {
            const int axis = normal_axis(number, x.rank);
            if (axis < 0) return no("an axis is out of range");
            if (x[axis] >= 0 && x[axis] != 1) return no("a dimension to be removed is not 1");
            dropped[axis] = true;
        }
        shape s;
        for (int i = 0; i < x.rank; ++i) {
            if (!axes.present && x[i] < 0) return yes();
            if (!(axes.present ? dropped[i] : x[i] == 1)) s.push_back(x[i]);
        }
        y[0] = s;
        return yes();
    }
};

struct unsqueeze : standard {
    static constexpr std::string_view onnx_name = "Unsqueeze";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        const auto axes = integers_of(n, "axes", 1);
        if (!axes.present) return no("there are no axes");
        if (x.rank < 0 || !axes.is_known) return yes();
        if (axes.values.size() > std::size_t(max_rank - x.rank)) return no("the output has more than 8 dimensions");
        const int rank = x.rank + int(axes.values.size());
        named_axes added;
        for (const std::int64_t number : axes.values) {
            int axis = 0;
            if (const verdict v = added.add(number, rank, axis); !v) return v;
        }
        shape s;
        for (int i = 0, next = 0; i < rank; ++i) s.push_back(added.has[i] ? 1 : x[next++]);
        y[0] = s;
        return yes();
    }
};

struct dropout : standard {
    static constexpr std::string_view onnx_name = "Dropout";
    static constexpr version_range versions{1, 22};
    static constexpr auto elements = each_type<raw<8>, raw<16>, raw<32>, raw<64>>;
    static constexpr operator_facts facts{.pure = false, .keeps_names = true, .required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (shape& s : y) s = n.input(0).dims;
        for (int k : {1, 2})
            if (n.has_input(k) && n.input(k).dims.known() && n.input(k).dims.elements() != 1)
                return no("ratio and training_mode are single elements");
        if (n.has_input(2) && n.input(2).type != element::boolean) return no("training_mode is no bool");
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) {
        return k == 0 || n.version() < 10 ? n.input_type(0) : element::boolean;
    }
    static constexpr bool passes_through(const node_view& n) {
        const auto training = n.input_integers(2);
        return n.version() >= 7 && (!n.has_input(2) || (training && training->size() == 1 && (*training)[0] == 0));
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct copy_kernel : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr reuse shares = std::is_same_v<T, any_value> ? reuse::none : reuse::view;
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        if (a.inputs[0] == a.outputs[0]) return status::ok;
        if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, any_value>)
            movable<T>::copy(a.outputs[0], 0, a.inputs[0], 0, p.count);
        else
            movable<raw<8>>::copy(a.outputs[0], 0, a.inputs[0], 0, movable<T>::bytes(p.count));
        return status::ok;
    }
};
template <class T> struct kernel<op::identity, device::reference, types<T>> : copy_kernel<T> {};
template <class T> struct kernel<op::reshape, device::reference, types<T>> : copy_kernel<T> {};
template <class T> struct kernel<op::flatten, device::reference, types<T>> : copy_kernel<T> {};
template <class T> struct kernel<op::squeeze, device::reference, types<T>> : copy_kernel<T> {};
template <class T> struct kernel<op::unsqueeze, device::reference, types<T>> : copy_kernel<T> {};

template <class T> struct kernel<op::dropout, device::reference, types<T>> : random_kernel {
    struct params {
        std::int64_t count;
        std::uint64_t one_bits;  // the mask's bit pattern of 1
        int mask_bytes;          // of one element; 0: absent
        element type, ratio;     // ratio: undefined where it is absent
        bool may_train;          // only the run-time value of training_mode decides
        bool seeded;
        std::uint32_t seed;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr std::uint64_t one_of(element e) {
        switch (e) {
            case element::boolean: return 1;
            case element::f16: return float16(1.f).bits;
            case element::bf16: return bfloat16(1.f).bits;
            case element::f32: return std::bit_cast<std::uint32_t>(1.f);
            case element::f64: return std::bit_cast<std::uint64_t>(1.);
            default: return 0;
        }
    }
    static constexpr bool may_train(const node_view& n) {
        const auto training_mode = n.input_integers(2);
        if (!n.has_input(2) || (training_mode && training_mode->size() == 1 && (*training_mode)[0] == 0)) return false;
        const auto ratio = n.input_reals(1);
        return !(ratio && ratio->size() == 1 && (*ratio)[0] == 0);
    }
    static constexpr verdict supports(const node_view& n) {
        if (n.version() < 7 && n.integer("is_test", 0) == 0) return no("is_test is 0: training is not supported");
        const auto trains = [&](int k) { return is_any_float(n.input(k).type) || is_float8(n.input(k).type); };
        if (may_train(n) && (!trains(0) || (n.has_input(1) && !trains(1))))
            return no("training with elements of this type is not supported");
        if (n.has_output(1) && !one_of(n.output(1).type)) return no("a mask of this element type is not supported");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const element mask = n.has_output(1) ? n.output(1).type : element::undefined;
        return {n.input(0).dims.elements(),
                one_of(mask),
                bits_of(mask) / 8,
                n.input(0).type,
                n.input_type(1),
                may_train(n),
                n.has("seed"),
                std::uint32_t(n.integer("seed", 0))};
    }
    static status run(const params& p, const random_state& s, const arguments& a, context& c) noexcept {
        if (p.may_train && *a.in<std::uint8_t>(2)) {
            const double ratio = p.ratio == element::undefined ? .5 : load_float<double>(p.ratio, a.inputs[1], 0);
            if (!(ratio >= 0 && ratio < 1)) return c.fail("ratio is not in [0, 1)");
            if (ratio > 0) return train(p, s, a, c, ratio);
        }
        if (a.inputs[0] != a.outputs[0])
            movable<raw<8>>::copy(a.outputs[0], 0, a.inputs[0], 0, movable<T>::bytes(p.count));
        const std::int64_t masked = p.mask_bytes ? p.count : 0;
        for (std::int64_t i = 0; i < masked; ++i)
            std::memcpy(a.out<std::byte>(1) + i * p.mask_bytes, &p.one_bits, std::size_t(p.mask_bytes));
        return status::ok;
    }

  private:
    static status train(const params& p, const random_state& s, const arguments& a, context& c, double ratio) noexcept {
        const double scale = 1 / (1 - ratio);
        const auto write = [&](std::int64_t i, double u) {
            const bool stays = u >= ratio;
            const std::uint64_t code = stays ? p.one_bits : 0;
            store_float<double>(p.type, a.outputs[0], i,
                                stays ? load_float<double>(p.type, a.inputs[0], i) * scale : 0);
            if (p.mask_bytes) std::memcpy(a.out<std::byte>(1) + i * p.mask_bytes, &code, std::size_t(p.mask_bytes));
        };
        if (p.seeded) {
            std::mt19937 bits(p.seed);
            for (std::int64_t i = 0; i < p.count; ++i) {
                const auto high = static_cast<double>(bits() >> 5), low = static_cast<double>(bits() >> 6);
                write(i, (high * 0x1p26 + low) * 0x1p-53);
            }
            return status::ok;
        }
        const random_stream stream = s.stream({});
        c.split(p.count, 1 << 12, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) write(i, stream.uniform(i));
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
