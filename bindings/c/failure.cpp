// The library, and failures.
#include "handles.hpp"
#include <cstring>

namespace inlay::c {
namespace {
inlay_failure out_of_memory{{error_code::out_of_memory, "out of memory"}};
}  // namespace
inlay_failure* no_memory() noexcept { return &out_of_memory; }
char* text_to_free(std::string_view text) {
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (!copy) throw std::bad_alloc();
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
    return copy;
}
}  // namespace inlay::c
using namespace inlay::c;

std::int32_t inlay_api_version() { return INLAY_API_VERSION; }
const char* inlay_version() { return INLAY_VERSION; }
void inlay_text_free(char* text) { std::free(text); }

std::int32_t inlay_failure_code(const inlay_failure* f) { return f ? std::int32_t(f->error.code) : -1; }
const char* inlay_failure_name(const inlay_failure* f) { return f ? name_of(f->error.code).data() : nullptr; }
const char* inlay_failure_text(const inlay_failure* f) { return f ? f->error.text.c_str() : nullptr; }
const char* inlay_failure_node(const inlay_failure* f) { return f ? f->error.node.c_str() : nullptr; }
const char* inlay_failure_op(const inlay_failure* f) { return f ? f->error.op.c_str() : nullptr; }
std::int32_t inlay_failure_op_version(const inlay_failure* f) { return f ? f->error.version : -1; }
const char* inlay_failure_provider(const inlay_failure* f) { return f ? f->error.provider.c_str() : nullptr; }
const char* inlay_failure_shapes(const inlay_failure* f) { return f ? f->error.shapes.c_str() : nullptr; }
const char* inlay_failure_hint(const inlay_failure* f) { return f ? f->error.hint.c_str() : nullptr; }
void inlay_failure_free(inlay_failure* f) {
    if (f != no_memory()) delete f;
}
