// Regions as models of OpenVINO, which reads them as ONNX.
#include "library.hpp"
#include <inlay/provider/openvino.hpp>
#include <inlay/sdk/region_file.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <lowering/node_values.hpp>
#include <provider/private_folder.hpp>
#include <provider/read_sets.hpp>
#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace inlay {
inline namespace v1 {
namespace {
const openvino_functions& ov() { return openvino_library(); }

std::optional<ov_element_type_e> type_of(element e) {
    switch (e) {
        case element::f32: return F32;
        case element::f16: return F16;
        case element::bf16: return BF16;
        case element::f64: return F64;
        case element::boolean: return BOOLEAN;
        case element::u8: return U8;
        case element::u16: return U16;
        case element::u32: return U32;
        case element::u64: return U64;
        case element::i8: return I8;
        case element::i16: return I16;
        case element::i32: return I32;
        case element::i64: return I64;
        default: return {};
    }
}
error failure(ov_status_e status) { return {error_code::provider_failed, ov().why(status)}; }

// Without VNNI OpenVINO's CPU device adds products of 8 bits in pairs of 16 bits, which saturate.
bool multiplies_bytes_exactly() {
#ifdef __x86_64__
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool avx_vnni = __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1);  // a name that clang 14 has not got
    return avx_vnni || __builtin_cpu_supports("avx512vnni");
#else
    return true;
#endif
}

result<openvino_ptr<ov_model_t>> read(ov_core_t* core, const region& r) {
    const auto bytes = to_onnx(r, elements_in::memory);
    if (!bytes) return bytes.why();
    ov_model_t* model = nullptr;
    if (const auto s =
            ov().ov_core_read_model_from_memory_buffer(core, (*bytes).data(), (*bytes).size(), nullptr, &model);
        s != OK)
        return failure(s);
    return openvino_ptr<ov_model_t>(model);
}

class openvino_region final : public compiled_region {
    openvino_ptr<ov_compiled_model_t> model_;

    class request;

  public:
    explicit openvino_region(openvino_ptr<ov_compiled_model_t> m) : model_(std::move(m)) {}
    result<std::unique_ptr<executable>> instance() const override;
    result<std::string> save() const override;
};
class openvino_region::request final : public executable {
    openvino_ptr<ov_infer_request_t> request_;
    std::vector<const void*> inputs_, outputs_;  // that the request has
    std::max_align_t nothing_{};                 // where a tensor has no elements

    using setter = decltype(openvino_functions::ov_infer_request_set_input_tensor_by_index);
    // Tells the request of the pointers that it does not have yet.
    ov_status_e set(setter to, std::span<const buffer> buffers, std::vector<const void*>& known) {
        known.resize(buffers.size(), nullptr);
        for (std::size_t k = 0; k < buffers.size(); ++k) {
            const buffer& b = buffers[k];
            void* const p = b.data ? b.data : &nothing_;
            if (known[k] == p) continue;
            ov_tensor_t* t = nullptr;
            if (const auto s = ov().ov_tensor_create_from_host_ptr(
                    *type_of(b.type), {b.dims.rank, const_cast<std::int64_t*>(b.dims.begin())}, p, &t);
                s != OK)
                return s;
            const openvino_ptr<ov_tensor_t> owner(t);
            known[k] = nullptr;
            if (const auto s = to(request_.get(), k, t); s != OK) return s;
            known[k] = p;
        }
        return OK;
    }
    status stop(context& c) {
        ov().ov_infer_request_cancel(request_.get());
        ov().ov_infer_request_wait(request_.get());
        return c.end_of_run();
    }
    static status fail(context& c, ov_status_e s) { return c.fail(ov().why(s), status::failed); }

  public:
    explicit request(openvino_ptr<ov_infer_request_t> r) : request_(std::move(r)) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        ov_status_e s = set(ov().ov_infer_request_set_input_tensor_by_index, inputs, inputs_);
        if (s == OK) s = set(ov().ov_infer_request_set_output_tensor_by_index, outputs, outputs_);
        if (s != OK) return fail(c, s);
        if (!c.stoppable()) {
            s = ov().ov_infer_request_infer(request_.get());
            return s == OK ? status::ok : fail(c, s);
        }
        if (c.stopped()) return c.end_of_run();
        if (s = ov().ov_infer_request_start_async(request_.get()); s != OK) return fail(c, s);
        constexpr std::int64_t between_looks = 1;  // ms
        while ((s = ov().ov_infer_request_wait_for(request_.get(), between_looks)) == RESULT_NOT_READY)
            if (c.stopped()) return stop(c);
        return s == OK ? status::ok : fail(c, s);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
};
result<std::unique_ptr<executable>> openvino_region::instance() const {
    ov_infer_request_t* r = nullptr;
    if (const auto s = ov().ov_compiled_model_create_infer_request(model_.get(), &r); s != OK) return failure(s);
    return std::make_unique<request>(openvino_ptr<ov_infer_request_t>(r));
}

// OpenVINO exports to files only: to one in a folder that nobody else can look into.
result<std::string> openvino_region::save() const {
    std::error_code problem;
    const private_folder folder("inlay-openvino");
    if (folder.path().empty())
        return error(error_code::provider_failed, "no folder for OpenVINO's export can be made in `" +
                                                      std::filesystem::temp_directory_path(problem).string() + "`");
    const std::string file = folder.file("model");
    const ov_status_e done = ov().ov_compiled_model_export_model(model_.get(), file.c_str());
    std::string bytes;
    if (done == OK) {
        std::ifstream in(file, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    if (done != OK) return failure(done);
    if (bytes.empty()) return error(error_code::provider_failed, "OpenVINO's export cannot be read back");
    return bytes;
}

class openvino_engine final : public engine {
    openvino options_;
    openvino_ptr<ov_core_t> core_;

    // Why OpenVINO does not read these nodes; empty: it does. Shapes and types tell; the elements of large constants
    // do not.
    std::string refusal(const region& r) const {
        const auto model = read(core_.get(), r);
        return model ? other_output((*model).get(), r.graph, r.outputs) : model.why().text;
    }
    // An output that OpenVINO gives another type or shape than ONNX does. What it does not know is no difference.
    static std::string other_output(const ov_model_t* model, const graph_view& g, std::span<const int> outputs) {
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const value& v = g.values[std::size_t(outputs[k])];
            ov_output_const_port_t* port = nullptr;
            if (const auto s = ov().ov_model_const_output_by_index(model, k, &port); s != OK) return ov().why(s);
            const openvino_ptr<ov_output_const_port_t> owner(port);
            ov_element_type_e type{};
            if (ov().ov_port_get_element_type(port, &type) == OK && type != DYNAMIC && type != type_of(v.type))
                return "OpenVINO gives it another type than " + std::string(name_of(v.type));
            ov_shape_t dims{};
            if (ov().ov_const_port_get_shape(port, &dims) != OK) continue;
            const bool same = std::ranges::equal(std::span(dims.dims, std::size_t(dims.rank)), v.dims);
            shape theirs;
            for (std::int64_t i = 0; i < std::min<std::int64_t>(dims.rank, max_rank); ++i)
                theirs.push_back(dims.dims[i]);
            ov().ov_shape_free(&dims);
            if (!same) return "OpenVINO gives it the shape " + to_string(theirs) + ", and ONNX " + to_string(v.dims);
        }
        return {};
    }
    std::vector<std::pair<std::string, std::string>> properties() const {
        std::vector<std::pair<std::string, std::string>> all{{"PERFORMANCE_HINT", "LATENCY"}};
        constexpr const char* types[] = {"f32", "f16", "bf16"};
        if (options_.precision == openvino_precision::ACCURACY)
            all.emplace_back("EXECUTION_MODE_HINT", "ACCURACY");
        else
            all.emplace_back("INFERENCE_PRECISION_HINT", types[int(options_.precision)]);
        if (options_.num_of_threads > 0)
            all.emplace_back("INFERENCE_NUM_THREADS", std::to_string(options_.num_of_threads));
        if (!options_.cache_dir.empty()) all.emplace_back("CACHE_DIR", options_.cache_dir);
        if (options_.device_type == "CPU" && !multiplies_bytes_exactly()) all.emplace_back("LP_TRANSFORMS_MODE", "NO");
        return all;
    }
    std::string property(const char* device, const char* name) const {  // empty: the device does not tell it
        char* value = nullptr;
        if (ov().ov_core_get_property(core_.get(), device, name, &value) != OK || !value) return {};
        std::string text = value;
        ov().ov_free(value);
        return text;
    }
    static std::string type_refusal(const node_view& n) {
        return refusal_of_values(n, [](const value& v) -> std::string {
            if (!type_of(v.type)) return "OpenVINO has no tensors of type " + std::string(name_of(v.type)) + " here";
            return has_no_elements(v)
                       ? "OpenVINO does not compile all operators for tensors without elements, such as " +
                             to_string(v.dims)
                       : "";
        });
    }
    // What OpenVINO 2026 reads and then computes wrong; each was found by random graphs, and is in tests/provider.
    static std::string known_fault(const node_view& n, const value_nodes& around) {
        const std::string_view op = n.record.op;
        if ((op == "MaxPool" || op == "AveragePool") && n.integer("ceil_mode", 0) == 1 && n.has_output(0))
            if (const int axis = axis_of_window_in_padding(n); axis >= 0)
                return "OpenVINO counts a window of axis " + std::to_string(axis) +
                       " that begins in the padding, where ONNX has none (ceil_mode 1)";
        if ((op == "ReduceL1" || op == "ReduceLogSum" || op == "ReduceLogSumExp") && n.version() == 13 &&
            n.find("axes"))
            return "OpenVINO reduces all axes of " + std::string(op) + " version 13, whatever its attribute axes says";
        constexpr int nobody = -1;
        if (op == "TopK" && n.has_output(1) && !n.output(1).is_constant() &&
            around.only_reader(n.output_id(1)) != nobody)
            return "its indices are read, and OpenVINO does not give the lowest one of equal elements";
        if (op == "Hardmax") return "OpenVINO does not mark the first one of equal elements";
        // The region would write its results over a constant that it made of them.
        if (n.input_count() > 0 && all_constant(n.graph.values, n.graph.list(n.record.inputs)) &&
            !all_constant(n.graph.values, n.graph.list(n.record.outputs)))
            return "all its inputs are constants, and OpenVINO may write over what it makes of them";
        // Behind a convolution the function would be computed before the maximum.
        constexpr std::string_view not_rising[] = {"Abs", "Gelu", "HardSwish", "Mish", "Swish", "Mul"};
        if (std::ranges::find(not_rising, op) != std::end(not_rising))
            for (int k = 0; k < n.input_count(); ++k) {
                const int maker = n.has_input(k) ? around.maker(n.input_id(k)) : nobody;
                if (maker == nobody) continue;
                const node_view pool{n.graph, n.graph.nodes[std::size_t(maker)]};
                if (pool.record.op == "MaxPool" && pool.output_id(0) == n.input_id(k))
                    return "OpenVINO may compute " + std::string(op) + " before the MaxPool whose result it reads";
            }
        return {};
    }
    static int axis_of_window_in_padding(const node_view& n) {  // -1: none
        const auto kernel = n.integers("kernel_shape"), pads = n.integers("pads"), strides = n.integers("strides"),
                   dilations = n.integers("dilations");
        const shape &x = n.input(0).dims, &y = n.output(0).dims;
        for (int a = 0; a < int(kernel.size()) && a + 2 < x.rank && a + 2 < y.rank; ++a) {
            const auto at = std::size_t(a), end = at + kernel.size();
            const std::int64_t stride = at < strides.size() ? strides[at] : 1,
                               dilation = at < dilations.size() ? dilations[at] : 1,
                               padded = x[a + 2] + (end < pads.size() ? pads[at] + pads[end] : 0);
            if (stride < 1) continue;  // the file's fault: whoever runs the node says so
            const std::int64_t room = padded - (kernel[at] - 1) * dilation - 1;
            if ((room + stride - 1) / stride + 1 != y[a + 2]) return a + 2;
        }
        return -1;
    }

  public:
    openvino_engine(openvino options, openvino_ptr<ov_core_t> core)
        : options_(std::move(options)), core_(std::move(core)) {}

    void propose(const free_nodes& free, proposals& out) override {
        const value_nodes around(free.graph);
        const auto fault = [&](const node_view& n) {
            std::string why = type_refusal(n);
            return why.empty() ? known_fault(n, around) : why;
        };
        propose_read_sets(free, out, fault, [&](const region& r) { return refusal(r); });
    }
    result<std::shared_ptr<const compiled_region>> compile_for_any_shapes(const region& r) override {
        return compile(r);  // it reads which sizes are free
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        const char* device = options_.device_type.c_str();
        return {{"library", ov().version},
                {"device", property(device, "FULL_DEVICE_NAME")},
                {"architecture", property(device, "DEVICE_ARCHITECTURE")},
                {"capabilities", property(device, "OPTIMIZATION_CAPABILITIES")}};
    }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override {
        for (const auto& [name, value] : properties())  // an import takes none, but those of the core
            if (name != "CACHE_DIR")
                if (const auto s = ov().ov_core_set_property(core_.get(), options_.device_type.c_str(), name.c_str(),
                                                             value.c_str());
                    s != OK)
                    return failure(s);
        ov_compiled_model_t* imported = nullptr;
        if (const auto s = ov().ov_core_import_model(core_.get(), bytes.data(), bytes.size(),
                                                     options_.device_type.c_str(), &imported);
            s != OK)
            return failure(s);
        openvino_ptr<ov_compiled_model_t> model(imported);
        std::size_t inputs = 0, outputs = 0;
        if (auto s = ov().ov_compiled_model_inputs_size(imported, &inputs); s != OK) return failure(s);
        if (auto s = ov().ov_compiled_model_outputs_size(imported, &outputs); s != OK) return failure(s);
        if (inputs != r.inputs.size() || outputs != r.outputs.size())
            return error(error_code::provider_failed, "it has " + std::to_string(inputs) + " inputs and " +
                                                          std::to_string(outputs) + " outputs, the region " +
                                                          std::to_string(r.inputs.size()) + " and " +
                                                          std::to_string(r.outputs.size()));
        return std::make_shared<openvino_region>(std::move(model));
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        auto model = read(core_.get(), r);
        if (!model) return model.why();
        const auto wanted = properties();
        std::vector<ov_property_t> list;
        for (const auto& [name, value] : wanted) list.push_back({name.c_str(), value.c_str()});
        ov_compiled_model_t* compiled = nullptr;
        if (const auto s = ov().ov_core_compile_model_props(core_.get(), (*model).get(), options_.device_type.c_str(),
                                                            list.size(), list.data(), &compiled);
            s != OK)
            return error(error_code::unsupported_model, ov().why(s));
        return std::make_shared<openvino_region>(openvino_ptr<ov_compiled_model_t>(compiled));
    }
};
}  // namespace

// The same with the precision that ends `device_type` as its own option.
static result<openvino> with_device_alone(openvino options) {
    for (const openvino_precision p : {openvino_precision::FP32, openvino_precision::FP16}) {
        const std::string ending = "_" + to_text(p);
        if (!options.device_type.ends_with(ending)) continue;
        if (options.precision != openvino{}.precision && options.precision != p)
            return error(error_code::invalid_option, std::string(openvino::name) + ": `device_type` is `" +
                                                         options.device_type + "`, and `precision` is `" +
                                                         to_text(options.precision) + "`: name the precision once");
        options.device_type.resize(options.device_type.size() - ending.size());
        options.precision = p;
    }
    return options;
}
result<std::shared_ptr<engine>> openvino::open() const {
    const auto unavailable = [](const std::string& why) {
        return error(error_code::provider_unavailable, std::string(name) + ": OpenVINO cannot be used: " + why);
    };
    result<openvino> options = with_device_alone(*this);
    if (!options) return options.why();
    if (!ov().problem.empty()) return unavailable(ov().problem);
    if (num_of_threads < 0)
        return error(error_code::invalid_option, std::string(name) + ": num_of_threads cannot be negative");
    ov_core_t* core = nullptr;
    if (const auto s = ov().ov_core_create(&core); s != OK) return unavailable(ov().why(s));
    openvino_ptr<ov_core_t> owner(core);
    char* device_name = nullptr;
    const char* const device = options->device_type.c_str();
    if (const auto s = ov().ov_core_get_property(core, device, "FULL_DEVICE_NAME", &device_name); s != OK)
        return unavailable(ov().why(s));
    ov().ov_free(device_name);
    return std::make_shared<openvino_engine>(*options, std::move(owner));
}
}  // namespace v1
}  // namespace inlay
