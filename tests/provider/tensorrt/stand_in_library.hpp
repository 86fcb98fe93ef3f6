// In the place of TensorRT's library: objects with the same tables, whose engines are run by the reference kernels.
#pragma once
#include "../engines.hpp"
#include <inlay/provider/reference.hpp>
#include <array>
#include <cstring>
#include <map>
#include <provider/tensorrt/region.hpp>

namespace inlay::testing {
struct stand_in_facts {
    std::atomic<int> parses{0}, builds{0};           // so far
    std::atomic<bool> refuses{false}, fails{false};  // what the test lets it do
};
inline stand_in_facts counts;

// Objects begin as the library's do: with a table, in which the second function deletes, and a pointer to what is
// called, which begins with a table too.
using place_table = std::array<void*, 64>;
struct stand_in_object {
    const place_table* outer;
    void* called;
    const place_table* inner;
};
template <class T> struct stand_in_of : stand_in_object {
    stand_in_of() {
        static const place_table deletes{nullptr, reinterpret_cast<void*>(+[](void* p) {
                                             delete static_cast<T*>(static_cast<stand_in_object*>(p));
                                         })};
        outer = &deletes;
        inner = &T::functions();
        called = &inner;
    }
};
template <class T> T& self(void* called) {  // of what is called, the object
    auto* const first = static_cast<char*>(called) - offsetof(stand_in_object, inner);
    return *static_cast<T*>(reinterpret_cast<stand_in_object*>(first));
}
template <class T> T& object(void* whole) { return *static_cast<T*>(static_cast<stand_in_object*>(whole)); }
template <class F> void* entry(F f) { return reinterpret_cast<void*>(+f); }
inline place_table table_of(std::initializer_list<std::pair<int, void*>> entries) {
    place_table t{};  // what is not declared ends the program
    for (const auto& [place, function] : entries) t[std::size_t(place)] = function;
    return t;
}

constexpr const nv_places& stand_in_places = nv_places_10;
struct stand_in_tensor : stand_in_of<stand_in_tensor> {
    std::string name;
    nv_dims dims;
    nv_type type{};
    explicit stand_in_tensor(const port& v) : name(v.name), type(*nv_types.of(v.type)) {
        for (const std::int64_t d : v.shape) dims.sizes[dims.rank++] = d;
    }
    static const place_table& functions() {
        static const place_table t = table_of(
            {{stand_in_places.tensor.name, entry([](void* p) { return self<stand_in_tensor>(p).name.c_str(); })},
             {stand_in_places.tensor.dims, entry([](void* p) { return self<stand_in_tensor>(p).dims; })},
             {stand_in_places.tensor.type, entry([](void* p) { return self<stand_in_tensor>(p).type; })}});
        return t;
    }
};
struct stand_in_memory : stand_in_of<stand_in_memory> {
    std::string bytes;
    explicit stand_in_memory(std::string b) : bytes(std::move(b)) {}
    static const place_table& functions() {
        static const place_table t =
            table_of({{2, entry([](void* p) { return static_cast<void*>(self<stand_in_memory>(p).bytes.data()); })},
                      {3, entry([](void* p) { return self<stand_in_memory>(p).bytes.size(); })}});
        return t;
    }
};
struct stand_in_network : stand_in_of<stand_in_network> {
    std::string bytes;
    std::optional<model> graph;
    std::vector<std::unique_ptr<stand_in_tensor>> inputs, outputs;
    template <std::vector<std::unique_ptr<stand_in_tensor>> stand_in_network::*List> static void* get(void* p, int k) {
        return static_cast<stand_in_object*>((self<stand_in_network>(p).*List)[std::size_t(k)].get());
    }
    static const place_table& functions() {
        const auto& at = stand_in_places.network;
        static const place_table t =
            table_of({{at.layers, entry([](void* p) { return int(self<stand_in_network>(p).graph.has_value()); })},
                      {at.inputs, entry([](void* p) { return int(self<stand_in_network>(p).inputs.size()); })},
                      {at.outputs, entry([](void* p) { return int(self<stand_in_network>(p).outputs.size()); })},
                      {at.input, reinterpret_cast<void*>(&get<&stand_in_network::inputs>)},
                      {at.output, reinterpret_cast<void*>(&get<&stand_in_network::outputs>)}});
        return t;
    }
};
struct stand_in_config : stand_in_of<stand_in_config> {
    unsigned flags = 1u << int(nv_flag::tf32);
    std::size_t workspace = 0;
    static const place_table& functions() {
        const auto& at = stand_in_places.config;
        static const place_table t =
            table_of({{at.set_flag, entry([](void* p, int f) { self<stand_in_config>(p).flags |= 1u << f; })},
                      {at.clear_flag, entry([](void* p, int f) { self<stand_in_config>(p).flags &= ~(1u << f); })},
                      {at.flag, entry([](void* p, int f) { return bool(self<stand_in_config>(p).flags >> f & 1); })},
                      {at.set_pool, entry([](void* p, int, std::size_t n) { self<stand_in_config>(p).workspace = n; })},
                      {at.pool, entry([](void* p, int) { return self<stand_in_config>(p).workspace; })}});
        return t;
    }
};
struct stand_in_context : stand_in_of<stand_in_context> {
    model of;
    inlay::session<reference> runs;
    std::map<std::string, void*> at_;
    explicit stand_in_context(const model& m) : of(m), runs(m, quiet(), reference{}) {}
    bool run() {
        std::vector<feed> in;
        for (const port& p : of.inputs()) in.push_back({p.name, tensor::borrow(p.type, p.shape, at_.at(p.name))});
        const fetched out = runs.run(in);
        for (std::size_t k = 0; k < of.outputs().size(); ++k)
            std::memcpy(at_.at(of.outputs()[k].name), out[k].data(), std::size_t(out[k].bytes()));
        return true;
    }
    static const place_table& functions() {
        const auto& at = stand_in_places.context;
        static const place_table t = table_of({{at.set_address, entry([](void* p, const char* name, void* data) {
                                                    self<stand_in_context>(p).at_[name] = data;
                                                    return true;
                                                })},
                                               {at.enqueue, entry([](void* p, void* stream) {
                                                    return stream && !counts.fails && self<stand_in_context>(p).run();
                                                })}});
        return t;
    }
};
struct stand_in_engine : stand_in_of<stand_in_engine> {
    model of;
    explicit stand_in_engine(model m) : of(std::move(m)) {}
    const port* find(std::string_view name, nv_io* mode = nullptr) const {
        for (const auto& [ports, io] : {std::pair(of.inputs(), nv_io::input), std::pair(of.outputs(), nv_io::output)})
            for (const port& p : ports)
                if (p.name == name) return (mode ? *mode = io : io), &p;
        return nullptr;
    }
    static const place_table& functions() {
        const auto& at = stand_in_places.engine;
        static const place_table t =
            table_of({{at.make_context, entry([](void* p, int) -> void* {
                           return static_cast<stand_in_object*>(new stand_in_context(self<stand_in_engine>(p).of));
                       })},
                      {at.dims, entry([](void* p, const char* name) {
                           return stand_in_tensor(*self<stand_in_engine>(p).find(name)).dims;
                       })},
                      {at.type, entry([](void* p, const char* name) {
                           return stand_in_tensor(*self<stand_in_engine>(p).find(name)).type;
                       })},
                      {at.is_shape, entry([](void*, const char*) { return false; })},
                      {at.mode, entry([](void* p, const char* name) {
                           nv_io mode = nv_io::none;
                           self<stand_in_engine>(p).find(name, &mode);
                           return mode;
                       })},
                      {at.count, entry([](void* p) {
                           const model& m = self<stand_in_engine>(p).of;
                           return int(m.inputs().size() + m.outputs().size());
                       })}});
        return t;
    }
};
inline void log_error(void* logger, const char* text) {
    static_cast<nv_logger_10*>(logger)->log(nv_severity::error, text);
}
constexpr std::string_view stand_in_heading = "an engine of the stand-in\n";
inline std::optional<model> model_in(std::string_view bytes) {
    model_options as_it_is;
    as_it_is.optimize = false;
    auto m = model::try_load(std::as_bytes(std::span(bytes)), as_it_is);
    return m ? std::optional(std::move(*m)) : std::nullopt;
}
struct stand_in_runtime : stand_in_of<stand_in_runtime> {
    void* logger;
    explicit stand_in_runtime(void* l) : logger(l) {}
    void* restore(std::string_view bytes) const {
        if (counts.refuses) return log_error(logger, "this GPU is not supported"), nullptr;
        std::optional<model> m;
        if (bytes.starts_with(stand_in_heading)) m = model_in(bytes.substr(stand_in_heading.size()));
        if (!m) return log_error(logger, "these bytes are no engine"), nullptr;
        return static_cast<stand_in_object*>(new stand_in_engine(*m));
    }
    static const place_table& functions() {
        const auto& at = stand_in_places.runtime;
        static const place_table t =
            table_of({{at.restore, entry([](void* p, const char* bytes, std::size_t size) {
                           return self<stand_in_runtime>(p).restore({bytes, size});
                       })},
                      {at.logger, entry([](void* p) { return self<stand_in_runtime>(p).logger; })}});
        return t;
    }
};
struct stand_in_builder : stand_in_of<stand_in_builder> {
    void* logger;
    int threads = 1;
    explicit stand_in_builder(void* l) : logger(l) {}
    static const place_table& functions() {
        const auto& at = stand_in_places.builder;
        static const place_table t = table_of(
            {{at.make_config, entry([](void*) -> void* { return static_cast<stand_in_object*>(new stand_in_config); })},
             {at.make_network,
              entry([](void*, unsigned) -> void* { return static_cast<stand_in_object*>(new stand_in_network); })},
             {at.build, entry([](void*, void* network, void*) -> void* {
                  ++counts.builds;
                  return static_cast<stand_in_object*>(
                      new stand_in_memory(std::string(stand_in_heading) + object<stand_in_network>(network).bytes));
              })},
             {at.logger, entry([](void* p) { return self<stand_in_builder>(p).logger; })},
             {at.set_threads, entry([](void* p, int n) { return self<stand_in_builder>(p).threads = n, true; })},
             {at.threads, entry([](void* p) { return self<stand_in_builder>(p).threads; })}});
        return t;
    }
};
struct stand_in_parser {  // called itself
    const place_table* table = &functions();
    stand_in_network* network;
    std::int64_t node = 0;
    explicit stand_in_parser(stand_in_network* n) : network(n) {}
    static stand_in_parser& self(void* p) { return *static_cast<stand_in_parser*>(p); }
    bool read(std::string bytes) const {
        ++counts.parses;
        network->graph = model_in(network->bytes = std::move(bytes));
        if (!network->graph) return false;
        for (const port& p : network->graph->inputs()) network->inputs.push_back(std::make_unique<stand_in_tensor>(p));
        for (const port& p : network->graph->outputs())
            network->outputs.push_back(std::make_unique<stand_in_tensor>(p));
        return true;
    }
    static const place_table& functions() {
        const auto& at = stand_in_places.parser;
        static const place_table t = table_of(
            {{at.supports_operator, entry([](void*, const char* op) { return std::string_view(op) != "NoOperator"; })},
             {at.errors, entry([](void*) { return 0; })},
             {at.destroy, entry([](void* p) { delete static_cast<stand_in_parser*>(p); })},
             {at.supports, entry([](void* p, const char* bytes, std::size_t size, const char*) {
                  return self(p).read({bytes, size});
              })},
             {at.subgraphs, entry([](void*) { return std::int64_t(1); })},
             {at.is_supported, entry([](void*, std::int64_t) { return true; })},
             {at.nodes, entry([](void* p, std::int64_t, std::int64_t* count) { return *count = 1, &self(p).node; })}});
        return t;
    }
};
inline nv_library make_stand_in() {
    nv_library l;
    l.name = "the stand-in";
    l.version = "10.0.0";
    l.at = &stand_in_places;
    l.old_logger = true;
    l.createInferBuilder_INTERNAL = [](void* logger, std::int32_t) -> void* {
        return static_cast<stand_in_object*>(new stand_in_builder(logger));
    };
    l.createInferRuntime_INTERNAL = [](void* logger, std::int32_t) -> void* {
        return static_cast<stand_in_object*>(new stand_in_runtime(logger));
    };
    l.createNvOnnxParser_INTERNAL = [](void* network, void*, std::int32_t) -> void* {
        return new stand_in_parser(&object<stand_in_network>(network));
    };
    return l;
}
}  // namespace inlay::testing
