// Third-party libraries as tables of functions, opened on first use: a program must start without them. They stay
// open.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>
#ifdef _WIN32  // two functions of it: its header defines thousands of macros
extern "C" __declspec(dllimport) void* __stdcall LoadLibraryA(const char*);
extern "C" __declspec(dllimport) void* __stdcall GetProcAddress(void*, const char*);
#else
#include <dlfcn.h>
#endif

namespace inlay {
inline namespace v1 {
// Places that the program has found by itself, by the environment variable that may name another one: package managers
// of languages have folders in which the system does not look.
class library_places {
    std::mutex lock_{};
    std::map<std::string, std::string, std::less<>> places_{};

  public:
    static library_places& of_program() {
        static auto& places = *new library_places;  // read until the program has ended
        return places;
    }
    void set(std::string variable, std::string place) {
        const std::lock_guard lock(lock_);
        places_.insert_or_assign(std::move(variable), std::move(place));
    }
    // Empty: none was found.
    std::string find(const char* variable) {
        const std::lock_guard lock(lock_);
        const auto entry = places_.find(variable);
        return entry == places_.end() ? std::string() : entry->second;
    }
};
// The value of the environment variable, if set, else the place that the program has found, else the other.
inline std::string named_by(const char* variable, std::string otherwise) {
    if (const char* text = std::getenv(variable); text && *text) return text;
    std::string place = library_places::of_program().find(variable);
    return place.empty() ? std::move(otherwise) : place;
}
inline std::string variable_may_name(const char* variable, const char* target) {
    return std::string("the environment variable ") + variable + " may name the " + target;
}
enum class symbol_scope : bool { local, global };  // global: libraries that are opened later find them; not on Windows
// Null, and the reason in `problem`, unless that has one already.
inline void* open_library(const std::string& file, std::string& problem, const std::string& advice = {},
                          [[maybe_unused]] symbol_scope scope = symbol_scope::local) {
#ifdef _WIN32
    void* const library = LoadLibraryA(file.c_str());
    const std::string reason = file + " cannot be opened";
#else
    void* const library =
        dlopen(file.c_str(), RTLD_NOW | RTLD_NODELETE | (scope == symbol_scope::local ? RTLD_LOCAL : RTLD_GLOBAL));
    const char* const text = library ? nullptr : dlerror();
    const std::string reason = text ? text : file;
#endif
    if (!library && problem.empty()) problem = reason + (advice.empty() ? "" : "; " + advice);
    return library;
}
// The library that the environment variable names, or else this one; advice: where it comes from.
inline void* open_named_library(const char* variable, std::string file, const std::string& advice, std::string& problem,
                                symbol_scope scope = symbol_scope::local) {
    return open_library(named_by(variable, std::move(file)), problem,
                        advice + "; " + variable_may_name(variable, "file"), scope);
}
template <class F> void find_function(void* library, const char* name, F& f, std::string& problem) {
    if (!problem.empty()) return;
#ifdef _WIN32
    f = reinterpret_cast<F>(GetProcAddress(library, name));
#else
    f = reinterpret_cast<F>(dlsym(library, name));
#endif
    if (!f) problem = std::string("it has no function ") + name;
}
// The members of a table of functions, whose names are in the list X(function): INLAY_DECLARED_FUNCTION is a function
// of a header, INLAY_STATUS_FUNCTION one that is declared by the list alone.
#define INLAY_DECLARED_FUNCTION(name) decltype(&::name) name = nullptr;
#define INLAY_STATUS_FUNCTION(name, arguments) int(*name) arguments = nullptr;
#define INLAY_FIND_FUNCTION(name, ...) find_function(library, #name, name, problem);
#define INLAY_FUNCTION_TABLE(list, member) \
    std::string problem{}; /* empty: all are there */ \
    list(member) void find_in(void* library) { list(INLAY_FIND_FUNCTION) }

#ifndef _WIN32
// Of a module of Inlay's own, the files to try, in order: that of the variable alone, else one next to this program
// or library, one in the folder of libraries next to its own, and one where the system looks.
inline std::vector<std::string> module_files(const char* variable, const std::string& name, const char* folder) {
    if (std::string named = named_by(variable, ""); !named.empty()) return {named};
    std::vector<std::string> files;
    Dl_info info{};
    std::error_code failure;
    if (dladdr(reinterpret_cast<const void*>(&module_files), &info) && info.dli_fname) {
        const auto directory = std::filesystem::weakly_canonical(info.dli_fname, failure).parent_path();
        for (const auto& file : {directory / name, directory.parent_path() / folder / name})
            if (std::filesystem::exists(file, failure)) files.push_back(file.string());
    }
    files.push_back(name);
    return files;
}
#endif
}  // namespace v1
}  // namespace inlay
