// The provider's options as text.
#include <inlay/provider/dml.hpp>
#include <algorithm>
#include <iterator>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::string_view filters[] = {"gpu", "npu", "any"};
constexpr std::string_view preferences[] = {"default", "high_performance", "minimum_power"};
template <class E, std::size_t N> bool find_text(std::string_view text, const std::string_view (&names)[N], E& to) {
    const auto* const at = std::ranges::find(names, text);
    if (at == std::end(names)) return false;
    to = E(at - names);
    return true;
}
}  // namespace

bool from_text(std::string_view text, dml_filter& to) { return find_text(text, filters, to); }
std::string to_text(dml_filter f) { return std::string(filters[int(f)]); }
bool from_text(std::string_view text, dml_preference& to) { return find_text(text, preferences, to); }
std::string to_text(dml_preference p) { return std::string(preferences[int(p)]); }
}  // namespace v1
}  // namespace inlay
