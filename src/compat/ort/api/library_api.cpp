#include "custom_ops.hpp"
#include "errors.hpp"
#include "kernel_info.hpp"
#include "library_api.hpp"
#include "memory.hpp"
#include "platform/shared_library.hpp"
#include "status.hpp"
#include "type_info.hpp"
#include "value.hpp"
#include <inlay/ort/api/functions.hpp>
#include <array>

namespace Ort::detail {
namespace {
using function = void (*)();
constexpr std::size_t places = 400;  // more than there are in the version that Inlay reports
using function_table = std::array<function, places>;

template <class F> void set(function_table& table, std::size_t place, F f) {
    table[place] = reinterpret_cast<function>(+f);
}
template <class T, class F> OrtStatus* give(T* out, F f) {
    return status_of([&] { *out = f(); });
}
template <std::size_t Place> OrtStatus* missing() {
    return new OrtStatus{ORT_NOT_IMPLEMENTED,
                         "Ort: Inlay has no function " + std::to_string(Place) +
                             " of ONNX Runtime's C interface, which a library of operators requests"};
}
template <std::size_t... Place> function_table all_missing(std::index_sequence<Place...>) {
    return {reinterpret_cast<function>(&missing<Place>)...};
}
const void* no_interface() { return nullptr; }

// A null buffer requests only the size.
template <class T> void hand_over(std::span<const T> elements, T* out, std::size_t* size) {
    const std::size_t room = std::exchange(need(size, "size"), elements.size());
    if (!out) return;
    if (room < elements.size())
        raise(ORT_INVALID_ARGUMENT, "Ort: the buffer has room for " + std::to_string(room) +
                                        " elements, and there are " + std::to_string(elements.size()));
    std::ranges::copy(elements, out);
}
OrtStatus* give_text(char* out, std::size_t* size, auto text) {
    return status_of([&] {
        const std::string contents = text();
        hand_over(std::span<const char>(contents.c_str(), contents.size() + 1), out, size);
    });
}
template <class T> OrtStatus* give_list(const OrtKernelInfo* info, const char* name, T* out, std::size_t* size) {
    return status_of([&] {
        const std::vector<T> list = ConstKernelInfo(info).GetAttributes<T>(name);
        hand_over(std::span<const T>(list), out, size);
    });
}
OrtAllocator* host_memory(const OrtMemoryInfo* info) {
    if (info && info->space != &inlay::space_of<inlay::memory::host>)
        raise(ORT_NOT_IMPLEMENTED, "Ort: custom operators run on the CPU, and have no memory of " + info->name);
    return AllocatorWithDefaultOptions();
}

void add_statuses(function_table& t) {
    set(t, 0, [](OrtErrorCode code, const char* text) { return GetApi().CreateStatus(code, text); });
    set(t, 1, [](const OrtStatus* s) { return GetApi().GetErrorCode(s); });
    set(t, 2, [](const OrtStatus* s) { return GetApi().GetErrorMessage(s); });
    set(t, 93, [](OrtStatus* s) { OrtRelease(s); });
    set(t, 247,
        [](const OrtLogger* l, OrtLoggingLevel severity, const char* text, const char* file, int line, const char* f) {
            return Logger(l).LogMessage(severity, file, line, f, text).release();
        });
    set(t, 248, [](const OrtLogger* l, OrtLoggingLevel* level) {
        return give(level, [&] { return Logger(l).GetLoggingSeverityLevel(); });
    });
    set(t, 254, [] { return GetApi().GetBuildInfoString(); });
    for (const std::size_t place :
         {219, 291, 294, 317})  // interfaces for training, model editing, compiling, providers
        t[place] = reinterpret_cast<function>(&no_interface);
}
void add_domains(function_table& t) {
    set(t, 26, [](const char* name, OrtCustomOpDomain** out) {
        return give(out, [&] {
            return new OrtCustomOpDomain{
                std::make_shared<custom_domain>(custom_domain{need_text(name, "the name of a domain"), library_api()})};
        });
    });
    set(t, 27, [](OrtCustomOpDomain* d, const OrtCustomOp* op) { return GetApi().CustomOpDomain_Add(d, op); });
    set(t, 28,
        [](OrtSessionOptions* o, OrtCustomOpDomain* d) { return status_of([&] { UnownedSessionOptions(o).Add(d); }); });
    set(t, 101, [](OrtCustomOpDomain* d) { OrtRelease(d); });
    set(t, 130, [](OrtSessionOptions* o, const char* key, const char* text) {
        return GetApi().AddSessionConfigEntry(o, key, text);
    });
    set(t, 237, [](const OrtSessionOptions* o, const char* key, int* out) {
        return give(out, [&] { return int(ConstSessionOptions(o).HasConfigEntry(key)); });
    });
    set(t, 238, [](const OrtSessionOptions* o, const char* key, char* out, std::size_t* size) {
        return give_text(out, size, [&] { return ConstSessionOptions(o).GetConfigEntry(key); });
    });
}
void add_memory(function_table& t) {
    set(t, 68, [](const char* name, OrtAllocatorType type, int id, OrtMemType kind, OrtMemoryInfo** out) {
        return give(out, [&] { return MemoryInfo(name, type, id, kind).release(); });
    });
    set(t, 69, [](OrtAllocatorType type, OrtMemType kind, OrtMemoryInfo** out) {
        return give(out, [&] { return MemoryInfo::CreateCpu(type, kind).release(); });
    });
    set(t, 71, [](const OrtMemoryInfo* i, const char** out) {
        return give(out, [&] { return need(i, "MemoryInfo").name.c_str(); });
    });
    set(t, 72,
        [](const OrtMemoryInfo* i, int* out) { return give(out, [&] { return ConstMemoryInfo(i).GetDeviceId(); }); });
    set(t, 73, [](const OrtMemoryInfo* i, OrtMemType* out) {
        return give(out, [&] { return ConstMemoryInfo(i).GetMemoryType(); });
    });
    set(t, 74, [](const OrtMemoryInfo* i, OrtAllocatorType* out) {
        return give(out, [&] { return ConstMemoryInfo(i).GetAllocatorType(); });
    });
    set(t, 75, [](OrtAllocator* a, std::size_t bytes, void** out) {
        return give(out, [&] { return UnownedAllocator(a).Alloc(bytes); });
    });
    set(t, 76, [](OrtAllocator* a, void* p) { return status_of([&] { UnownedAllocator(a).Free(p); }); });
    set(t, 77, [](const OrtAllocator* a, const OrtMemoryInfo** out) {
        return give(out, [&] { return need(a, "allocator").Info(a); });
    });
    set(t, 78, [](OrtAllocator** out) { return give(out, [] { return host_memory(nullptr); }); });
    set(t, 94, [](OrtMemoryInfo* i) { OrtRelease(i); });
    set(t, 132, [](OrtAllocator*) {});  // that of the host, which everything shares
    set(t, 194, [](const OrtValue* v, const OrtMemoryInfo** out) {
        return give(out, [&]() -> const OrtMemoryInfo* { return ConstValue(v).GetTensorMemoryInfo(); });
    });
    set(t, 225, [](const OrtMemoryInfo* i, OrtMemoryInfoDeviceType* out) {
        *out = i ? ConstMemoryInfo(i).GetDeviceType() : OrtMemoryInfoDeviceType_CPU;
    });
}
void add_types(function_table& t) {
    set(t, 55, [](const OrtTypeInfo* i, const OrtTensorTypeAndShapeInfo** out) {
        return give(out,
                    [&]() -> const OrtTensorTypeAndShapeInfo* { return ConstTypeInfo(i).GetTensorTypeAndShapeInfo(); });
    });
    set(t, 56,
        [](const OrtTypeInfo* i, ONNXType* out) { return give(out, [&] { return ConstTypeInfo(i).GetONNXType(); }); });
    set(t, 57, [](OrtTensorTypeAndShapeInfo** out) { return give(out, [] { return new OrtTensorTypeAndShapeInfo; }); });
    set(t, 58, [](OrtTensorTypeAndShapeInfo* i, ONNXTensorElementDataType type) {
        return status_of([&] { need(i, "TensorTypeAndShapeInfo").type = type; });
    });
    set(t, 59, [](OrtTensorTypeAndShapeInfo* i, const std::int64_t* dims, std::size_t count) {
        return status_of([&] {
            need(i, "TensorTypeAndShapeInfo").dims.assign(dims, dims + count);
            i->names.resize(count);
        });
    });
    set(t, 60, [](const OrtTensorTypeAndShapeInfo* i, ONNXTensorElementDataType* out) {
        return give(out, [&] { return ConstTensorTypeAndShapeInfo(i).GetElementType(); });
    });
    set(t, 61, [](const OrtTensorTypeAndShapeInfo* i, std::size_t* out) {
        return give(out, [&] { return ConstTensorTypeAndShapeInfo(i).GetDimensionsCount(); });
    });
    set(t, 62, [](const OrtTensorTypeAndShapeInfo* i, std::int64_t* dims, std::size_t count) {
        return status_of([&] { ConstTensorTypeAndShapeInfo(i).GetDimensions(dims, count); });
    });
    set(t, 63, [](const OrtTensorTypeAndShapeInfo* i, const char** names, std::size_t count) {
        return status_of([&] { ConstTensorTypeAndShapeInfo(i).GetSymbolicDimensions(names, count); });
    });
    set(t, 64, [](const OrtTensorTypeAndShapeInfo* i, std::size_t* out) {
        return give(out, [&] { return ConstTensorTypeAndShapeInfo(i).GetElementCount(); });
    });
    set(t, 65, [](const OrtValue* v, OrtTensorTypeAndShapeInfo** out) {
        return give(out, [&] { return ConstValue(v).GetTensorTypeAndShapeInfo().release(); });
    });
    set(t, 66, [](const OrtValue* v, OrtTypeInfo** out) {
        return give(out, [&] { return ConstValue(v).GetTypeInfo().release(); });
    });
    set(t, 67, [](const OrtValue* v, ONNXType* out) {
        return give(out, [&] { return ConstValue(v).GetTypeInfo().GetONNXType(); });
    });
    set(t, 98, [](OrtTypeInfo* i) { OrtRelease(i); });
    set(t, 99, [](OrtTensorTypeAndShapeInfo* i) { OrtRelease(i); });
}
void add_values(function_table& t) {
    set(t, 48,
        [](OrtAllocator* a, const std::int64_t* dims, std::size_t rank, ONNXTensorElementDataType type,
           OrtValue** out) { return give(out, [&] { return Value::CreateTensor(a, dims, rank, type).release(); }); });
    set(t, 49,
        [](const OrtMemoryInfo* i, void* data, std::size_t bytes, const std::int64_t* dims, std::size_t rank,
           ONNXTensorElementDataType type, OrtValue** out) {
            return give(out, [&] { return Value::CreateTensor(i, data, bytes, dims, rank, type).release(); });
        });
    set(t, 50, [](const OrtValue* v, int* out) { return give(out, [&] { return int(ConstValue(v).IsTensor()); }); });
    set(t, 51,
        [](OrtValue* v, void** out) { return give(out, [&] { return UnownedValue(v).GetTensorMutableRawData(); }); });
    set(t, 96, [](OrtValue* v) { OrtRelease(v); });
    set(t, 192, [](const OrtValue* v, int* out) { return give(out, [&] { return int(ConstValue(v).HasValue()); }); });
}
void add_strings(function_table& t) {
    set(t, 52, [](OrtValue* v, const char* const* texts, std::size_t count) {
        return status_of([&] { UnownedValue(v).FillStringTensor(texts, count); });
    });
    set(t, 53, [](const OrtValue* v, std::size_t* out) {
        return give(out, [&] { return ConstValue(v).GetStringTensorDataLength(); });
    });
    set(t, 54, [](const OrtValue* v, void* to, std::size_t bytes, std::size_t* offsets, std::size_t count) {
        return status_of([&] { ConstValue(v).GetStringTensorContent(to, bytes, offsets, count); });
    });
    set(t, 127, [](const OrtValue* v, std::size_t k, std::size_t* out) {
        return give(out, [&] { return ConstValue(v).GetStringTensorElementLength(k); });
    });
    set(t, 128, [](const OrtValue* v, std::size_t bytes, std::size_t k, void* to) {
        return status_of([&] { ConstValue(v).GetStringTensorElement(bytes, k, to); });
    });
    set(t, 129, [](OrtValue* v, const char* text, std::size_t k) {
        return status_of([&] { UnownedValue(v).FillStringTensorElement(text, k); });
    });
    set(t, 252, [](OrtValue* v, std::size_t k, std::size_t bytes, char** out) {
        return give(out, [&] { return UnownedValue(v).GetResizedStringTensorElementBuffer(k, bytes); });
    });
}
void add_attributes(function_table& t) {
    set(t, 85, [](const OrtKernelInfo* i, const char* name, float* out) {
        return give(out, [&] { return ConstKernelInfo(i).GetAttribute<float>(name); });
    });
    set(t, 86, [](const OrtKernelInfo* i, const char* name, std::int64_t* out) {
        return give(out, [&] { return ConstKernelInfo(i).GetAttribute<std::int64_t>(name); });
    });
    set(t, 87, [](const OrtKernelInfo* i, const char* name, char* out, std::size_t* size) {
        return give_text(out, size, [&] { return ConstKernelInfo(i).GetAttribute<std::string>(name); });
    });
    set(t, 162, &give_list<float>);
    set(t, 163, &give_list<std::int64_t>);
    set(t, 236, [](const OrtKernelInfo* i, const char* name, OrtAllocator* a, OrtValue** out) {
        return give(out, [&] { return ConstKernelInfo(i).GetTensorAttribute(name, a).release(); });
    });
}
void add_kernel_infos(function_table& t) {
    set(t, 217, [](const OrtKernelInfo* i, OrtKernelInfo** out) {
        return give(out, [&] { return ConstKernelInfo(i).Copy().release(); });
    });
    set(t, 218, [](OrtKernelInfo* i) { OrtRelease(i); });
    set(t, 230, [](const OrtKernelInfo* i, std::size_t* out) {
        return give(out, [&] { return ConstKernelInfo(i).GetInputCount(); });
    });
    set(t, 231, [](const OrtKernelInfo* i, std::size_t* out) {
        return give(out, [&] { return ConstKernelInfo(i).GetOutputCount(); });
    });
    set(t, 232, [](const OrtKernelInfo* i, std::size_t k, char* out, std::size_t* size) {
        return give_text(out, size, [&] { return ConstKernelInfo(i).GetInputName(k); });
    });
    set(t, 233, [](const OrtKernelInfo* i, std::size_t k, char* out, std::size_t* size) {
        return give_text(out, size, [&] { return ConstKernelInfo(i).GetOutputName(k); });
    });
    set(t, 234, [](const OrtKernelInfo* i, std::size_t k, OrtTypeInfo** out) {
        return give(out, [&] { return ConstKernelInfo(i).GetInputTypeInfo(k).release(); });
    });
    set(t, 235, [](const OrtKernelInfo* i, std::size_t k, OrtTypeInfo** out) {
        return give(out, [&] { return ConstKernelInfo(i).GetOutputTypeInfo(k).release(); });
    });
    set(t, 244, [](const OrtKernelInfo* i, char* out, std::size_t* size) {
        return give_text(out, size, [&] { return ConstKernelInfo(i).GetNodeName(); });
    });
    set(t, 245, [](const OrtKernelInfo* i, const OrtLogger** out) {
        return give(out, [&] { return &need(i, "KernelInfo").logger; });
    });
    set(t, 249, [](const OrtKernelInfo* i, std::size_t k, int* constant, const OrtValue** out) {
        return give(out, [&]() -> const OrtValue* { return ConstKernelInfo(i).GetTensorConstantInput(k, constant); });
    });
    set(t, 278, [](const OrtKernelInfo*, OrtMemType, OrtAllocator** out) {
        return give(out, [] { return host_memory(nullptr); });
    });
}
KernelContext context_of(const OrtKernelContext* c) { return KernelContext(const_cast<OrtKernelContext*>(c)); }
void add_kernel_contexts(function_table& t) {
    set(t, 88, [](const OrtKernelContext* c, std::size_t* out) {
        return give(out, [&] { return context_of(c).GetInputCount(); });
    });
    set(t, 89, [](const OrtKernelContext* c, std::size_t* out) {
        return give(out, [&] { return context_of(c).GetOutputCount(); });
    });
    set(t, 90, [](const OrtKernelContext* c, std::size_t k, const OrtValue** out) {
        return give(out, [&]() -> const OrtValue* { return context_of(c).GetInput(k); });
    });
    set(t, 91, [](OrtKernelContext* c, std::size_t k, const std::int64_t* dims, std::size_t rank, OrtValue** out) {
        return give(out, [&]() -> OrtValue* { return context_of(c).GetOutput(k, dims, rank); });
    });
    set(t, 193, [](const OrtKernelContext* c, void** out) {
        return give(out, [&] { return context_of(c).GetGPUComputeStream(); });
    });
    set(t, 246, [](const OrtKernelContext* c, const OrtLogger** out) {
        return give(out, [&] { return need(c, "KernelContext").logger; });
    });
    set(t, 253, [](const OrtKernelContext*, const OrtMemoryInfo* i, OrtAllocator** out) {
        return give(out, [&] { return host_memory(i); });
    });
    set(t, 274,
        [](const OrtKernelContext* c, void (*f)(void*, std::size_t), std::size_t total, std::size_t batches,
           void* data) { return status_of([&] { context_of(c).ParallelFor(f, total, batches, data); }); });
    set(t, 277, [](const OrtKernelContext* c, const OrtMemoryInfo* i, std::size_t bytes, void** out) {
        return give(out, [&] {
            auto& scratch = need(const_cast<OrtKernelContext*>(c), "KernelContext").scratch;
            scratch.push_back(allocated(*host_memory(i), bytes));
            return scratch.back().get();
        });
    });
}

// OrtApiBase as C declares it.
struct library_base {
    const OrtApi* (*get_api)(std::uint32_t version) noexcept;
    const char* (*version_text)() noexcept;
};
constexpr library_base base{
    [](std::uint32_t version) noexcept { return version <= ORT_API_VERSION ? library_api() : nullptr; },
    []() noexcept { return OrtGetApiBase()->GetVersionString(); }};
}  // namespace

const OrtApi* library_api() {
    static const function_table table = [] {
        function_table functions = all_missing(std::make_index_sequence<places>{});
        for (const auto add : {add_statuses, add_domains, add_memory, add_types, add_values, add_strings,
                               add_attributes, add_kernel_infos, add_kernel_contexts})
            add(functions);
        return functions;
    }();
    return reinterpret_cast<const OrtApi*>(&table);
}
void register_library(OrtSessionOptions& options, const std::string& file, const char* function) {
    std::string problem;
    void* const library = inlay::open_library(file, problem);
    if (!library) raise(ORT_NO_SUCHFILE, "Ort: the library of operators `" + file + "` cannot be opened: " + problem);
    OrtStatus* (*add)(OrtSessionOptions*, const library_base*) = nullptr;
    inlay::find_function(library, function, add, problem);
    if (!add) raise(ORT_INVALID_ARGUMENT, "Ort: `" + file + "` is no library of operators: " + problem);
    ThrowOnError(add(&options, &base));
}
}  // namespace Ort::detail
