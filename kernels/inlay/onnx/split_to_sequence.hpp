// SplitToSequence (since 11): a tensor as a sequence of parts along an axis. ConcatFromSequence (since 11): the tensors
// of a sequence one after another along an axis, or stacked along a new one.
#pragma once
#include <inlay/support/objects.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct split_to_sequence : standard {
    static constexpr std::string_view onnx_name = "SplitToSequence";
    static constexpr version_range versions{11, 28};
    static constexpr auto elements = each_type<any_element>;
    static constexpr element output_type(const node_view&, int) { return element::object; }
    static constexpr int axis(const node_view& n) { return normal_axis(n.integer("axis", 0), n.input(0).dims.rank); }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (n.input(0).type != element::undefined && bits_of(n.input(0).type) < 8)
            return no("elements of less than a byte are not split");
        if (x.rank >= 0 && axis(n) < 0) return no("axis is out of range");
        if (x.known() && !countable(x)) return no("the input is too large");
        y[0] = {};
        if (!n.has_input(1)) return yes();
        const value& split = n.input(1);
        if (split.type != element::i32 && split.type != element::i64) return no("`split` is no integer");
        return split.dims.rank > 1 ? no("`split` is neither a number nor a list") : yes();
    }
};
struct concat_from_sequence : standard {
    static constexpr std::string_view onnx_name = "ConcatFromSequence";
    static constexpr version_range versions{11, 28};
    static constexpr auto elements = each_type<any_value>;
    static constexpr bool data_dependent = true;
    static constexpr element output_type(const node_view& n, int) { return contents_of_input(n, 0); }
    static constexpr verdict shapes(const node_view& n, std::span<shape>) noexcept {
        const value_type t = type_of_input(n, 0);
        if (t.depth > 0 && t.kind() != value_kind::sequence) return no("the input is no sequence");
        if (t.depth > 0 && t.type != element::undefined && bits_of(t.type) < 8)
            return no("elements of less than a byte are not joined");
        return n.has("axis") ? yes() : no("there is no axis");
    }
};
}  // namespace op

template <> struct kernel<op::split_to_sequence, device::reference, types<any_element>> : simple_kernel {
    struct params {
        tensor_argument x, split;
        int axis;
        bool has_split, keep;  // keep: the axis
    };
    static constexpr params prepare(const node_view& n) {
        return {tensor_argument::input(n, 0), tensor_argument::input(n, 1), op::split_to_sequence::axis(n),
                n.has_input(1), n.has_input(1) || n.integer("keepdims", 1) != 0};
    }
    static std::string_view wrong(const params& p, const arguments& a) noexcept {  // with `split`; empty: nothing
        const bool list = p.split.dims.rank == 1;
        std::int64_t total = 0;
        for (std::int64_t i = 0; p.has_split && i < p.split.dims.elements(); ++i) {
            const std::int64_t length = p.split.integer(a.inputs[1], i);
            if (length < (list ? 0 : 1)) return "a part's length is not positive";
            if (list && !increased(total, length)) return "the parts are longer than the axis";
        }
        return list && total != p.x.dims[p.axis] ? "the parts have another length than the axis" : "";
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (const auto reason = wrong(p, a); !reason.empty()) return c.fail(reason);
        return make_values(c, [&] {
            const std::int64_t length = p.x.dims[p.axis], outer = p.x.dims.elements(0, p.axis),
                               inner = p.x.dims.elements(p.axis + 1);
            const bool list = p.has_split && p.split.dims.rank == 1;
            // The parts have the elements of the whole; each needs memory of its own besides.
            const std::int64_t size = p.has_split && !list ? p.split.integer(a.inputs[1]) : 1,
                               count = list ? p.split.dims[0] : length / size + (length % size != 0);
            if (!p.x.take_copy(c, a.inputs[0]) ||
                !c.take(count * (bytes_of_container(1) + bytes_of_copy(element::u8, {0}, nullptr))))
                return c.fail(no_memory_left, status::out_of_memory);
            sequence parts;
            const auto add = [&](std::int64_t first, std::int64_t part_length) {
                shape dims;
                for (int i = 0; i < p.x.dims.rank; ++i)
                    if (i != p.axis || p.keep) dims.push_back(i == p.axis ? part_length : p.x.dims[i]);
                tensor part(p.x.type, dims);
                for (std::int64_t o = 0; o < outer; ++o)
                    copy_elements(p.x.type, part.data(), o * part_length * inner, a.inputs[0],
                                  (o * length + first) * inner, part_length * inner);
                parts.emplace_back(std::move(part));
            };
            if (list)
                for (std::int64_t k = 0, first = 0; k < count; ++k) {
                    const std::int64_t part_length = p.split.integer(a.inputs[1], k);
                    add(first, part_length);
                    first += part_length;
                }
            else
                for (std::int64_t k = 0; k < count; ++k) add(k * size, std::min(size, length - k * size));
            *a.out<any_value>(0) = std::move(parts);
            return status::ok;
        });
    }
};

template <> struct kernel<op::concat_from_sequence, device::reference, types<any_value>> : simple_kernel {
    struct params {
        std::int64_t axis;
        bool stack;
        element type;
    };
    static constexpr params prepare(const node_view& n) {
        return {n.integer("axis", 0), n.integer("new_axis", 0) != 0, n.output(0).type};
    }
    // The shape of the whole, and what is wrong with the parts.
    static std::string_view measure(const params& p, const sequence& parts, int axis, shape& whole) noexcept {
        const shape& first = parts[0].as_tensor()->shape();
        std::int64_t length = 0;
        for (const any_value& v : parts) {
            const tensor* t = v.as_tensor();
            if (!t || !t->on_host() || t->type() != p.type)
                return "a tensor is of another type, or not in the host's memory";
            shape dims = t->shape();
            if (dims.rank == first.rank && !p.stack) dims[axis] = first[axis];
            if (!(dims == first)) return "the tensors have different shapes";
            if (!increased(length, p.stack ? 1 : t->shape()[axis])) return "the result is too large";
        }
        whole = first;
        if (p.stack) {
            whole = {};
            for (int i = 0; i <= first.rank; ++i) whole.push_back(i == axis ? 0 : first[i < axis ? i : i - 1]);
        }
        whole[axis] = length;
        return countable(whole) ? "" : "the result is too large";
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const sequence* parts = a.in<any_value>(0)->as_sequence();
        if (!parts) return c.fail("the input is no sequence");
        if (parts->empty()) return c.fail("the sequence is empty");
        const tensor* first = (*parts)[0].as_tensor();
        if (!first) return c.fail("the sequence holds something that is no tensor");
        if (p.stack && first->shape().rank == max_rank) return c.fail("the result has more than 8 dimensions");
        const int axis = normal_axis(p.axis, first->shape().rank + p.stack);
        if (axis < 0) return c.fail("axis is out of range");
        shape dims;
        if (const auto reason = measure(p, *parts, axis, dims); !reason.empty()) return c.fail(reason);
        std::int64_t texts = 0;
        for (const any_value& v : *parts)
            if (p.type == element::string)
                texts +=
                    bytes_of_texts(static_cast<const std::string*>(v.as_tensor()->data()), v.as_tensor()->elements());
        if (!c.take(texts)) return c.fail(no_memory_left, status::out_of_memory);
        void* y = c.output<std::byte>(0, dims);
        if (!y) return c.fail("no memory for the result", status::out_of_memory);
        const std::int64_t outer = dims.elements(0, axis), row = dims.elements(axis);
        std::int64_t at = 0;
        for (const any_value& v : *parts) {
            const tensor& t = *v.as_tensor();
            const std::int64_t size = t.shape().elements(axis);
            for (std::int64_t o = 0; o < outer; ++o) copy_elements(p.type, y, o * row + at, t.data(), o * size, size);
            at += size;
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
