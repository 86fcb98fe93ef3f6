// The three libraries, opened when first used, and what owns their objects.
#pragma once
#include "interface.hpp"
#include <memory>
#include <string>

namespace inlay {
inline namespace v1 {
struct directx_functions {
    std::string problem;  // empty: DirectML and Direct3D 12 are there
    directx::dml_creator* create_dml = nullptr;
    directx::d3d12_creator* create_device = nullptr;
    directx::dxcore_creator* create_factory = nullptr;  // null: there is no DXCore, and adapters have no list
};
const directx_functions& directx_libraries();
std::string text_of_hresult(directx::HRESULT);
std::string dml_level_text(int level);  // 0x5100: "5.1"

struct com_release {
    void operator()(directx::IUnknown* p) const { p->Release(); }
};
template <class T> using com_ptr = std::unique_ptr<T, com_release>;
// f(id, place) makes the object; throws std::runtime_error with what it is.
[[noreturn]] void throw_hresult(const char* name, directx::HRESULT);
inline void check_hresult(const char* name, directx::HRESULT h) {
    if (h < 0) throw_hresult(name, h);
}
template <class T, class F> com_ptr<T> com_made(const char* name, F f) {
    void* object = nullptr;
    check_hresult(name, f(T::id, &object));
    if (!object) throw_hresult(name, directx::E_FAIL);
    return com_ptr<T>(static_cast<T*>(object));
}
}  // namespace v1
}  // namespace inlay
