// Einsum in steps: reduces labels of one input alone, then multiplies two inputs at a time. Where the loops are long
// enough on all sides a multiplication is a GEMM, perhaps of copies in another order of axes.
#pragma once
#include "dense.hpp"
#include <inlay/onnx/einsum.hpp>
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
struct einsum_loop {
    std::int64_t count = 1, a = 0, b = 0, y = 0;  // and the step of each operand and of the result
    int label = 0;
    constexpr bool ends(const einsum_loop& next) const {  // it and the next, inside, are one loop
        return a == next.a * next.count && b == next.b * next.count && y == next.y * next.count;
    }
};
// Loops from the outermost on.
struct einsum_loops {
    static constexpr int most = 2 * max_rank;
    std::array<einsum_loop, most> list{};
    int count = 0;
    constexpr const einsum_loop& operator[](int i) const { return list[std::size_t(i)]; }
    constexpr einsum_loop& operator[](int i) { return list[std::size_t(i)]; }
    constexpr std::int64_t steps() const {
        std::int64_t n = 1;
        for (int i = 0; i < count; ++i) n *= list[std::size_t(i)].count;
        return n;
    }
    // By falling step of an operand.
    constexpr void insert(const einsum_loop& l, std::int64_t einsum_loop::*step) {
        int i = count++;
        for (; i > 0 && (*this)[i - 1].*step < l.*step; --i) (*this)[i] = (*this)[i - 1];
        (*this)[i] = l;
    }
    constexpr void merge() {
        int size = 0;
        for (int i = 0; i < count; ++i)
            if (size > 0 && (*this)[size - 1].ends((*this)[i])) {
                const std::int64_t outside = (*this)[size - 1].count;
                (*this)[size - 1] = (*this)[i];
                (*this)[size - 1].count *= outside;
            } else
                (*this)[size++] = (*this)[i];
        count = size;
    }
    // To an operand they are one loop, whose step is that of the last.
    constexpr bool one(std::int64_t einsum_loop::*step) const {
        for (int i = 0; i + 1 < count; ++i)
            if ((*this)[i].*step != (*this)[i + 1].*step * (*this)[i + 1].count) return false;
        return true;
    }
    constexpr std::int64_t last(std::int64_t einsum_loop::*step) const { return (*this)[count - 1].*step; }
    constexpr void exchange() {
        for (int i = 0; i < count; ++i) std::swap((*this)[i].a, (*this)[i].b);
    }
};

// y = the sum over `sums` of a b for each element of y; an operand is an input, or the result of an earlier step, or
// the number 1.
struct einsum_step {
    static constexpr int unit_operand = -1, first_result = einsum_terms::most;
    int a = unit_operand, b = unit_operand;
    std::int64_t place = 0;   // of y among the results, in float32 elements
    bool multiplies = false;  // matrices; else the loops are as they stand
    einsum_loops outer{};     // of y; where matrices are multiplied, of those
    einsum_loops sums{};      // without them
    std::int64_t m = 1, n = 1, k = 1, a_row = 0, b_column = 0, b_row = 0, y_row = 0;
    bool copies_a = false, copies_b = false, copies_y = false;
    strided_copy a_copy{}, b_copy{}, y_copy{};

    static constexpr einsum_step of(int a, int b, const einsum_loops& loops) {
        einsum_step s{a, b};
        einsum_loops rows, columns, depth, matrices;
        for (int i = 0; i < loops.count; ++i) {
            const einsum_loop& l = loops[i];
            if (l.y == 0)
                depth.insert(l, &einsum_loop::a);
            else
                (l.a == 0 ? columns : l.b == 0 ? rows : matrices).insert(l, &einsum_loop::y);
        }
        constexpr std::int64_t least = 4;  // of any side of a GEMM: below it packing costs more than it gains
        if (rows.steps() < least || columns.steps() < least || depth.steps() < least) {
            for (int i = 0; i < loops.count; ++i)
                if (loops[i].y != 0) s.outer.insert(loops[i], &einsum_loop::y);
            s.sums = depth;
            s.outer.merge();
            s.sums.merge();
            return s;
        }
        if (rows.last(&einsum_loop::y) == 1) {  // swapped, so that the result's rows are contiguous
            std::swap(s.a, s.b);
            std::swap(rows, columns);
            for (einsum_loops* l : {&rows, &columns, &depth, &matrices}) l->exchange();
        }
        s.multiply(rows, columns, depth);
        s.outer = matrices;
        return s;
    }

  private:
    constexpr void multiply(const einsum_loops& rows, const einsum_loops& columns, const einsum_loops& depth) {
        multiplies = true;
        m = rows.steps();
        n = columns.steps();
        k = depth.steps();
        copies_a = !rows.one(&einsum_loop::a) || !depth.one(&einsum_loop::a) || depth.last(&einsum_loop::a) != 1;
        a_copy = copy(rows, depth, &einsum_loop::a, true);
        a_row = copies_a ? k : rows.last(&einsum_loop::a);
        copies_b = !depth.one(&einsum_loop::b) || !columns.one(&einsum_loop::b);
        b_copy = copy(depth, columns, &einsum_loop::b, true);
        b_row = copies_b ? n : depth.last(&einsum_loop::b);
        b_column = copies_b ? 1 : columns.last(&einsum_loop::b);
        copies_y = !rows.one(&einsum_loop::y) || !columns.one(&einsum_loop::y) || columns.last(&einsum_loop::y) != 1;
        y_copy = copy(rows, columns, &einsum_loop::y, false);
        y_row = copies_y ? n : rows.last(&einsum_loop::y);
    }
    // Between an operand and a dense matrix, to which or from it.
    static constexpr strided_copy copy(const einsum_loops& rows, const einsum_loops& columns,
                                       std::int64_t einsum_loop::*step, bool to_matrix) {
        shape dims = shape::of_rank(0), strides = dims;
        for (const einsum_loops* side : {&rows, &columns})
            for (int i = 0; i < side->count; ++i) {
                dims.push_back((*side)[i].count);
                strides.push_back((*side)[i].*step);
            }
        const shape dense = strides_of(dims, layout::plain);
        return to_matrix ? make_copy(dims, strides, dense) : make_copy(dims, dense, strides);
    }
};

struct einsum_steps {
    static constexpr int most_inputs = 4, most = 2 * most_inputs - 1;
    std::array<einsum_step, most> list{};
    int count = 0;
    std::int64_t elements = 0;  // of the output
    std::int64_t results = 0;   // of all steps but the last, in float32 elements
    bool nothing = false;       // the sums are of nothing

    static constexpr verdict read(const node_view& node, einsum_steps& s) {
        planner p{s};
        (void)p.terms.read(node);
        if (p.terms.input_count > most_inputs) return no("written for up to four inputs");
        s.elements = node.output(0).dims.elements();
        for (std::int64_t size : p.terms.size) s.nothing |= size == 0;
        return s.nothing ? yes() : p.plan(node);
    }

  private:
    static constexpr int labels = einsum_terms::labels;
    using steps_by_label = std::array<std::int64_t, std::size_t(labels)>;  // 0: it has not that label
    struct operand {
        int source = einsum_step::unit_operand;
        steps_by_label step{};
    };
    struct planner {
        einsum_steps& s;
        einsum_terms terms{};
        std::array<operand, most_inputs> inputs{};
        steps_by_label output{};
        std::int64_t largest = 0;  // elements of an input or the output

        constexpr verdict plan(const node_view& node) {
            for (int k = 0; k < terms.input_count; ++k) {
                inputs[std::size_t(k)] = {k, steps_of(node.input(k).dims, terms.inputs[std::size_t(k)])};
                largest = std::max(largest, node.input(k).dims.elements());
            }
            output = steps_of(node.output(0).dims, terms.output);
            largest = std::max(largest, s.elements);
            const int last_index = terms.input_count - 1;
            operand product;
            for (int k = 0; k <= last_index; ++k) {
                operand& x = inputs[std::size_t(k)];
                if (last_index > 0 && has_own(k) && !join(x, {}, k, false)) return too_large();
                if (k == 0)
                    product = x;
                else if (!join(product, x, k, k == last_index))
                    return too_large();
            }
            if (last_index == 0) (void)join(product, {}, 0, true);
            return yes();
        }

      private:
        static constexpr verdict too_large() {
            return no("a product of some inputs is larger than the others and the result");
        }
        static constexpr steps_by_label steps_of(const shape& dims, const einsum_terms::term& labels_of) {
            steps_by_label steps{};
            const shape strides = strides_of(dims, layout::plain);
            for (int i = 0; i < dims.rank; ++i)
                if (dims[i] != 1) steps[std::size_t(labels_of[std::size_t(i)])] += strides[i];  // twice: a diagonal
            return steps;
        }
        // Whether the label is in the output or in another input than `but`, from `first` on.
        constexpr bool elsewhere(int label, int but, int first) const {
            bool is_used = output[std::size_t(label)] != 0;
            for (int j = first; j < terms.input_count; ++j)
                is_used |= j != but && inputs[std::size_t(j)].step[std::size_t(label)] != 0;
            return is_used;
        }
        constexpr bool has_own(int k) const {
            for (int label = 0; label < labels; ++label)
                if (inputs[std::size_t(k)].step[std::size_t(label)] != 0 && !elsewhere(label, k, 0)) return true;
            return false;
        }
        // a = the product of a and b, summed over labels that are not needed after input k.
        constexpr bool join(operand& a, const operand& b, int k, bool is_last) {
            einsum_loops loops;
            const bool alone = b.source == einsum_step::unit_operand;
            for (int label = 0; label < labels; ++label) {
                const auto at = std::size_t(label);
                if (a.step[at] == 0 && b.step[at] == 0) continue;
                const bool is_kept = is_last ? output[at] != 0 : elsewhere(label, alone ? k : -1, alone ? 0 : k + 1);
                loops[loops.count++] = {terms.size[at], a.step[at], b.step[at], is_kept ? is_last ? output[at] : 1 : 0,
                                        label};
            }
            operand y;
            std::int64_t elements = 0;
            if (!is_last && !lay_out(loops, y, elements)) return false;
            einsum_step& step = s.list[std::size_t(s.count)];
            step = einsum_step::of(a.source, b.source, loops);
            step.place = s.results;
            s.results += padded_floats(elements);
            y.source = einsum_step::first_result + s.count++;
            a = y;
            return true;
        }
        // The steps of a dense result: of what both operands have, the first's own, the second's own, each in the
        // operand's order. False where that is larger than what is there anyway, or of too many axes.
        constexpr bool lay_out(einsum_loops& loops, operand& y, std::int64_t& elements) const {
            einsum_loops common, first, second, sums;
            for (int i = 0; i < loops.count; ++i) {
                const einsum_loop& l = loops[i];
                if (l.y == 0)
                    sums.insert(l, &einsum_loop::a);
                else if (l.a == 0)
                    second.insert(l, &einsum_loop::b);
                else
                    (l.b == 0 ? first : common).insert(l, &einsum_loop::a);
            }
            if (common.count + first.count + second.count > max_rank) return false;
            loops = sums;
            elements = 1;
            for (const einsum_loops* group : {&second, &first, &common})
                for (int i = group->count - 1; i >= 0; --i) {
                    einsum_loop l = (*group)[i];
                    if (l.count > largest / elements) return false;
                    y.step[std::size_t(l.label)] = l.y = elements;
                    elements *= l.count;
                    loops[loops.count++] = l;
                }
            return true;
        }
    };
};
}  // namespace v1
}  // namespace inlay
