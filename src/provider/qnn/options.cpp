// The provider's options as text.
#include <inlay/provider/qnn.hpp>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::string_view backend_names[] = {"htp", "cpu", "gpu", "saver"};
constexpr std::string_view priority_names[] = {"low", "normal", "normal_high", "high"};
template <class E, std::size_t N> bool find_text(std::string_view text, const std::string_view (&names)[N], E& to) {
    for (std::size_t k = 0; k < N; ++k)
        if (names[k] == text) {
            to = E(k);
            return true;
        }
    return false;
}
}  // namespace

bool from_text(std::string_view text, qnn_backend_type& to) { return find_text(text, backend_names, to); }
std::string to_text(qnn_backend_type t) { return std::string(backend_names[int(t)]); }
bool from_text(std::string_view text, qnn_priority& to) { return find_text(text, priority_names, to); }
std::string to_text(qnn_priority p) { return std::string(priority_names[int(p)]); }
}  // namespace v1
}  // namespace inlay
