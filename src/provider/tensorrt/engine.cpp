// Regions as engines of TensorRT and TensorRT RTX, whose reader takes them as ONNX.
#include "compiled_files.hpp"
#include "engine.hpp"
#include "region.hpp"
#include <inlay/provider/tensorrt.hpp>
#include <inlay/sdk/region_file.hpp>
#include <lowering/node_values.hpp>
#include <lowering/refusal.hpp>
#include <platform/shared_library.hpp>
#include <support/content_hash.hpp>

namespace inlay {
inline namespace v1 {
namespace {
struct read_network {
    nv_network network;
    nv_parser reader;                                 // the network's weights are where it has them
    std::vector<std::pair<int, std::string>> errors;  // nodes of the region, or -1, and what is wrong there
    bool taken = false;
};

class nv_builder_engine final : public engine {
    const nv_library* library_;
    std::shared_ptr<const gpu> gpu_;
    nv_build_options options_;
    nv_run_options of_runs_;
    nv_builder builder_;
    std::mutex mutex_;  // a builder works for one thread at a time

    bool types_of_model() const { return !options_.f16 && !options_.i8; }
    read_network read(const std::string& model) const {
        take_nv_error();
        nv_network network = builder_.make_network(types_of_model() ? library_->at->strongly_typed : 0);
        nv_parser reader_of_it = library_->make_parser(network);
        read_network r{std::move(network), std::move(reader_of_it), {}};
        const nv_parser& reader = r.reader;
        r.taken = reader && reader.supports(model.data(), model.size());
        for (int k = 0; reader && k < reader.errors(); ++k) {
            const nv_parser_error e = reader.error(k);
            const std::string text = e.text();
            r.errors.emplace_back(e.node(), one_line(text.substr(0, text.find("\n[checkMacros"))));
        }
        if (!r.taken && r.errors.empty()) r.errors.emplace_back(-1, nv_failure("it gives no reason"));
        return r;
    }
    // An output that it gives another type or shape than ONNX does; of the nodes' outputs, the first.
    std::string other_output(const nv_network& n, const graph_view& g, std::span<const int> outputs) const {
        if (n.outputs() != int(outputs.size())) return library_->name + " gives it other outputs";
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const value& v = g.values[std::size_t(outputs[k])];
            const nv_tensor t = n.output(std::int32_t(k));
            const nv_dims d = t.dims();
            if (types_of_model() && t.type() != nv_type_of(v.type))
                return library_->name + " gives it another type than " + std::string(name_of(v.type));
            if (d.rank != v.dims.rank || !std::ranges::equal(std::span(d.sizes, std::size_t(d.rank)), v.dims))
                return library_->name + " gives it another shape than " + to_string(v.dims);
        }
        return {};
    }
    // Refuses nodes of the set that the reader does not take; none: it takes all of them.
    std::vector<std::pair<int, std::string>> refusals(const free_nodes& f, std::span<const int> set,
                                                      region_ends& finder) const {
        const region_values ends = finder.of(set);
        const auto model = to_onnx({f.graph, set, ends.inputs, ends.outputs, f.constants});
        const auto all = [&](const std::string& why) {
            std::vector<std::pair<int, std::string>> list;
            for (const int i : set) list.emplace_back(i, why);
            return list;
        };
        if (!model) return all(model.why().text);
        const read_network r = read(*model);
        if (r.taken) {
            const std::string why = other_output(r.network, f.graph, ends.outputs);
            return why.empty() ? std::vector<std::pair<int, std::string>>() : all(why);
        }
        std::vector<std::pair<int, std::string>> list;
        for (const auto& [node, why] : r.errors)
            if (node >= 0 && std::size_t(node) < set.size()) list.emplace_back(set[std::size_t(node)], why);
        return list.empty() ? all(r.errors.front().second) : list;
    }
    std::string type_refusal(const node_view& n) const {
        return refusal_of_values(n, [this](const value& v) -> std::string {
            if (!nv_type_of(v.type)) return library_->name + " has no " + std::string(name_of(v.type)) + " here";
            return has_no_elements(v) ? "tensors without elements, such as " + to_string(v.dims) +
                                            ", are not given to " + library_->name
                                      : "";
        });
    }
    std::string operator_refusal(const node_view& n, const nv_parser& reader) const {
        if (!n.record.domain.empty() && n.record.domain != "ai.onnx")
            return library_->name + " is given operators of ONNX alone";
        const std::string op(n.record.op);
        return reader.supports_operator(op.c_str()) ? type_refusal(n) : library_->name + " has no " + op;
    }
    nv_config config() const {
        nv_config c = builder_.make_config();
        if (!c) return c;
        if (options_.workspace > 0) c.set_workspace(options_.workspace);
        c.set(nv_flag::tf32, options_.tf32);
        if (options_.f16) c.set(nv_flag::f16, true);
        if (options_.i8) c.set(nv_flag::i8, true);
        if (options_.obey_types) c.set(nv_flag::obey_types, true);
        return c;
    }
    result<std::string> build(const region& r, const std::string& model) {
        const std::lock_guard lock(mutex_);
        const gpu::current here(gpu_.get());
        const read_network network = read(model);
        if (!network.taken) return error(error_code::unsupported_model, network.errors.front().second);
        if (std::string why = other_output(network.network, r.graph, r.outputs); !why.empty())
            return error(error_code::unsupported_model, std::move(why));
        const nv_config c = config();
        if (!c) return error(error_code::provider_failed, nv_failure("no configuration can be made"));
        const nv_memory built = builder_.build(network.network, c);
        if (!built) return error(error_code::unsupported_model, nv_failure("it builds no engine, and gives no reason"));
        return std::string(built.data(), built.size());
    }
    std::string key_of(const std::string& model) const {
        std::string key = options_.text();
        for (const auto& [name, value] : identity()) key += "\n" + name + " " + value;
        return key + "\n" + std::to_string(model.size()) + " " + content_hash::hex(content_hash::of(model));
    }
    result<std::shared_ptr<const compiled_region>> loaded(const region& r, auto take, error_code otherwise) const {
        auto made = std::make_shared<nv_region>(*library_, gpu_, of_runs_, r);
        if (std::string why = take(*made); !why.empty()) return error(otherwise, std::move(why));
        return std::shared_ptr<const compiled_region>(std::move(made));
    }

  public:
    nv_builder_engine(const nv_library& l, std::shared_ptr<const gpu> g, nv_build_options o, nv_run_options r,
                      nv_builder b)
        : library_(&l), gpu_(std::move(g)), options_(std::move(o)), of_runs_(std::move(r)), builder_(std::move(b)) {}
    ~nv_builder_engine() override {
        const gpu::current here(gpu_.get());
        builder_ = nv_builder(*library_->at, nullptr);
    }

    // Sets that the reader takes as a whole are regions; nodes that it names are left out, and it is asked again.
    void propose(const free_nodes& free, proposals& out) override {
        const std::lock_guard lock(mutex_);
        const gpu::current here(gpu_.get());
        std::vector<int> nodes;
        {
            const nv_network none = builder_.make_network(0);
            const nv_parser reader = library_->make_parser(none);
            for (const int i : free.nodes) {
                std::string why = operator_refusal({free.graph, free.graph.nodes[std::size_t(i)]}, reader);
                if (why.empty())
                    nodes.push_back(i);
                else
                    out.refuse(i, std::move(why));
            }
        }
        region_ends finder(free.graph);
        for (bool all_taken = false; !all_taken;) {
            all_taken = true;
            std::vector<std::vector<int>> sets = convex_sets(free.graph, nodes);
            for (const std::vector<int>& set : sets)
                for (auto& [node, why] : refusals(free, set, finder)) {
                    all_taken = false;
                    if (std::erase(nodes, node) > 0) out.refuse(node, std::move(why));
                }
            if (all_taken)
                for (std::vector<int>& set : sets) out.take(std::move(set));
        }
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        std::string device = "every one that the library knows";
        if (!library_->portable) {
            const gpu_driver::device& d = gpu_->device();
            device = d.name + ", compute capability " + std::to_string(d.major) + "." + std::to_string(d.minor);
        }
        std::vector<std::pair<std::string, std::string>> all{{"library", library_->name + " " + library_->version},
                                                             {"device", device}};
        for (const char* of_runs : {"device_id", "trt_engine_cache_enable", "trt_engine_cache_path",
                                    "enable_cuda_graph", "nv_runtime_cache_path"})
            all.emplace_back(std::string("option ") + of_runs, "any");  // an engine does not depend on them
        return all;
    }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override {
        return loaded(
            r, [&](nv_region& to) { return to.take_lent(bytes); }, error_code::provider_failed);
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        const auto model = to_onnx(r);
        if (!model) return model.why();
        const compiled_files files(options_.cache);
        const std::string key = options_.cache.empty() ? "" : key_of(*model);
        if (!key.empty())
            if (auto found = files.find(key))
                return loaded(
                    r, [&](nv_region& to) { return to.take(std::move(*found)); }, error_code::provider_failed);
        auto built = build(r, *model);
        if (!built) return built.why();
        if (!key.empty()) (void)files.keep(key, *built);  // else it is built again next time
        return loaded(
            r, [&](nv_region& to) { return to.take(std::move(*built)); }, error_code::provider_failed);
    }
};

device_inventory inventory_of(const nv_library& l) {
    device_inventory all{l.problem, {{l.name, l.version}, {"driver", ""}}};
    const gpu_driver& d = driver();
    if (d.version > 0)
        all.libraries[1].second = std::to_string(d.version / 1000) + "." + std::to_string(d.version / 10 % 100);
    if (all.unusable.empty()) all.unusable = d.problem;
    if (all.unusable.empty())
        if (const auto first = gpu::open(0); first && !nv_refusal_of(l, **first).empty())
            all.unusable = nv_refusal_of(l, **first);
    for (const gpu_driver::device& found : d.devices)
        all.devices.push_back(
            {found.number,
             found.name,
             std::int64_t(found.bytes),
             {{"compute_capability", std::to_string(found.major) + "." + std::to_string(found.minor)}}});
    return all;
}
}  // namespace

result<std::shared_ptr<engine>> open_nv_engine(std::string_view provider, const nv_library& l, int device_id,
                                               nv_build_options o, nv_run_options r) {
    const auto unavailable = [&](const std::string& why) {
        error e(error_code::provider_unavailable, std::string(provider) + ": " + l.name + " cannot be used: " + why);
        e.provider = provider;
        return e;
    };
    if (!l.problem.empty()) return unavailable(l.problem);
    std::shared_ptr<const gpu> device;
    if (device_id != -1 || !l.portable) {
        auto opened = gpu::open(device_id);
        if (!opened) return unavailable(opened.why().text);
        device = std::move(*opened);
        if (const std::string why = nv_refusal_of(l, *device); !why.empty()) return unavailable(why);
    }
    const gpu::current here(device.get());
    take_nv_error();
    nv_builder b = l.make_builder();
    if (!b) return unavailable(nv_failure("no builder can be made"));
    return std::shared_ptr<engine>(
        std::make_shared<nv_builder_engine>(l, std::move(device), std::move(o), std::move(r), std::move(b)));
}

result<std::shared_ptr<engine>> tensorrt::open() const {
    const auto wrong = [](const std::string& why) {
        return error(error_code::invalid_option, std::string(name) + ": " + why);
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
