// Regions as compiled graphs of DirectML.
#include "rules.hpp"
#include "writer.hpp"
#include <inlay/provider/dml.hpp>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace {
using namespace dml_graphs;

class checked_run {
    dml_run run_;
    std::span<const checked_place> checks_;

    static std::size_t bytes_of(const buffer& b) { return std::size_t(inlay::bytes_of(b.type, b.dims.elements())); }

    // The problem of the first check that fails, of indices before the run or after it.
    std::string fault(bool inputs) const {
        for (const checked_place& c : checks_)
            if (c.of_input == inputs && !c.check.holds(inputs ? run_.input(c.index) : run_.output(c.index)))
                return c.check.problem();
        return {};
    }

  public:
    checked_run(const dml_program& p, std::span<const checked_place> c) : run_(p), checks_(c) {}
    std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) try {
        for (std::size_t k = 0; k < inputs.size(); ++k) std::memcpy(run_.input(k), inputs[k].data, bytes_of(inputs[k]));
        if (std::string reason = fault(true); !reason.empty()) return reason;
        run_.execute();
        if (std::string reason = fault(false); !reason.empty()) return reason;
        for (std::size_t k = 0; k < outputs.size(); ++k)
            std::memcpy(outputs[k].data, run_.output(k), bytes_of(outputs[k]));
        return {};
    } catch (const std::runtime_error& e) {
        return e.what();
    }
};
struct checked_program {
    std::shared_ptr<dml_device> device;
    dml_program program;
    std::vector<checked_place> checks;

    checked_program(std::shared_ptr<dml_device> d, checked_graph g)
        : device(std::move(d)), program(*device, g.graph), checks(std::move(g.checks)) {}
    checked_run instance() const { return {program, checks}; }
};
struct dml_backend {
    static constexpr const lowering::rule_set& rules = dml_rules;
    std::shared_ptr<dml_device> device;

    struct writer : dml_writer {
        writer(const dml_backend& b, const region& r, purpose purpose) : dml_writer(*b.device, r, purpose) {}
    };
    lowering::target aim() const { return {&dml_rules, dml_level_text(device->level()), dml_rules.images}; }
    std::shared_ptr<const checked_program> compile(checked_graph g) const {
        return std::make_shared<const checked_program>(device, std::move(g));
    }
    std::vector<std::pair<std::string, std::string>> identity() const {
        return {{"library", dml_level_text(device->level())}, {"device", device->name()}};
    }
};

std::vector<dml_adapter> adapters_for(const dml& p) {
    const DXCoreAdapterPreference order =
        p.performance_preference == dml_preference::minimum_power      ? DXCoreAdapterPreference::MinimumPower
        : p.performance_preference == dml_preference::high_performance ? DXCoreAdapterPreference::HighPerformance
                                                                       : DXCoreAdapterPreference::Hardware;
    return dml_adapters(order, p.device_filter != dml_filter::npu, p.device_filter != dml_filter::gpu);
}
}  // namespace

result<std::shared_ptr<engine>> dml::open() const try {
    const auto unusable = [](error_code code, const std::string& reason) {
        return error(code, std::string(name) + ": " + reason);
    };
    if (device_id < 0) return unusable(error_code::invalid_option, "device_id is negative");
    if (!directx_libraries().problem.empty())
        return unusable(error_code::provider_unavailable, "DirectML cannot be used: " + directx_libraries().problem);
    const std::vector<dml_adapter> adapters = adapters_for(*this);
    if (std::size_t(device_id) >= adapters.size())
        return unusable(error_code::provider_unavailable,
                        "device_id is " + std::to_string(device_id) + ", and the adapters of device_filter " +
                            to_text(device_filter) + " are " + std::to_string(adapters.size()));
    return std::make_shared<lowering::region_engine<dml_backend>>(
        dml_backend{std::make_shared<dml_device>(adapters[std::size_t(device_id)], !disable_metacommands)});
} catch (const std::exception& e) {
    return error(error_code::provider_unavailable, std::string(name) + ": DirectML cannot be used: " + e.what());
}
device_inventory dml::inventory() try {
    device_inventory inventory;
    inventory.unusable = directx_libraries().problem;
    if (!inventory.unusable.empty()) return inventory;
    const std::vector<dml_adapter> adapters = adapters_for({.device_filter = dml_filter::any});
    for (const dml_adapter& a : adapters) {
        const dml_device d(a, true);
        if (inventory.libraries.empty()) inventory.libraries = {{"feature level", dml_level_text(d.level())}};
        option_list facts{{"kind", a.is_gpu ? "gpu" : "npu"}};
        if (!a.driver.empty()) facts.emplace_back("driver", a.driver);
        inventory.devices.push_back({int(inventory.devices.size()), a.name, a.bytes, std::move(facts)});
    }
    if (adapters.empty()) inventory.unusable = "there is no adapter of DirectX 12";
    return inventory;
} catch (const std::exception& e) {
    device_inventory inventory;
    inventory.unusable = e.what();
    return inventory;
}
}  // namespace v1
}  // namespace inlay
