#include "compiled_files.hpp"
#include "region.hpp"
#include <lowering/refusal.hpp>
#include <map>
#include <platform/shared_library.hpp>
#include <support/content_hash.hpp>

namespace inlay {
inline namespace v1 {
std::optional<nv_type> nv_type_of(element e) {
    switch (e) {
        case element::f32: return nv_type::f32;
        case element::f16: return nv_type::f16;
        case element::bf16: return nv_type::bf16;
        case element::i8: return nv_type::i8;
        case element::u8: return nv_type::u8;
        case element::i32: return nv_type::i32;
        case element::i64: return nv_type::i64;
        case element::boolean: return nv_type::boolean;
        default: return {};
    }
}
std::string nv_failure(std::string otherwise) {
    const std::string text = one_line(take_nv_error());
    return text.empty() ? otherwise : text;
}
namespace {
// The smallest engine, built and read again.
std::string refusal_of(const nv_library& l, const gpu& g) {
    const gpu::current here(&g);
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
    static std::map<std::pair<const nv_library*, int>, std::string> known;
    const std::lock_guard lock(mutex);
    const auto [at, is_new] = known.try_emplace({&l, g.device().number});
    if (is_new) at->second = refusal_of(l, g);
    return at->second;
}
std::string nv_input_name(std::size_t k) { return "i" + std::to_string(k); }
std::string nv_output_name(std::size_t k) { return "o" + std::to_string(k); }

class nv_region::request final : public executable {
    const nv_region& of_;
    gpu_stream stream_;
    std::vector<std::unique_ptr<gpu_memory>> inputs_, outputs_;
    std::optional<nv_context> context_;

    static status fail(context& c, const std::string& why) { return c.fail(why, status::failed); }
    std::string bind(const std::vector<port>& ports, std::vector<std::unique_ptr<gpu_memory>>& memory) {
        for (const port& p : ports) {
            memory.push_back(std::make_unique<gpu_memory>(p.bytes()));
            if (!memory.back()->get()) return "no device memory for " + std::to_string(p.bytes()) + " bytes";
            if (!context_->set_address(p.name.c_str(), reinterpret_cast<void*>(memory.back()->get())))
                return nv_failure("it takes no address of " + p.name);
        }
        return {};
    }

  public:
    explicit request(const nv_region& of) : of_(of) {}
    ~request() override {
        const gpu::current here(of_.gpu_.get());
        context_.reset();
        inputs_.clear();
        outputs_.clear();
    }
    std::string prepare() {
        if (!stream_.get()) return "the driver makes no stream";
        context_.emplace(of_.config_ ? of_.engine_->make_context(*of_.config_) : of_.engine_->make_context());
        if (!*context_) return nv_failure("no context can be made");
        if (std::string why = bind(of_.inputs_, inputs_); !why.empty()) return why;
        return bind(of_.outputs_, outputs_);
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        const gpu::current here(of_.gpu_.get());
        const gpu_driver& d = driver();
        int s = 0;
        for (std::size_t k = 0; k < inputs.size() && s == 0; ++k)
            s = d.cuMemcpyHtoDAsync_v2(inputs_[k]->get(), inputs[k].data, of_.inputs_[k].bytes(), stream_.get());
        if (s != 0) return fail(c, d.why(s));
        if (!context_->enqueue(stream_.get())) return fail(c, nv_failure("it does not run, and gives no reason"));
        for (std::size_t k = 0; k < outputs.size() && s == 0; ++k)
            s = d.cuMemcpyDtoHAsync_v2(outputs[k].data, outputs_[k]->get(), of_.outputs_[k].bytes(), stream_.get());
        if (s == 0) s = d.cuStreamSynchronize(stream_.get());
        if (s != 0) return fail(c, d.why(s));
        return c.stopped() ? c.end_of_run() : status::ok;
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
};

nv_region::nv_region(const nv_library& l, std::shared_ptr<const gpu> g, nv_run_options o, const region& r)
    : library_(&l), gpu_(std::move(g)), options_(std::move(o)) {
    const auto ports = [&](std::span<const int> ids, std::vector<port>& to, auto name) {
        for (std::size_t k = 0; k < ids.size(); ++k) {
            const value& v = r.graph.values[std::size_t(ids[k])];
            to.push_back({name(k), v.type, v.dims});
        }
    };
    ports(r.inputs, inputs_, nv_input_name);
    ports(r.outputs, outputs_, nv_output_name);
}
nv_region::~nv_region() {
    const gpu::current here(gpu_.get());
    keep_cache();
    cache_.reset();
    config_.reset();
    engine_.reset();
    runtime_.reset();
}
std::string nv_region::take(std::string bytes) {
    owned_ = std::move(bytes);
    return take_lent(owned_);
}
std::string nv_region::take_lent(std::string_view bytes) {
    bytes_ = bytes;
    return gpu_ ? load() : "";
}
std::string nv_region::load() {
    const gpu::current here(gpu_.get());
    take_nv_error();
    runtime_.emplace(library_->make_runtime());
    if (!*runtime_) return nv_failure("no runtime can be made");
    engine_.emplace(runtime_->restore(bytes_.data(), bytes_.size()));
    if (!*engine_) return nv_failure("it does not take the engine, and gives no reason");
    if (engine_->tensors() != int(inputs_.size() + outputs_.size()))
        return "the engine has " + std::to_string(engine_->tensors()) + " inputs and outputs, and the region " +
               std::to_string(inputs_.size() + outputs_.size());
    for (const port& p : inputs_)
        if (std::string why = problem_of(p, nv_io::input); !why.empty()) return why;
    for (const port& p : outputs_)
        if (std::string why = problem_of(p, nv_io::output); !why.empty()) return why;
    return configure();
}
std::string nv_region::cache_key() const {
    const gpu_driver::device& d = gpu_->device();
    return "for the device\n" + library_->name + " " + library_->version + "\n" + d.name + " " +
           std::to_string(d.major) + "." + std::to_string(d.minor) + "\n" + std::to_string(driver().version) + "\n" +
           content_hash::hex(content_hash::of(bytes_));
}
std::string nv_region::configure() {
    if (!options_.graph && options_.cache.empty()) return {};
    config_.emplace(engine_->make_config());
    if (!*config_) return nv_failure("no configuration of runs can be made");
    if (options_.graph && !config_->record_runs()) return nv_failure("runs cannot be recorded");
    if (options_.cache.empty()) return {};
    cache_.emplace(config_->make_cache());
    if (!*cache_) return nv_failure("no runtime cache can be made");
    if (const auto kept = compiled_files(options_.cache).find(cache_key()))
        if (cache_->restore(kept->data(), kept->size())) cached_bytes_ = kept->size();
    return config_->set(*cache_) ? "" : nv_failure("the runtime cache is not taken");
}
void nv_region::keep_cache() const {
    if (!cache_) return;
    const nv_memory now = cache_->save();
    if (now && now.size() != cached_bytes_)
        (void)compiled_files(options_.cache).keep(cache_key(), {now.data(), now.size()});
}
std::string nv_region::problem_of(const port& p, nv_io mode) const {
    const char* const name = p.name.c_str();
    if (engine_->mode(name) != mode) return "the engine lacks " + p.name;
    if (engine_->is_shape(name)) return p.name + " tells shapes, and the library wants it on the host";
    const nv_dims d = engine_->dims(name);
    const bool same = d.rank == p.dims.rank && std::ranges::equal(std::span(d.sizes, std::size_t(d.rank)), p.dims);
    return same && engine_->type(name) == nv_type_of(p.type) ? "" : "the engine has another type or shape of " + p.name;
}
result<std::unique_ptr<executable>> nv_region::instance() const {
    if (!gpu_) return error(error_code::provider_unavailable, "device_id is -1: engines are made, and not run");
    const std::lock_guard lock(mutex_);
    const gpu::current here(gpu_.get());
    take_nv_error();
    auto made = std::make_unique<request>(*this);
    if (std::string why = made->prepare(); !why.empty()) return error(error_code::provider_failed, std::move(why));
    return std::unique_ptr<executable>(std::move(made));
}
}  // namespace v1
}  // namespace inlay
