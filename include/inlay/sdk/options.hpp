// Options by name, for tools and bindings: the members of a provider's aggregate, as BOOST_HANA_ADAPT_STRUCT lists
// them.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "graph.hpp"
#include <inlay/error.hpp>
#include <inlay/isa.hpp>
#include <boost/hana/accessors.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <charconv>
#include <concepts>
#include <vector>

namespace inlay {
inline namespace v1 {
using option_list = std::vector<std::pair<std::string, std::string>>;  // name and value, in the order of the members

// How an option is written, and read back. An option type of a user's provider needs the same two functions next to it.
template <class T>
requires(std::integral<T> && !std::same_as<T, bool>) bool from_text(std::string_view text, T& to) {
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, to);
    return problem == std::errc{} && stop == end && !text.empty();
}
inline bool from_text(std::string_view text, bool& to) {  // both spellings of ONNX Runtime's tools
    to = text == "true" || text == "True" || text == "1";
    return to || text == "false" || text == "False" || text == "0";
}
inline bool from_text(std::string_view text, std::string& to) {
    to = text;
    return true;
}
inline bool from_text(std::string_view text, std::optional<isa::level>& to) {
    if (text.empty()) {
        to.reset();
        return true;
    }
    to = isa::from_text(text);
    return to.has_value();
}
inline bool from_text(std::string_view text, precision& to) {
    for (const precision p : {precision::standard, precision::strict, precision::bfloat16})
        if (name_of(p) == text) {
            to = p;
            return true;
        }
    return false;
}
template <class T>
requires(std::integral<T> && !std::same_as<T, bool>) std::string to_text(T x) { return std::to_string(x); }
inline std::string to_text(bool x) { return x ? "true" : "false"; }
inline std::string to_text(const std::string& x) { return x; }
inline std::string to_text(precision p) { return std::string(name_of(p)); }
inline std::string to_text(std::optional<isa::level> l) { return l ? std::string(isa::name_of(*l)) : std::string(); }

// The nearest name of a list, for "did you mean"; empty where none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

template <class P> option_list options_of(const P& p) {
    option_list options;
    if constexpr (boost::hana::Struct<P>::value)
        boost::hana::for_each(boost::hana::accessors<P>(), [&](auto member) {
            options.emplace_back(boost::hana::to<const char*>(boost::hana::first(member)),
                                 to_text(boost::hana::second(member)(p)));
        });
    return options;
}
inline error unknown_option(std::string_view provider, std::string_view name, const std::vector<std::string>& names) {
    error e(error_code::unknown_option, std::string(provider) + ": no option `" + std::string(name) + "`");
    e.provider = provider;
    if (const std::string near = nearest_name(name, names); !near.empty()) {
        e.hint = "did you mean `" + near + "`?";
        e.text += "; " + e.hint;
    }
    return e;
}
inline error invalid_option(std::string_view provider, std::string_view name, std::string_view text) {
    error e(error_code::invalid_option,
            std::string(provider) + ": `" + std::string(name) + "` cannot be `" + std::string(text) + "`");
    e.provider = provider;
    return e;
}
// Sets one option from text. Nothing: there is no such name; false: the text is not one of its values.
template <class P> std::optional<bool> assign_option(P& p, std::string_view name, std::string_view text) {
    std::optional<bool> good;
    if constexpr (boost::hana::Struct<P>::value)
        boost::hana::for_each(boost::hana::accessors<P>(), [&](auto member) {
            if (name == boost::hana::to<const char*>(boost::hana::first(member)))
                good = from_text(text, boost::hana::second(member)(p));
        });
    return good;
}
// The same; unknown names and values that do not parse are errors that name the provider.
template <class P> result<void> set_option(P& p, std::string_view name, std::string_view text) {
    const std::optional<bool> good = assign_option(p, name, text);
    if (good) return *good ? result<void>() : invalid_option(P::name, name, text);
    std::vector<std::string> names;
    for (auto& [option, value] : options_of(p)) names.push_back(std::move(option));
    return unknown_option(P::name, name, names);
}
}  // namespace v1
}  // namespace inlay
