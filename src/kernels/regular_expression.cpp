#include <inlay/support/regular_expression.hpp>
#include <kernels/module.hpp>

namespace inlay {
inline namespace v1 {
const regular_expressions* regular_expressions_by_re2() noexcept {
    static const auto* const table = table_of_module<regular_expressions>("INLAY_RE2_LIBRARY", "inlay_re2_module");
    return table;
}
}  // namespace v1
}  // namespace inlay
