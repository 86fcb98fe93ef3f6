#include "program.hpp"
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace tvm_program {
namespace {
using place = slot::place;

DLDataType type_of(element e) {
    if (e == element::f32) return {kDLFloat, 32, 1};
    if (e == element::boolean) return {kDLBool, 8, 1};
    return {kDLInt, std::uint8_t(e == element::i32 ? 32 : 64), 1};
}
}  // namespace

const void* program::keep(const void* elements, std::int64_t bytes) {
    blocks.push_back(block_of(bytes));
    std::memcpy(blocks.back().data(), elements, std::size_t(bytes));
    return blocks.back().data();
}
program_run program::instance() const { return program_run(*this); }

program_run::program_run(const program& p) : program_(&p), scratch_(block_of(p.scratch)), straight_(p.tensors.size()) {
    for (const slot& x : p.tensors) {
        DLTensor d{};
        d.device = {kDLCPU, 0};
        d.ndim = x.dims.rank;
        d.dtype = type_of(x.type);
        d.shape = const_cast<std::int64_t*>(x.dims.begin());
        d.data = const_cast<void*>(x.elements);
        if (x.location == place::scratch) d.data = static_cast<std::byte*>(scratch_.data()) + x.index;
        tensors_.push_back(d);
    }
    for (const step& s : p.steps) {
        std::vector<TVMFFIAny>& list = arguments_.emplace_back();
        for (int t : s.inputs) list.push_back(tvm_calls::argument(&tensors_[std::size_t(t)]).any);
        list.push_back(tvm_calls::argument(&tensors_[std::size_t(s.output)]).any);
    }
}
// The region's arguments of this run. What is not aligned as compiled code needs it has memory of its own.
void program_run::set(int t, const buffer& b, bool copy_in) {
    void* p = b.data;
    if (!is_aligned(p)) {
        tensor& aligned = straight_[std::size_t(t)];
        const std::int64_t bytes = program_->tensors[std::size_t(t)].bytes();
        if (!aligned) aligned = block_of(bytes);
        p = aligned.data();
        if (copy_in) std::memcpy(p, b.data, std::size_t(bytes));
    }
    tensors_[std::size_t(t)].data = p;
}
void program_run::bind(std::span<const buffer> inputs, std::span<const buffer> outputs) {
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
        const slot& x = program_->tensors[t];
        if (x.location == place::input) set(int(t), inputs[std::size_t(x.index)], true);
        if (x.location == place::output) set(int(t), outputs[std::size_t(x.index)], false);
    }
}
void program_run::copy_out(std::span<const buffer> outputs) const {
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
        const slot& x = program_->tensors[t];
        if (x.location != place::output) continue;
        void* const to = outputs[std::size_t(x.index)].data;
        if (tensors_[t].data != to) std::memcpy(to, tensors_[t].data, std::size_t(x.bytes()));
    }
}
void program_run::join(const step& s) const {
    std::byte* to = at(s.output);
    const std::int64_t outer = program_->tensors[std::size_t(s.output)].dims.elements(0, s.axis);
    for (std::int64_t i = 0; i < outer; ++i)
        for (int t : s.inputs) {
            const std::int64_t bytes = program_->tensors[std::size_t(t)].bytes() / outer;
            std::memcpy(to, at(t) + i * bytes, std::size_t(bytes));
            to += bytes;
        }
}
// False: an index is out of range.
bool program_run::look_up(const step& s) const {
    const slot &x = program_->tensors[std::size_t(s.inputs[0])], &indices = program_->tensors[std::size_t(s.inputs[1])];
    const std::int64_t outer = x.dims.elements(0, s.axis), length = x.dims[s.axis], row = x.bytes() / outer / length,
                       count = indices.dims.elements();
    const void* const list = at(s.inputs[1]);
    std::byte* to = at(s.output);
    for (std::int64_t i = 0; i < outer; ++i)
        for (std::int64_t k = 0; k < count; ++k) {
            std::int64_t index = indices.type == element::i64 ? static_cast<const std::int64_t*>(list)[k]
                                                              : static_cast<const std::int32_t*>(list)[k];
            if (index < 0) index += length;
            if (index < 0 || index >= length) return false;
            std::memcpy(to, at(s.inputs[0]) + (i * length + index) * row, std::size_t(row));
            to += row;
        }
    return true;
}
status program_run::run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) {
    static thread_local int threads = 0;  // TVM has a pool of threads for each thread that calls it
    if (program_->threads > 1 && threads != program_->threads) {
        tvm_calls::call("runtime.config_threadpool", 1, program_->threads);
        threads = program_->threads;
    }
    bind(inputs, outputs);
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
        if (c.stopped()) return c.end_of_run();
        const step& s = program_->steps[k];
        if (s.does == step::action::compute)
            tvm_calls::call_function(s.compiled, arguments_[k]);
        else if (s.does == step::action::join)
            join(s);
        else if (!look_up(s))
            return c.fail("an index of Gather is out of range");
    }
    copy_out(outputs);
    return status::ok;
}
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
