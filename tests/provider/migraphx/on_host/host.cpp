// An implementation of MIGraphX's C interface for the host: programs are ONNX that onnx_host runs by Inlay's
// reference kernels. It checks the order of calls, names, types and lengths.
#include "../../onnx_host.hpp"
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <provider/migraphx/interface.hpp>
using namespace inlay::migraphx_interface;

struct migraphx_shape {
    int type = 0;
    std::vector<std::size_t> lengths{};
    std::size_t bytes() const {
        std::size_t size = type == half_type || type == uint16_type || type == int16_type     ? 2
                           : type == float_type || type == int32_type || type == uint32_type  ? 4
                           : type == double_type || type == int64_type || type == uint64_type ? 8
                                                                                              : 1;
        for (std::size_t l : lengths) size *= l;
        return size;
    }
    bool operator==(const migraphx_shape&) const = default;
};
struct migraphx_argument {
    migraphx_shape shape;
    void* data = nullptr;
    std::vector<char> storage{};
};
struct migraphx_arguments {
    std::vector<migraphx_argument> list;
};
struct migraphx_shapes {
    std::vector<migraphx_shape> list;
};
struct migraphx_target {
    std::string name;
};
struct migraphx_program {
    onnx_host::program onnx;
    bool half = false, compiled = false;
};
struct migraphx_program_parameters {
    std::map<std::string, migraphx_argument> list;
};
struct migraphx_onnx_options {};
struct migraphx_compile_options {
    bool offload_copy = false, exhaustive_tune = false;
};
struct migraphx_file_options {
    std::string format;
};

namespace {
std::atomic<int> parses{0};  // so far
int current_device = 0;
const migraphx_compile_options* last_compiled = nullptr;
struct failure {
    int status;
};
void require(bool good) {
    if (!good) throw failure{bad_param};
}
template <class F> int answer(F f) try {
    f();
    return success;
} catch (const failure& r) {
    return r.status;
} catch (...) {
    return unknown_error;
}
// Types of ONNX, by their numbers, as types here.
migraphx_shape shape_of(const onnx_host::port& p) {
    constexpr int types[] = {0,          float_type, uint8_type, int8_type, uint16_type, int16_type,  int32_type,
                             int64_type, 0,          bool_type,  half_type, double_type, uint32_type, uint64_type};
    if (p.type < 0 || p.type >= int(std::size(types)) || types[p.type] == 0) throw failure{unknown_error};
    migraphx_shape s{types[p.type], {p.dims.begin(), p.dims.end()}};
    if (s.lengths.empty()) s.lengths = {1};  // there are no scalars
    return s;
}
}  // namespace

extern "C" {
int migraphx_shape_create(migraphx_shape** s, int type, std::size_t* lengths, std::size_t rank) {
    return answer([&] {
        require(type >= bool_type && type <= uint64_type && (lengths || rank == 0));
        *s = new migraphx_shape{type, {lengths, lengths + rank}};
    });
}
int migraphx_shape_destroy(migraphx_shape* s) { return delete s, success; }
int migraphx_shape_lengths(const std::size_t** lengths, std::size_t* rank, const migraphx_shape* s) {
    *lengths = s->lengths.data();
    *rank = s->lengths.size();
    return success;
}
int migraphx_shape_type(int* type, const migraphx_shape* s) { return *type = s->type, success; }
int migraphx_shape_standard(bool* standard, const migraphx_shape*) { return *standard = true, success; }
int migraphx_argument_create(migraphx_argument** a, const migraphx_shape* s, void* data) {
    return answer([&] {
        require(data != nullptr);
        *a = new migraphx_argument{*s, data};
    });
}
int migraphx_argument_destroy(migraphx_argument* a) { return delete a, success; }
int migraphx_argument_shape(const migraphx_shape** s, const migraphx_argument* a) { return *s = &a->shape, success; }
int migraphx_argument_buffer(char** data, const migraphx_argument* a) {
    return *data = static_cast<char*>(a->data), success;
}
int migraphx_arguments_size(std::size_t* count, migraphx_arguments* a) { return *count = a->list.size(), success; }
int migraphx_arguments_get(const migraphx_argument** result, migraphx_arguments* a, std::size_t k) {
    return answer([&] { *result = &a->list.at(k); });
}
int migraphx_arguments_destroy(migraphx_arguments* a) { return delete a, success; }
int migraphx_shapes_size(std::size_t* count, migraphx_shapes* s) { return *count = s->list.size(), success; }
int migraphx_shapes_get(const migraphx_shape** result, migraphx_shapes* s, std::size_t k) {
    return answer([&] { *result = &s->list.at(k); });
}
int migraphx_shapes_destroy(migraphx_shapes* s) { return delete s, success; }
int migraphx_target_create(migraphx_target** t, const char* name) {
    return answer([&] {
        if (std::strcmp(name, "gpu") != 0) throw failure{unknown_target};
        *t = new migraphx_target{name};
    });
}
int migraphx_target_destroy(migraphx_target* t) { return delete t, success; }
int migraphx_onnx_options_create(migraphx_onnx_options** o) { return *o = new migraphx_onnx_options, success; }
int migraphx_onnx_options_destroy(migraphx_onnx_options* o) { return delete o, success; }
int migraphx_parse_onnx_buffer(migraphx_program** p, const void* data, std::size_t size, migraphx_onnx_options* o) {
    return answer([&] {
        require(o && data && size > 0);
        ++parses;
        *p = new migraphx_program{onnx_host::program({static_cast<const char*>(data), size})};
    });
}
int migraphx_quantize_fp16(migraphx_program* p) {
    return answer([&] {
        require(!p->compiled);
        p->half = true;
    });
}
int migraphx_compile_options_create(migraphx_compile_options** o) { return *o = new migraphx_compile_options, success; }
int migraphx_compile_options_destroy(migraphx_compile_options* o) { return delete o, success; }
int migraphx_compile_options_set_offload_copy(migraphx_compile_options* o, bool yes) {
    return o->offload_copy = yes, success;
}
int migraphx_compile_options_set_exhaustive_tune_flag(migraphx_compile_options* o, bool yes) {
    return o->exhaustive_tune = yes, success;
}
int migraphx_program_compile(migraphx_program* p, migraphx_target* t, migraphx_compile_options* o) {
    return answer([&] {
        require(t && !p->compiled && o->offload_copy);  // arguments are in the host's memory
        static migraphx_compile_options copy;
        copy = *o;
        last_compiled = &copy;
        p->compiled = true;
    });
}
int migraphx_program_get_output_shapes(migraphx_shapes** s, migraphx_program* p) {
    return answer([&] {
        auto shapes = std::make_unique<migraphx_shapes>();
        for (const onnx_host::port& y : p->onnx.outputs()) shapes->list.push_back(shape_of(y));
        *s = shapes.release();
    });
}
int migraphx_program_run(migraphx_arguments** results, migraphx_program* p, migraphx_program_parameters* parameters) {
    return answer([&] {
        require(p->compiled && parameters->list.size() == p->onnx.inputs().size());
        std::vector<const void*> inputs;
        for (const onnx_host::port& x : p->onnx.inputs()) {
            const migraphx_argument& a = parameters->list.at(x.name);
            require(a.shape.type == shape_of(x).type && a.shape.bytes() == std::size_t(x.bytes));
            inputs.push_back(a.data);
        }
        auto arguments = std::make_unique<migraphx_arguments>();
        std::vector<void*> outputs;
        for (const onnx_host::port& y : p->onnx.outputs()) {
            arguments->list.push_back({shape_of(y), nullptr, std::vector<char>(static_cast<std::size_t>(y.bytes))});
            arguments->list.back().data = arguments->list.back().storage.data();
        }
        for (migraphx_argument& a : arguments->list) outputs.push_back(a.data = a.storage.data());
        p->onnx.run(inputs, outputs);
        *results = arguments.release();
    });
}
int migraphx_program_destroy(migraphx_program* p) { return delete p, success; }
int migraphx_program_parameters_create(migraphx_program_parameters** p) {
    return *p = new migraphx_program_parameters, success;
}
int migraphx_program_parameters_add(migraphx_program_parameters* p, const char* name, const migraphx_argument* a) {
    return answer([&] { require(p->list.emplace(name, *a).second); });
}
int migraphx_program_parameters_destroy(migraphx_program_parameters* p) { return delete p, success; }
int migraphx_file_options_create(migraphx_file_options** o) { return *o = new migraphx_file_options, success; }
int migraphx_file_options_destroy(migraphx_file_options* o) { return delete o, success; }
int migraphx_file_options_set_file_format(migraphx_file_options* o, const char* format) {
    return answer([&] {
        require(std::strcmp(format, "msgpack") == 0 || std::strcmp(format, "json") == 0);
        o->format = format;
    });
}
// Of a compiled program: a mark, and the model.
int migraphx_save(migraphx_program* p, const char* file, migraphx_file_options* o) {
    return answer([&] {
        require(p->compiled && o->format == "msgpack");
        std::ofstream(file, std::ios::binary) << "host" << p->onnx.model();
    });
}
int migraphx_load(migraphx_program** p, const char* file, migraphx_file_options* o) {
    return answer([&] {
        require(o->format == "msgpack");
        std::ifstream in(file, std::ios::binary);
        const std::string content(std::istreambuf_iterator<char>(in), {});
        require(content.starts_with("host"));
        *p = new migraphx_program{onnx_host::program(content.substr(4)), false, true};
    });
}
int hipSetDevice(int device) { return device < 2 ? (current_device = device, 0) : 101; }
// For the tests: what was set last.
int host_device() { return current_device; }
int host_parses() { return parses; }
bool host_tunes() { return last_compiled && last_compiled->exhaustive_tune; }
}
