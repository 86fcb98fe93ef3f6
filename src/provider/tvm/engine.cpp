// Regions as programs whose steps TVM compiles.
#include "build.hpp"
#include "lower.hpp"
#include <inlay/provider/tvm.hpp>
#include <inlay/sdk/region_file.hpp>
#include <algorithm>
#include <cstring>
#include <new>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace {
using namespace tvm_program;
using tvm_calls::call;
using tvm_calls::object;
using place = slot::place;

constexpr std::size_t line = 64;  // compiled code relies on addresses that are multiples of it
struct aligned_delete {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(line)); }
};
using block = std::unique_ptr<std::byte, aligned_delete>;
block allocate(std::int64_t bytes) {
    return block(
        static_cast<std::byte*>(::operator new(std::size_t(std::max<std::int64_t>(bytes, 1)), std::align_val_t(line))));
}
bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % line == 0; }

error failed(const std::string& why) { return {error_code::provider_failed, why}; }
DLDataType type_of(element e) {
    if (e == element::f32) return {kDLFloat, 32, 1};
    if (e == element::boolean) return {kDLBool, 8, 1};
    return {kDLInt, std::uint8_t(e == element::i32 ? 32 : 64), 1};
}

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

// What the steps without TVM do.
struct rows_step {
    kind what;
    std::int64_t outer = 1;
    std::vector<std::int64_t> sizes;              // join: bytes of each input's row
    std::int64_t length = 0, count = 0, row = 0;  // lookup: of the axis, of indices, in bytes
    bool wide = false;                            // lookup: indices of 64 bits
};
rows_step rows_of(const program& p, const task& o) {
    rows_step s{o.what, 1, {}, 0, 0, 0, false};
    const auto at = [&](int t) -> const slot& { return p.tensors[std::size_t(t)]; };
    const slot& x = at(o.inputs[0]);
    const std::int64_t size = bytes_of(x.type, 1);
    if (o.what == kind::copy) {
        s.sizes = {x.bytes()};
        return s;
    }
    s.outer = x.dims.elements(0, o.axis);
    if (o.what == kind::join)
        for (int t : o.inputs) s.sizes.push_back(at(t).dims.elements(o.axis) * size);
    else {
        s.length = x.dims[o.axis];
        s.row = x.dims.elements(o.axis + 1) * size;
        s.count = at(o.inputs[1]).dims.elements();
        s.wide = at(o.inputs[1]).type == element::i64;
    }
    return s;
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

// What is the same for all runs: the program, code and constants.
struct code {
    program steps;
    object module;
    std::vector<object> functions;       // of each step; none where TVM is not needed
    std::vector<int> numbers;            // of each step's function in the module, or -1
    std::vector<rows_step> rows;         // of each step, where TVM is not needed
    std::vector<const void*> constants;  // of each tensor that is one
    std::vector<block> packed;
    int threads = 1;
};

std::uint64_t checksum(std::string_view bytes) {  // FNV-1a
    std::uint64_t h = 14695981039346656037u;
    for (const char c : bytes) h = (h ^ std::uint8_t(c)) * 1099511628211u;
    return h;
}
// A saved region: this, a number per step, the shared library.
struct header {
    char magic[8] = {'i', 'n', 'l', 'a', 'y', 't', 'v', 'm'};
    std::uint64_t size = 0, sum = 0, steps = 0;  // of what follows the header; its steps
};

class tvm_region final : public compiled_region {
    std::shared_ptr<const code> code_;

    class run_of;

  public:
    explicit tvm_region(std::shared_ptr<const code> c) : code_(std::move(c)) {}
    result<std::unique_ptr<executable>> instance() const override;
    result<std::string> save() const override {
        auto library = shared_object(code_->module);
        if (!library) return library.why();
        std::string rest(reinterpret_cast<const char*>(code_->numbers.data()), code_->numbers.size() * sizeof(int));
        rest += *library;
        header h;
        h.size = rest.size();
        h.sum = checksum(rest);
        h.steps = code_->numbers.size();
        return std::string(reinterpret_cast<const char*>(&h), sizeof h) + rest;
    }
};

class tvm_region::run_of final : public executable {
    std::shared_ptr<const code> code_;
    block scratch_;
    std::vector<DLTensor> tensors_;
    std::vector<std::vector<TVMFFIAny>> arguments_;  // of each step
    std::vector<int> inputs_, outputs_;              // tensors that are the region's, and views of them
    std::vector<block> straight_;                    // of each tensor: memory for one that is not aligned
    std::vector<const std::byte*> rows_;
    std::string why_;

    void* scratch_at(std::int64_t offset) const { return scratch_.get() + offset; }
    // The region's arguments of this run. What is not aligned as compiled code needs it has memory of its own.
    void set(int t, const buffer& b, bool copy_in) {
        void* p = b.data;
        if (!is_aligned(p)) {
            block& own = straight_[std::size_t(t)];
            const std::int64_t bytes = code_->steps.tensors[std::size_t(t)].bytes();
            if (!own) own = allocate(bytes);
            p = own.get();
            if (copy_in) std::memcpy(p, b.data, std::size_t(bytes));
        }
        tensors_[std::size_t(t)].data = p;
    }
    void bind(std::span<const buffer> inputs, std::span<const buffer> outputs) {
        const program& p = code_->steps;
        for (std::size_t t = 0; t < tensors_.size(); ++t) {
            const slot& x = p.tensors[t];
            if (x.where == place::input) set(int(t), inputs[std::size_t(x.index)], true);
            if (x.where == place::output) set(int(t), outputs[std::size_t(x.index)], false);
            if (x.where == place::alias) tensors_[t].data = tensors_[std::size_t(x.index)].data;
        }
    }
    void give_back(std::span<const buffer> outputs) {
        const program& p = code_->steps;
        for (std::size_t t = 0; t < tensors_.size(); ++t)
            if (const slot& x = p.tensors[t]; x.where == place::output) {
                void* const to = outputs[std::size_t(x.index)].data;
                if (tensors_[t].data != to) std::memcpy(to, tensors_[t].data, std::size_t(x.bytes()));
            }
    }
    status rows(std::size_t number, context& c) {
        const rows_step& s = code_->rows[number];
        const task& o = code_->steps.steps[number].operations.front();
        const auto at = [&](int t) { return static_cast<std::byte*>(tensors_[std::size_t(t)].data); };
        if (s.what == kind::lookup)
            return look_up_rows(s, at(o.inputs[0]), at(o.inputs[1]), at(o.output))
                       ? status::ok
                       : c.fail("an index of Gather is out of range");
        rows_.clear();
        for (int t : o.inputs) rows_.push_back(at(t));
        join_rows(s, rows_, at(o.output));
        return status::ok;
    }

  public:
    explicit run_of(std::shared_ptr<const code> c)
        : code_(std::move(c)), scratch_(allocate(code_->steps.scratch)), straight_(code_->steps.tensors.size()) {
        const program& p = code_->steps;
        for (std::size_t t = 0; t < p.tensors.size(); ++t) {
            const slot& x = p.tensors[t];
            DLTensor d{};
            d.device = {kDLCPU, 0};
            d.ndim = x.dims.rank;
            d.dtype = type_of(x.type);
            d.shape = const_cast<std::int64_t*>(x.dims.begin());
            d.data = x.where == place::constant  ? const_cast<void*>(code_->constants[t])
                     : x.where == place::scratch ? scratch_at(x.offset)
                                                 : nullptr;
            tensors_.push_back(d);
        }
        for (const step& s : p.steps) {
            std::vector<TVMFFIAny> list;
            for (int t : s.inputs) list.push_back(tvm_calls::argument(&tensors_[std::size_t(t)]).any);
            list.push_back(tvm_calls::argument(&tensors_[std::size_t(s.output)]).any);
            arguments_.push_back(std::move(list));
        }
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        static thread_local int threads = 0;  // TVM has a pool of threads for each thread that calls it
        if (code_->threads > 1 && threads != code_->threads) {
            call("runtime.config_threadpool", 1, code_->threads);
            threads = code_->threads;
        }
        bind(inputs, outputs);
        for (std::size_t k = 0; k < arguments_.size(); ++k) {
            if (c.stopped()) return c.end_of_run();
            if (code_->functions[k])
                tvm_calls::call_function(code_->functions[k], arguments_[k]);
            else if (const status s = rows(k, c); s != status::ok)
                return s;
        }
        give_back(outputs);
        return status::ok;
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    } catch (const tvm_calls::failure& f) {
        why_ = f.what();
        return c.fail(why_, status::failed);
    }
};
result<std::unique_ptr<executable>> tvm_region::instance() const { return std::make_unique<run_of>(code_); }

class tvm_engine final : public engine {
    tvm options_;
    compiler compiler_;
    machine machine_;

    static std::mutex& one_at_a_time() {
        static std::mutex all;
        return all;
    }
    // All but functions.
    result<std::shared_ptr<code>> prepare(const region& r) const {
        auto c = std::make_shared<code>();
        c->steps = make_program(r, machine_);
        c->threads = options_.num_of_threads;
        const program& p = c->steps;
        c->constants.resize(p.tensors.size(), nullptr);
        for (std::size_t t = 0; t < p.tensors.size(); ++t) {
            const slot& x = p.tensors[t];
            if (p.tensors[std::size_t(p.root(int(t)))].where != place::constant) continue;
            if (x.where == place::alias) {
                c->constants[t] = c->constants[std::size_t(x.index)];
                continue;
            }
            const void* from = r.constant(x.index);
            if (!from)
                return failed("the elements of the constant " + std::string(r.graph.values[std::size_t(x.index)].name) +
                              " are not there");
            if (x.packed) {
                c->packed.push_back(pack(static_cast<const float*>(from), *x.packed));
                from = c->packed.back().get();
            } else if (!is_aligned(from)) {
                c->packed.push_back(allocate(x.bytes()));
                std::memcpy(c->packed.back().get(), from, std::size_t(x.bytes()));
                from = c->packed.back().get();
            }
            c->constants[t] = from;
        }
        for (const step& s : p.steps)
            c->rows.push_back(is_compiled(s) ? rows_step{kind::copy, 1, {}, 0, 0, 0, false}
                                             : rows_of(p, s.operations.front()));
        return c;
    }
    static void find_functions(code& c) {
        for (int number : c.numbers)
            c.functions.push_back(number < 0 ? object() : function_of(c.module, std::size_t(number)));
    }

  public:
    tvm_engine(tvm options, compiler c) : options_(std::move(options)), compiler_(std::move(c)) {
        machine_.lanes = std::max(vector_bits(compiler_) / 32, 4);
        machine_.registers = machine_.lanes >= 16 ? 32 : 16;
    }
    void propose(const free_nodes& free, proposals& out) override {
        propose_each(free, out, [&](int i) { return why_not({free.graph, free.graph.nodes[std::size_t(i)]}); });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override try {
        auto made = prepare(r);
        if (!made) return made.why();
        code& c = **made;
        const std::lock_guard lock(one_at_a_time());
        std::vector<object> scheduled;
        std::unordered_multimap<std::int64_t, std::pair<object, int>> known;  // the functions before their schedules
        for (const step& s : c.steps.steps) {
            c.numbers.push_back(-1);
            if (!is_compiled(s)) continue;
            const lowered l = lower(r, c.steps, s);
            const std::int64_t hash = call("ffi.StructuralHash", l.function, false, false).integer();
            const auto [first, last] = known.equal_range(hash);
            for (auto f = first; f != last && c.numbers.back() < 0; ++f)
                if (call("ffi.StructuralEqual", f->second.first, l.function, false, false).integer())
                    c.numbers.back() = f->second.second;
            if (c.numbers.back() >= 0) continue;
            c.numbers.back() = int(scheduled.size());
            known.emplace(hash, std::pair(l.function, c.numbers.back()));
            scheduled.push_back(
                schedule(l, c.steps.tensors[std::size_t(s.output)].dims, machine_, options_.num_of_threads != 1));
        }
        if (!scheduled.empty()) c.module = build(compiler_, scheduled);
        find_functions(c);
        return std::make_shared<tvm_region>(*made);
    } catch (const tvm_calls::failure& f) {
        return failed(f.what());
    }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override try {
        for (int i : r.nodes)
            if (r.graph.nodes[std::size_t(i)].op == "EPContext")
                return failed(
                    "TVM's saved code takes the constants of the nodes that it was compiled from, and a node of a "
                    "file with compiled regions has none");
        header h;
        const header mine;
        if (bytes.size() < sizeof h) return failed("the saved region is too short");
        std::memcpy(&h, bytes.data(), sizeof h);
        const std::string_view rest = bytes.substr(sizeof h);
        if (std::memcmp(h.magic, mine.magic, sizeof h.magic) != 0) return failed("these bytes are no saved region");
        if (h.size != rest.size() || h.sum != checksum(rest)) return failed("the saved region is damaged");
        auto made = prepare(r);
        if (!made) return made.why();
        code& c = **made;
        if (h.steps != c.steps.steps.size() || rest.size() < h.steps * sizeof(int))
            return failed("the saved region is another one");
        c.numbers.resize(h.steps);
        std::memcpy(c.numbers.data(), rest.data(), h.steps * sizeof(int));
        for (std::size_t k = 0; k < c.numbers.size(); ++k)
            if ((c.numbers[k] >= 0) != is_compiled(c.steps.steps[k])) return failed("the saved region is another one");
        auto module = load(rest.substr(h.steps * sizeof(int)));
        if (!module) return module.why();
        c.module = *module;
        find_functions(c);
        return std::make_shared<tvm_region>(*made);
    } catch (const tvm_calls::failure& f) {
        return failed(f.what());
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"tvm", "0.27"}, {"tvm_ffi", tvm_calls::library().version}, {"target", compiler_.target_text}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> tvm::open() const try {
    const std::string who(name);
    if (!tvm_calls::library().problem.empty())
        return error(error_code::provider_unavailable, who + ": TVM cannot be used: " + tvm_calls::library().problem);
    if (num_of_threads < 0) return error(error_code::invalid_option, who + ": num_of_threads cannot be negative");
    if (opt_level < 0 || opt_level > 3) return error(error_code::invalid_option, who + ": opt_level is 0 to 3");
    return std::make_shared<tvm_engine>(*this, make_compiler(target, opt_level));
} catch (const tvm_calls::failure& f) {
    return error(error_code::invalid_option, std::string(name) + ": " + f.what());
}
}  // namespace v1
}  // namespace inlay
