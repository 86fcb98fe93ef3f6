#include "library.hpp"
#include <cstdio>
#include <platform/shared_library.hpp>
#include <stdexcept>

namespace inlay {
inline namespace v1 {
namespace {
constexpr const char* variable = "INLAY_DML_LIBRARY";
#ifdef _WIN32
constexpr const char *directml = "DirectML.dll", *d3d12 = "d3d12.dll", *dxcore = "dxcore.dll";
#else
constexpr const char *directml = "libdirectml.so", *d3d12 = "libd3d12.so", *dxcore = "libdxcore.so";
#endif

directx_functions open() {
    directx_functions f;
    std::string folder = named_by(variable, "");
    if (!folder.empty()) folder += '/';
    void* const dml =
        open_library(folder + directml, f.problem,
                     "DirectML is for Windows, and for Linux under it; " + variable_may_name(variable, "folder"));
    find_function(dml, "DMLCreateDevice1", f.create_dml, f.problem);
    if (!f.problem.empty()) return f;
    // Windows has those two, and lends them to Linux; a folder may have others.
    const auto beside = [&](const char* file, std::string& problem) {
        std::string first_problem;
        void* const library = folder.empty() ? nullptr : open_library(folder + file, first_problem);
        return library ? library : open_library(file, problem);
    };
    find_function(beside(d3d12, f.problem), "D3D12CreateDevice", f.create_device, f.problem);
    std::string no_list;  // is no problem
    find_function(beside(dxcore, no_list), "DXCoreCreateAdapterFactory", f.create_factory, no_list);
    return f;
}
}  // namespace

const directx_functions& directx_libraries() {
    static const directx_functions functions = open();
    return functions;
}
std::string text_of_hresult(directx::HRESULT h) {
    using namespace directx;
    const char* const text = h == E_INVALIDARG                ? "invalid argument"
                             : h == E_OUTOFMEMORY             ? "out of memory"
                             : h == E_NOINTERFACE             ? "no such interface"
                             : h == DXGI_ERROR_UNSUPPORTED    ? "unsupported"
                             : h == DXGI_ERROR_DEVICE_REMOVED ? "the device was removed"
                                                              : "error";
    char number[16];
    std::snprintf(number, sizeof number, "0x%08X", unsigned(h));
    return std::string(text) + " (" + number + ")";
}
std::string dml_level_text(int level) { return std::to_string(level >> 12) + "." + std::to_string(level >> 8 & 15); }
void throw_hresult(const char* name, directx::HRESULT h) {
    throw std::runtime_error(std::string(name) + ": " + text_of_hresult(h));
}
}  // namespace v1
}  // namespace inlay
