// Engines whose libraries have interfaces of C++: what calls them is a module of Inlay's own, a file that alone is
// linked with the library and is opened when it is needed. Both sides are built together.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
struct engine_module {
    virtual ~engine_module() = default;
    // Why the library does not take these nodes, in its words where it was asked; empty: it takes them. There is one,
    // unless the engine asks about several that are taken together. The region tells no inputs and outputs.
    virtual std::string refusal(const region&) const = 0;
    virtual result<std::shared_ptr<const compiled_region>> compile(const region&) const = 0;
    virtual result<std::shared_ptr<const compiled_region>> restore(const region&, std::string_view) const {
        return error(error_code::provider_failed, "it keeps nothing of what it compiled");
    }
    virtual std::vector<std::pair<std::string, std::string>> identity() const { return {}; }  // of the engine
};
using made_module = result<std::shared_ptr<const engine_module>>;
// A module's one function; build: the caller's, which has to be the module's; options: the provider.
template <class Provider> using module_maker = void(std::string_view build, const Provider& options, made_module&);

// What such a function does. f makes the module.
template <class F>
void make_module(std::string_view module, std::string_view build, std::string_view callers_build, made_module& made,
                 F f) try {
    if (build == callers_build)
        made = f();
    else
        made = error(error_code::provider_unavailable, std::string(module) + " was built as \"" + std::string(build) +
                                                           "\", and this program as \"" + std::string(callers_build) +
                                                           "\"");
} catch (const std::exception& e) {
    made = error(error_code::provider_unavailable, e.what());
}

// --- the side of the program
class module_engine : public engine {
    std::shared_ptr<const engine_module> module_;

  protected:
    std::string refusal(const free_nodes& free, std::span<const int> nodes) const {
        return module_->refusal({free.graph, nodes, {}, {}, free.constants});
    }

  public:
    explicit module_engine(std::shared_ptr<const engine_module> m) : module_(std::move(m)) {}
    void propose(const free_nodes& free, proposals& out) override {
        propose_each(free, out, [&](int i) { return refusal(free, std::span(&i, 1)); });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override { return module_->compile(r); }
    result<std::shared_ptr<const compiled_region>> restore(const region& r, std::string_view bytes) override {
        return module_->restore(r, bytes);
    }
    std::vector<std::pair<std::string, std::string>> identity() const override { return module_->identity(); }
};
struct module_names {
    const char* library;   // as people write it
    const char* module;    // the function, and the file between "lib" and ".so"
    const char* variable;  // of the environment, which may name the file
    const char* folder;    // of installed libraries
    const char* build;
};
template <class Provider> class opened_module {
    module_names names_;
    std::string problem_{};  // empty: it is there
    module_maker<Provider>* make_ = nullptr;

  public:
    explicit opened_module(const module_names& n) : names_(n) {
        const std::string file = "lib" + std::string(n.module) + ".so";
        void* const library = open_library(
            module_files(n.variable, file, n.folder).front(), problem_,
            "it is built with this program and belongs beside it, or a library that it needs is missing; " +
                variable_may_name(n.variable, "file"));
        find_function(library, n.module, make_, problem_);
    }
    // `Engine`: a module_engine, which may be made of more than the module.
    template <class Engine = module_engine, class... More>
    result<std::shared_ptr<engine>> engine_for(const Provider& p, More... more) const {
        const std::string name(Provider::name);
        if (!problem_.empty())
            return error(error_code::provider_unavailable,
                         name + ": " + names_.library + " cannot be used: " + problem_);
        made_module made = std::shared_ptr<const engine_module>();
        make_(names_.build, p, made);
        if (!made) return error(made.why().code, name + ": " + made.why().text);
        return std::make_shared<Engine>(std::move(*made), more...);
    }
};
}  // namespace v1
}  // namespace inlay
