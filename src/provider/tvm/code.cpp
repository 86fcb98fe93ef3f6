#include "build.hpp"
#include "code.hpp"
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
block pack(const float* from, const packing& p) {
    block all = allocate(p.counts.elements() * std::int64_t(sizeof(float)));
    float* to = reinterpret_cast<float*>(all.get());
    shape at = shape::of_rank(p.counts.rank, 0);
    const int last = p.counts.rank - 1;
    for (std::int64_t rows = p.counts.elements(0, last); rows > 0; --rows) {
        const float* row = from;
        for (int i = 0; i < last; ++i) row += at[i] * p.steps[i];
        const std::int64_t first = at[0] * p.counts[last];
        for (std::int64_t k = 0; k < p.counts[last]; ++k) *to++ = first + k < p.columns ? row[k * p.steps[last]] : 0;
        for (int i = last - 1; i >= 0 && ++at[i] == p.counts[i]; --i) at[i] = 0;
    }
    return all;
}
// The tensor's elements as code reads them: those of the model where they are so.
const std::byte* constant_of(const slot& x, const void* from, std::vector<block>& own) {
    if (x.packed)
        own.push_back(pack(static_cast<const float*>(from), *x.packed));
    else if (is_aligned(from))
        return static_cast<const std::byte*>(from);
    else {
        own.push_back(allocate(x.bytes()));
        std::memcpy(own.back().get(), from, std::size_t(x.bytes()));
    }
    return own.back().get();
}
// Of a step with rows each one, though one tensor may be there twice.
const std::vector<int>& inputs_of(const step& s) { return is_compiled(s) ? s.inputs : s.operations.front().inputs; }
// The numbers of the program's tensors among those that are in memory; -1: only in registers, or not needed.
std::vector<int> numbers_of(const program& p) {
    std::vector<int> numbers(p.tensors.size(), -1);
    for (const step& s : p.steps) {
        numbers[std::size_t(s.output)] = 0;
        for (int t : inputs_of(s)) numbers[std::size_t(t)] = 0;
    }
    for (std::size_t t = numbers.size(); t-- > 0;)  // views are behind what they are views of
        if (numbers[t] == 0 && p.tensors[t].where == slot::place::alias) numbers[std::size_t(p.tensors[t].index)] = 0;
    int next = 0;
    for (int& n : numbers)
        if (n == 0) n = next++;
    return numbers;
}
}  // namespace

rows_step rows_of(std::span<const slot> tensors, const code_step& s) {
    rows_step rows;
    const auto input = [&](std::size_t k) -> const slot& { return tensors[std::size_t(s.inputs[k])]; };
    const slot& x = input(0);
    const std::int64_t size = bytes_of(x.type, 1);
    if (s.what == kind::copy) {
        rows.sizes = {x.bytes()};
        return rows;
    }
    rows.outer = x.dims.elements(0, s.axis);
    if (s.what == kind::join)
        for (std::size_t k = 0; k < s.inputs.size(); ++k) rows.sizes.push_back(input(k).dims.elements(s.axis) * size);
    else {
        rows.length = x.dims[s.axis];
        rows.row = x.dims.elements(s.axis + 1) * size;
        rows.count = input(1).dims.elements();
        rows.wide = input(1).type == element::i64;
    }
    return rows;
}

result<std::shared_ptr<code>> code_of(const program& p, const region& r) {
    auto c = std::make_shared<code>();
    c->scratch = p.scratch;
    const std::vector<int> numbers = numbers_of(p);
    for (std::size_t t = 0; t < numbers.size(); ++t) {
        if (numbers[t] < 0) continue;
        slot& x = c->tensors.emplace_back(p.tensors[t]);
        c->constants.push_back(nullptr);
        if (x.where == slot::place::alias) x.index = numbers[std::size_t(x.index)];
        if (x.where != slot::place::constant) continue;
        const void* const from = r.constant(x.index);
        if (!from)
            return error(error_code::provider_failed, "the elements of the constant " +
                                                          std::string(r.graph.values[std::size_t(x.index)].name) +
                                                          " are not there");
        c->constants.back() = constant_of(x, from, c->own);
    }
    for (const step& s : p.steps) {
        const task& first = s.operations.front();
        code_step& made = c->steps.emplace_back();
        made.what = first.what;
        made.axis = first.axis;
        for (int t : inputs_of(s)) made.inputs.push_back(numbers[std::size_t(t)]);
        made.output = numbers[std::size_t(s.output)];
        if (!is_compiled(s)) made.rows = rows_of(c->tensors, made);
    }
    return c;
}
void find_functions(code& c) {
    for (code_step& s : c.steps)
        if (is_compiled(s.what)) s.compiled = function_of(c.module, std::size_t(s.function));
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
