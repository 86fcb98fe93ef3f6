// Regions as compiled models of NNAPI.
#include "model.hpp"
#include <inlay/provider/nnapi.hpp>
#include <inlay/sdk/engine.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
using namespace nnapi_rules;

class nnapi_region final : public compiled_region {
    written_model model_;
    nnapi_ptr<ANeuralNetworksCompilation> compilation_;
    class one_run;

  public:
    nnapi_region(written_model m, nnapi_ptr<ANeuralNetworksCompilation> c)
        : model_(std::move(m)), compilation_(std::move(c)) {}
    result<std::unique_ptr<executable>> instance() const override;
};
// An execution of NNAPI is for one run, so there is nothing to keep.
class nnapi_region::one_run final : public executable {
    ANeuralNetworksCompilation* compilation_;

    static std::size_t bytes_of(const buffer& b) {
        return std::size_t(b.dims.elements()) * (b.type == element::f32 ? sizeof(float) : 1);
    }
    int compute(ANeuralNetworksExecution* e) const {
        if (nn().level >= 29) return nn().ANeuralNetworksExecution_compute(e);
        ANeuralNetworksEvent* event = nullptr;
        if (const int s = nn().ANeuralNetworksExecution_startCompute(e, &event); s != NO_ERROR) return s;
        const nnapi_ptr<ANeuralNetworksEvent> owner(event);
        return nn().ANeuralNetworksEvent_wait(event);
    }
    int execute(std::span<const buffer> inputs, std::span<const buffer> outputs) const {
        ANeuralNetworksExecution* e = nullptr;
        if (const int s = nn().ANeuralNetworksExecution_create(compilation_, &e); s != NO_ERROR) return s;
        const nnapi_ptr<ANeuralNetworksExecution> owner(e);
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (const int s = nn().ANeuralNetworksExecution_setInput(e, std::int32_t(k), nullptr, inputs[k].data,
                                                                     bytes_of(inputs[k]));
                s != NO_ERROR)
                return s;
        for (std::size_t k = 0; k < outputs.size(); ++k)
            if (const int s = nn().ANeuralNetworksExecution_setOutput(e, std::int32_t(k), nullptr, outputs[k].data,
                                                                      bytes_of(outputs[k]));
                s != NO_ERROR)
                return s;
        return compute(e);
    }

  public:
    explicit one_run(ANeuralNetworksCompilation* c) : compilation_(c) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        const int s = execute(inputs, outputs);
        if (s == NO_ERROR) return status::ok;
        return c.fail(text_of_nnapi(s), status::failed);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
};
result<std::unique_ptr<executable>> nnapi_region::instance() const {
    return std::make_unique<one_run>(compilation_.get());
}

class nnapi_engine final : public engine {
    model_options options_;

    // Why these nodes are not taken as a model of their own; empty: they are.
    std::string refusal(const graph_view& g, const constant_source* constants, std::span<const int> nodes,
                        const byte_nodes& in_bytes, region_ends& finder) const {
        const region_values ends = finder.of(nodes);
        return refusal_of_region({g, nodes, ends.inputs, ends.outputs, constants}, options_, in_bytes);
    }
    nnapi_ptr<ANeuralNetworksCompilation> compiled(ANeuralNetworksModel* model) const {
        const auto check = [](int s) {
            if (s != NO_ERROR) refuse(text_of_nnapi(s));
        };
        std::vector<const ANeuralNetworksDevice*> handles;
        for (const nnapi_device& d : options_.devices) handles.push_back(d.handle);
        ANeuralNetworksCompilation* c = nullptr;
        check(handles.empty() ? nn().ANeuralNetworksCompilation_create(model, &c)
                              : nn().ANeuralNetworksCompilation_createForDevices(model, handles.data(),
                                                                                 std::uint32_t(handles.size()), &c));
        nnapi_ptr<ANeuralNetworksCompilation> owner(c);
        check(nn().ANeuralNetworksCompilation_setPreference(c, PREFER_FAST_SINGLE_ANSWER));
        check(nn().ANeuralNetworksCompilation_finish(c));
        return owner;
    }

  public:
    explicit nnapi_engine(model_options o) : options_(std::move(o)) {}
    // Each node is asked about by a model of it alone, whose tensors are floats.
    void propose(const free_nodes& free, proposals& out) override {
        const byte_graph bytes(free.graph, free.constants);
        const byte_nodes floats(free.graph, bytes);
        region_ends finder(free.graph);
        propose_each(free, out,
                     [&](int i) { return refusal(free.graph, free.constants, std::array{i}, floats, finder); });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        const byte_graph bytes(r.graph, r.constants);
        region_ends finder(r.graph);
        const auto taken = [&](std::span<const int> nodes, const byte_nodes& in_bytes) {
            return refusal(r.graph, r.constants, nodes, in_bytes, finder).empty();
        };
        const byte_nodes in_bytes = find_bytes(r.graph, bytes, r.nodes, options_.level, taken);
        std::shared_ptr<const compiled_region> made;
        const std::string why = refusal_of("NNAPI", [&] {
            written_model m = model_writer(r, options_, in_bytes, purpose::use).write();
            nnapi_ptr<ANeuralNetworksCompilation> c = compiled(m.model.get());
            made = std::make_shared<nnapi_region>(std::move(m), std::move(c));
        });
        if (!why.empty()) return error(error_code::unsupported_model, why);
        return made;
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        std::string devices;
        for (const nnapi_device& d : options_.devices)
            devices += (devices.empty() ? "" : ", ") + d.name + " " + d.version;
        return {{"library", "feature level " + std::to_string(options_.level)}, {"device", devices}};
    }
};

// What an option needs that the library has not; empty: nothing.
std::string missing_for(const nnapi& p) {
    const std::int64_t level = nn().level;
    const auto needs = [&](std::string_view option, std::int64_t least) {
        return level >= least ? std::string()
                              : std::string(option) + " needs " + nnapi_level_text(least) + ", and this is " +
                                    nnapi_level_text(level);
    };
    if (std::string why = p.use_fp16 ? needs("use_fp16", 28) : ""; !why.empty()) return why;
    if (std::string why = p.use_nchw ? needs("use_nchw", 29) : ""; !why.empty()) return why;
    return p.cpu_disabled || p.cpu_only ? needs(p.cpu_only ? "cpu_only" : "cpu_disabled", 29) : "";
}
}  // namespace

result<std::shared_ptr<engine>> nnapi::open() const {
    const auto unusable = [](error_code code, const std::string& why) {
        return error(code, std::string(name) + ": " + why);
    };
    if (cpu_disabled && cpu_only)
        return unusable(error_code::invalid_option, "cpu_disabled and cpu_only leave no device");
    if (!nn().problem.empty())
        return unusable(error_code::provider_unavailable, "NNAPI cannot be used: " + nn().problem);
    if (const std::string why = missing_for(*this); !why.empty())
        return unusable(error_code::provider_unavailable, why);
    model_options o{use_fp16, use_nchw, nn().level, {}};
    if (cpu_disabled || cpu_only) {
        o.level = 0;
        for (nnapi_device& d : nnapi_devices())
            if (d.is_reference() == cpu_only) {
                o.level = std::max(o.level, std::min(d.level, nn().level));
                o.devices.push_back(std::move(d));
            }
        if (o.devices.empty())
            return unusable(error_code::provider_unavailable,
                            cpu_only ? "there is no device nnapi-reference" : "there is no device but nnapi-reference");
    }
    return std::make_shared<nnapi_engine>(std::move(o));
}
device_inventory nnapi::inventory() {
    device_inventory all;
    if (!nn().problem.empty()) {
        all.unusable = nn().problem;
        return all;
    }
    all.libraries = {{"feature level", std::to_string(nn().level)}};
    for (const nnapi_device& d : nnapi_devices())
        all.devices.push_back(
            {int(all.devices.size()), d.name + " " + d.version, 0, {{"feature_level", std::to_string(d.level)}}});
    return all;
}
}  // namespace v1
}  // namespace inlay
