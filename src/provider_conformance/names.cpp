// Names, and options from text and back.
#include "conformance.hpp"

namespace inlay {
inline namespace v1 {
namespace conformance {
namespace {
result<std::vector<provider_handle>> made_by_name(const subject& s, std::string name, option_list options = {}) {
    const provider_choice choice(std::move(name), std::move(options));
    return make_handles(std::span(&s.factory, 1), std::span(&choice, 1));
}
std::string without_suffix(std::string name) {
    constexpr std::string_view suffix = "ExecutionProvider";
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    return name;
}
void names(const subject& s) {
    const std::string stem = without_suffix(s.name);
    std::string small = stem;
    for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    require(stem != s.name && !stem.empty(), "its name `" + s.name + "` is not SomethingExecutionProvider");
    std::vector<std::string> names{s.name, stem, small};
    if (const std::string_view short_name = s.factory.short_name; !short_name.empty()) names.emplace_back(short_name);
    for (const std::string& n : names) {
        const auto handles = made_by_name(s, n);
        require(bool(handles), "`" + n + "` is not found: " + (handles ? "" : handles.why().text));
        require((*handles)[0].name == s.name, "`" + n + "` gives `" + (*handles)[0].name + "`");
    }
    for (const std::string& n : {s.name + "x", stem.substr(1), small + small}) {
        const auto handles = made_by_name(s, n);
        require(!handles && handles.why().code == error_code::unknown_provider, "`" + n + "` stands for it too");
    }
}
void options_from_text(const subject& s) {
    const option_list defaults = s.factory.defaults();
    const provider_handle h = s.handle();
    require(h.options(h.object.get()) == defaults, "an object without options does not have the default ones");
    const provider_handle handle = s.make_alone(defaults);
    require(handle.options(handle.object.get()) == defaults,
            "the default options as text do not give the default options");
}
void misspelt_options(const subject& s) {
    const option_list defaults = s.factory.defaults();
    const auto is_option = [&](const std::string& n) {
        return std::ranges::any_of(defaults, [&](const auto& o) { return o.first == n; });
    };
    const auto check = [&](const std::string& wrong, const std::string& right) {
        if (is_option(wrong)) return;
        const auto handles = made_by_name(s, s.name, {{wrong, "1"}});
        require(!handles && handles.why().code == error_code::unknown_option, "`" + wrong + "` is taken for an option");
        require(handles.why().provider == s.name, "the error for `" + wrong + "` does not name the provider");
        if (right.size() > 3)
            require(!handles.why().hint.empty(), "the error for `" + wrong + "` does not suggest `" + right + "`");
    };
    check("no_provider_has_this", "");
    for (const auto& [name, text] : defaults)
        for (std::size_t k = 0; k < name.size(); ++k) {
            std::string changed = name, missing = name;
            changed[k] = changed[k] == 'q' ? 'x' : 'q';
            check(changed, name);
            check(missing.erase(k, 1), name);
        }
}
void options_of_a_session(const subject& s) {
    const auto options = handle_session(s.networks.front().model, s.before_companion(), silent()).provider_options();
    require(options[0].first == s.name, "the first provider is `" + options[0].first + "`");
    require(options[0].second == s.factory.defaults(), "provider_options() has not the default values");
}
}  // namespace
std::span<const provider_test> tests_of_names() {
    static constexpr provider_test tests[] = {
        {"It is found by its full name, its short name and the short one in small letters, and by no other", names,
         true},
        {"Its options are read from the text that they are written as", options_from_text, true},
        {"Each misspelt option is refused, and the right one suggested", misspelt_options, true},
        {"A session reports its options with their values", options_of_a_session},
    };
    return tests;
}
}  // namespace conformance
}  // namespace v1
}  // namespace inlay
