// Regions as models of OpenVINO, which reads them as ONNX.
#include "library.hpp"
#include <inlay/provider/openvino.hpp>
#include <lowering/onnx_region_engine.hpp>
#include <provider/private_folder.hpp>
#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace inlay {
inline namespace v1 {
namespace {
using namespace lowering;
const openvino_functions& ov() { return openvino_library(); }

constexpr auto types = numbers_of_elements<ov_element_type_e>({{element::f32, F32},
                                                               {element::f16, F16},
                                                               {element::bf16, BF16},
                                                               {element::f64, F64},
                                                               {element::boolean, BOOLEAN},
                                                               {element::u8, U8},
                                                               {element::u16, U16},
                                                               {element::u32, U32},
                                                               {element::u64, U64},
                                                               {element::i8, I8},
                                                               {element::i16, I16},
                                                               {element::i32, I32},
                                                               {element::i64, I64}});
void check(ov_status_e s) {
    if (s != OK) refuse(ov().why(s));
}
// What f(arguments..., place for a pointer) makes. Throws refused_node.
template <class T, class... A, class... B> openvino_ptr<T> made(ov_status_e (*f)(A...), B... arguments) {
    T* p = nullptr;
    check(f(arguments..., &p));
    return openvino_ptr<T>(p);
}

// Without VNNI OpenVINO's CPU device adds products of 8 bits two by two in 16 bits, which saturate.
bool multiplies_bytes_exactly() {
#ifdef __x86_64__
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool avx_vnni = __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1);  // a name that clang 14 has not got
    return avx_vnni || __builtin_cpu_supports("avx512vnni");
#else
    return true;
#endif
}

class openvino_request {
    openvino_ptr<ov_infer_request_t> request_;
    std::vector<const void*> inputs_{}, outputs_{};  // that the request has
    std::max_align_t nothing_{};                     // where a tensor has no elements

    using setter = decltype(openvino_functions::ov_infer_request_set_input_tensor_by_index);
    // Sets the pointers that the request does not have yet.
    void set(setter to, std::span<const buffer> buffers, std::vector<const void*>& pointers) {
        pointers.resize(buffers.size(), nullptr);
        for (std::size_t k = 0; k < buffers.size(); ++k) {
            const buffer& b = buffers[k];
            void* const p = b.data ? b.data : &nothing_;
            if (pointers[k] == p) continue;
            const ov_shape_t dims{b.dims.rank, const_cast<std::int64_t*>(b.dims.begin())};
            const auto t = made<ov_tensor_t>(ov().ov_tensor_create_from_host_ptr, *types.of(b.type), dims, p);
            pointers[k] = nullptr;
            check(to(request_.get(), k, t.get()));
            pointers[k] = p;
        }
    }

  public:
    explicit openvino_request(openvino_ptr<ov_infer_request_t> r) : request_(std::move(r)) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) {
        ov_infer_request_t* const r = request_.get();
        set(ov().ov_infer_request_set_input_tensor_by_index, inputs, inputs_);
        set(ov().ov_infer_request_set_output_tensor_by_index, outputs, outputs_);
        if (!c.stoppable()) {
            check(ov().ov_infer_request_infer(r));
            return status::ok;
        }
        check(ov().ov_infer_request_start_async(r));
        constexpr std::int64_t between_looks = 1;  // ms
        ov_status_e s = OK;
        while ((s = ov().ov_infer_request_wait_for(r, between_looks)) == RESULT_NOT_READY)
            if (c.stopped()) {
                ov().ov_infer_request_cancel(r);
                ov().ov_infer_request_wait(r);
                return c.end_of_run();
            }
        check(s);
        return status::ok;
    }
};
struct openvino_model {
    openvino_ptr<ov_compiled_model_t> model;
    openvino_request instance() const {
        return openvino_request(made<ov_infer_request_t>(ov().ov_compiled_model_create_infer_request, model.get()));
    }
    std::string saved() const {  // OpenVINO exports to files only
        return bytes_of_file("inlay-openvino", "OpenVINO's export",
                             [&](const char* file) { check(ov().ov_compiled_model_export_model(model.get(), file)); });
    }
};

class openvino_backend {
    openvino options_;
    openvino_ptr<ov_core_t> core_;

    std::vector<std::pair<std::string, std::string>> properties() const {
        std::vector<std::pair<std::string, std::string>> list{{"PERFORMANCE_HINT", "LATENCY"}};
        constexpr const char* types[] = {"f32", "f16", "bf16"};
        if (options_.precision == openvino_precision::ACCURACY)
            list.emplace_back("EXECUTION_MODE_HINT", "ACCURACY");
        else
            list.emplace_back("INFERENCE_PRECISION_HINT", types[int(options_.precision)]);
        if (options_.num_of_threads > 0)
            list.emplace_back("INFERENCE_NUM_THREADS", std::to_string(options_.num_of_threads));
        if (!options_.cache_dir.empty()) list.emplace_back("CACHE_DIR", options_.cache_dir);
        if (options_.device_type == "CPU" && !multiplies_bytes_exactly()) list.emplace_back("LP_TRANSFORMS_MODE", "NO");
        return list;
    }
    std::string property(const char* device, const char* name) const {  // empty: the device does not tell it
        char* value = nullptr;
        if (ov().ov_core_get_property(core_.get(), device, name, &value) != OK || !value) return {};
        std::string text = value;
        ov().ov_free(value);
        return text;
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
            if (stride < 1) continue;  // the file's fault: the provider that runs the node says so
            const std::int64_t room = padded - (kernel[at] - 1) * dilation - 1;
            if ((room + stride - 1) / stride + 1 != y[a + 2]) return a + 2;
        }
        return -1;
    }

  public:
    static constexpr elements_in elements = elements_in::memory;
    static constexpr bool queries_elements = false, any_shapes = true;  // it reads which sizes are free
    openvino_backend(openvino options, openvino_ptr<ov_core_t> core)
        : options_(std::move(options)), core_(std::move(core)) {}

    static auto node_refusal(const graph_view& g) {
        return [around = value_nodes(g)](const node_view& n) {
            std::string reason =
                refusal_of_tensors(n, types, "OpenVINO has no tensors of type",
                                   "OpenVINO does not compile all operators for tensors without elements");
            return reason.empty() ? known_fault(n, around) : reason;
        };
    }
    openvino_ptr<ov_model_t> parse(const std::string& onnx) const {
        return made<ov_model_t>(ov().ov_core_read_model_from_memory_buffer, core_.get(), onnx.data(), onnx.size(),
                                nullptr);
    }
    // Shapes and types tell; the elements of large constants do not. What OpenVINO does not know of an output is no
    // difference.
    static refused_nodes query(const region& r, const openvino_ptr<ov_model_t>& model) {
        for (std::size_t k = 0; const onnx_port& expected : output_ports(r)) {
            const auto port = made<ov_output_const_port_t>(ov().ov_model_const_output_by_index,
                                                           static_cast<const ov_model_t*>(model.get()), k++);
            ov_element_type_e type{};
            const bool typed = ov().ov_port_get_element_type(port.get(), &type) == OK && type != DYNAMIC;
            ov_shape_t shape{};
            const bool shaped = ov().ov_const_port_get_shape(port.get(), &shape) == OK;
            const std::vector<std::int64_t> dims(shape.dims, shape.dims + (shaped ? shape.rank : 0));
            if (shaped) ov().ov_shape_free(&shape);
            check_output("OpenVINO", expected, !typed || type == types.of(expected.type),
                         shaped ? std::span<const std::int64_t>(dims) : expected.dims);
        }
        return {};
    }
    std::vector<std::pair<std::string, std::string>> identity() const {
        const char* device = options_.device_type.c_str();
        return {{"library", ov().version},
                {"device", property(device, "FULL_DEVICE_NAME")},
                {"architecture", property(device, "DEVICE_ARCHITECTURE")},
                {"capabilities", property(device, "OPTIMIZATION_CAPABILITIES")}};
    }
    auto restore(const region& r, std::string_view bytes) const {
        const char* const device = options_.device_type.c_str();
        for (const auto& [name, value] : properties())  // an import takes none, but those of the core
            if (name != "CACHE_DIR") check(ov().ov_core_set_property(core_.get(), device, name.c_str(), value.c_str()));
        auto model =
            made<ov_compiled_model_t>(ov().ov_core_import_model, core_.get(), bytes.data(), bytes.size(), device);
        std::size_t inputs = 0, outputs = 0;
        check(ov().ov_compiled_model_inputs_size(model.get(), &inputs));
        check(ov().ov_compiled_model_outputs_size(model.get(), &outputs));
        check_port_counts(r, inputs, outputs, "it");
        return std::make_shared<const openvino_model>(openvino_model{std::move(model)});
    }
    auto compile(const region&, openvino_ptr<ov_model_t> model) const {
        const auto compile_options = properties();
        std::vector<ov_property_t> list;
        for (const auto& [name, value] : compile_options) list.push_back({name.c_str(), value.c_str()});
        return std::make_shared<const openvino_model>(openvino_model{made<ov_compiled_model_t>(
            ov().ov_core_compile_model_props, core_.get(), static_cast<const ov_model_t*>(model.get()),
            options_.device_type.c_str(), list.size(), list.data())});
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
result<std::shared_ptr<engine>> openvino::open() const try {
    result<openvino> options = with_device_alone(*this);
    if (!options) return options.why();
    if (!ov().problem.empty()) refuse(ov().problem);
    if (num_of_threads < 0)
        return error(error_code::invalid_option, std::string(name) + ": num_of_threads cannot be negative");
    auto core = made<ov_core_t>(ov().ov_core_create);
    char* device_name = nullptr;
    check(ov().ov_core_get_property(core.get(), options->device_type.c_str(), "FULL_DEVICE_NAME", &device_name));
    ov().ov_free(device_name);
    return std::make_shared<onnx_region_engine<openvino_backend>>(openvino_backend(*options, std::move(core)));
} catch (const refused_node& r) {
    return error(error_code::provider_unavailable, std::string(name) + ": OpenVINO cannot be used: " + r.reason);
}
}  // namespace v1
}  // namespace inlay
