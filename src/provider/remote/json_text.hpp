// JSON of a server, which may be anything: parsed only where it has no more values, and is no deeper, than it may be.
#pragma once
#include <nlohmann/json.hpp>

namespace inlay {
inline namespace v1 {
// Each value but the first one follows a comma, a colon or an opening bracket, and takes more memory than its text.
inline bool is_modest(std::string_view text, std::size_t most_values) {
    constexpr int most_depth = 64;
    std::size_t values = 1;
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') in_string = !in_string;
        if (in_string) {
            i += c == '\\';
            continue;
        }
        const bool opens = c == '[' || c == '{';
        depth += opens;
        depth -= c == ']' || c == '}';
        values += opens || c == ',' || c == ':';
        if (depth > most_depth || values > most_values) return false;
    }
    return true;
}
// Discarded: it is no JSON.
inline nlohmann::json parsed(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }

// Null: there is none of that name.
inline const nlohmann::json* member(const nlohmann::json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto at = object.find(name);
    return at == object.end() ? nullptr : &*at;
}
inline const std::string* text_member(const nlohmann::json& object, const char* name) {
    const nlohmann::json* const m = member(object, name);
    return m && m->is_string() ? m->get_ptr<const std::string*>() : nullptr;
}
// Whole numbers; false: it is something else.
inline bool read_dims(const nlohmann::json& list, std::vector<std::int64_t>& to) {
    if (!list.is_array()) return false;
    for (const nlohmann::json& item : list) {
        if (!item.is_number_integer()) return false;
        if (item.is_number_unsigned() && item.get<std::uint64_t>() > std::uint64_t(INT64_MAX)) return false;
        to.push_back(item.get<std::int64_t>());
    }
    return true;
}
}  // namespace v1
}  // namespace inlay
