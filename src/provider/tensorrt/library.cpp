#include "library.hpp"
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
namespace {
thread_local std::string first_error;
void keep(nv_severity s, const char* text) noexcept try {
    const std::string_view message = text;
    const bool of_driver = message.find("catchCudaError") != message.npos;  // next to each error where there is none
    if (s <= nv_severity::error && first_error.empty() && !of_driver) first_error = message;
} catch (...) {
}
struct logger_10 final : nv_logger_10 {
    void log(nv_severity s, const char* text) noexcept override { keep(s, text); }
};
struct logger_11 final : nv_logger_11 {
    void log(nv_severity s, const char* text) noexcept override { keep(s, text); }
};

struct library_names {
    std::string product, source;
    const char* variable;
    std::vector<std::string> files;
    std::string stem, reader_stem;  // the reader's file is named as the library's
    bool is_rtx;
};
std::string version_text(int v) {
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}
// The reader's file: next to the library's, with the same end of its name.
std::string reader_of(const library_names& names, const std::string& file) {
    const std::filesystem::path path = file;
    std::string file_name = path.filename().string();
    if (const std::size_t at = file_name.find(names.stem); at != file_name.npos)
        file_name.replace(at, names.stem.size(), names.reader_stem);
    return (path.parent_path() / file_name).string();
}
void* open_first(const library_names& names, std::string& file, std::string& problem) {
    const std::string named = named_by(names.variable, "");
    const std::vector<std::string> files = named.empty() ? names.files : std::vector{named};
    const std::string advice = names.source + "; " + variable_may_name(names.variable, "file");
    for (const std::string& candidate : files) {
        std::string reason;
        if (void* const library = open_library(candidate, reason, advice)) {
            file = candidate;
            return library;
        }
        if (problem.empty()) problem = reason;
    }
    return nullptr;
}
// Null: of no version whose tables are known.
const nv_places* places_of(bool is_rtx, int version) {
    const int major = version / 10000, minor = version / 100 % 100;
    if (is_rtx) return major == 1 && minor >= 6 ? &nv_places_11 : nullptr;
    return major == 10 ? &nv_places_10 : major == 11 ? &nv_places_11 : nullptr;
}
nv_library open(const library_names& names) {
    nv_library l;
    l.name = names.product;
    l.portable = names.is_rtx;
    std::string file;
    void* const library = open_first(names, file, l.problem);
    if (!library) return l;
    l.problem.clear();
    std::int32_t (*version)() = nullptr;
    find_function(library, "getInferLibVersion", version, l.problem);
    if (!l.problem.empty()) return l;
    l.number = version();
    l.version = version_text(l.number);
    l.at = places_of(names.is_rtx, l.number);
    l.old_logger = l.at == &nv_places_10;
    if (!l.at) {
        l.problem = "it is version " + l.version + ", and this program knows " +
                    (names.is_rtx ? "1.6 and later ones of 1" : "10 and 11");
        return l;
    }
    find_function(library, "createInferBuilder_INTERNAL", l.createInferBuilder_INTERNAL, l.problem);
    find_function(library, "createInferRuntime_INTERNAL", l.createInferRuntime_INTERNAL, l.problem);
    void* const reader = l.problem.empty() ? open_library(reader_of(names, file), l.problem) : nullptr;
    if (!reader) return l;
    std::int32_t (*reader_version)() = nullptr;
    find_function(reader, "getNvOnnxParserVersion", reader_version, l.problem);
    find_function(reader, "createNvOnnxParser_INTERNAL", l.createNvOnnxParser_INTERNAL, l.problem);
    if (!l.problem.empty()) return l;
    l.reader_number = reader_version();
    if (const std::string wrong = nv_self_test(l); !wrong.empty())
        l.problem = "version " + l.version + " is not what its headers tell: " + wrong;
    return l;
}
bool is(const nv_tensor& t, std::string_view name) {
    const nv_dims d = t.dims();
    return t.get() && t.name() == name && t.type() == nv_type::f32 && d.rank == 2 && d.sizes[0] == 2 && d.sizes[1] == 3;
}
std::string wrong_config(const nv_library& l, const nv_config& c) {
    if (!c) return "no configuration is made";
    constexpr std::size_t bytes = 123 << 20;
    c.set_workspace(bytes);
    if (c.workspace() != bytes) return "the workspace's size is not kept";
    for (const bool on : {false, true, false}) {
        c.set(nv_flag::tf32, on);
        if (c.has(nv_flag::tf32) != on) return "a flag is not kept";
    }
    if (l.portable && (c.capabilities() != 0 || !c.set_capabilities(1) || c.capabilities() != 1))
        return "the number of devices is not kept";
    return {};
}
}  // namespace

void* nv_library::logger() const {
    static logger_10 ten;  // the libraries stay open, and keep it
    static logger_11 eleven;
    return old_logger ? static_cast<void*>(static_cast<nv_logger_10*>(&ten)) : static_cast<nv_logger_11*>(&eleven);
}
// ModelProto: ir_version 10; graph { node, name, input, output }; opset 13.
std::string nv_smallest_model() {
    const auto field = [](int number, const std::string& bytes) {
        return std::string{char(number << 3 | 2), char(bytes.size())} + bytes;
    };
    const auto varint = [](int number, int v) { return std::string{char(number << 3), char(v)}; };
    const auto port = [&](const char* name) {
        const std::string dims = field(1, varint(1, 2)) + field(1, varint(1, 3));
        return field(1, name) + field(2, field(1, varint(1, 1) + field(2, dims)));
    };
    const std::string node = field(1, "x") + field(2, "y") + field(4, "Relu");
    return varint(1, 10) + field(7, field(1, node) + field(2, "g") + field(11, port("x")) + field(12, port("y"))) +
           field(8, varint(2, 13));
}
std::string take_nv_error() { return std::exchange(first_error, {}); }

std::string nv_self_test(const nv_library& l) {
    const nv_builder b = l.make_builder();
    if (!b || b.logger() != l.logger()) return "a builder does not know its logger";
    if (!b.set_threads(3) || b.threads() != 3) return "a builder does not keep its number of threads";
    if (std::string wrong = wrong_config(l, b.make_config()); !wrong.empty()) return wrong;
    const nv_network n = b.make_network(l.at->strongly_typed);
    if (!n || n.layers() != 0 || n.inputs() != 0 || n.outputs() != 0) return "a new network is not empty";
    const nv_parser p = l.make_parser(n);
    if (!p || !p.supports_operator("Relu") || p.supports_operator("NoOperator"))
        return "the reader does not know Relu alone";
    const std::string model = nv_smallest_model();
    if (!p.supports(model.data(), model.size()) || p.errors() != 0 || p.subgraphs() != 1 || !p.is_supported(0) ||
        p.nodes(0).second != 1)
        return "the reader does not take Relu";
    if (n.layers() != 1 || n.inputs() != 1 || n.outputs() != 1 || !is(n.input(0), "x") || !is(n.output(0), "y"))
        return "the reader does not make Relu of it";
    const nv_runtime r = l.make_runtime();
    return !r || r.logger() != l.logger() ? "a runtime does not know its logger" : "";
}
const nv_library& tensorrt_library() {
    static const nv_library library = open({"TensorRT",
                                            "NVIDIA's TensorRT has it",
                                            "INLAY_TENSORRT_LIBRARY",
                                            {"libnvinfer.so.11", "libnvinfer.so.10"},
                                            "libnvinfer",
                                            "libnvonnxparser",
                                            false});
    return library;
}
const nv_library& tensorrt_rtx_library() {
    static const nv_library library = open({"TensorRT RTX",
                                            "pip install --no-deps onnxruntime-ep-nv-tensorrt-rtx-cu13 brings it",
                                            "INLAY_NV_TENSORRT_RTX_LIBRARY",
                                            {"libtensorrt_rtx.so.1"},
                                            "libtensorrt_rtx",
                                            "libtensorrt_onnxparser_rtx",
                                            true});
    return library;
}
}  // namespace v1
}  // namespace inlay
