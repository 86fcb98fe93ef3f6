// One run at a time of a region.
#include "code.hpp"
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

void join_rows(const rows_step& s, std::span<const std::byte* const> inputs, std::byte* to) {
    for (std::int64_t i = 0; i < s.outer; ++i)
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            std::memcpy(to, inputs[k] + i * s.sizes[k], std::size_t(s.sizes[k]));
            to += s.sizes[k];
        }
}
bool look_up_rows(const rows_step& s, const std::byte* x, const std::byte* indices, std::byte* to) {
    for (std::int64_t i = 0; i < s.outer; ++i)
        for (std::int64_t k = 0; k < s.count; ++k) {
            std::int64_t index = s.wide ? reinterpret_cast<const std::int64_t*>(indices)[k]
                                        : reinterpret_cast<const std::int32_t*>(indices)[k];
            if (index < 0) index += s.length;
            if (index < 0 || index >= s.length) return false;
            std::memcpy(to, x + (i * s.length + index) * s.row, std::size_t(s.row));
            to += s.row;
        }
    return true;
}

class run_of final : public executable {
    std::shared_ptr<const code> code_;
    block scratch_;
    std::vector<DLTensor> tensors_;
    std::vector<std::vector<TVMFFIAny>> arguments_;  // of each step
    std::vector<block> straight_;                    // of each tensor: memory for one that is not aligned
    std::vector<const std::byte*> rows_;

    void* scratch_at(std::int64_t offset) const { return scratch_.get() + offset; }
    // The region's arguments of this run. What is not aligned as compiled code needs it has memory of its own.
    void set(int t, const buffer& b, bool copy_in) {
        void* p = b.data;
        if (!is_aligned(p)) {
            block& own = straight_[std::size_t(t)];
            const std::int64_t bytes = code_->tensors[std::size_t(t)].bytes();
            if (!own) own = allocate(bytes);
            p = own.get();
            if (copy_in) std::memcpy(p, b.data, std::size_t(bytes));
        }
        tensors_[std::size_t(t)].data = p;
    }
    void bind(std::span<const buffer> inputs, std::span<const buffer> outputs) {
        for (std::size_t t = 0; t < tensors_.size(); ++t) {
            const slot& x = code_->tensors[t];
            if (x.where == place::input) set(int(t), inputs[std::size_t(x.index)], true);
            if (x.where == place::output) set(int(t), outputs[std::size_t(x.index)], false);
            if (x.where == place::alias) tensors_[t].data = tensors_[std::size_t(x.index)].data;
        }
    }
    void give_back(std::span<const buffer> outputs) {
        for (std::size_t t = 0; t < tensors_.size(); ++t)
            if (const slot& x = code_->tensors[t]; x.where == place::output) {
                void* const to = outputs[std::size_t(x.index)].data;
                if (tensors_[t].data != to) std::memcpy(to, tensors_[t].data, std::size_t(x.bytes()));
            }
    }
    status rows(const code_step& s, context& c) {
        const auto at = [&](int t) { return static_cast<std::byte*>(tensors_[std::size_t(t)].data); };
        if (s.what == kind::lookup)
            return look_up_rows(s.rows, at(s.inputs[0]), at(s.inputs[1]), at(s.output))
                       ? status::ok
                       : c.fail("an index of Gather is out of range");
        rows_.clear();
        for (int t : s.inputs) rows_.push_back(at(t));
        join_rows(s.rows, rows_, at(s.output));
        return status::ok;
    }

  public:
    explicit run_of(std::shared_ptr<const code> c)
        : code_(std::move(c)), scratch_(allocate(code_->scratch)), straight_(code_->tensors.size()) {
        for (std::size_t t = 0; t < code_->tensors.size(); ++t) {
            const slot& x = code_->tensors[t];
            DLTensor d{};
            d.device = {kDLCPU, 0};
            d.ndim = x.dims.rank;
            d.dtype = type_of(x.type);
            d.shape = const_cast<std::int64_t*>(x.dims.begin());
            d.data = x.where == place::constant  ? const_cast<std::byte*>(code_->constants[t])
                     : x.where == place::scratch ? scratch_at(x.offset)
                                                 : nullptr;
            tensors_.push_back(d);
        }
        for (const code_step& s : code_->steps) {
            std::vector<TVMFFIAny> list;
            for (int t : s.inputs) list.push_back(tvm_calls::argument(&tensors_[std::size_t(t)]).any);
            list.push_back(tvm_calls::argument(&tensors_[std::size_t(s.output)]).any);
            arguments_.push_back(std::move(list));
        }
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        static thread_local int threads = 0;  // TVM has a pool of threads for each thread that calls it
        if (code_->threads > 1 && threads != code_->threads) {
            tvm_calls::call("runtime.config_threadpool", 1, code_->threads);
            threads = code_->threads;
        }
        bind(inputs, outputs);
        for (std::size_t k = 0; k < arguments_.size(); ++k) {
            if (c.stopped()) return c.end_of_run();
            const code_step& s = code_->steps[k];
            if (s.compiled)
                tvm_calls::call_function(s.compiled, arguments_[k]);
            else if (const status done = rows(s, c); done != status::ok)
                return done;
        }
        give_back(outputs);
        return status::ok;
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    } catch (const tvm_calls::failure& f) {
        return c.fail(f.what(), status::failed);
    }
};
}  // namespace

std::unique_ptr<executable> make_run(std::shared_ptr<const code> c) { return std::make_unique<run_of>(std::move(c)); }
}  // namespace tvm_program
}  // namespace v1
}  // namespace inlay
