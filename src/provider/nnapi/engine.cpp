// Regions as compiled models of NNAPI.
#include "writer.hpp"
#include <inlay/provider/nnapi.hpp>
#include <inlay/sdk/engine.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
using namespace nnapi_interface;

// An execution of NNAPI is for one run, so there is nothing to keep.
class nnapi_run {
    ANeuralNetworksCompilation* compilation_;

    static std::size_t bytes_of(const buffer& b) {
        return std::size_t(b.dims.elements()) * (b.type == element::f32 ? sizeof(float) : 1);
    }
    static int compute(ANeuralNetworksExecution* e) {
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
    explicit nnapi_run(ANeuralNetworksCompilation* c) : compilation_(c) {}
    std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) const {
        const int s = execute(inputs, outputs);
        return s == NO_ERROR ? "" : text_of_nnapi(s);
    }
};
struct nnapi_compiled {
    nnapi_model model;
    nnapi_ptr<ANeuralNetworksCompilation> compilation;
    nnapi_run instance() const { return nnapi_run(compilation.get()); }
};
struct nnapi_backend {
    static constexpr const lowering::rule_set& rules = nnapi_rules;
    nnapi_options options;

    struct writer : nnapi_writer {
        writer(const nnapi_backend& b, const region& r, lowering::purpose purpose)
            : nnapi_writer(b.options, r, purpose) {}
    };
    lowering::target aim() const {
        return {&nnapi_rules, std::to_string(options.level),
                options.channels_first ? layout::plain : layout::channels_last};
    }
    std::shared_ptr<const nnapi_compiled> compile(nnapi_model m) const {
        std::vector<const ANeuralNetworksDevice*> handles;
        for (const nnapi_device& d : options.devices) handles.push_back(d.handle);
        ANeuralNetworksModel* const model = m.model.get();
        ANeuralNetworksCompilation* c = nullptr;
        check_nnapi(handles.empty() ? nn().ANeuralNetworksCompilation_create(model, &c)
                                    : nn().ANeuralNetworksCompilation_createForDevices(
                                          model, handles.data(), std::uint32_t(handles.size()), &c));
        nnapi_ptr<ANeuralNetworksCompilation> owner(c);
        check_nnapi(nn().ANeuralNetworksCompilation_setPreference(c, PREFER_FAST_SINGLE_ANSWER));
        check_nnapi(nn().ANeuralNetworksCompilation_finish(c));
        return std::shared_ptr<const nnapi_compiled>(new nnapi_compiled{std::move(m), std::move(owner)});
    }
    std::vector<std::pair<std::string, std::string>> identity() const {
        std::string devices;
        for (const nnapi_device& d : options.devices)
            devices += (devices.empty() ? "" : ", ") + d.name + " " + d.version;
        return {{"library", "feature level " + std::to_string(options.level)}, {"device", devices}};
    }
};

// What an option needs that the library has not; empty: nothing.
std::string missing_for(const nnapi& p) {
    const std::int64_t level = nn().level;
    const auto needs = [&](std::string_view option, std::int64_t least) {
        return level >= least ? std::string()
                              : std::string(option) + " needs " + nnapi_level_text(std::to_string(least)) +
                                    ", and this is " + nnapi_level_text(std::to_string(level));
    };
    if (std::string reason = p.use_fp16 ? needs("use_fp16", 28) : ""; !reason.empty()) return reason;
    if (std::string reason = p.use_nchw ? needs("use_nchw", 29) : ""; !reason.empty()) return reason;
    return p.cpu_disabled || p.cpu_only ? needs(p.cpu_only ? "cpu_only" : "cpu_disabled", 29) : "";
}
}  // namespace

result<std::shared_ptr<engine>> nnapi::open() const {
    const auto unusable = [](error_code code, const std::string& reason) {
        return error(code, std::string(name) + ": " + reason);
    };
    if (cpu_disabled && cpu_only)
        return unusable(error_code::invalid_option, "cpu_disabled and cpu_only leave no device");
    if (!nn().problem.empty())
        return unusable(error_code::provider_unavailable, "NNAPI cannot be used: " + nn().problem);
    if (const std::string reason = missing_for(*this); !reason.empty())
        return unusable(error_code::provider_unavailable, reason);
    nnapi_options o{use_fp16, use_nchw, nn().level, {}};
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
    return std::make_shared<lowering::region_engine<nnapi_backend>>(nnapi_backend{std::move(o)});
}
device_inventory nnapi::inventory() {
    device_inventory inventory;
    if (!nn().problem.empty()) {
        inventory.unusable = nn().problem;
        return inventory;
    }
    inventory.libraries = {{"feature level", std::to_string(nn().level)}};
    for (const nnapi_device& d : nnapi_devices())
        inventory.devices.push_back(
            {int(inventory.devices.size()), d.name + " " + d.version, 0, {{"feature_level", std::to_string(d.level)}}});
    return inventory;
}
}  // namespace v1
}  // namespace inlay
