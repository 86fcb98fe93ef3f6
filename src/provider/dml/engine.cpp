// Regions as compiled graphs of DirectML.
#include "graph.hpp"
#include <inlay/provider/dml.hpp>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace {
using namespace dml_rules;

class dml_region final : public compiled_region {
    std::shared_ptr<dml_device> device_;
    dml_program program_;
    std::vector<checked_place> checks_;
    class one_run;

  public:
    dml_region(std::shared_ptr<dml_device> d, const dml_graph& g, std::vector<checked_place> c)
        : device_(std::move(d)), program_(*device_, g), checks_(std::move(c)) {}
    result<std::unique_ptr<executable>> instance() const override;
};
class dml_region::one_run final : public executable {
    dml_run run_;
    std::span<const checked_place> checks_;

    static std::size_t bytes_of(const buffer& b) { return std::size_t(inlay::bytes_of(b.type, b.dims.elements())); }

    void check(bool inputs) const {
        for (const checked_place& c : checks_)
            if (c.of_input == inputs && !c.check.holds(inputs ? run_.input(c.index) : run_.output(c.index)))
                throw std::runtime_error(c.check.problem());
    }

  public:
    one_run(const dml_program& p, std::span<const checked_place> c) : run_(p), checks_(c) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        for (std::size_t k = 0; k < inputs.size(); ++k) std::memcpy(run_.input(k), inputs[k].data, bytes_of(inputs[k]));
        check(true);
        run_.execute();
        check(false);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            std::memcpy(outputs[k].data, run_.output(k), bytes_of(outputs[k]));
        return status::ok;
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    } catch (const std::exception& e) {
        return c.fail(e.what(), status::failed);
    }
};
result<std::unique_ptr<executable>> dml_region::instance() const try {
    return std::make_unique<one_run>(program_, checks_);
} catch (const std::exception& e) {
    return error(error_code::provider_failed, e.what());
}

class dml_engine final : public engine {
    std::shared_ptr<dml_device> device_;

  public:
    explicit dml_engine(std::shared_ptr<dml_device> d) : device_(std::move(d)) {}
    // Each node is asked about by the operators of it alone.
    void propose(const free_nodes& free, proposals& out) override {
        region_ends finder(free.graph);
        propose_each(free, out, [&](int i) {
            const std::array nodes{i};
            const region_values ends = finder.of(nodes);
            return refusal_of_region({free.graph, nodes, ends.inputs, ends.outputs, free.constants}, *device_);
        });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override try {
        graph_writer w(r, *device_, purpose::use);
        const dml_graph g = w.write();
        return std::make_shared<dml_region>(device_, g, w.take_checks());
    } catch (const refused_node& refused) {
        return error(error_code::unsupported_model, refused.why);
    } catch (const std::exception& e) {
        return error(error_code::provider_failed, e.what());
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"library", dml_level_text(device_->level())}, {"device", device_->name()}};
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
    const auto unusable = [](error_code code, const std::string& why) {
        return error(code, std::string(name) + ": " + why);
    };
    if (device_id < 0) return unusable(error_code::invalid_option, "device_id is negative");
    if (!directx_libraries().problem.empty())
        return unusable(error_code::provider_unavailable, "DirectML cannot be used: " + directx_libraries().problem);
    const std::vector<dml_adapter> adapters = adapters_for(*this);
    if (std::size_t(device_id) >= adapters.size())
        return unusable(error_code::provider_unavailable,
                        "device_id is " + std::to_string(device_id) + ", and the adapters of device_filter " +
                            to_text(device_filter) + " are " + std::to_string(adapters.size()));
    return std::make_shared<dml_engine>(
        std::make_shared<dml_device>(adapters[std::size_t(device_id)], !disable_metacommands));
} catch (const std::exception& e) {
    return error(error_code::provider_unavailable, std::string(name) + ": DirectML cannot be used: " + e.what());
}
device_inventory dml::inventory() try {
    device_inventory all;
    all.unusable = directx_libraries().problem;
    if (!all.unusable.empty()) return all;
    const std::vector<dml_adapter> adapters = adapters_for({.device_filter = dml_filter::any});
    for (const dml_adapter& a : adapters) {
        const dml_device d(a, true);
        if (all.libraries.empty()) all.libraries = {{"feature level", dml_level_text(d.level())}};
        option_list facts{{"kind", a.is_gpu ? "gpu" : "npu"}};
        if (!a.driver.empty()) facts.emplace_back("driver", a.driver);
        all.devices.push_back({int(all.devices.size()), a.name, a.bytes, std::move(facts)});
    }
    if (adapters.empty()) all.unusable = "there is no adapter of DirectX 12";
    return all;
} catch (const std::exception& e) {
    device_inventory none;
    none.unusable = e.what();
    return none;
}
}  // namespace v1
}  // namespace inlay
