// Arm NN's runtime, of which a process has one, and the networks that are loaded into it.
#include "writer.hpp"
#include <armnn/BackendHelper.hpp>
#include <armnn/BackendRegistry.hpp>
#include <cstdlib>
#include <mutex>

namespace inlay {
inline namespace v1 {
using ::armnn::IRuntime;
using ::armnn::TensorInfo;
namespace {
error failure(const std::string& reason) { return {error_code::provider_failed, one_line(reason)}; }

// Destroying one would unregister the backends of all, so it stays.
IRuntime& runtime() {
    static IRuntime* const instance = [] {
        IRuntime::CreationOptions o;
        if (const char* folder = std::getenv("INLAY_ARMNN_BACKENDS"); folder && *folder)
            o.m_DynamicBackendsPath = folder;
        ::armnn::ConfigureLogging(false, false, ::armnn::LogSeverity::Fatal);  // errors have their texts
        return IRuntime::CreateRaw(o);
    }();
    return *instance;
}

// What a network reads and makes, in the order of the region's arguments.
struct port {
    TensorInfo info;
    bool widened = false;  // int32 there, int64 in the model
};
std::vector<port> ports_of(const std::vector<lowering::operand>& operands) {
    std::vector<port> ports;
    for (const auto& x : operands) ports.push_back({info_of(x.dims, x.type), x.type == element::i64});
    return ports;
}

class armnn_region final : public compiled_region {
    std::vector<armnn_backend> backends_;
    std::vector<port> inputs_, outputs_;
    ::armnn::INetworkPtr network_;
    mutable std::mutex loading_;

    class loaded_network;

  public:
    armnn_region(std::vector<armnn_backend> backends, const lowered_region& r, ::armnn::INetworkPtr network)
        : backends_(std::move(backends)),
          inputs_(ports_of(r.arguments)),
          outputs_(ports_of(r.results)),
          network_(std::move(network)) {}
    result<std::unique_ptr<executable>> instance() const override;
};
// A network has memory for one run at a time, so each executable has one of its own.
class armnn_region::loaded_network final : public executable {
    const armnn_region& region_;
    ::armnn::NetworkId id_;
    std::vector<std::vector<std::int32_t>> narrow_;  // results that are widened

    static status fail(context& c, const std::string& reason) { return c.fail(one_line(reason), status::failed); }

  public:
    loaded_network(const armnn_region& r, ::armnn::NetworkId id) : region_(r), id_(id) {
        for (const port& p : r.outputs_) narrow_.emplace_back(p.widened ? p.info.GetNumElements() : 0);
    }
    loaded_network(const loaded_network&) = delete;
    ~loaded_network() override { runtime().UnloadNetwork(id_); }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        ::armnn::InputTensors from;
        ::armnn::OutputTensors to;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            from.emplace_back(int(k), ::armnn::ConstTensor(region_.inputs_[k].info, inputs[k].data));
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            void* const data = region_.outputs_[k].widened ? narrow_[k].data() : outputs[k].data;
            to.emplace_back(int(k), ::armnn::Tensor(region_.outputs_[k].info, data));
        }
        if (runtime().EnqueueWorkload(id_, from, to) != ::armnn::Status::Success)
            return fail(c, "Arm NN could not run the network");
        for (std::size_t k = 0; k < outputs.size(); ++k)
            std::copy(narrow_[k].begin(), narrow_[k].end(), outputs[k].as<std::int64_t>());
        return status::ok;
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    } catch (const std::exception& e) {
        return fail(c, e.what());
    }
};
result<std::unique_ptr<executable>> armnn_region::instance() const try {
    std::vector<::armnn::BackendId> order;
    for (const armnn_backend& b : backends_) order.push_back(b.id);
    const std::lock_guard one_at_a_time(loading_);
    std::vector<std::string> messages;
    auto optimized = ::armnn::Optimize(*network_, order, runtime().GetDeviceSpec(), {},
                                       ::armnn::Optional<std::vector<std::string>&>(messages));
    std::string reason;
    for (const std::string& m : messages) reason += m + " ";
    if (!optimized) return failure("Arm NN could not optimize the network: " + reason);
    ::armnn::NetworkId id = 0;
    if (runtime().LoadNetwork(id, std::move(optimized), reason) != ::armnn::Status::Success)
        return failure("Arm NN could not load the network: " + reason);
    return std::make_unique<loaded_network>(*this, id);
} catch (const std::exception& e) {
    return failure(e.what());
}

class module final : public lowering_module {
    std::vector<armnn_backend> backends_;

  public:
    explicit module(std::vector<armnn_backend> b) : backends_(std::move(b)) {}
    std::string refusal(const lowered_region& r) const override {
        return refusal_of([&] {
            (void)write_region<armnn_rules>(r, network_writer(r.of, backends_, {nullptr, nullptr}));
        });
    }
    region_result compile(const lowered_region& r) const override {
        return caught_result<region_result>(error_code::provider_failed, [&] {
            auto network = write_region<armnn_rules>(r, network_writer(r.of, backends_, ::armnn::INetwork::Create()));
            return std::make_shared<armnn_region>(backends_, r, std::move(network));
        });
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        std::string in_use;
        for (const armnn_backend& b : backends_) in_use += (in_use.empty() ? "" : ",") + b.id.Get();
        return {{"Arm NN", ARMNN_VERSION}, {"backends", in_use}};
    }
};

// What the option says, or all that there are; CpuRef, which is there to be compared with, comes last.
std::vector<std::string> names_of(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        names.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    if (!names.empty()) return names;
    for (const auto& id : ::armnn::BackendRegistryInstance().GetBackendIds()) names.push_back(id.Get());
    std::ranges::sort(names, {}, [](const std::string& n) { return std::pair(n == "CpuRef", n); });
    return names;
}
module_result<lowering_module> make(std::string_view list) {
    (void)runtime();
    const auto& registry = ::armnn::BackendRegistryInstance();
    std::vector<armnn_backend> backends;
    for (const std::string& name : names_of(list)) {
        const ::armnn::BackendId id(name);
        const auto support = registry.IsBackendRegistered(id) ? ::armnn::GetILayerSupportByBackendId(id) : nullptr;
        if (!support)
            return error(error_code::provider_unavailable,
                         "Arm NN has no backend " + name + " here; it has: " + registry.GetBackendIdsAsString());
        backends.push_back({id, support});
    }
    if (backends.empty())
        return error(
            error_code::provider_unavailable,
            "Arm NN has no backends here; the environment variable INLAY_ARMNN_BACKENDS may name their folder");
    return std::make_shared<module>(std::move(backends));
}
}  // namespace
}  // namespace v1
}  // namespace inlay

extern "C" [[gnu::visibility("default")]] void inlay_armnn_module(
    std::string_view build, const inlay::armnn& options, inlay::module_result<inlay::lowering_module>& result) {
    using namespace inlay;
    make_module("libinlay_armnn_module", INLAY_ARMNN_BUILD, build, result, [&] { return make(options.backend); });
}
