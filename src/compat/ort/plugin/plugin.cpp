// The library's two entry points, its factory and its provider, as ONNX Runtime calls them.
#include "claim.hpp"
#include "options.hpp"
#include "region.hpp"

namespace inlay::ep {
namespace {
// ONNX Runtime has a provider's options among the session's, with this before their names.
constexpr std::string_view option_prefix = "ep.inlayexecutionprovider.";

struct compiled : compute_info {
    const runtime& ort;
    ep::region region;

    compiled(const runtime& r, const OrtGraph* graph, const OrtNode* fused, const provider_handle& p,
             const session_options& o)
        : ort(r), region(r, graph, fused, {p}, o) {
        create_state = [](compute_info* self, OrtNodeComputeContext*, void** state) -> OrtStatus* {
            *state = self;
            return nullptr;
        };
        compute = [](compute_info* p, void*, OrtKernelContext* c) {
            auto& self = *static_cast<compiled*>(p);
            return self.ort.guarded([&] { self.region.run(c); });
        };
        release_state = [](compute_info*, void*) {};
    }
};

class plugin_provider : public provider_table {
    const runtime& ort_;
    const logger log_;
    const result<options> settings_;
    const provider_handle provider_;  // where options are wrong, that of the defaults
    session_options session_;

    static plugin_provider& of(provider_table* p) { return *static_cast<plugin_provider*>(p); }
    void claim_nodes(const OrtGraph* graph, OrtEpGraphSupportInfo* to) const {
        const claim c = claim_of(ort_, graph, provider_, settings_ && (*settings_).all_nodes);
        fusion_options o;
        o.drop_constant_initializers = true;  // a region has copies
        for (const auto& nodes : c.regions) ort_.ask(add_nodes_to_fuse, to, nodes.data(), nodes.size(), &o);
        if (!settings_) log_(severity::error, settings_.why().text);
        if (c.nodes) log_(c.left.empty() ? severity::info : severity::warning, c.text());
        if (log_.takes(severity::verbose))
            for (const left_node& n : c.left)
                log_(severity::verbose, "Inlay leaves `" + n.name + "` (" + n.op + "): " + n.reason);
    }
    void compile_regions(const OrtGraph** graphs, const OrtNode** fused, std::size_t count, compute_info** to) const {
        // Reported here, where it ends the creation of a session: after an error while the provider is created, the
        // Python package continues without it, and an error of claim_nodes() is only a line of the log.
        if (!settings_) raise(settings_.why());
        std::vector<std::unique_ptr<compiled>> regions;
        for (std::size_t k = 0; k < count; ++k)
            regions.push_back(std::make_unique<compiled>(ort_, graphs[k], fused[k], provider_, session_));
        for (std::size_t k = 0; k < count; ++k) to[k] = regions[k].release();
    }

  public:
    plugin_provider(const runtime& ort, const OrtLogger* log, result<options> settings)
        : ort_(ort),
          log_{&ort, log},
          settings_(std::move(settings)),
          provider_(make_handle(settings_ ? (*settings_).provider() : cpu{})) {
        name = [](const provider_table*) { return options::name.data(); };
        capability = [](provider_table* p, const OrtGraph* g, OrtEpGraphSupportInfo* to) {
            return of(p).ort_.guarded([&] { of(p).claim_nodes(g, to); });
        };
        compile = [](provider_table* p, const OrtGraph** graphs, const OrtNode** fused, std::size_t count,
                     compute_info** to, OrtNode**) {
            return of(p).ort_.guarded([&] { of(p).compile_regions(graphs, fused, count, to); });
        };
        release_compute_infos = [](provider_table*, compute_info** infos, std::size_t count) {
            for (std::size_t k = 0; k < count; ++k) delete static_cast<compiled*>(infos[k]);
        };
        session_.fallback = fallback::never();
        session_.log_severity_level = int(severity::verbose);
        session_.log = [log = log_](severity s, std::string_view text) { log(s, std::string(text)); };
        while (session_.log_severity_level < int(severity::fatal) && !log_.takes(severity(session_.log_severity_level)))
            ++session_.log_severity_level;
    }
};

class plugin_factory : public factory_table {
    const runtime ort_;

    static plugin_factory& of(factory_table* p) { return *static_cast<plugin_factory*>(p); }
    // Inlay runs on the host's processors, which are one device.
    void list_devices(std::span<const OrtHardwareDevice* const> devices, std::span<OrtEpDevice*> ep_devices,
                      std::size_t& count) {
        for (const OrtHardwareDevice* d : devices)
            if (count < std::min<std::size_t>(ep_devices.size(), 1) && ort_.call(hardware_type, d) == ort_hardware::cpu)
                ort_.ask(create_device, this, d, nullptr, nullptr, &ep_devices[count++]);
    }
    result<options> chosen(const OrtSessionOptions* from) const {
        auto* pairs = ort_.get<OrtKeyValuePairs*>(session_config_entries, from);
        const auto release = [this](OrtKeyValuePairs* p) { ort_.call(release_key_value_pairs, p); };
        const std::unique_ptr<OrtKeyValuePairs, decltype(release)> keep(pairs, release);
        const char *const *names = nullptr, *const *values = nullptr;
        std::size_t count = 0;
        ort_.call(key_value_pairs, pairs, &names, &values, &count);
        options o;
        for (std::size_t k = 0; k < count; ++k) {
            const std::string_view entry = names[k], text = values[k];
            if (entry == "ep.context_enable" && text == "1")
                return error(error_code::unsupported_model,
                             std::string(options::name) +
                                 ": it compiles nothing that a file could keep; leave ep.context_enable unset");
            if (!entry.starts_with(option_prefix)) continue;
            if (auto outcome = set_option(o, entry.substr(option_prefix.size()), text); !outcome) return outcome.why();
        }
        if (!isa::choose(o.isa))  // else each node would be queried, and refused for that
            return error(error_code::no_such_level, std::string(options::name) +
                                                        ": this machine lacks the instruction set that `isa` or "
                                                        "INLAY_ISA requests, or there is none of that name");
        return o;
    }

  public:
    explicit plugin_factory(const runtime& ort) : ort_(ort) {
        name = [](const factory_table*) { return options::name.data(); };
        vendor = [](const factory_table*) { return "Inlay"; };
        vendor_id = [](const factory_table*) { return std::uint32_t(0); };
        provider_version = [](const factory_table*) { return INLAY_VERSION; };
        supported_devices = [](factory_table* p, const OrtHardwareDevice* const* devices, std::size_t devices_count,
                               OrtEpDevice** ep_devices, std::size_t most, std::size_t* count) {
            *count = 0;
            return of(p).ort_.guarded([&] {
                of(p).list_devices({devices, devices_count}, {ep_devices, most}, *count);
            });
        };
        create_provider = [](factory_table* p, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*,
                             std::size_t, const OrtSessionOptions* from, const OrtLogger* log,
                             provider_table** result) {
            *result = nullptr;
            return of(p).ort_.guarded([&] { *result = new plugin_provider(of(p).ort_, log, of(p).chosen(from)); });
        };
        release_provider = [](factory_table*, provider_table* p) { delete static_cast<plugin_provider*>(p); };
        // Its memory is ONNX Runtime's own, of the host.
        create_allocator = [](factory_table*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                              OrtAllocator** result) -> OrtStatus* {
            *result = nullptr;
            return nullptr;
        };
        release_allocator = [](factory_table*, OrtAllocator*) {};
        create_data_transfer = [](factory_table*, OrtDataTransferImpl** result) -> OrtStatus* {
            *result = nullptr;
            return nullptr;
        };
        is_stream_aware = [](const factory_table*) { return false; };
        create_sync_stream = [](factory_table*, const OrtMemoryDevice*, const OrtKeyValuePairs*,
                                OrtSyncStreamImpl** result) -> OrtStatus* {
            *result = nullptr;
            return nullptr;
        };
    }
};
}  // namespace
}  // namespace inlay::ep

using namespace inlay::ep;
extern "C" {
[[gnu::visibility("default")]] OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base, const OrtLogger*,
                                                            factory_table** factories, std::size_t most,
                                                            std::size_t* count) {
    *count = 0;
    const OrtApi* api = base->GetApi(api_version);
    if (!api)
        return create_status(base->GetApi(1), ort_error::not_implemented,
                             ("Inlay's library needs ONNX Runtime 1." + std::to_string(api_version) +
                              " or newer; this is " + base->GetVersionString())
                                 .c_str());
    const runtime ort(api);
    return ort.guarded([&] {
        if (most < 1) inlay::raise({inlay::error_code::invalid_argument, "inlay: there is no room for its factory"});
        factories[(*count)++] = new plugin_factory(ort);
    });
}
[[gnu::visibility("default")]] OrtStatus* ReleaseEpFactory(factory_table* factory) {
    delete static_cast<plugin_factory*>(factory);
    return nullptr;
}
}
