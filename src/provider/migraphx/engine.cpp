// Regions as programs of MIGraphX, which reads them as ONNX.
#include "library.hpp"
#include <inlay/provider/migraphx.hpp>
#include <cstring>
#include <lowering/onnx_region_engine.hpp>
#include <mutex>
#include <numeric>
#include <provider/private_folder.hpp>

namespace inlay {
inline namespace v1 {
namespace {
using namespace lowering;
const migraphx_functions& mgx() { return migraphx_library(); }

constexpr auto types = numbers_of_elements<int>({{element::boolean, migraphx_interface::bool_type},
                                                 {element::f16, migraphx_interface::half_type},
                                                 {element::f32, migraphx_interface::float_type},
                                                 {element::f64, migraphx_interface::double_type},
                                                 {element::u8, migraphx_interface::uint8_type},
                                                 {element::i8, migraphx_interface::int8_type},
                                                 {element::u16, migraphx_interface::uint16_type},
                                                 {element::i16, migraphx_interface::int16_type},
                                                 {element::i32, migraphx_interface::int32_type},
                                                 {element::i64, migraphx_interface::int64_type},
                                                 {element::u32, migraphx_interface::uint32_type},
                                                 {element::u64, migraphx_interface::uint64_type}});

// Refuses a result that is not what ONNX says.
void check_shape(const migraphx_shape* s, const onnx_port& expected) {
    const std::size_t* lengths = nullptr;
    std::size_t rank = 0;
    int type = 0;
    bool standard = false;
    check_migraphx(mgx().migraphx_shape_lengths(&lengths, &rank, s));
    check_migraphx(mgx().migraphx_shape_type(&type, s));
    check_migraphx(mgx().migraphx_shape_standard(&standard, s));
    const std::size_t elements = std::accumulate(lengths, lengths + rank, std::size_t(1), std::multiplies<>());
    const bool scalar = expected.dims.rank == 0 && elements == 1;  // one element in some rank
    const std::vector<std::int64_t> dims(lengths, scalar ? lengths : lengths + rank);
    check_output("MIGraphX", expected, type == types.of(expected.type), dims);
    if (!standard) refuse("MIGraphX gives the elements of result " + expected.name + " in another order than ONNX");
}
migraphx_ptr<migraphx_file_options> file_options() {
    auto options = made_by_migraphx(mgx().migraphx_file_options_create);
    check_migraphx(mgx().migraphx_file_options_set_file_format(options.get(), "msgpack"));
    return options;
}

struct migraphx_program_of_region {
    int device;
    migraphx_ptr<migraphx_program> program;
    std::vector<onnx_port> inputs, outputs;
    mutable std::mutex lock{};  // a program has one memory for what it computes

    class one_run {
        const migraphx_program_of_region& r_;

      public:
        explicit one_run(const migraphx_program_of_region& r) : r_(r) {}
        std::string run(std::span<const buffer> inputs, std::span<const buffer> outputs, context&) const {
            const std::lock_guard one_at_a_time(r_.lock);
            if (r_.device != 0) check_migraphx(mgx().hipSetDevice(r_.device));
            const auto parameters = made_by_migraphx(mgx().migraphx_program_parameters_create);
            std::vector<migraphx_ptr<migraphx_argument>> arguments;
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                const onnx_port& p = r_.inputs[k];
                std::vector<std::size_t> lengths(p.dims.begin(), p.dims.end());
                const auto s =
                    made_by_migraphx(mgx().migraphx_shape_create, *types.of(p.type), lengths.data(), lengths.size());
                arguments.push_back(made_by_migraphx(mgx().migraphx_argument_create,
                                                     static_cast<const migraphx_shape*>(s.get()), inputs[k].data));
                check_migraphx(
                    mgx().migraphx_program_parameters_add(parameters.get(), p.name.c_str(), arguments.back().get()));
            }
            const auto results = made_by_migraphx(mgx().migraphx_program_run, r_.program.get(), parameters.get());
            std::size_t count = 0;
            check_migraphx(mgx().migraphx_arguments_size(&count, results.get()));
            check_output_count("MIGraphX", count, outputs.size());
            for (std::size_t k = 0; k < count; ++k) {
                const migraphx_argument* y = nullptr;
                const migraphx_shape* s = nullptr;
                char* data = nullptr;
                check_migraphx(mgx().migraphx_arguments_get(&y, results.get(), k));
                check_migraphx(mgx().migraphx_argument_shape(&s, y));
                check_migraphx(mgx().migraphx_argument_buffer(&data, y));
                check_shape(s, r_.outputs[k]);
                std::memcpy(outputs[k].data, data, r_.outputs[k].bytes());
            }
            return {};
        }
    };
    one_run instance() const { return one_run(*this); }
    std::string saved() const {
        return bytes_of_file("inlay-migraphx", "MIGraphX's file", [&](const char* file) {
            const std::lock_guard one_at_a_time(lock);
            check_migraphx(mgx().migraphx_save(program.get(), file, file_options().get()));
        });
    }
};

struct migraphx_backend {
    migraphx options;
    migraphx_ptr<migraphx_target> target;
    static constexpr elements_in elements = elements_in::bytes;
    static constexpr bool queries_elements = false;

    static auto node_refusal(const graph_view&) {
        return [](const node_view& n) {
            return refusal_of_tensors(n, types, "MIGraphX has no tensors of type",
                                      "MIGraphX gets no tensors without elements");
        };
    }
    static migraphx_ptr<migraphx_program> parse(const std::string& onnx) {
        const auto options = made_by_migraphx(mgx().migraphx_onnx_options_create);
        return made_by_migraphx(mgx().migraphx_parse_onnx_buffer, static_cast<const void*>(onnx.data()), onnx.size(),
                                options.get());
    }
    // Shapes and types tell; the elements of large constants do not.
    static refused_nodes query(const region& r, const migraphx_ptr<migraphx_program>& program) {
        const auto shapes = made_by_migraphx(mgx().migraphx_program_get_output_shapes, program.get());
        std::size_t count = 0;
        check_migraphx(mgx().migraphx_shapes_size(&count, shapes.get()));
        check_output_count("MIGraphX", count, r.outputs.size());
        for (std::size_t k = 0; const onnx_port& expected : output_ports(r)) {
            const migraphx_shape* s = nullptr;
            check_migraphx(mgx().migraphx_shapes_get(&s, shapes.get(), k++));
            check_shape(s, expected);
        }
        return {};
    }
    auto program_of(const region& r, migraphx_ptr<migraphx_program> p) const {
        return std::shared_ptr<const migraphx_program_of_region>(
            new migraphx_program_of_region{options.device_id, std::move(p), input_ports(r), output_ports(r)});
    }
    void use_device() const {
        if (options.device_id != 0) check_migraphx(mgx().hipSetDevice(options.device_id));
    }
    auto compile(const region& r, migraphx_ptr<migraphx_program> program) const {
        use_device();
        if (options.migraphx_fp16_enable) check_migraphx(mgx().migraphx_quantize_fp16(program.get()));
        const auto compile_options = made_by_migraphx(mgx().migraphx_compile_options_create);
        check_migraphx(
            mgx().migraphx_compile_options_set_offload_copy(compile_options.get(), true));  // arguments are the host's
        check_migraphx(mgx().migraphx_compile_options_set_exhaustive_tune_flag(compile_options.get(),
                                                                               options.migraphx_exhaustive_tune));
        check_migraphx(mgx().migraphx_program_compile(program.get(), target.get(), compile_options.get()));
        return program_of(r, std::move(program));
    }
    auto restore(const region& r, std::string_view bytes) const {
        use_device();
        return with_file("inlay-migraphx", "MIGraphX's file", bytes, [&](const char* file) {
            return program_of(r, made_by_migraphx(mgx().migraphx_load, file, file_options().get()));
        });
    }
    static std::vector<std::pair<std::string, std::string>> identity() { return {{"library", "libmigraphx_c 3"}}; }
};
result<migraphx_ptr<migraphx_target>> target_of(const migraphx& p) try {
    if (!mgx().problem.empty()) return error(error_code::provider_unavailable, mgx().problem);
    if (p.device_id < 0) return error(error_code::invalid_option, "device_id cannot be negative");
    if (p.device_id != 0 && !mgx().hipSetDevice)
        return error(error_code::provider_unavailable, "device_id needs libamdhip64, which cannot be opened");
    if (p.device_id != 0) check_migraphx(mgx().hipSetDevice(p.device_id));
    return made_by_migraphx(mgx().migraphx_target_create, "gpu");
} catch (const refused_node& r) {
    return error(error_code::provider_unavailable, "it has no device " + std::to_string(p.device_id) + ": " + r.reason);
}
}  // namespace

result<std::shared_ptr<engine>> migraphx::open() const {
    auto target = target_of(*this);
    if (!target) return error(target.why().code, std::string(name) + ": MIGraphX cannot be used: " + target.why().text);
    return std::make_shared<onnx_region_engine<migraphx_backend>>(migraphx_backend{*this, std::move(*target)});
}
device_inventory migraphx::inventory() {
    const auto target = target_of({});
    device_inventory inventory;
    if (!target) inventory.unusable = target.why().text;
    return inventory;
}
}  // namespace v1
}  // namespace inlay
