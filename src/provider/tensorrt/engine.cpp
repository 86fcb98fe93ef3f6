// Regions as engines of TensorRT and TensorRT RTX, whose reader takes them as ONNX.
#include "compiled_files.hpp"
#include "engine.hpp"
#include "region.hpp"
#include <inlay/provider/tensorrt.hpp>
#include <support/content_hash.hpp>

namespace inlay {
inline namespace v1 {
namespace {
using namespace lowering;

struct read_network {
    nv_network network;
    nv_parser reader;                                 // the network's weights are where it has them
    std::vector<std::pair<int, std::string>> errors;  // nodes of the region, or -1, and what is wrong there
    bool is_supported = false;
};
struct builder_on_device {
    const nv_library* library;
    std::shared_ptr<const gpu> device;
    nv_builder builder;
    std::mutex mutex{};  // a builder works for one thread at a time
    ~builder_on_device() {
        const gpu::current scope(device.get());
        builder = nv_builder(*library->at, nullptr);
    }

    // For one thread, with the device current.
    class turn {
        std::lock_guard<std::mutex> lock_;
        gpu::current current_;

      public:
        explicit turn(builder_on_device& b) : lock_(b.mutex), current_(b.device.get()) {}
    };
};
// What is known of a model that was not compiled yet: the engine that the folder of engines has of it, or its network.
struct nv_source {
    struct deleter {
        builder_on_device* builder;
        void operator()(read_network* n) const {
            const builder_on_device::turn lock(*builder);
            delete n;
        }
    };
    std::string key;  // in the folder; empty: there is none
    std::optional<std::string> built{};
    std::unique_ptr<read_network, deleter> network{};
};

class nv_backend {
    const nv_library* library_;
    std::shared_ptr<const gpu> gpu_;
    nv_build_options options_;
    nv_run_options of_runs_;
    std::unique_ptr<builder_on_device> builder_;

    using turn = builder_on_device::turn;
    bool types_of_model() const { return !options_.f16 && !options_.i8; }
    read_network read(const std::string& model) const {
        take_nv_error();
        nv_network network = builder_->builder.make_network(types_of_model() ? library_->at->strongly_typed : 0);
        nv_parser reader_of_it = library_->make_parser(network);
        read_network r{std::move(network), std::move(reader_of_it), {}};
        const nv_parser& reader = r.reader;
        r.is_supported = reader && reader.supports(model.data(), model.size());
        for (int k = 0; reader && k < reader.errors(); ++k) {
            const nv_parser_error e = reader.error(k);
            const std::string text = e.text();
            r.errors.emplace_back(e.node(), one_line(text.substr(0, text.find("\n[checkMacros"))));
        }
        if (!r.is_supported && r.errors.empty()) r.errors.emplace_back(-1, nv_failure("it gives no reason"));
        return r;
    }
    void check_outputs(const nv_network& n, const region& r) const {
        check_output_count(library_->name, std::size_t(n.outputs()), r.outputs.size());
        for (std::int32_t k = 0; const onnx_port& expected : output_ports(r)) {
            const nv_tensor t = n.output(k++);
            const bool same_type = !types_of_model() || t.type() == nv_types.of(expected.type);
            check_output(library_->name, expected, same_type, sizes_of(t.dims()));
        }
    }
    nv_config config() const {
        nv_config c = builder_->builder.make_config();
        if (!c) raise({error_code::provider_failed, nv_failure("no configuration can be made")});
        if (options_.workspace > 0) c.set_workspace(options_.workspace);
        c.set(nv_flag::tf32, options_.tf32);
        if (options_.f16) c.set(nv_flag::f16, true);
        if (options_.i8) c.set(nv_flag::i8, true);
        if (options_.obey_types) c.set(nv_flag::obey_types, true);
        return c;
    }
    std::string built(const region& r, const read_network& network) const {
        const turn lock(*builder_);
        take_nv_error();
        if (!network.is_supported) refuse(network.errors.front().second);
        check_outputs(network.network, r);
        const nv_memory engine = builder_->builder.build(network.network, config());
        if (!engine) refuse(nv_failure("it builds no engine, and gives no reason"));
        return std::string(engine.data(), engine.size());
    }
    std::string key_of(const std::string& model) const {
        std::string key = options_.text();
        for (const auto& [name, value] : identity()) key += "\n" + name + " " + value;
        return key + "\n" + std::to_string(model.size()) + " " + content_hash::hex(content_hash::of(model));
    }
    region_result loaded(const region& r, std::string owned, std::string_view borrowed = {}) const {
        return load_nv_region(*library_, gpu_, of_runs_, r, std::move(owned), borrowed);
    }

  public:
    static constexpr elements_in elements = elements_in::bytes;
    static constexpr bool queries_elements = true;
    nv_backend(const nv_library& l, std::shared_ptr<const gpu> g, nv_build_options o, nv_run_options r, nv_builder b)
        : library_(&l),
          gpu_(std::move(g)),
          options_(std::move(o)),
          of_runs_(std::move(r)),
          builder_(new builder_on_device{library_, gpu_, std::move(b)}) {}

    class operator_refusal {
        const nv_library& library_;
        turn turn_;
        nv_network network_;
        nv_parser reader_;

      public:
        explicit operator_refusal(const nv_backend& b)
            : library_(*b.library_),
              turn_(*b.builder_),
              network_(b.builder_->builder.make_network(0)),
              reader_(library_.make_parser(network_)) {}
        std::string operator()(const node_view& n) const {
            const auto& name = library_.name;
            if (!n.record.domain.empty() && n.record.domain != "ai.onnx")
                return name + " is given operators of ONNX alone";
            const std::string op(n.record.op);
            if (!reader_.supports_operator(op.c_str())) return name + " has no " + op;
            return refusal_of_tensors(n, nv_types, name + " has no", name + " gets no tensors without elements");
        }
    };
    operator_refusal node_refusal(const graph_view&) const { return operator_refusal(*this); }
    nv_source parse(const std::string& model) const {
        nv_source source{options_.cache.empty() ? "" : key_of(model)};
        if (!source.key.empty()) source.built = compiled_files(options_.cache).find(source.key);
        if (source.built) return source;
        const turn lock(*builder_);
        source.network = {new read_network(read(model)), {builder_.get()}};
        return source;
    }
    // The reader names nodes that it does not take.
    refused_nodes query(const region& r, const nv_source& source) const {
        if (source.built) return {};
        const turn lock(*builder_);
        const read_network& network = *source.network;
        const auto refuse_all = [&](const std::string& reason) {
            refused_nodes list;
            for (const int i : r.nodes) list.emplace_back(i, reason);
            return list;
        };
        try {
            if (network.is_supported) check_outputs(network.network, r);
        } catch (const refused_node& refusal) {
            return refuse_all(refusal.reason);
        }
        refused_nodes list;
        if (network.is_supported) return list;
        for (const auto& [node, reason] : network.errors)
            if (node >= 0 && std::size_t(node) < r.nodes.size()) list.emplace_back(r.nodes[std::size_t(node)], reason);
        return list.empty() ? refuse_all(network.errors.front().second) : list;
    }
    std::vector<std::pair<std::string, std::string>> identity() const {
        std::string device = "every one that the library knows";
        if (!library_->portable) {
            const gpu_driver::device& d = gpu_->device();
            device = d.name + ", compute capability " + std::to_string(d.major) + "." + std::to_string(d.minor);
        }
        std::vector<std::pair<std::string, std::string>> list{{"library", library_->name + " " + library_->version},
                                                              {"device", device}};
        for (const char* of_runs : {"device_id", "trt_engine_cache_enable", "trt_engine_cache_path",
                                    "enable_cuda_graph", "nv_runtime_cache_path"})
            list.emplace_back(std::string("option ") + of_runs, "any");  // an engine does not depend on them
        return list;
    }
    region_result restore(const region& r, std::string_view bytes) const { return loaded(r, {}, bytes); }
    region_result compile(const region& r, nv_source source) const {
        if (source.built) return loaded(r, std::move(*source.built));
        std::string engine = built(r, *source.network);
        if (!source.key.empty())
            (void)compiled_files(options_.cache).keep(source.key, engine);  // else it is built again next time
        return loaded(r, std::move(engine));
    }
};

device_inventory inventory_of(const nv_library& l) {
    device_inventory inventory{l.problem, {{l.name, l.version}, {"driver", ""}}};
    const gpu_driver& d = driver();
    if (d.version > 0)
        inventory.libraries[1].second = std::to_string(d.version / 1000) + "." + std::to_string(d.version / 10 % 100);
    if (inventory.unusable.empty()) inventory.unusable = d.problem;
    if (inventory.unusable.empty())
        if (const auto first = gpu::open(0); first && !nv_refusal_of(l, **first).empty())
            inventory.unusable = nv_refusal_of(l, **first);
    for (const gpu_driver::device& device : d.devices)
        inventory.devices.push_back(
            {device.number,
             device.name,
             std::int64_t(device.bytes),
             {{"compute_capability", std::to_string(device.major) + "." + std::to_string(device.minor)}}});
    return inventory;
}
}  // namespace

result<std::shared_ptr<engine>> open_nv_engine(std::string_view provider, const nv_library& l, int device_id,
                                               nv_build_options o, nv_run_options r) {
    const auto unavailable = [&](const std::string& reason) {
        error e(error_code::provider_unavailable, std::string(provider) + ": " + l.name + " cannot be used: " + reason);
        e.provider = provider;
        return e;
    };
    if (!l.problem.empty()) return unavailable(l.problem);
    std::shared_ptr<const gpu> device;
    if (device_id != -1 || !l.portable) {
        auto handle = gpu::open(device_id);
        if (!handle) return unavailable(handle.why().text);
        device = std::move(*handle);
        if (const std::string reason = nv_refusal_of(l, *device); !reason.empty()) return unavailable(reason);
    }
    const gpu::current scope(device.get());
    take_nv_error();
    nv_builder b = l.make_builder();
    if (!b) return unavailable(nv_failure("no builder can be made"));
    return std::make_shared<onnx_region_engine<nv_backend>>(
        nv_backend(l, std::move(device), std::move(o), std::move(r), std::move(b)));
}

result<std::shared_ptr<engine>> tensorrt::open() const {
    const auto wrong = [](const std::string& reason) {
        return error(error_code::invalid_option, std::string(name) + ": " + reason);
    };
    if (trt_strict_type_constraints && !trt_fp16_enable && !trt_int8_enable)
        return wrong(
            "`trt_strict_type_constraints` is for `trt_fp16_enable` and `trt_int8_enable`; types are the "
            "model's without them");
    const nv_library& l = tensorrt_library();
    const bool other_types = trt_fp16_enable || trt_int8_enable;
    if (l.problem.empty() && other_types && l.at->strongly_typed == 0)
        return wrong("TensorRT " + l.version + " computes in the types that the model has: convert the model instead");
    return open_nv_engine(name, l, device_id,
                          {trt_max_workspace_size, use_tf32, trt_fp16_enable, trt_int8_enable,
                           trt_strict_type_constraints, cache_folder_of(*this)});
}
result<std::shared_ptr<engine>> nv_tensorrt_rtx::open() const {
    return open_nv_engine(name, tensorrt_rtx_library(), device_id, {nv_max_workspace_size, use_tf32},
                          {enable_cuda_graph, nv_runtime_cache_path});
}
device_inventory tensorrt::inventory() { return inventory_of(tensorrt_library()); }
device_inventory nv_tensorrt_rtx::inventory() { return inventory_of(tensorrt_rtx_library()); }
}  // namespace v1
}  // namespace inlay
