// Providers for tests: two that run a few operators with kernels of their own, one whose memory is not the host's, and
// an engine that takes regions.
#pragma once
#include <inlay/inlay.hpp>
#include <inlay/onnx/binary.hpp>
#include <inlay/onnx/unary.hpp>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

namespace inlay::testing {
struct ran {  // node: operator_key("", its name)
    std::uint64_t node;
    int device;
};
inline std::mutex trace_lock;
inline std::vector<ran> trace;              // of all runs of the kernels below
inline std::atomic<bool> lab_fails{false};  // makes every kernel of lab<0> fail
inline std::atomic<int> lab_delay{0};       // of every kernel of lab<0>, in microseconds

template <int Device> struct lab { static constexpr std::string_view name = "lab"; };
struct board_memory {};

// --- memory of its own: host memory that remembers its blocks, with counted transfers
struct board_space {
    static inline std::mutex lock;
    static inline std::map<const std::byte*, std::size_t> blocks;
    static inline std::atomic<int> to_board{0}, to_host{0};
    static inline std::atomic<bool> unplugged{false};
    static bool owns(const void* p) {
        const std::lock_guard guard(lock);
        auto at = blocks.upper_bound(static_cast<const std::byte*>(p));
        return at != blocks.begin() && (--at, static_cast<const std::byte*>(p) < at->first + at->second);
    }
};
}  // namespace inlay::testing

namespace inlay {
inline namespace v1 {
template <> struct memory_space<testing::board_memory> {
    static constexpr std::string_view name = "board";
    static void* allocate(std::size_t bytes) noexcept {
        void* p = memory_space<memory::host>::allocate(bytes);
        const std::lock_guard guard(testing::board_space::lock);
        testing::board_space::blocks[static_cast<const std::byte*>(p)] = bytes;
        return p;
    }
    static void release(void* p) noexcept {
        {
            const std::lock_guard guard(testing::board_space::lock);
            testing::board_space::blocks.erase(static_cast<const std::byte*>(p));
        }
        memory_space<memory::host>::release(p);
    }
};
template <> struct transfer<memory::host, testing::board_memory> {
    static bool copy(void* to, const void* from, std::size_t bytes) noexcept {
        ++testing::board_space::to_board;
        std::memcpy(to, from, bytes);
        return !testing::board_space::unplugged;
    }
};
template <> struct transfer<testing::board_memory, memory::host> {
    static bool copy(void* to, const void* from, std::size_t bytes) noexcept {
        ++testing::board_space::to_host;
        std::memcpy(to, from, bytes);
        return !testing::board_space::unplugged;
    }
};

// --- kernels: device 0 and 1 work on the host, 2 on the board; float only, and no broadcasting
template <class Op, int Device> struct lab_kernel : simple_kernel {
    struct params {
        std::int64_t count;
        std::uint64_t node;
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k = 1; k < n.input_count(); ++k)
            if (n.input(k).dims != n.input(0).dims) return no("the lab does not broadcast");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims.elements(), operator_key("", n.record.name)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        {
            const std::lock_guard guard(testing::trace_lock);
            testing::trace.push_back({p.node, Device});
        }
        if (Device == 0 && testing::lab_delay)
            std::this_thread::sleep_for(std::chrono::microseconds(testing::lab_delay));
        if (Device == 0 && testing::lab_fails) return c.fail("the lab is on fire", status::failed);
        const float *x = a.in<float>(0), *z = a.in<float>(std::same_as<Op, op::relu> ? 0 : 1);
        float* y = a.out<float>(0);
        if (Device == 2 &&
            !(testing::board_space::owns(x) && testing::board_space::owns(z) && testing::board_space::owns(y)))
            return c.fail("memory of the host on the board", status::failed);
        for (std::int64_t i = 0; i < p.count; ++i)
            y[i] = std::same_as<Op, op::relu>  ? std::max(x[i], 0.f)
                   : std::same_as<Op, op::add> ? x[i] + z[i]
                                               : x[i] * z[i];
        return status::ok;
    }
};
template <int Device> struct kernel<op::add, testing::lab<Device>, types<float>> : lab_kernel<op::add, Device> {};
template <int Device> struct kernel<op::mul, testing::lab<Device>, types<float>> : lab_kernel<op::mul, Device> {};
template <int Device> struct kernel<op::relu, testing::lab<Device>, types<float>> : lab_kernel<op::relu, Device> {};
}  // namespace v1
}  // namespace inlay

namespace inlay::testing {
struct alpha {
    static constexpr std::string_view name = "AlphaExecutionProvider";
    static constexpr auto devices = hana::tuple_t<lab<0>>;
    static constexpr auto kernels = hana::tuple_t<op::add, op::relu>;
};
struct beta {
    static constexpr std::string_view name = "BetaExecutionProvider";
    static constexpr auto devices = hana::tuple_t<lab<1>>;
    static constexpr auto kernels = hana::tuple_t<op::relu, op::mul>;
};
struct board {
    using memory = board_memory;
    static constexpr std::string_view name = "BoardExecutionProvider";
    static constexpr auto devices = hana::tuple_t<lab<2>>;
    static constexpr auto kernels = hana::tuple_t<op::add, op::relu>;
};
struct second_board : board {  // another provider in the same memory
    static constexpr std::string_view name = "SecondBoardExecutionProvider";
    static constexpr auto kernels = hana::tuple_t<op::mul>;
};

// --- an engine: a little machine for Add, Mul and Relu of equal shapes, for convolutions of one number, and for
// quantised weights
struct loom_log {
    int engines = 0, queries = 0, compiled = 0, compiled_for_any = 0, restored = 0;
    bool takes_any_shapes = false, refuses_regions = false;
    std::atomic<int> instances{0}, runs{0};
    std::atomic<bool> instances_fail{false};
    std::atomic<int> delay{0};                                 // of each run of a region, in microseconds
    std::string delayed_operator;                              // of regions that have it; empty: of all
    bool tells_input = false;                                  // a run that fails says what its first input is
    std::function<void(std::string_view)> compiles_for_any{};  // gets the last operator of the region
    std::vector<std::vector<std::string>> regions;
};

class loom_program final : public compiled_region {
    struct line {
        std::string_view op;
        int x, z, y;
    };
    std::vector<line> lines_;
    std::vector<const float*> constants_;
    std::vector<std::vector<float>> slots_;  // of values made inside, weights among them; empty for the others
    std::vector<int> inputs_, outputs_;
    std::int64_t count_ = 0;
    std::shared_ptr<loom_log> log_;
    bool fails_;

    class in_slots;

  public:
    loom_program(const region& r, std::shared_ptr<loom_log> log, bool fails)
        : slots_(r.graph.values.size()),
          inputs_(r.inputs.begin(), r.inputs.end()),
          outputs_(r.outputs.begin(), r.outputs.end()),
          log_(std::move(log)),
          fails_(fails) {
        std::vector<std::string> names;
        for (std::size_t id = 0; id < r.graph.values.size(); ++id)
            constants_.push_back(static_cast<const float*>(r.constant(int(id))));
        for (int i : r.nodes) {
            const node_view n{r.graph, r.graph.nodes[std::size_t(i)]};
            if (n.output(0).dims.known()) count_ = n.output(0).dims.elements();
            const auto op = n.record.op;
            names.emplace_back(op);
            if (op == "DequantizeLinear") {
                const auto* codes = static_cast<const std::int8_t*>(r.constant(n.input_id(0)));
                for (std::int64_t k = 0; k < count_; ++k)
                    slots_[std::size_t(n.output_id(0))].push_back(float(codes[k]) *
                                                                  constants_[std::size_t(n.input_id(1))][0]);
                continue;
            }
            lines_.push_back({op == "Add"    ? "Add"
                              : op == "Mul"  ? "Mul"
                              : op == "Conv" ? "Conv"
                                             : "Relu",
                              n.input_id(0), n.has_input(1) ? n.input_id(1) : n.input_id(0), n.output_id(0)});
            slots_[std::size_t(n.output_id(0))].resize(std::size_t(count_));
        }
        log_->regions.push_back(std::move(names));
    }
    explicit loom_program(std::shared_ptr<loom_log> log, bool fails) : log_(std::move(log)), fails_(fails) {}
    result<std::unique_ptr<executable>> instance() const override;
    // Words: the count, what each value that is known holds, the lines, the inputs and outputs.
    result<std::string> save() const override {
        std::ostringstream to;
        to << "loom " << count_ << ' ' << slots_.size() << '\n';
        std::vector<char> is_written(slots_.size(), 0), is_read(slots_.size(), 0);
        for (const line& l : lines_) {
            is_written[std::size_t(l.y)] = 1;
            is_read[std::size_t(l.x)] = is_read[std::size_t(l.z)] = 1;
        }
        for (std::size_t id = 0; id < slots_.size(); ++id) {
            const float* c = constants_.empty() ? nullptr : constants_[id];
            const bool is_input = std::ranges::count(inputs_, int(id)) > 0;
            const std::size_t elements = !is_read[id] || is_written[id] || is_input ? 0 : std::size_t(count_);
            const bool is_scalar = std::ranges::any_of(
                lines_, [&](const line& l) { return l.op == "Conv" && l.z == int(id) && l.x != int(id); });
            to << (is_written[id] ? -1 : elements ? is_scalar ? 1 : count_ : 0);
            for (std::size_t k = 0; k < (elements ? is_scalar ? 1 : elements : 0); ++k)
                to << ' ' << std::bit_cast<std::uint32_t>(slots_[id].empty() ? c[k] : slots_[id][k]);
            to << '\n';
        }
        to << lines_.size() << '\n';
        for (const line& l : lines_) to << l.op << ' ' << l.x << ' ' << l.z << ' ' << l.y << '\n';
        for (const auto* list : {&inputs_, &outputs_}) {
            to << list->size();
            for (int id : *list) to << ' ' << id;
            to << '\n';
        }
        return to.str();
    }
    // From any bytes: false where they are no program over so many inputs and outputs of so many elements.
    bool load(std::string_view bytes, std::size_t inputs, std::size_t outputs, std::int64_t count) {
        std::istringstream from{std::string(bytes)};
        std::string word;
        std::size_t values = 0, lines = 0;
        if (!(from >> word >> count_ >> values) || word != "loom" || count_ != count || values > bytes.size())
            return false;
        slots_.resize(values);
        for (std::vector<float>& slot : slots_) {
            std::int64_t elements = 0;
            if (!(from >> elements) || elements < -1 || elements > count_) return false;
            slot.resize(std::size_t(elements < 0 ? count_ : elements));
            for (std::int64_t k = 0; k < elements; ++k) {
                std::uint32_t bits = 0;
                if (!(from >> bits)) return false;
                slot[std::size_t(k)] = std::bit_cast<float>(bits);
            }
        }
        constants_.assign(values, nullptr);
        const auto is_value = [&](int id) { return id >= 0 && std::size_t(id) < values; };
        if (!(from >> lines) || lines > bytes.size()) return false;
        for (std::size_t k = 0; k < lines; ++k) {
            line l{};
            if (!(from >> word >> l.x >> l.z >> l.y) || !is_value(l.x) || !is_value(l.z) || !is_value(l.y))
                return false;
            for (const std::string_view op : {"Add", "Mul", "Conv", "Relu"})
                if (word == op) l.op = op;
            if (l.op.empty()) return false;
            lines_.push_back(l);
        }
        for (const auto& [list, size] : {std::pair(&inputs_, inputs), std::pair(&outputs_, outputs)}) {
            std::size_t n = 0;
            if (!(from >> n) || n != size) return false;
            for (int id = 0; n-- > 0; list->push_back(id))
                if (!(from >> id) || !is_value(id)) return false;
        }
        return sound();
    }

  private:
    bool sound() const {  // every value that is read has elements
        const auto has = [&](int id, std::int64_t n) {
            return std::ranges::count(inputs_, id) || std::int64_t(slots_[std::size_t(id)].size()) >= n;
        };
        for (const line& l : lines_)
            if (!has(l.x, count_) || !has(l.z, l.op == "Conv" ? 1 : count_) ||
                std::int64_t(slots_[std::size_t(l.y)].size()) < count_)
                return false;
        return std::ranges::all_of(outputs_,
                                   [&](int id) { return std::int64_t(slots_[std::size_t(id)].size()) >= count_; });
    }
};
class loom_program::in_slots final : public executable {  // of its own
    const loom_program& p_;
    std::vector<std::vector<float>> slots_;

  public:
    explicit in_slots(const loom_program& p) : p_(p), slots_(p.slots_) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override {
        ++p_.log_->runs;
        const std::string& late = p_.log_->delayed_operator;
        if (p_.log_->delay && (late.empty() || std::ranges::find(p_.lines_, late, &line::op) != p_.lines_.end()))
            std::this_thread::sleep_for(std::chrono::microseconds(p_.log_->delay));
        if (p_.fails_ && p_.log_->tells_input)
            return c.fail("the engine stalled at " + std::to_string(int(inputs[0].as<float>()[0])), status::failed);
        if (p_.fails_) return c.fail("the engine stalled", status::failed);
        const auto operand = [&](int id) -> const float* {
            for (std::size_t k = 0; k < p_.inputs_.size(); ++k)
                if (p_.inputs_[k] == id) return inputs[k].as<float>();
            const std::vector<float>& slot = slots_[std::size_t(id)];
            return slot.empty() && p_.constants_[std::size_t(id)] ? p_.constants_[std::size_t(id)] : slot.data();
        };
        const std::int64_t count = inputs.empty() ? p_.count_ : inputs[0].dims.elements();
        for (const line& l : p_.lines_) {
            const float *x = operand(l.x), *z = operand(l.z);
            slots_[std::size_t(l.y)].resize(std::size_t(count));
            float* y = slots_[std::size_t(l.y)].data();
            for (std::int64_t i = 0; i < count; ++i)
                y[i] = l.op == "Add"    ? x[i] + z[i]
                       : l.op == "Mul"  ? x[i] * z[i]
                       : l.op == "Conv" ? x[i] * z[0]
                                        : std::max(x[i], 0.f);
        }
        for (std::size_t k = 0; k < p_.outputs_.size(); ++k)
            std::copy_n(slots_[std::size_t(p_.outputs_[k])].data(), count, outputs[k].as<float>());
        return status::ok;
    }
};
inline result<std::unique_ptr<executable>> loom_program::instance() const {
    if (log_->instances_fail) return error(error_code::provider_failed, "no more slots");
    ++log_->instances;
    return std::make_unique<in_slots>(*this);
}
struct loom {
    std::shared_ptr<loom_log> log = std::make_shared<loom_log>();
    bool single = false;  // takes each node alone
    bool open_fails = false, compile_fails = false, run_fails = false;
    int threads_of_yarn = 2;
    std::string machine = "jacquard", version = "1804", punch_cards = "";  // of identity(); no cards: not reported
    static constexpr std::string_view name = "EngineExecutionProvider";

    result<std::shared_ptr<engine>> open() const;
};
class loom_engine : public engine {
    loom options_;

    static std::string refusal(const node_view& n) {  // empty: it takes the node
        if (n.record.op == "DequantizeLinear")
            return n.is_constant(0) && n.input(0).type == element::i8 && n.input(1).dims.elements() == 1 &&
                           n.input_count() == 2
                       ? ""
                       : "it decodes 8-bit weights of one scale";
        if (n.record.op == "Conv")
            return n.is_constant(1) && n.input(1).dims.elements() == 1 && n.input_count() == 2
                       ? ""
                       : "its convolutions have one number";
        if (n.record.op != "Add" && n.record.op != "Mul" && n.record.op != "Relu")
            return "it has no " + std::string(n.record.op);
        for (int k = 0; k < n.input_count(); ++k)
            if (n.input(k).dims != n.output(0).dims || n.input(k).type != element::f32)
                return "input " + std::to_string(k) + " is " + to_string(n.input(k).dims) + ", not floats of " +
                       to_string(n.output(0).dims);
        return "";
    }

  public:
    explicit loom_engine(loom options) : options_(std::move(options)) {}
    void propose(const free_nodes& free, proposals& out) override {  // runs of neighbours in the graph's order
        ++options_.log->queries;
        const graph_view& g = free.graph;
        std::vector<std::vector<int>> regions;
        int previous = -2;
        for (int i : free.nodes) {
            if (std::string reason = refusal({g, g.nodes[std::size_t(i)]}); !reason.empty()) {
                out.refuse(i, std::move(reason));
                continue;
            }
            if (options_.single || i != previous + 1 || regions.empty()) regions.emplace_back();
            regions.back().push_back(i);
            previous = i;
        }
        for (std::vector<int>& nodes : regions) out.take(std::move(nodes));
    }
    result<std::shared_ptr<const compiled_region>> compile_for_any_shapes(const region& r) override {
        if (!options_.log->takes_any_shapes) return engine::compile_for_any_shapes(r);
        ++options_.log->compiled_for_any;
        if (options_.log->compiles_for_any)
            options_.log->compiles_for_any(r.graph.nodes[std::size_t(r.nodes.back())].op);
        return std::make_shared<loom_program>(r, options_.log, options_.run_fails);
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        std::vector<std::pair<std::string, std::string>> facts{{"library", options_.version},
                                                               {"device", options_.machine}};
        if (!options_.punch_cards.empty()) facts.emplace_back("cards", options_.punch_cards);
        return facts;
    }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override {
        auto program = std::make_shared<loom_program>(options_.log, options_.run_fails);
        const value& y = r.graph.values[std::size_t(r.outputs.front())];
        if (!program->load(bytes, r.inputs.size(), r.outputs.size(), y.dims.elements()))
            return error(error_code::provider_failed, "the cards are torn");
        ++options_.log->restored;
        return program;
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        ++options_.log->compiled;
        if (options_.log->refuses_regions) return error(error_code::unsupported_model, "the pattern is too wide");
        if (options_.compile_fails) return error(error_code::provider_failed, "the drum is full");
        return std::make_shared<loom_program>(r, options_.log, options_.run_fails);
    }
};
inline result<std::shared_ptr<engine>> loom::open() const {
    ++log->engines;
    if (open_fails) return error(error_code::provider_unavailable, "the crank is missing");
    return std::make_shared<loom_engine>(*this);
}
static_assert(engine_provider<loom> && !kernel_provider<loom>);
}  // namespace inlay::testing
BOOST_HANA_ADAPT_STRUCT(inlay::testing::loom, single, threads_of_yarn);
