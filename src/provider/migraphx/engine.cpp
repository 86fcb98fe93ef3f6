// Regions as programs of MIGraphX, which reads them as ONNX.
#include "library.hpp"
#include <inlay/provider/migraphx.hpp>
#include <inlay/sdk/region_file.hpp>
#include <cstring>
#include <fstream>
#include <lowering/node_values.hpp>
#include <mutex>
#include <numeric>
#include <provider/private_folder.hpp>
#include <provider/read_sets.hpp>

namespace inlay {
inline namespace v1 {
namespace {
const migraphx_functions& mgx() { return migraphx_library(); }
error failure(int status) { return {error_code::provider_failed, text_of_migraphx(status)}; }

int type_of(element e) {  // 0: none
    using namespace migraphx_interface;
    switch (e) {
        case element::boolean: return bool_type;
        case element::f16: return half_type;
        case element::f32: return float_type;
        case element::f64: return double_type;
        case element::u8: return uint8_type;
        case element::i8: return int8_type;
        case element::u16: return uint16_type;
        case element::i16: return int16_type;
        case element::i32: return int32_type;
        case element::i64: return int64_type;
        case element::u32: return uint32_type;
        case element::u64: return uint64_type;
        default: return 0;
    }
}
std::string type_refusal(const node_view& n) {
    return refusal_of_values(n, [](const value& v) -> std::string {
        if (type_of(v.type) == 0) return "MIGraphX has no tensors of type " + std::string(name_of(v.type)) + " here";
        return has_no_elements(v) ? "MIGraphX gets no tensors without elements, such as " + to_string(v.dims) : "";
    });
}

struct argument_facts {
    std::string name;  // in the program
    int type;
    std::vector<std::size_t> lengths;
    std::size_t bytes;
};
std::vector<argument_facts> facts_of(const region& r, std::span<const int> ids, char letter) {
    std::vector<argument_facts> all;
    for (int id : ids) {
        const value& v = r.graph.values[std::size_t(id)];
        all.push_back({letter + std::to_string(all.size()),
                       type_of(v.type),
                       {v.dims.begin(), v.dims.end()},
                       std::size_t(bytes_of(v.type, v.dims.elements()))});
    }
    return all;
}
// Why a result is not what ONNX says; empty: it is.
std::string other_shape(const migraphx_shape* s, const argument_facts& expected) {
    const std::size_t* lengths = nullptr;
    std::size_t rank = 0;
    int type = 0;
    bool standard = false;
    check_migraphx(mgx().migraphx_shape_lengths(&lengths, &rank, s));
    check_migraphx(mgx().migraphx_shape_type(&type, s));
    check_migraphx(mgx().migraphx_shape_standard(&standard, s));
    const std::size_t elements = std::accumulate(lengths, lengths + rank, std::size_t(1), std::multiplies<>());
    const bool scalar = expected.lengths.empty() && elements == 1;  // one element in some rank
    if (type != expected.type || !(scalar || std::ranges::equal(std::span(lengths, rank), expected.lengths)))
        return "MIGraphX gives result " + expected.name + " another type or shape than ONNX";
    return standard ? "" : "MIGraphX gives the elements of result " + expected.name + " in another order than ONNX";
}

migraphx_ptr<migraphx_program> parsed(const std::string& onnx) {
    const auto options = made_by_migraphx(mgx().migraphx_onnx_options_create);
    return made_by_migraphx(mgx().migraphx_parse_onnx_buffer, static_cast<const void*>(onnx.data()), onnx.size(),
                            options.get());
}
migraphx_ptr<migraphx_file_options> file_options() {
    auto options = made_by_migraphx(mgx().migraphx_file_options_create);
    check_migraphx(mgx().migraphx_file_options_set_file_format(options.get(), "msgpack"));
    return options;
}
// MIGraphX saves to files and loads from them.
class private_file {
    private_folder folder_{"inlay-migraphx"};

  public:
    bool there() const { return !folder_.path().empty(); }
    std::string name() const { return folder_.file("program"); }
};

class migraphx_region final : public compiled_region {
    int device_;
    migraphx_ptr<migraphx_program> program_;
    std::vector<argument_facts> inputs_, outputs_;
    mutable std::mutex lock_;  // a program has one memory for what it computes
    class one_run;

  public:
    migraphx_region(int device, migraphx_ptr<migraphx_program> p, const region& r)
        : device_(device),
          program_(std::move(p)),
          inputs_(facts_of(r, r.inputs, 'i')),
          outputs_(facts_of(r, r.outputs, 'o')) {}
    result<std::unique_ptr<executable>> instance() const override;
    result<std::string> save() const override;
};
class migraphx_region::one_run final : public executable {
    const migraphx_region& r_;

    // Throws migraphx_failure; gives what is wrong otherwise.
    std::string execute(std::span<const buffer> inputs, std::span<const buffer> outputs) const {
        if (r_.device_ != 0) check_migraphx(mgx().hipSetDevice(r_.device_));
        const auto parameters = made_by_migraphx(mgx().migraphx_program_parameters_create);
        std::vector<migraphx_ptr<migraphx_argument>> arguments;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const argument_facts& f = r_.inputs_[k];
            std::vector<std::size_t> lengths = f.lengths;
            const auto s = made_by_migraphx(mgx().migraphx_shape_create, f.type, lengths.data(), lengths.size());
            arguments.push_back(made_by_migraphx(mgx().migraphx_argument_create,
                                                 static_cast<const migraphx_shape*>(s.get()), inputs[k].data));
            check_migraphx(
                mgx().migraphx_program_parameters_add(parameters.get(), f.name.c_str(), arguments.back().get()));
        }
        const auto results = made_by_migraphx(mgx().migraphx_program_run, r_.program_.get(), parameters.get());
        std::size_t count = 0;
        check_migraphx(mgx().migraphx_arguments_size(&count, results.get()));
        if (count != outputs.size()) return "MIGraphX gives " + std::to_string(count) + " results";
        for (std::size_t k = 0; k < count; ++k) {
            const migraphx_argument* y = nullptr;
            const migraphx_shape* s = nullptr;
            char* data = nullptr;
            check_migraphx(mgx().migraphx_arguments_get(&y, results.get(), k));
            check_migraphx(mgx().migraphx_argument_shape(&s, y));
            check_migraphx(mgx().migraphx_argument_buffer(&data, y));
            if (std::string why = other_shape(s, r_.outputs_[k]); !why.empty()) return why;
            std::memcpy(outputs[k].data, data, r_.outputs_[k].bytes);
        }
        return {};
    }

  public:
    explicit one_run(const migraphx_region& r) : r_(r) {}
    status run(std::span<const buffer> inputs, std::span<const buffer> outputs, context& c) noexcept override try {
        if (c.stopped()) return c.end_of_run();
        const std::lock_guard one_at_a_time(r_.lock_);
        const std::string problem = execute(inputs, outputs);
        return problem.empty() ? status::ok : c.fail(problem, status::failed);
    } catch (const migraphx_failure& f) {
        return c.fail(text_of_migraphx(f.status), status::failed);
    } catch (const std::bad_alloc&) {
        return status::out_of_memory;
    }
};
result<std::unique_ptr<executable>> migraphx_region::instance() const { return std::make_unique<one_run>(*this); }
result<std::string> migraphx_region::save() const try {
    const private_file file;
    if (!file.there()) return error(error_code::provider_failed, "no folder for MIGraphX's file can be made");
    const std::lock_guard one_at_a_time(lock_);
    check_migraphx(mgx().migraphx_save(program_.get(), file.name().c_str(), file_options().get()));
    std::ifstream in(file.name(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    if (bytes.empty()) return error(error_code::provider_failed, "MIGraphX's file cannot be read back");
    return bytes;
} catch (const migraphx_failure& f) {
    return failure(f.status);
}

class migraphx_engine final : public engine {
    migraphx options_;
    migraphx_ptr<migraphx_target> target_;

    // Why MIGraphX does not read these nodes; empty: it does. Shapes and types tell; the elements of large constants
    // do not.
    static std::string refusal(const region& r) try {
        const auto onnx = to_onnx(r);
        if (!onnx) return onnx.why().text;
        const auto program = parsed(*onnx);
        const auto shapes = made_by_migraphx(mgx().migraphx_program_get_output_shapes, program.get());
        const std::vector<argument_facts> expected = facts_of(r, r.outputs, 'o');
        std::size_t count = 0;
        check_migraphx(mgx().migraphx_shapes_size(&count, shapes.get()));
        if (count != expected.size()) return "MIGraphX gives it " + std::to_string(count) + " results";
        for (std::size_t k = 0; k < count; ++k) {
            const migraphx_shape* s = nullptr;
            check_migraphx(mgx().migraphx_shapes_get(&s, shapes.get(), k));
            if (std::string why = other_shape(s, expected[k]); !why.empty()) return why;
        }
        return {};
    } catch (const migraphx_failure& f) {
        return text_of_migraphx(f.status);
    }

  public:
    migraphx_engine(migraphx options, migraphx_ptr<migraphx_target> target)
        : options_(std::move(options)), target_(std::move(target)) {}
    void propose(const free_nodes& free, proposals& out) override {
        propose_read_sets(free, out, type_refusal, refusal);
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override try {
        const auto onnx = to_onnx(r);
        if (!onnx) return onnx.why();
        if (options_.device_id != 0) check_migraphx(mgx().hipSetDevice(options_.device_id));
        auto program = parsed(*onnx);
        if (options_.migraphx_fp16_enable) check_migraphx(mgx().migraphx_quantize_fp16(program.get()));
        const auto how = made_by_migraphx(mgx().migraphx_compile_options_create);
        check_migraphx(mgx().migraphx_compile_options_set_offload_copy(how.get(), true));  // arguments are the host's
        check_migraphx(
            mgx().migraphx_compile_options_set_exhaustive_tune_flag(how.get(), options_.migraphx_exhaustive_tune));
        check_migraphx(mgx().migraphx_program_compile(program.get(), target_.get(), how.get()));
        return std::make_shared<migraphx_region>(options_.device_id, std::move(program), r);
    } catch (const migraphx_failure& f) {
        return error(error_code::unsupported_model, text_of_migraphx(f.status));
    }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override try {
        const private_file file;
        if (!file.there()) return error(error_code::provider_failed, "no folder for MIGraphX's file can be made");
        std::ofstream(file.name(), std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
        if (options_.device_id != 0) check_migraphx(mgx().hipSetDevice(options_.device_id));
        auto program = made_by_migraphx(mgx().migraphx_load, file.name().c_str(), file_options().get());
        return std::make_shared<migraphx_region>(options_.device_id, std::move(program), r);
    } catch (const migraphx_failure& f) {
        return failure(f.status);
    }
    std::vector<std::pair<std::string, std::string>> identity() const override {
        return {{"library", "libmigraphx_c 3"}};
    }
};
result<migraphx_ptr<migraphx_target>> target_of(const migraphx& p) try {
    if (!mgx().problem.empty()) return error(error_code::provider_unavailable, mgx().problem);
    if (p.device_id < 0) return error(error_code::invalid_option, "device_id cannot be negative");
    if (p.device_id != 0 && !mgx().hipSetDevice)
        return error(error_code::provider_unavailable, "device_id needs libamdhip64, which cannot be opened");
    if (p.device_id != 0) check_migraphx(mgx().hipSetDevice(p.device_id));
    return made_by_migraphx(mgx().migraphx_target_create, "gpu");
} catch (const migraphx_failure& f) {
    return error(error_code::provider_unavailable,
                 "it has no device " + std::to_string(p.device_id) + ": " + text_of_migraphx(f.status));
}
}  // namespace

result<std::shared_ptr<engine>> migraphx::open() const {
    auto target = target_of(*this);
    if (!target) return error(target.why().code, std::string(name) + ": MIGraphX cannot be used: " + target.why().text);
    return std::make_shared<migraphx_engine>(*this, std::move(*target));
}
device_inventory migraphx::inventory() {
    const auto target = target_of({});
    device_inventory all;
    if (!target) all.unusable = target.why().text;
    return all;
}
}  // namespace v1
}  // namespace inlay
