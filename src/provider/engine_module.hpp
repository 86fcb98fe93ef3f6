// Engines whose libraries have interfaces of C++: what calls them is a module of Inlay's own, a file that alone is
// linked with the library and is opened when it is needed. Both sides are built together.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
template <class Region> struct module_of {  // Region: what it is given
    virtual ~module_of() = default;
    // Why the library does not take it, in its words where it was queried; empty: it does.
    virtual std::string refusal(const Region&) const = 0;
    virtual result<std::shared_ptr<const compiled_region>> compile(const Region&) const = 0;
    virtual result<std::shared_ptr<const compiled_region>> restore(const region&, std::string_view) const {
        return error(error_code::provider_failed, "it keeps nothing of what it compiled");
    }
    virtual std::vector<std::pair<std::string, std::string>> identity() const { return {}; }  // of the engine
};
template <class Module> using module_result = result<std::shared_ptr<const Module>>;

// What such a function does. f makes the module.
template <class Module, class F>
void make_module(std::string_view module, std::string_view build, std::string_view callers_build,
                 module_result<Module>& result, F f) try {
    if (build == callers_build)
        result = f();
    else
        result = error(error_code::provider_unavailable, std::string(module) + " was built as \"" + std::string(build) +
                                                             "\", and this program as \"" + std::string(callers_build) +
                                                             "\"");
} catch (const std::exception& e) {
    result = error(error_code::provider_unavailable, e.what());
}

// --- the side of the program
struct module_names {
    const char* library;   // as people write it
    const char* module;    // the function, and the file between "lib" and ".so"
    const char* variable;  // of the environment, which may name the file
    const char* folder;    // of installed libraries
    const char* build;
};
template <class Provider, class Module> class opened_module {
    module_names names_;
    std::string problem_{};  // empty: it is there
    // A module's one function; build: the caller's, which has to be the module's.
    void (*make_)(std::string_view build, const Provider& options, module_result<Module>&) = nullptr;

  public:
    explicit opened_module(const module_names& n) : names_(n) {
        const std::string file = "lib" + std::string(n.module) + ".so";
        void* const library = open_library(
            module_files(n.variable, file, n.folder).front(), problem_,
            "it is built with this program and belongs into its folder, or a library that it needs is missing; " +
                variable_may_name(n.variable, "file"));
        find_function(library, n.module, make_, problem_);
    }
    module_result<Module> module_for(const Provider& p) const {
        const std::string name(Provider::name);
        if (!problem_.empty())
            return error(error_code::provider_unavailable,
                         name + ": " + names_.library + " cannot be used: " + problem_);
        module_result<Module> module = std::shared_ptr<const Module>();
        make_(names_.build, p, module);
        if (!module) return error(module.why().code, name + ": " + module.why().text);
        return module;
    }
};
}  // namespace v1
}  // namespace inlay
