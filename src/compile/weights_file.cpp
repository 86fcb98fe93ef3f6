#include "weights_file.hpp"
#include <unordered_map>

namespace inlay {
inline namespace v1 {
weights_file lay_out(std::span<const graph_constant> constants) {
    static constexpr std::array<std::byte, 64> padding{};
    weights_file w;
    std::unordered_map<std::string_view, std::int64_t> offsets;
    for (const graph_constant& c : constants) {
        const tensor& t = w.tensors.emplace_back(c.get());
        const std::string_view content(static_cast<const char*>(t.data()), std::size_t(t.bytes()));
        const auto [at, added] = offsets.emplace(content, w.bytes);
        w.offsets.push_back(at->second);
        if (!added || content.empty()) continue;
        w.pieces.push_back(std::as_bytes(std::span(content)));
        w.bytes += t.bytes();
        if (const std::int64_t over = w.bytes % 64) {
            w.pieces.push_back(std::span(padding).first(std::size_t(64 - over)));
            w.bytes += 64 - over;
        }
    }
    return w;
}
}  // namespace v1
}  // namespace inlay
