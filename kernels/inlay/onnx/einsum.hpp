// Einsum (since 12): y[its term] = the sum, over all labels that are not in it, of the inputs' products, each input at
// [its term]. Terms are letters and at most one ellipsis, whose axes agree from the last one on; a label's lengths
// agree, or are 1 and repeat. Integers wrap around.
#pragma once
#include <inlay/support/broadcast.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct einsum_terms {
    static constexpr int most = 8, letters = 52,
                         labels = letters + max_rank;  // most: inputs; labels: A-Z, a-z, the axes of an ellipsis
    using term = std::array<std::int8_t, max_rank>;    // the label of each axis
    std::array<term, most> inputs{};
    term output{};
    int input_count = 0, rank = 0;  // rank: of the output; -1: not known
    std::array<std::int64_t, labels> size{};

    constexpr verdict read(const node_view& n) {
        const std::string_view equation = n.text("equation", "");
        const std::size_t arrow = equation.find("->");
        std::string_view left = equation.substr(0, arrow);
        std::array<int, labels> occurrences{};
        int ellipsis = 0;  // axes of the longest
        bool open = false;
        size.fill(1);
        input_count = n.input_count();
        if (input_count < 1 || input_count > most) return no("Einsum takes 1 to 8 inputs");
        for (int k = 0; k < input_count; ++k) {
            if (!n.has_input(k)) return no("an input is missing");
            const std::size_t comma = left.find(',');
            if ((comma == left.npos) != (k == input_count - 1)) return no("the equation needs one term per input");
            written t;
            if (!t.read(left.substr(0, comma)))
                return no("a term of the equation must be letters and at most one ellipsis");
            if (comma != left.npos) left.remove_prefix(comma + 1);
            const shape& x = n.input(k).dims;
            if (x.rank < 0) {
                open = true;
                continue;
            }
            if (t.ellipsis < 0 ? t.count != x.rank : t.count > x.rank)
                return no("a term of the equation does not have an input's rank");
            if (t.ellipsis >= 0) ellipsis = std::max(ellipsis, x.rank - t.count);
            inputs[k] = t.spread(x.rank);
            for (int i = 0; i < x.rank; ++i) {
                const int label = inputs[k][i];
                shape common;
                if (!broadcast(shape{size[label]}, shape{x[i]}, common)) return no("the lengths of a label differ");
                size[label] = common[0];
                ++occurrences[label];
            }
        }
        rank = -1;
        if (open) return yes();
        written t;
        if (arrow == equation.npos) {  // the ellipsis, then what appears once
            t.ellipsis = 0;
            for (int label = 0; label < letters; ++label)
                if (occurrences[label] == 1 && !t.add(label)) return no("the output has more than 8 dimensions");
        } else {
            if (!t.read(equation.substr(arrow + 2)))
                return no("a term of the equation must be letters and at most one ellipsis");
            if (t.ellipsis < 0 && ellipsis > 0) return no("the equation's output needs the ellipsis of its inputs");
            for (int i = 0; i < t.count; ++i) {
                if (occurrences[t.labels[i]] == 0) return no("a label of the equation's output is in no input");
                for (int j = 0; j < i; ++j)
                    if (t.labels[i] == t.labels[j]) return no("a label is twice in the equation's output");
            }
        }
        if (t.count + ellipsis > max_rank) return no("the output has more than 8 dimensions");
        rank = t.count + (t.ellipsis < 0 ? 0 : ellipsis);
        output = t.spread(rank);
        return yes();
    }

  private:
    struct written {  // a term without the axes of its ellipsis, which stands before letter `ellipsis`
        term labels{};
        int count = 0, ellipsis = -1;
        constexpr bool add(int label) { return count < max_rank && (labels[count++] = std::int8_t(label), true); }
        constexpr bool read(std::string_view text) {
            for (std::size_t i = 0; i < text.size(); ++i) {
                const char c = text[i];
                if (c == ' ') continue;
                if (c == '.') {
                    if (ellipsis >= 0 || text.substr(i, 3) != "...") return false;
                    ellipsis = count;
                    i += 2;
                } else if (c >= 'A' && c <= 'Z' ? !add(c - 'A') : c >= 'a' && c <= 'z' ? !add(c - 'a' + 26) : true)
                    return false;
            }
            return true;
        }
        constexpr term spread(int rank) const {
            term result{};
            const int wide = rank - count, from = ellipsis < 0 ? count : ellipsis;
            for (int i = 0; i < rank; ++i)
                result[i] = i < from          ? labels[i]
                            : i < from + wide ? std::int8_t(inlay::v1::einsum_terms::labels - wide + i - from)
                                              : labels[i - wide];
            return result;
        }
    };
};
namespace op {
struct einsum : standard {
    static constexpr std::string_view onnx_name = "Einsum";
    static constexpr version_range versions{12, 28};
    static constexpr auto elements = number_types;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        einsum_terms t;
        if (const verdict v = t.read(n); !v) return v;
        if (t.rank < 0) return yes();
        y[0] = shape::of_rank(t.rank);
        for (int i = 0; i < t.rank; ++i) y[0][i] = t.size[t.output[i]];
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

struct einsum_kernel : simple_kernel {
    struct params {  // loops of the output, then those that are summed over
        struct loop {
            std::int64_t count;
            std::array<std::int64_t, einsum_terms::most> step;
        };
        std::array<loop, einsum_terms::labels> loops;
        int inputs, rank, loop_count;
        std::int64_t elements;
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k = 1; k < n.input_count(); ++k)
            if (n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        einsum_terms t;
        (void)t.read(n);
        params p{};
        p.inputs = t.input_count;
        p.elements = n.output(0).dims.elements();
        std::array<int, einsum_terms::labels> at{};
        at.fill(-1);
        for (int i = 0; i < t.rank; ++i) at[t.output[i]] = p.loop_count++;
        p.rank = p.loop_count;
        for (int label = 0; label < einsum_terms::labels; ++label) {
            if (at[label] < 0 && t.size[label] != 1) at[label] = p.loop_count++;
            if (at[label] >= 0) p.loops[at[label]].count = t.size[label];
        }
        for (int k = 0; k < t.input_count; ++k) {
            const shape &x = n.input(k).dims, steps = strides_of(x, layout::plain);
            for (int i = 0; i < x.rank; ++i)
                if (x[i] != 1)
                    p.loops[at[t.inputs[k][i]]].step[k] += steps[i];  // a label may be twice in a term: a diagonal
        }
        return p;
    }
};
template <class T> struct kernel<op::einsum, device::reference, types<T>> : einsum_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using A = std::conditional_t<floating<T>, double, std::uint64_t>;
        std::array<std::int64_t, einsum_terms::labels> index{};
        std::array<std::int64_t, einsum_terms::most> offset{};
        const auto advance =
            [&](int first,
                int end) {  // to the next of loops [first, end); false, and back at the first, after the last
                for (int i = end - 1; i >= first; --i) {
                    const auto& loop = p.loops[i];
                    for (int k = 0; k < p.inputs; ++k) offset[k] += loop.step[k];
                    if (++index[i] < loop.count) return true;
                    for (int k = 0; k < p.inputs; ++k) offset[k] -= loop.step[k] * loop.count;
                    index[i] = 0;
                }
                return false;
            };
        bool is_empty = false;
        for (int i = p.rank; i < p.loop_count; ++i) is_empty |= p.loops[i].count == 0;
        T* y = a.out<T>(0);
        stop_check ends(c);
        for (std::int64_t i = 0; i < p.elements; ++i, advance(0, p.rank)) {
            A sum = 0;
            if (!is_empty) do {
                    if (ends(p.inputs)) return status::stopped;
                    A product = 1;
                    for (int k = 0; k < p.inputs; ++k)
                        product *= static_cast<A>(static_cast<accumulator<T>>(a.in<T>(k)[offset[k]]));
                    sum += product;
                } while (advance(p.rank, p.loop_count));
            y[i] = static_cast<T>(static_cast<std::conditional_t<floating<T>, accumulator<T>, std::uint64_t>>(sum));
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
