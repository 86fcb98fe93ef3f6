#include "library.hpp"
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace tvm_calls {
namespace {
// In one of the folders that $INLAY_TVM_LIBRARY names, with ':' between them, else where the system looks.
// Compiled code finds symbols of the first two libraries as global ones.
void* open_in_folders(const char* name, symbol_scope scope, std::string& problem) {
    constexpr const char* variable = "INLAY_TVM_LIBRARY";
    std::string folders = named_by(variable, ""), path = name;
    for (std::size_t at = 0; at < folders.size();) {
        const std::size_t end = std::min(folders.find(':', at), folders.size());
        path = folders.substr(at, end - at) + "/" + name;
        if (std::filesystem::exists(path)) break;
        at = end + 1;
    }
    return open_library(
        path, problem,
        "pip install 'apache-tvm==0.27.*' 'apache-tvm-ffi==0.1.*' brings it; " + variable_may_name(variable, "folders"),
        scope);
}
// Null: there is none.
TVMFFIObjectHandle find_global(const functions& f, const char* name) {
    const TVMFFIByteArray text{name, std::strlen(name)};
    TVMFFIObjectHandle function = nullptr;
    return f.TVMFFIFunctionGetGlobal(&text, &function) == 0 ? function : nullptr;
}
functions open() {
    functions f;
    void* const interface = open_in_folders("libtvm_ffi.so", symbol_scope::global, f.problem);
    if (!interface) return f;
    f.find_in(interface);
    if (!f.problem.empty()) return f;
    TVMFFIVersion v{};
    f.TVMFFIGetVersion(&v);
    f.version = std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
    if (v.major != TVM_FFI_VERSION_MAJOR || v.minor != TVM_FFI_VERSION_MINOR) {
        f.problem = "libtvm_ffi.so is version " + f.version + ", and this program was made for " +
                    std::to_string(TVM_FFI_VERSION_MAJOR) + "." + std::to_string(TVM_FFI_VERSION_MINOR) + ".*";
        return f;
    }
    if (!open_in_folders("libtvm_runtime.so", symbol_scope::global, f.problem)) return f;
    if (!open_in_folders("libtvm_compiler.so", symbol_scope::local, f.problem)) return f;
    // The compiler does not tell its version. These names are new in 0.27, or moved.
    for (const char* name : {"s_tir.schedule.ConcreteSchedule", "te.CreatePrimFunc", "tirx.transform.StmtSimplify",
                             "prim._OpAdd", "target.build.llvm", "topi.add"})
        if (const TVMFFIObjectHandle function = find_global(f, name))
            f.TVMFFIObjectDecRef(function);
        else if (f.problem.empty())
            f.problem =
                std::string("libtvm_compiler.so has no function ") + name + ": this program was made for TVM 0.27";
    return f;
}
std::string message_of(const functions& f) {
    TVMFFIObjectHandle raised = nullptr;
    f.TVMFFIErrorMoveFromRaised(&raised);
    if (!raised) return "no reason given";
    const auto* cell =
        reinterpret_cast<const TVMFFIErrorCell*>(static_cast<const char*>(raised) + sizeof(TVMFFIObject));
    std::string text(cell->message.data, cell->message.size);
    f.TVMFFIObjectDecRef(raised);
    return one_line(std::move(text));
}
}  // namespace

const functions& library() {
    static const functions all = open();
    return all;
}
std::string object::text() const {
    if (any_.type_index == kTVMFFISmallStr) return {any_.v_bytes, any_.small_str_len};
    if (any_.type_index != kTVMFFIStr) return {};
    const auto* bytes =
        reinterpret_cast<const TVMFFIByteArray*>(reinterpret_cast<const char*>(any_.v_obj) + sizeof(TVMFFIObject));
    return {bytes->data, bytes->size};
}
object call_function(const object& function, std::span<TVMFFIAny> arguments) {
    const functions& f = library();
    TVMFFIAny result{};
    if (f.TVMFFIFunctionCall(function.any().v_obj, arguments.data(), int(arguments.size()), &result) != 0)
        refuse(message_of(f));
    return object(result);
}
object global_function(const char* name) {
    static std::mutex guard;
    static auto& known = *new std::unordered_map<std::string, object>;  // outlives the library's own tables
    const std::lock_guard lock(guard);
    object& function = known[name];
    if (!function) {
        const TVMFFIObjectHandle handle = find_global(library(), name);
        if (!handle) refuse(std::string("TVM has no function ") + name);
        TVMFFIAny any{};
        any.type_index = kTVMFFIFunction;
        any.v_obj = static_cast<TVMFFIObject*>(handle);
        function = object(any);
    }
    return function;
}
std::vector<object> elements(const object& array) {
    std::vector<object> list;
    const std::int64_t count = call("ffi.ArraySize", array).integer();
    for (std::int64_t i = 0; i < count; ++i) list.push_back(call("ffi.ArrayGetItem", array, i));
    return list;
}
object module_of(std::span<const std::pair<std::string, object>> functions) {
    std::vector<object> named;
    for (const auto& [name, function] : functions) named.insert(named.end(), {call("ir.GlobalVar", name), function});
    const auto map = [](std::span<const object> list) { return container("ffi.Map", list); };
    return call("ir.IRModule", map(named), nullptr, map({}));
}
}  // namespace tvm_calls
}  // namespace v1
}  // namespace inlay
