#include "compiled_files.hpp"
#include "region.hpp"
#include <map>
#include <mutex>
#include <optional>
#include <platform/shared_library.hpp>
#include <support/content_hash.hpp>

namespace inlay {
inline namespace v1 {
using namespace lowering;
std::string nv_failure(std::string otherwise) {
    const std::string text = one_line(take_nv_error());
    return text.empty() ? otherwise : text;
}
namespace {
// The smallest engine, built and read again.
std::string refusal_of(const nv_library& l, const gpu& g) {
    const gpu::current scope(&g);
    take_nv_error();
    const std::string model = nv_smallest_model();
    const nv_builder b = l.make_builder();
    if (!b) return nv_failure("no builder can be made");
    const nv_network n = b.make_network(l.at->strongly_typed);
    const nv_parser reader = l.make_parser(n);
    const nv_config c = b.make_config();
    if (!n || !reader || !c || !reader.supports(model.data(), model.size())) return nv_failure("it reads no Relu");
    const nv_memory built = b.build(n, c);
    if (!built) return nv_failure("it builds no Relu");
    const nv_runtime r = l.make_runtime();
    return r && r.restore(built.data(), built.size()) ? "" : nv_failure("it does not take an engine of Relu");
}
}  // namespace

std::string nv_refusal_of(const nv_library& l, const gpu& g) {
    static std::mutex mutex;
    static std::map<std::pair<const nv_library*, int>, std::string> refusals;
    const std::lock_guard lock(mutex);
    const auto [at, is_new] = refusals.try_emplace({&l, g.device().number});
    if (is_new) at->second = refusal_of(l, g);
    return at->second;
}

namespace {
class nv_region {
    const nv_library* library_;
    std::shared_ptr<const gpu> gpu_;  // null: it is not run
    nv_run_options options_;
    std::vector<onnx_port> inputs_, outputs_;
    std::string owned_;
    std::string_view bytes_;
    std::optional<nv_runtime> runtime_{};
    std::optional<nv_engine> engine_{};
    std::optional<nv_runtime_config> config_{};
    std::optional<nv_runtime_cache> cache_{};
    std::size_t cached_bytes_ = 0;  // that the file has
    mutable std::mutex mutex_{};    // contexts are made one after another

    class request;
    std::string cache_key() const {
        const gpu_driver::device& d = gpu_->device();
        return "for the device\n" + library_->name + " " + library_->version + "\n" + d.name + " " +
               std::to_string(d.major) + "." + std::to_string(d.minor) + "\n" + std::to_string(driver().version) +
               "\n" + content_hash::hex(content_hash::of(bytes_));
    }
    void configure() {
        if (!options_.graph && options_.cache.empty()) return;
        config_.emplace(engine_->make_config());
        if (!*config_) refuse(nv_failure("no configuration of runs can be made"));
        if (options_.graph && !config_->record_runs()) refuse(nv_failure("runs cannot be recorded"));
        if (options_.cache.empty()) return;
        cache_.emplace(config_->make_cache());
        if (!*cache_) refuse(nv_failure("no runtime cache can be made"));
        if (const auto bytes = compiled_files(options_.cache).find(cache_key()))
            if (cache_->restore(bytes->data(), bytes->size())) cached_bytes_ = bytes->size();
        if (!config_->set(*cache_)) refuse(nv_failure("the runtime cache is not taken"));
    }
    void keep_cache() const {
        if (!cache_) return;
        const nv_memory now = cache_->save();
        if (now && now.size() != cached_bytes_)
            (void)compiled_files(options_.cache).keep(cache_key(), {now.data(), now.size()});
    }
    void check(const onnx_port& p, nv_io mode) const {
        const char* const name = p.name.c_str();
        if (engine_->mode(name) != mode) refuse("the engine lacks " + p.name);
        if (engine_->is_shape(name)) refuse(p.name + " is a tensor of shapes, which the library requires on the host");
        if (!std::ranges::equal(sizes_of(engine_->dims(name)), p.dims) || engine_->type(name) != nv_types.of(p.type))
            refuse("the engine has another type or shape of " + p.name);
    }

  public:
    nv_region(const nv_library& l, std::shared_ptr<const gpu> g, nv_run_options o, const region& r, std::string owned,
              std::string_view borrowed)
        : library_(&l),
          gpu_(std::move(g)),
          options_(std::move(o)),
          inputs_(input_ports(r)),
          outputs_(output_ports(r)),
          owned_(std::move(owned)),
          bytes_(borrowed.empty() ? owned_ : borrowed) {}
    nv_region(const nv_region&) = delete;
    ~nv_region() {
        const gpu::current scope(gpu_.get());
        keep_cache();
        cache_.reset();
        config_.reset();
        engine_.reset();
        runtime_.reset();
    }
    void load() {  // where there is a device, what the library makes of the bytes
        if (!gpu_) return;
        const gpu::current scope(gpu_.get());
        take_nv_error();
        runtime_.emplace(library_->make_runtime());
        if (!*runtime_) refuse(nv_failure("no runtime can be made"));
        engine_.emplace(runtime_->restore(bytes_.data(), bytes_.size()));
        if (!*engine_) refuse(nv_failure("it does not take the engine, and gives no reason"));
        if (engine_->tensors() != int(inputs_.size() + outputs_.size()))
            refuse("the engine has " + std::to_string(engine_->tensors()) + " inputs and outputs, and the region " +
                   std::to_string(inputs_.size() + outputs_.size()));
        for (const onnx_port& p : inputs_) check(p, nv_io::input);
        for (const onnx_port& p : outputs_) check(p, nv_io::output);
        configure();
    }
    request instance() const;
    std::string saved() const { return std::string(bytes_); }
};
class nv_region::request {
    const nv_region& of_;
    gpu_stream stream_{};
    std::vector<std::unique_ptr<gpu_memory>> inputs_{}, outputs_{};
    std::optional<nv_context> context_{};

    void bind(const std::vector<onnx_port>& ports, std::vector<std::unique_ptr<gpu_memory>>& memory) {
        for (const onnx_port& p : ports) {
            memory.push_back(std::make_unique<gpu_memory>(p.bytes()));
            if (!memory.back()->get()) refuse("no device memory for " + std::to_string(p.bytes()) + " bytes");
            if (!context_->set_address(p.name.c_str(), reinterpret_cast<void*>(memory.back()->get())))
                refuse(nv_failure("it takes no address of " + p.name));
        }
    }

  public:
    explicit request(const nv_region& of) : of_(of) {
        if (!stream_.get()) refuse("the driver makes no stream");
        context_.emplace(of_.config_ ? of_.engine_->make_context(*of_.config_) : of_.engine_->make_context());
        if (!*context_) refuse(nv_failure("no context can be made"));
        bind(of_.inputs_, inputs_);
        bind(of_.outputs_, outputs_);
    }
    request(const request&) = delete;
    ~request() {
        const gpu::current scope(of_.gpu_.get());
        context_.reset();
        inputs_.clear();
        outputs_.clear();
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) {
        const gpu::current scope(of_.gpu_.get());
        const gpu_driver& d = driver();
        const auto check = [&](int s) {
            if (s != 0) refuse(d.why(s));
        };
        for (std::size_t k = 0; k < inputs.size(); ++k)
            check(d.cuMemcpyHtoDAsync_v2(inputs_[k]->get(), inputs[k].data, of_.inputs_[k].bytes(), stream_.get()));
        if (!context_->enqueue(stream_.get())) refuse(nv_failure("it does not run, and gives no reason"));
        for (std::size_t k = 0; k < outputs.size(); ++k)
            check(d.cuMemcpyDtoHAsync_v2(outputs[k].data, outputs_[k]->get(), of_.outputs_[k].bytes(), stream_.get()));
        check(d.cuStreamSynchronize(stream_.get()));
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
nv_region::request nv_region::instance() const {
    if (!gpu_) raise({error_code::provider_unavailable, "device_id is -1: engines are made, and not run"});
    const std::lock_guard lock(mutex_);
    const gpu::current scope(gpu_.get());
    take_nv_error();
    return request(*this);
}
}  // namespace

region_result load_nv_region(const nv_library& l, std::shared_ptr<const gpu> g, nv_run_options o, const region& r,
                             std::string owned, std::string_view borrowed) {
    return result_of(error_code::provider_failed, [&]() -> region_result {
        const auto loaded = std::make_shared<nv_region>(l, std::move(g), std::move(o), r, std::move(owned), borrowed);
        loaded->load();
        return region_of(loaded);
    });
}
}  // namespace v1
}  // namespace inlay
