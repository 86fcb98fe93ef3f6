// Regions as graphs of XIR with one part for the device, and their runs by VART.
#include "writer.hpp"
#include <cmath>
#include <filesystem>
#include <provider/private_folder.hpp>
#include <provider/run_program.hpp>
#include <vart/runner.hpp>

namespace inlay {
inline namespace v1 {
namespace {
error failure(const std::string& reason) { return {error_code::provider_failed, one_line(reason)}; }

// What the options come to.
struct vitisai_device {
    std::string mode, kind, runner, compiler;  // kind: XIR's word, DPU or CPU
    bool of_vendor = false;                    // the runner is Vitis AI's own for DPUs, which requires compiled parts
};

// An argument of a run: the caller has float32 or int8 with the channels first.
struct argument {
    const xir::Tensor* tensor = nullptr;
    shape dims;  // in ONNX's order
    std::size_t size = 4;
    std::optional<float> scale{};  // the host dequantizes it
    bool staged() const { return scale || !lowering::same_either_way(dims); }
};
// Elements with their channels last, from ONNX's order or to it, times the scale.
template <class From, class To>
void turn(const argument& a, const void* from, void* to, bool to_channels_last, To scale = 1) {
    const bool turns = !lowering::same_either_way(a.dims);
    const std::int64_t channels = turns ? a.dims[1] : 1, area = turns ? a.dims[2] * a.dims[3] : a.dims.elements();
    for (std::int64_t n = 0; n < (turns ? a.dims[0] : 1); ++n)
        for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t p = 0; p < area; ++p) {
                const std::int64_t plain = (n * channels + c) * area + p, channels_last = (n * area + p) * channels + c;
                static_cast<To*>(to)[to_channels_last ? channels_last : plain] =
                    To(scale * static_cast<const From*>(from)[to_channels_last ? plain : channels_last]);
            }
}
void turn(const argument& a, const void* from, void* to, bool to_channels_last) {
    if (a.scale) return turn<std::int8_t>(a, from, to, to_channels_last, *a.scale);
    a.size == 1 ? turn<std::int8_t, std::int8_t>(a, from, to, to_channels_last)
                : turn<float, float>(a, from, to, to_channels_last);
}

// Memory of the host, as VART queries it: the address of an element and the bytes from there on.
class host_buffer final : public vart::TensorBuffer {
    std::vector<std::int32_t> dims_;
    std::size_t size_;
    void* data_ = nullptr;

  public:
    host_buffer(const xir::Tensor* tensor, std::size_t size)
        : vart::TensorBuffer(tensor), dims_(tensor->get_shape()), size_(size) {}
    void point_to(void* data) { data_ = data; }
    std::pair<std::uint64_t, std::size_t> data(const std::vector<std::int32_t> at) override {
        std::size_t place = 0, elements = 1;
        for (std::size_t i = 0; i < dims_.size(); ++i) {
            place = place * std::size_t(dims_[i]) + (i < at.size() ? std::size_t(at[i]) : 0);
            elements *= std::size_t(dims_[i]);
        }
        if (place >= elements) return {0, 0};
        return {reinterpret_cast<std::uint64_t>(data_) + place * size_, (elements - place) * size_};
    }
};

class xir_region final : public compiled_region {
    std::unique_ptr<xir::Graph> graph_;
    xir::Subgraph* part_ = nullptr;
    std::vector<argument> inputs_, outputs_;
    vitisai_device device_;

    class run_by_vart;
    enum class way : bool { in, out };
    static std::vector<argument> arguments_of(const region&, way, const std::vector<const xir::Tensor*>& tensors);

  public:
    // Takes the part of the graph that is for the device, and compares what it reads and makes with the region.
    xir_region(std::unique_ptr<xir::Graph> graph, const region& r, const vitisai_device& device);
    result<std::unique_ptr<executable>> instance() const override;
    result<std::string> save() const override {
        return caught_result<result<std::string>>(error_code::provider_failed, [&] {
            std::string bytes;
            xir_call([&] { graph_->serialize_to_string(&bytes); });
            return bytes;
        });
    }
};
class xir_region::run_by_vart final : public executable {
    const xir_region& region_;
    std::unique_ptr<vart::Runner> runner_;
    std::vector<std::unique_ptr<host_buffer>> buffers_;
    std::vector<vart::TensorBuffer*> inputs_, outputs_;
    std::vector<std::vector<char>> staged_;  // of those whose order or type is another

    static status fail(context& c, const std::string& reason) { return c.fail(one_line(reason), status::failed); }
    void add(const std::vector<argument>& arguments, std::vector<vart::TensorBuffer*>& to) {
        for (const argument& a : arguments) {
            const std::size_t bytes = std::size_t(a.dims.elements()) * a.size;
            buffers_.push_back(std::make_unique<host_buffer>(a.tensor, a.size));
            staged_.emplace_back(a.staged() ? bytes : 0);
            to.push_back(buffers_.back().get());
        }
    }

  public:
    run_by_vart(const xir_region& r, std::unique_ptr<vart::Runner> runner) : region_(r), runner_(std::move(runner)) {
        add(r.inputs_, inputs_);
        add(r.outputs_, outputs_);
    }
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const argument& a = region_.inputs_[k];
            if (a.staged()) turn(a, inputs[k].data, staged_[k].data(), true);
            buffers_[k]->point_to(a.staged() ? staged_[k].data() : inputs[k].data);
        }
        for (std::size_t k = 0, at = inputs.size(); k < outputs.size(); ++k, ++at)
            buffers_[at]->point_to(region_.outputs_[k].staged() ? staged_[at].data() : outputs[k].data);
        const auto [job, wrong] = runner_->execute_async(inputs_, outputs_);
        if (wrong != 0) return fail(c, "VART's runner says " + std::to_string(wrong) + " to a run");
        if (const int result = runner_->wait(int(job), -1); result != 0)
            return fail(c, "VART's runner ended a run with " + std::to_string(result));
        for (std::size_t k = 0, at = inputs.size(); k < outputs.size(); ++k, ++at)
            if (const argument& a = region_.outputs_[k]; a.staged())
                turn(a, staged_[at].data(), outputs[k].data, false);
        return status::ok;
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    } catch (const std::exception& e) {
        return fail(c, e.what());
    } catch (const ErrorCode& e) {
        return fail(c, "VART: " + e.getErrID() + ": " + e.getErrDsp());
    }
};

xir_region::xir_region(std::unique_ptr<xir::Graph> graph, const region& r, const vitisai_device& device)
    : graph_(std::move(graph)), device_(device) {
    const auto parts = graph_->get_root_subgraph()->get_children();
    for (xir::Subgraph* p : parts) {
        const std::string kind = p->has_attr("device") ? p->get_attr<std::string>("device") : "";
        if (kind == "USER") continue;  // what goes in
        if (kind != device.kind || part_)
            refuse("its graph of XIR is not one part for the device " + device.kind + ", but also has " +
                   (kind.empty() ? "a part for none" : "one for " + kind));
        part_ = p;
    }
    if (!part_) refuse("its graph of XIR has no part for the device " + device.kind);
    // What a file says is not opened: only the options name libraries.
    part_->set_attr("runner", std::map<std::string, std::string>{{device.mode, device.runner}});
    const xir::Subgraph& part = *part_;
    inputs_ = arguments_of(r, way::in, part.get_sorted_input_tensors());
    outputs_ = arguments_of(r, way::out, part.get_sorted_output_tensors());
}
std::vector<argument> xir_region::arguments_of(const region& r, way w, const std::vector<const xir::Tensor*>& tensors) {
    const std::span<const int> values = w == way::in ? r.inputs : r.outputs;
    if (tensors.size() != values.size())
        refuse("its graph of XIR has " + std::to_string(tensors.size()) + " tensors where the region has " +
               std::to_string(values.size()));
    std::vector<argument> arguments;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const value& v = r.graph.values[std::size_t(values[k])];
        argument a{tensors[k], v.dims};
        xir_integers dims;
        for (std::int64_t d : v.dims) dims.push_back(std::int32_t(d));
        if (dims.empty()) dims = {1};
        if (v.dims.rank == 4) dims = {dims[0], dims[2], dims[3], dims[1]};
        const xir::DataType type = a.tensor->get_data_type();
        const bool codes = type.type == xir::DataType::XINT && type.bit_width == 8,
                   floats = type.type == xir::DataType::FLOAT && type.bit_width == 32;
        if (codes && v.type == element::f32 && w == way::out) {
            const int point = a.tensor->has_attr("fix_point") ? a.tensor->get_attr<std::int32_t>("fix_point") : 1000;
            if (std::abs(point) > 100) refuse("a tensor of codes does not tell its point");
            a.scale = std::ldexp(1.f, -point);
        }
        if (a.tensor->get_shape() != dims || !(a.scale || (v.type == element::i8 ? codes : floats)))
            refuse("the tensor " + a.tensor->get_name() + " of its graph of XIR has another type or shape");
        a.size = codes ? 1 : 4;
        arguments.push_back(std::move(a));
    }
    return arguments;
}
result<std::unique_ptr<executable>> xir_region::instance() const {
    using runs = result<std::unique_ptr<executable>>;
    if (device_.of_vendor && !part_->has_attr("mc_code"))
        return failure(
            "the region is a graph of XIR without code for a DPU, which Vitis AI's compiler makes: name it by the "
            "option compiler");
    std::string problem;
    (void)open_library(device_.runner, problem);  // VART's own message does not tell why
    if (!problem.empty()) return error(error_code::provider_unavailable, "VART's runner cannot be used: " + problem);
    return caught_result<runs>(error_code::provider_failed, [&]() -> runs {
        auto runner = xir_call([&] { return vart::Runner::create_runner(part_, device_.mode); });
        if (!runner) refuse("VART makes no runner");
        return std::make_unique<run_by_vart>(*this, std::move(runner));
    });
}

// One part for what goes in, and one for the device.
void divide(xir::Graph& graph, const vitisai_device& device) {
    xir::Subgraph* const root = graph.get_root_subgraph();
    root->create_children();
    std::set<xir::Subgraph*> user_parts, device_parts;
    for (xir::Subgraph* p : root->get_children()) {
        const xir::Op* const op = *p->get_ops().begin();
        (op->get_type() == "data" || op->get_type() == "data-fix" ? user_parts : device_parts).insert(p);
    }
    const auto join = [&](const std::set<xir::Subgraph*>& parts, const char* name, const std::string& kind) {
        if (parts.empty()) return;
        xir::Subgraph* const subgraph = root->merge_children(parts);
        subgraph->set_name(name);
        subgraph->set_attr("device", kind);
    };
    join(user_parts, "arguments", "USER");
    join(device_parts, "region", device.kind);
}

std::unique_ptr<xir::Graph> compiled(const xir::Graph& graph, const std::string& compiler) {
    const private_folder folder("inlay-vitisai");
    if (folder.path().empty()) refuse("no folder for the compiler's files can be made");
    const std::string from = folder.file("region.xmodel"), to = folder.file("compiled.xmodel");
    xir_call([&] { graph.serialize(from); });
    const int exit_status = run_program({compiler, from, to});
    if (exit_status < 0) refuse("the compiler " + compiler + " cannot be started");
    if (!WIFEXITED(exit_status) || WEXITSTATUS(exit_status) != 0)
        refuse("the compiler " + compiler + " ended with " +
               std::to_string(WIFEXITED(exit_status) ? WEXITSTATUS(exit_status) : WTERMSIG(exit_status)));
    if (!std::filesystem::exists(to)) refuse("the compiler " + compiler + " wrote no file");
    return xir_call([&] { return xir::Graph::deserialize(to); });
}

class module final : public lowering_module {
    vitisai_device device_;

  public:
    explicit module(vitisai_device d) : device_(std::move(d)) {}
    std::string refusal(const lowered_region& r) const override {
        return refusal_of([&] { (void)write_region<xir_rules>(r, xir_writer(r.of, lowering::purpose::trial)); });
    }
    region_result compile(const lowered_region& r) const override {
        return caught_result<region_result>(error_code::unsupported_model, [&] {
            auto graph = write_region<xir_rules>(r, xir_writer(r.of, lowering::purpose::use));
            xir_call([&] { divide(*graph, device_); });
            if (!device_.compiler.empty()) graph = compiled(*graph, device_.compiler);
            return std::make_shared<xir_region>(std::move(graph), r.of, device_);
        });
    }
    region_result restore(const region& r, std::string_view bytes) const override {
        return caught_result<region_result>(error_code::provider_failed, [&] {
            auto graph = xir_call([&] { return xir::Graph::deserialize_from_string(std::string(bytes)); });
            if (!graph) refuse("it is no graph of XIR");
            return std::make_shared<xir_region>(std::move(graph), r, device_);
        });
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"library", "XIR " INLAY_XIR_VERSION}, {"device", device_.kind}};
    }
};
module_result<lowering_module> make(const vitisai& options) {
    // So that XIR's failed checks are exceptions; else they end the process.
    static const bool checks_throw = [] { return UniLog::mapLogConfig[UNI_LOG_CHECK_FAKE_LAYER] = true; }();
    (void)checks_throw;
    vitisai_device d;
    d.mode = to_text(options.mode);
    d.kind = options.mode == vitisai_mode::ref ? "CPU" : "DPU";
    d.of_vendor = options.runner.empty() && options.mode != vitisai_mode::ref;
    d.compiler = options.compiler;
    d.runner = !options.runner.empty()             ? options.runner
               : options.mode == vitisai_mode::run ? "libvart-dpu-runner.so"
               : options.mode == vitisai_mode::sim ? "libvart-sim-runner.so"
                                                   : "libvart-cpu-runner.so";
    return std::make_shared<module>(std::move(d));
}
}  // namespace
}  // namespace v1
}  // namespace inlay

extern "C" [[gnu::visibility("default")]] void inlay_vitisai_module(
    std::string_view build, const inlay::vitisai& options, inlay::module_result<inlay::lowering_module>& result) {
    using namespace inlay;
    make_module("libinlay_vitisai_module", INLAY_VITISAI_BUILD, build, result, [&] { return make(options); });
}
