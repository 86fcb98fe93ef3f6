// Opens and closes libinlay.so again and again, with a model, a session and a run in between.
//   reopen LIBRARY MODEL TIMES
#include "measured.hpp"
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <inlay.h>

namespace {
template <class F> F* symbol(void* library, const char* name) {
    auto* const address = reinterpret_cast<F*>(dlsym(library, name));
    if (!address) {
        std::printf("%s\n", dlerror());
        std::exit(1);
    }
    return address;
}
#define OF(NAME) symbol<decltype(NAME)>(library, #NAME)

bool good(void* library, inlay_failure* failure) {
    if (!failure) return true;
    std::printf("%s\n", OF(inlay_failure_text)(failure));
    OF(inlay_failure_free)(failure);
    return false;
}
bool use(void* library, const char* file) {
    inlay_model* m = nullptr;
    inlay_session* s = nullptr;
    inlay_any_value *image = nullptr, *scores = nullptr;
    const std::int64_t dims[] = {1, 1, 8, 8};
    const char* const name = "image";
    const bool ran = good(library, OF(inlay_model_load)(file, nullptr, &m)) &&
                     good(library, OF(inlay_session_new)(m, nullptr, nullptr, &s)) &&
                     good(library, OF(inlay_value_new)(INLAY_TYPE_FLOAT, dims, 4, nullptr, &image)) &&
                     good(library, OF(inlay_session_run)(s, &name, &image, 1, nullptr, &scores, 1, nullptr, nullptr));
    OF(inlay_value_free)(scores);
    OF(inlay_value_free)(image);
    OF(inlay_session_free)(s);
    OF(inlay_model_free)(m);
    return ran;
}
bool once(const char* path, const char* file) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::printf("%s\n", dlerror());
        return false;
    }
    const bool ran = use(library, file);
    return dlclose(library) == 0 && ran;
}
}  // namespace

int main(int count, char** words) {
    if (count < 4) return 2;
    const long times = std::atol(words[3]);
    for (long k = 0; k < times / 10 + 2; ++k)
        if (!once(words[1], words[2])) return 1;
    const auto before = inlay::testing::held();
    for (long k = 0; k < times; ++k)
        if (!once(words[1], words[2])) return 1;
    return inlay::testing::steady("the library opened and closed", times, before, inlay::testing::held()) ? 0 : 1;
}
