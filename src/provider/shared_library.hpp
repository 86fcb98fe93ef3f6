// Libraries of others as tables of functions, opened when they are first used: a program must start where there are
// none. They stay open.
#pragma once
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace inlay {
inline namespace v1 {
// What the environment variable says, if anything, else the other.
inline std::string named_by(const char* variable, std::string otherwise) {
    const char* text = std::getenv(variable);
    return text && *text ? text : std::move(otherwise);
}
// Null, and why in `problem`, unless that tells something already.
inline void* open_library(const std::string& file, std::string& problem, const std::string& advice = {},
                          int scope = RTLD_LOCAL) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | scope);
    if (library || !problem.empty()) return library;
    const char* why = dlerror();
    problem = (why ? why : file) + (advice.empty() ? "" : "; " + advice);
    return nullptr;
}
inline std::string variable_may_name(const char* variable, const char* what) {
    return std::string("the environment variable ") + variable + " may name the " + what;
}
template <class F> void find_function(void* library, const char* name, F& f, std::string& problem) {
    if (!problem.empty()) return;
    f = reinterpret_cast<F>(dlsym(library, name));
    if (!f) problem = std::string("it has no function ") + name;
}
// A library's message as one line, not too long.
inline std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    text.erase(text.find_last_not_of(' ') + 1);
    constexpr std::size_t most = 400;
    return text.size() > most ? text.substr(0, most) + " ..." : text;
}
}  // namespace v1
}  // namespace inlay
