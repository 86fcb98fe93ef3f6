#pragma once
#include <inlay/built_providers.hpp>
#include <inlay/ort/api/session_options.hpp>

namespace Ort::detail {
// Operators of a program, as a provider: custom_ops.cpp.
struct custom_domain {
    std::string name;
    const OrtApi* api;  // that the operators are created with: a library's is the C interface
    std::vector<const OrtCustomOp*> operators{};
};
}  // namespace Ort::detail

struct OrtSessionOptions {
    std::optional<int> threads{};
    bool optimize = true, shared_threads = false;
    std::optional<OrtLoggingLevel> log_level{};
    std::optional<std::string> log_id{};
    std::filesystem::path optimized_file{}, profile_prefix{};  // empty: none
    std::map<std::string, std::string> config{};
    std::map<std::string, std::int64_t> free_dimensions{};
    std::vector<inlay::provider_choice> providers{};
    std::vector<std::shared_ptr<const Ort::detail::custom_domain>> domains{};
    std::map<std::string, std::string> notes{};  // by what was called: warnings of sessions that are created with this

    const std::string* find(const std::string& key) const {
        const auto at = config.find(key);
        return at == config.end() ? nullptr : &at->second;
    }
    bool says(const std::string& key) const {  // "1"; another text than "0" raises ORT_INVALID_ARGUMENT
        const std::string* text = find(key);
        if (text && *text != "0" && *text != "1")
            Ort::detail::raise(ORT_INVALID_ARGUMENT, "Ort: `" + key + "` is \"0\" or \"1\", not \"" + *text + "\"");
        return text && *text == "1";
    }
};
