// libFuzzer: bytes as what a plugin's table says and answers; a model is planned and run with it, before the CPU.
//
// The library is plugin_table.c, which gives the table that this program sets. Pointers of a table are true: a plugin
// is native code, and what it may do to the process is not the matter here, but what it may report.
#include <inlay/inlay.hpp>
#include <inlay/plugin.h>
#include <array>
#include <cstring>
#include <dlfcn.h>

namespace {
class reader {
    const std::uint8_t *at_ = nullptr, *end_ = nullptr;

  public:
    reader() = default;
    reader(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    int byte() { return at_ == end_ ? 0 : *at_++; }
    std::int32_t number() {
        const int b = byte();
        return b < 240 ? b % 8 : b < 248 ? -(b - 239) : INT32_MAX - (b - 248);
    }
    const char* text() {
        static constexpr const char* list[] = {"FuzzedExecutionProvider",
                                               "fuzzed",
                                               "",
                                               "level",
                                               "integer",
                                               "fast|exact",
                                               "fast",
                                               "7",
                                               "boolean",
                                               "text",
                                               "CPUExecutionProvider",
                                               "\x1b[31m\n",
                                               "||",
                                               "precision",
                                               nullptr};
        return list[std::size_t(byte()) % std::size(list)];
    }
};
reader script;  // of the present input
inlay_error refusal{sizeof(inlay_error), 0, nullptr, nullptr};
inlay_error* answer() {  // mostly none
    if (script.byte() % 8) return nullptr;
    refusal.code = script.number();
    refusal.text = script.text();
    return &refusal;
}
// Handles are addresses of these.
char engine_mark, compiled_mark, executable_mark;
inlay_error* check_option(const char*, const char*) { return answer(); }
inlay_error* open(const inlay_setting* const*, std::size_t, inlay_engine** engine) {
    if (inlay_error* const e = answer()) return e;
    if (script.byte() % 8) *engine = reinterpret_cast<inlay_engine*>(&engine_mark);
    return nullptr;
}
void close(inlay_engine*) {}
inlay_error* propose(inlay_engine*, const inlay_nodes* candidates, const inlay_answer* to) {
    for (int calls = script.byte() % 6; calls > 0; --calls) {
        std::array<std::int32_t, 3> nodes{};
        for (std::int32_t& n : nodes)
            n = script.byte() % 4 && candidates->node_count
                    ? candidates->nodes[std::size_t(script.byte()) % candidates->node_count]
                    : script.number();
        if (script.byte() % 3)
            to->take(to, nodes.data(), std::size_t(script.byte() % 4));
        else
            to->refuse(to, nodes[0], script.text());
    }
    if (script.byte() % 4 == 0) {
        inlay_text bytes{};
        if (inlay_error* const e = candidates->to_onnx(candidates, nullptr, 0, script.number(), &bytes);
            e && e->release)
            e->release(e);
    }
    if (candidates->elements) (void)candidates->elements(candidates, script.number());
    return answer();
}
inlay_error* compile(inlay_engine*, const inlay_nodes* region, inlay_compiled** compiled) {
    if (inlay_error* const e = answer()) return e;
    (void)region->elements(region, script.number());
    if (script.byte() % 8) *compiled = reinterpret_cast<inlay_compiled*>(&compiled_mark);
    return nullptr;
}
void destroy_compiled(inlay_compiled*) {}
inlay_error* instance(const inlay_compiled*, inlay_executable** executable) {
    if (inlay_error* const e = answer()) return e;
    if (script.byte() % 8) *executable = reinterpret_cast<inlay_executable*>(&executable_mark);
    return nullptr;
}
void destroy_executable(inlay_executable*) {}
inlay_error* run(inlay_executable*, const inlay_run* r) {
    for (std::size_t k = 0; k < r->output_count; ++k) {
        std::int64_t elements = 1;
        for (int axis = 0; axis < r->outputs[k]->rank; ++axis) elements *= r->outputs[k]->dims[axis];
        if (r->outputs[k]->type == 1 && r->outputs[k]->data)
            std::memset(r->outputs[k]->data, script.byte(), std::size_t(elements) * 4);
    }
    return answer();
}
inlay_error* save(const inlay_compiled*, const inlay_writer* to) {
    to->write(to, "bytes", std::size_t(script.byte() % 5));
    return answer();
}
inlay_error* restore(inlay_engine* engine, const inlay_nodes* region, const void*, std::size_t,
                     inlay_compiled** compiled) {
    return compile(engine, region, compiled);
}
inlay_error* identity(inlay_engine*, const inlay_facts* to) {
    for (int k = script.byte() % 3; k > 0; --k) {
        const char* const name = script.text();
        to->add(to, name, script.text());
    }
    return answer();
}
std::int32_t operands(const inlay_setting* const*, std::size_t) { return script.number(); }

struct described {
    inlay_plugin table{};
    std::array<inlay_option, 2> options{};
    std::array<const inlay_option*, 2> list{};

    void read() {
        table = {sizeof table,
                 script.byte() % 8 ? 1u : std::uint32_t(script.number()),
                 script.text(),
                 script.text(),
                 script.text(),
                 script.number(),
                 std::size_t(script.byte() % 3),
                 list.data(),
                 check_option,
                 open,
                 close,
                 propose,
                 compile,
                 destroy_compiled,
                 instance,
                 destroy_executable,
                 run,
                 nullptr,
                 save,
                 restore,
                 identity,
                 operands};
        if (script.byte() % 4) table.name = "FuzzedExecutionProvider";
        for (std::size_t k = 0; k < options.size(); ++k) {
            const char *const name = script.text(), *const initial = script.text();
            options[k] = {sizeof(inlay_option), name, initial, script.text()};
            list[k] = script.byte() % 16 ? &options[k] : nullptr;
        }
        if (script.byte() % 8 == 0) table.size = std::size_t(script.byte()) * 4;
        if (script.byte() % 8 == 0) table.run = nullptr;
        if (script.byte() % 8 == 0) table.save = nullptr, table.restore = nullptr, table.identity = nullptr;
        if (script.byte() % 4 == 0) table.check_option = nullptr;
    }
};

const inlay::model& small_model() {  // y = Neg(Relu(x) + x)
    static const inlay::model m = [] {
        inlay::graph_data g;
        const int x = g.add_value("x", inlay::element::f32, {4}), r = g.add_value("r", inlay::element::f32, {4}),
                  s = g.add_value("s", inlay::element::f32, {4}), y = g.add_value("y", inlay::element::f32, {4});
        g.inputs = {x};
        g.outputs = {y};
        g.add_node("", "Relu", 14, "relu", {}, std::array{x}, std::array{r});
        g.add_node("", "Add", 14, "add", {}, std::array{r, x}, std::array{s});
        g.add_node("", "Neg", 13, "neg", {}, std::array{s}, std::array{y});
        return inlay::model::from_graph(std::move(g));
    }();
    return m;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 300) return 0;
    static const inlay_plugin** const place = [] {
        void* const library = dlopen(PLUGIN_TABLE, RTLD_NOW);
        return library ? static_cast<const inlay_plugin**>(dlsym(library, "fuzzed_table")) : nullptr;
    }();
    if (!place) std::abort();
    script = reader(data, size);
    described d;
    d.read();
    *place = script.byte() % 16 ? &d.table : nullptr;
    try {
        const inlay::plugin p(PLUGIN_TABLE);
        inlay::session_options o;
        o.log = [](inlay::severity, std::string_view) {};
        if (script.byte() % 2) o.fallback = inlay::fallback::any();
        const inlay::handle_session s(small_model(),
                                      {p.handle().value_or_raise(), inlay::make_handle(inlay::cpu{.threads = 1})}, o);
        const inlay::tensor x({4}, {1.f, -2.f, 3.f, -4.f});
        (void)s.run({{"x", x}});
        (void)s.plan();
    } catch (const inlay::error&) {
    }
    return 0;
}
