#include "library.hpp"
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#ifdef _WIN32
extern "C" __declspec(dllimport) void* __stdcall LoadLibraryA(const char*);
extern "C" __declspec(dllimport) void* __stdcall GetProcAddress(void*, const char*);
#else
#include <dlfcn.h>
#endif

namespace inlay {
inline namespace v1 {
namespace {
constexpr const char* variable = "INLAY_DML_LIBRARY";
#ifdef _WIN32
constexpr const char *directml = "DirectML.dll", *d3d12 = "d3d12.dll", *dxcore = "dxcore.dll";
void* opened(const std::string& file, std::string& why) {
    void* const library = LoadLibraryA(file.c_str());
    if (!library) why = file + " cannot be opened";
    return library;
}
void* found(void* library, const char* name) { return GetProcAddress(library, name); }
#else
constexpr const char *directml = "libdirectml.so", *d3d12 = "libd3d12.so", *dxcore = "libdxcore.so";
void* opened(const std::string& file, std::string& why) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* const text = library ? nullptr : dlerror();
    if (text) why = text;
    return library;
}
void* found(void* library, const char* name) { return dlsym(library, name); }
#endif

template <class F> void find(void* library, const char* name, F*& f, std::string& problem) {
    if (library) f = reinterpret_cast<F*>(found(library, name));
    if (!f && problem.empty()) problem = std::string("it has no function ") + name;
}
directx_functions open() {
    directx_functions f;
    const char* const named = std::getenv(variable);
    const std::string folder = named && *named ? std::string(named) + "/" : "";
    void* const dml = opened(folder + directml, f.problem);
    if (!dml) {
        f.problem += std::string("; DirectML is for Windows, and for Linux under it; the environment variable ") +
                     variable + " may name the folder";
        return f;
    }
    find(dml, "DMLCreateDevice1", f.create_dml, f.problem);
    // Windows has those two, and lends them to Linux; a folder may have others.
    const auto beside = [&](const char* file, std::string& why) {
        std::string none;
        void* const library = folder.empty() ? nullptr : opened(folder + file, none);
        return library ? library : opened(file, why);
    };
    std::string why;
    if (void* const library = beside(d3d12, why))
        find(library, "D3D12CreateDevice", f.create_device, f.problem);
    else if (f.problem.empty())
        f.problem = why;
    std::string no_list;  // is no problem
    find(beside(dxcore, no_list), "DXCoreCreateAdapterFactory", f.create_factory, no_list);
    return f;
}
}  // namespace

const directx_functions& directx_libraries() {
    static const directx_functions functions = open();
    return functions;
}
std::string text_of_hresult(directx::HRESULT h) {
    using namespace directx;
    const char* const known = h == E_INVALIDARG                ? "invalid argument"
                              : h == E_OUTOFMEMORY             ? "out of memory"
                              : h == E_NOINTERFACE             ? "no such interface"
                              : h == DXGI_ERROR_UNSUPPORTED    ? "unsupported"
                              : h == DXGI_ERROR_DEVICE_REMOVED ? "the device was removed"
                                                               : "error";
    char number[16];
    std::snprintf(number, sizeof number, "0x%08X", unsigned(h));
    return std::string(known) + " (" + number + ")";
}
std::string dml_level_text(int level) { return std::to_string(level >> 12) + "." + std::to_string(level >> 8 & 15); }
void throw_hresult(const char* what, directx::HRESULT h) {
    throw std::runtime_error(std::string(what) + ": " + text_of_hresult(h));
}
}  // namespace v1
}  // namespace inlay
