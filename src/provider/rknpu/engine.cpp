// Regions as models of RKNN, compiled of their ONNX by rknn-toolkit2, and run by the chip's library or by the
// simulator.
#include "library.hpp"
#include "rules.hpp"
#include "toolkit.hpp"
#include <inlay/provider/rknpu.hpp>
#include <inlay/sdk/region_file.hpp>
#include <platform/shared_library.hpp>
#include <vector>

namespace inlay {
inline namespace v1 {
namespace {
const rknn_functions& rknn() { return rknn_library(); }
std::size_t bytes_of_floats(const shape& dims) { return std::size_t(dims.elements()) * sizeof(float); }
std::vector<shape> shapes_of(const graph_view& g, std::span<const int> ids) {
    std::vector<shape> all;
    for (const int id : ids) all.push_back(g.values[std::size_t(id)].dims);
    return all;
}

// A model that the toolkit's process simulates.
class simulated_region final : public compiled_region {
    std::shared_ptr<rknn_toolkit> toolkit_;  // its folder is the process's
    rknn_model model_;
    mutable std::mutex mutex_;  // a process has one run at a time
    class one_run;

  public:
    simulated_region(std::shared_ptr<rknn_toolkit> t, rknn_model m) : toolkit_(std::move(t)), model_(std::move(m)) {}
    result<std::unique_ptr<executable>> instance() const override;
    result<std::string> save() const override { return model_.bytes; }
};
class simulated_region::one_run final : public executable {
    const simulated_region& r_;

  public:
    explicit one_run(const simulated_region& r) : r_(r) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        std::vector<std::span<const std::byte>> from;
        std::vector<std::span<std::byte>> to;
        for (const buffer& b : inputs) from.emplace_back(b.as<std::byte>(), bytes_of_floats(b.dims));
        for (const buffer& b : outputs) to.emplace_back(b.as<std::byte>(), bytes_of_floats(b.dims));
        const std::lock_guard lock(r_.mutex_);
        const std::string problem = r_.model_.simulate(from, to);
        return problem.empty() ? status::ok : c.fail(problem, status::failed);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
};
result<std::unique_ptr<executable>> simulated_region::instance() const { return std::make_unique<one_run>(*this); }

// A model that the chip has.
class device_region final : public compiled_region {
    std::string bytes_;
    std::vector<shape> inputs_, outputs_;
    rknn_interface::context context_ = 0;
    mutable std::mutex mutex_;  // a context has one run at a time
    class one_run;

    std::string problem_of(rknn_interface::query which, std::uint32_t index, const shape& expected) const {
        rknn_interface::tensor_attributes found{};
        found.index = index;
        if (const int s = rknn().rknn_query(context_, which, &found, sizeof found)) return text_of_rknn(s);
        return found.elements == std::uint64_t(expected.elements())
                   ? ""
                   : "the compiled model has an argument of " + std::to_string(found.elements) +
                         " elements in place of " + to_string(expected);
    }

  public:
    device_region(std::string bytes, const region& r)
        : bytes_(std::move(bytes)), inputs_(shapes_of(r.graph, r.inputs)), outputs_(shapes_of(r.graph, r.outputs)) {}
    device_region(const device_region&) = delete;
    ~device_region() override {
        if (context_) rknn().rknn_destroy(context_);
    }
    // Gives what is wrong; empty: nothing.
    std::string load(int core_mask) {
        if (bytes_.size() > UINT32_MAX) return "the compiled model has more than 4 GiB";
        if (const int s = rknn().rknn_init(&context_, bytes_.data(), std::uint32_t(bytes_.size()), 0, nullptr)) {
            context_ = 0;
            return text_of_rknn(s);
        }
        if (core_mask != 0)
            if (const int s = rknn().rknn_set_core_mask(context_, core_mask)) return "core_mask: " + text_of_rknn(s);
        rknn_interface::counts counts{};
        if (const int s = rknn().rknn_query(context_, rknn_interface::in_out_num, &counts, sizeof counts))
            return text_of_rknn(s);
        if (counts.inputs != inputs_.size() || counts.outputs != outputs_.size())
            return "the compiled model has " + std::to_string(counts.inputs) + " inputs and " +
                   std::to_string(counts.outputs) + " outputs, the region " + std::to_string(inputs_.size()) + " and " +
                   std::to_string(outputs_.size());
        for (std::size_t k = 0; k < inputs_.size(); ++k)
            if (auto why = problem_of(rknn_interface::input_attr, std::uint32_t(k), inputs_[k]); !why.empty())
                return why;
        for (std::size_t k = 0; k < outputs_.size(); ++k)
            if (auto why = problem_of(rknn_interface::output_attr, std::uint32_t(k), outputs_[k]); !why.empty())
                return why;
        return {};
    }
    result<std::unique_ptr<executable>> instance() const override;
    result<std::string> save() const override { return bytes_; }
};
class device_region::one_run final : public executable {
    const device_region& r_;
    std::vector<rknn_interface::input> inputs_;
    std::vector<rknn_interface::output> outputs_;

    int execute() {
        const std::lock_guard lock(r_.mutex_);
        const auto context = r_.context_;
        if (const int s = rknn().rknn_inputs_set(context, std::uint32_t(inputs_.size()), inputs_.data())) return s;
        if (const int s = rknn().rknn_run(context, nullptr)) return s;
        const auto count = std::uint32_t(outputs_.size());
        if (const int s = rknn().rknn_outputs_get(context, count, outputs_.data(), nullptr)) return s;
        return rknn().rknn_outputs_release(context, count, outputs_.data());
    }

  public:
    explicit one_run(const device_region& r) : r_(r) {
        for (const shape& dims : r.inputs_) {
            const auto format = dims.rank == 4 ? rknn_interface::nchw : rknn_interface::undefined;
            inputs_.push_back({std::uint32_t(inputs_.size()), nullptr, std::uint32_t(bytes_of_floats(dims)), 0,
                               rknn_interface::float32, format});
        }
        for (const shape& dims : r.outputs_)  // as floats, where the library is told
            outputs_.push_back({1, 1, std::uint32_t(outputs_.size()), nullptr, std::uint32_t(bytes_of_floats(dims))});
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        for (std::size_t k = 0; k < inputs_.size(); ++k) inputs_[k].data = inputs[k].data;
        for (std::size_t k = 0; k < outputs_.size(); ++k) outputs_[k].data = outputs[k].data;
        const int s = execute();
        if (s == rknn_interface::succeeded) return status::ok;
        return c.fail(text_of_rknn(s), status::failed);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
};
result<std::unique_ptr<executable>> device_region::instance() const { return std::make_unique<one_run>(*this); }

class rknpu_engine final : public engine {
    rknpu options_;
    std::shared_ptr<rknn_toolkit> toolkit_;  // null: until something is to be compiled
    std::mutex mutex_;

    result<std::shared_ptr<rknn_toolkit>> toolkit() {
        const std::lock_guard lock(mutex_);
        if (toolkit_) return toolkit_;
        auto made = rknn_toolkit::shared();
        if (made) toolkit_ = *made;
        return made;
    }
    result<std::shared_ptr<const compiled_region>> loaded(std::string bytes, const region& r) const {
        auto made = std::make_shared<device_region>(std::move(bytes), r);
        if (const std::string why = made->load(options_.core_mask); !why.empty())
            return error(error_code::provider_failed, why);
        return std::shared_ptr<const compiled_region>(std::move(made));
    }

  public:
    rknpu_engine(rknpu options, std::shared_ptr<rknn_toolkit> t)
        : options_(std::move(options)), toolkit_(std::move(t)) {}
    void propose(const free_nodes& free, proposals& out) override {
        propose_each(free, out, [&](int i) { return rknpu_refusal({free.graph, free.graph.nodes[std::size_t(i)]}); });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        if (std::string why = rknpu_refusal_of_ends(r); !why.empty())
            return error(error_code::unsupported_model, std::move(why));
        const auto onnx = to_onnx(r);
        if (!onnx) return onnx.why();
        const auto there = toolkit();
        if (!there) return there.why();
        auto made = (*there)->compile(options_.target_platform, *onnx, options_.simulator);
        if (!made) return made.why();
        if (options_.simulator) return std::make_shared<simulated_region>(*there, std::move(*made));
        return loaded(std::move(made->bytes), r);
    }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override {
        if (options_.simulator)
            return error(error_code::provider_failed,
                         "rknn-toolkit2's simulator runs what it compiled itself, and no file");
        return loaded(std::string(bytes), r);
    }
    // A file is for the chip, whoever made it: its library says whether it can be had.
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"library", "RKNN 2"},
                {"device", options_.target_platform},
                {"option simulator", "any"},
                {"option core_mask", "any"}};
    }
};
}  // namespace

result<std::shared_ptr<engine>> rknpu::open() const {
    const auto refused = [](error_code code, const std::string& why) {
        return error(code, std::string(name) + ": " + why);
    };
    if (core_mask < 0) return refused(error_code::invalid_option, "core_mask cannot be negative");
    if (target_platform.empty()) return refused(error_code::invalid_option, "target_platform names a chip, as rk3588");
    std::shared_ptr<rknn_toolkit> toolkit;
    if (simulator) {
        auto made = rknn_toolkit::shared();
        if (!made) return refused(made.why().code, made.why().text);
        toolkit = std::move(*made);
    } else if (!rknn().problem.empty()) {
        return refused(error_code::provider_unavailable, "RKNN cannot be used: " + rknn().problem);
    }
    return std::make_shared<rknpu_engine>(*this, std::move(toolkit));
}
device_inventory rknpu::inventory() {
    device_inventory all;
    all.unusable = rknn().problem;
    return all;
}
}  // namespace v1
}  // namespace inlay
