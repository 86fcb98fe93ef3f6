// The kernel interface: kernel<Op, Device, Types>, specialised separately from the operator, constexpr until bind, then
// pointers only. Its members, in the order in which they are called:
//
//   supports(node) -> verdict
//       Can this kernel run the node? Called with complete shapes only; a `no` carries its reason.
//   layouts(node) -> layout_rule
//       The order of elements that it reads and writes.
//   strided(node, input(k) or output(k)) -> bool
//       May that argument, channels last, be a slice of wider pixels? prepare() sees input_pitch(), output_pitch().
//   spaced(node, input(k) or output(k)) -> bool, optional: plain, may it be matrices with capacity for more rows in
//       between; channels last, may its float32 be kept as bf16? prepare() sees pitches likewise, the latter below 0.
//   prepare(node) -> params
//       Literal, trivially copyable, no pointers; everything that depends on shapes and layouts.
//   footprint(params, level, threads) -> bytes_needed
//       Bytes of packed constants, and of scratch during one run.
//   bind(params, constants, setup, state) noexcept -> status
//       Once per model: packs weights, stores function pointers. `state` depends on attributes, constants and level,
//       never on the shape of other inputs.
//   run(params, state, arguments, context) noexcept -> status
//       No heap but for strings and values that are no tensors, after context::take(); no lock, no exception.
//   reduced(params) -> bool, optional
//       The kernel computes with less than the precision of the node's types, as the graph allows.
//   needs(params) -> a structural value, optional
//       bind() and run() are templates over it, with a default that serves all params. It depends on attributes and
//       constants only; a program that knows it links only that.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "failure_text.hpp"
#include "graph.hpp"
#include <inlay/isa.hpp>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>

namespace inlay {
inline namespace v1 {
namespace device {  // kernel tags, never instruction sets; any type may be one
struct cpu {        // fast kernels: xsimd, through a table per instruction set
    static constexpr std::string_view name = "cpu";
};
struct reference {  // reference kernels
    static constexpr std::string_view name = "reference";
};
}  // namespace device
template <class... T> struct types {};  // an operator's type constraints, resolved for a node
template <class Op, class Device, class Types> struct kernel;

enum class refusal : std::uint8_t { none, operation, version, type, node, provider };  // by how far the query came
struct verdict {
    bool ok = true;
    std::string_view reason{};  // static text; a `yes` may carry why a faster kernel declined
    refusal stage = refusal::none;
    std::int64_t detail = 0;  // version or element type met, where the stage is one of these
    constexpr explicit operator bool() const { return ok; }
};
constexpr verdict yes() { return {}; }
constexpr verdict no(std::string_view reason) { return {false, reason, refusal::node, 0}; }

enum class status : std::uint8_t {
    ok,
    stopped,
    deadline_passed,
    no_such_level,
    out_of_memory,
    invalid_value,  // an input value that the operator forbids: an index out of range, division of integers by zero
    unsupported,    // an input value needs what the operator supports, but this kernel does not
    failed,         // a device or engine failed
    device_lost     // and will do nothing more in this process
};
constexpr std::string_view name_of(status s) {
    constexpr std::string_view names[] = {"ok",
                                          "stopped",
                                          "deadline passed",
                                          "no such instruction-set level",
                                          "out of memory",
                                          "invalid value",
                                          "not supported",
                                          "failed",
                                          "device lost"};
    return names[int(s)];
}

struct error;
struct context;
struct bytes_needed {
    std::int64_t constant = 0, scratch = 0;
};
struct layout_rule {
    layout in = layout::plain, out = layout::plain;
};                  // any: as the first input that may have another layout
struct constants {  // null where the input is absent or no constant
    const void* const* data;
    template <class T> const T* in(int k) const { return static_cast<const T*>(data[k]); }
};
struct arguments {  // null where an optional input or output is absent
    const void* const* inputs;
    void* const* outputs;
    template <class T> const T* in(int k) const { return static_cast<const T*>(inputs[k]); }
    template <class T> T* out(int k) const { return static_cast<T*>(outputs[k]); }
};
struct setup {  // what bind() may use; storage: footprint().constant bytes, aligned to 64
    isa::level level;
    int threads;
    std::byte* storage;
    error* failure = nullptr;   // where a failed bind() may report more than its status; null in embedded models
    context* during = nullptr;  // the run that packs non-constant weights; null where a model is loaded
    // As context::split(), by the threads of that run; else all at once, since other kernels are bound meanwhile.
    template <class F> void split(std::int64_t items, std::int64_t grain, F f) const noexcept;
};

// An executor runs `count` independent tasks and returns when all are done; `size()` threads at most, the caller's
// included.
using task_function = void (*)(void* data, int index) noexcept;
template <class E>
concept executor = requires(E& e, task_function task, void* data) {
    { e.size() }
    noexcept->std::convertible_to<int>;
    { e.parallel(2, task, data) }
    noexcept;
};
struct serial {
    static constexpr int concurrency =
        1;  // a constant where an executor has one, so that embedded models can size scratch
    static constexpr int size() noexcept { return 1; }
    static void parallel(int count, task_function task, void* data) noexcept {
        for (int i = 0; i < count; ++i) task(data, i);
    }
};

struct context {  // of one run: never shared by two
    void* pool = nullptr;
    void (*fork)(void* pool, int count, task_function, void* data) noexcept =
        [](void*, int count, task_function task, void* data) noexcept { serial::parallel(count, task, data); };
    int threads = 1;               // of the pool
    std::byte* scratch = nullptr;  // footprint().scratch bytes, aligned to 64, in the provider's memory
    const std::atomic<bool>* stop = nullptr;
    std::optional<std::chrono::steady_clock::time_point> deadline{};
    failure_text detail{};  // why a kernel returned something other than ok
    void* owner = nullptr;  // with `grow`: memory for an output whose shape only the kernel knows
    void* (*grow)(void* owner, int output, const shape& dims) noexcept = nullptr;
    void* stream = nullptr;              // of a device: its driver's handle
    unsigned* faults = nullptr;          // of a device: a word for faults that its kernels find in input values
                                         // (kernels/inlay/support/fault.hpp)
    std::int64_t* bytes_left = nullptr;  // for what kernels allocate on the heap; null: no limit

    // Before a kernel creates strings, or values that are no tensors: false where the run may allocate no more.
    bool take(std::int64_t bytes) noexcept {
        if (!bytes_left) return true;
        if (bytes > *bytes_left) return false;
        *bytes_left -= bytes;
        return true;
    }
    bool stoppable() const noexcept { return stop || deadline; }
    bool stopped() const noexcept {
        return (stop && stop->load(std::memory_order_relaxed)) ||
               (deadline && std::chrono::steady_clock::now() >= *deadline);
    }
    status end_of_run() const noexcept {
        return stop && stop->load(std::memory_order_relaxed) ? status::stopped : status::deadline_passed;
    }  // where stopped()
    // The text is copied: it may be temporary.
    status fail(std::string_view reason, status s = status::invalid_value) noexcept {
        detail = reason;
        return s;
    }
    // For operators of data-dependent output shape: sets the shape of output k and returns its memory, null if there is
    // none.
    template <class T> T* output(int k, const shape& dims) noexcept { return static_cast<T*>(grow(owner, k, dims)); }
    template <class F> void for_each(int count, F f) noexcept {
        fork(
            pool, count, [](void* data, int i) noexcept { (*static_cast<F*>(data))(i); }, &f);
    }
    // Splits [0, items) into at most `threads` even parts of at least `grain` items: f(first, last, part).
    template <class F> void split(std::int64_t items, std::int64_t grain, F f) noexcept {
        const std::int64_t most = items / (grain > 0 ? grain : 1);
        const int parts = most < 2 ? 1 : most < threads ? int(most) : threads;
        if (parts == 1) {
            f(std::int64_t(0), items, 0);
            return;
        }
        for_each(parts, [&](int p) { f(items * p / parts, items * (p + 1) / parts, p); });
    }
};
template <class F> void setup::split(std::int64_t items, std::int64_t grain, F f) const noexcept {
    if (during)
        during->split(items, grain, f);
    else
        f(std::int64_t(0), items, 0);
}
template <executor E> context make_context(E& e, std::byte* scratch = nullptr) noexcept {
    context c;
    c.pool = &e;
    c.fork = [](void* pool, int count, task_function task, void* data) noexcept {
        static_cast<E*>(pool)->parallel(count, task, data);
    };
    c.threads = e.size();
    c.scratch = scratch;
    return c;
}

// How output 0 may share the bytes of input 0: the first three where both have the same size and layout.
enum class reuse : std::uint8_t {
    none,
    in_place,  // overwrites them: where nothing reads the input afterwards
    view,      // they are the same bytes: run() copies only if the pointers differ
    joins,   // the inputs may lie inside output 0, next to each other along the channels: run() copies only those that
             // are not in place
    divides  // the outputs may lie inside input 0, likewise
};
struct simple_kernel {  // defaults, hidden by a kernel that needs more
    struct state {};
    static constexpr reuse shares = reuse::none;
    // A bit per input, whose order of elements is always plain: where all of them that the node has are constants,
    // bind() copies what it needs and run() does not read them.
    static constexpr unsigned packs = 0;
    static constexpr verdict supports(const node_view&) { return yes(); }
    static constexpr layout_rule layouts(const node_view&) { return {}; }
    static constexpr bool strided(const node_view&, int) { return false; }
    static constexpr bytes_needed footprint(const auto&, isa::level, int) { return {}; }
    static status bind(const auto&, constants, const setup&, state&) noexcept { return status::ok; }
};
template <class K>
concept complete_kernel = requires(const node_view& n, const typename K::params& p, typename K::state& s, constants w,
                                   const setup& u, const arguments& a, context& c) {
    { K::supports(n) } -> std::same_as<verdict>;
    { K::prepare(n) } -> std::same_as<typename K::params>;
    { K::layouts(n) } -> std::same_as<layout_rule>;
    { K::strided(n, 0) } -> std::same_as<bool>;
    { K::footprint(p, u.level, u.threads) } -> std::same_as<bytes_needed>;
    { K::bind(p, w, u, s) }
    noexcept->std::same_as<status>;
    { K::run(p, s, a, c) }
    noexcept->std::same_as<status>;
}
&&std::is_trivially_copyable_v<typename K::params>;
}  // namespace v1
}  // namespace inlay
