#include "engine/saved_regions.hpp"
#include "model_header.hpp"
#include "spelling.hpp"
#include <inlay/provider/cpu.hpp>
#include <algorithm>
#include <set>

namespace inlay {
inline namespace v1 {
namespace {
using spelling::literal;
using spelling::number;

constexpr std::string_view enumerators[] = {
    "undefined",  "f32", "u8",  "i8",     "u16",    "i16",  "i32",  "i64",      "string",     "boolean",
    "f16",        "f64", "u32", "u64",    "c64",    "c128", "bf16", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2",
    "f8e5m2fnuz", "u4",  "i4",  "f4e2m1", "f8e8m0", "u2",   "i2",   "object"};
static_assert(std::size(enumerators) == std::size_t(element_count) && enumerators[int(element::bf16)] == "bf16" &&
              enumerators[int(element::i2)] == "i2");

struct stock {
    std::string_view op, file;
};
#define INLAY_STOCK(name, file) {#name, file},
constexpr stock stock_list[] = {INLAY_OPERATORS(INLAY_STOCK)};  // in the order of stock_operators
#undef INLAY_STOCK

// The stock operators that nodes name, whether or not a kernel covers their version: the compiler must be able to name
// the nearest.
std::vector<stock> operators_of(const graph_data& g) {
    std::set<int> positions;
    for (const auto* list : {&g.nodes, &g.fused})
        for (const node& n : *list)
            for (const entry& e : kernels_of<cpu>().entries)
                if (e.name == n.op && e.domain == n.domain) positions.insert(e.op);
    std::vector<stock> operators;
    for (int p : positions) operators.push_back(stock_list[p]);
    return operators;
}

std::string names_of(const std::vector<stock>& operators, bool has_contexts) {
    std::string s;
    for (const stock& k : operators) s += ", inlay::op::" + std::string(k.op);
    if (has_contexts) s += ", inlay::op::ep_context";
    return s.empty() ? s : s.substr(2);
}

std::string braced(range r) {
    return "{" + (r.count || r.first ? std::to_string(r.first) + ", " + std::to_string(r.count) : "") + "}";
}
std::string braced(const shape& dims) {
    std::string s = "{";
    for (int i = 0; i < dims.rank; ++i) s += (i ? ", " : "") + number(dims[i]);
    return s + "}";
}
// A comma-separated list in lines of moderate length.
template <class List, class F> std::string wrapped(const List& list, std::string_view indent, F text) {
    std::string s;
    std::size_t column = 0;
    for (const auto& x : list) {
        const std::string next = text(x) + ",";
        if (s.empty() || column + next.size() > 140) {
            s += (s.empty() ? "" : "\n") + std::string(indent);
            column = 0;
        } else
            s += ' ';
        s += next;
        column += next.size() + 1;
    }
    return s + (s.empty() ? "" : "\n");
}

class records {
    const graph_data& g_;
    std::string& out_;

    template <class List, class F> void array(const char* type, const char* name, const List& list, F write_elements) {
        if (list.empty()) return;
        out_ += std::string("inline constexpr ") + type + " " + name + "[] = {\n";
        write_elements();
        out_ += "};\n";
    }
    void add(const value& v, std::size_t id) {
        out_ += "    {" + literal(v.name) + ", " + std::string(enumerators[int(v.type)]) + ", " + braced(v.dims);
        if (v.is_constant() || v.kind != contents::none) out_ += ", " + std::to_string(v.constant);
        if (v.kind != contents::none)
            out_ += std::string(", holds::") +
                    (v.kind == contents::integers ? "integers, "
                     : v.kind == contents::reals  ? "reals, "
                                                  : "texts, ") +
                    braced(v.list);
        out_ += "},  // " + std::to_string(id) + "\n";
    }
    void add(const attribute& a) {
        using kind = attribute_kind;
        out_ += "    {" + literal(a.name) + ", kind::";
        switch (a.kind) {
            case kind::integer: out_ += "integer, " + number(a.integer); break;
            case kind::real: out_ += "real, 0, " + number(a.real); break;
            case kind::text: out_ += "text, 0, 0, " + literal(a.text); break;
            case kind::integers: out_ += "integers, 0, 0, {}, " + braced(a.list); break;
            case kind::reals: out_ += "reals, 0, 0, {}, " + braced(a.list); break;
            case kind::texts: out_ += "texts, 0, 0, {}, " + braced(a.list); break;
            case kind::tensor: out_ += "tensor, " + number(a.integer); break;
            case kind::graph: out_ += "graph, " + number(a.integer); break;
        }
        out_ += "},";
    }
    void add_nodes(const std::vector<node>& list) {
        for (const node& n : list) {
            out_ += "    {" + literal(n.name) + ", " + literal(n.domain) + ", " + literal(n.op) + ", " +
                    std::to_string(n.version);
            for (range r : {n.attributes, n.inputs, n.outputs}) out_ += ", " + braced(r);
            if (n.sources.count) out_ += ", " + braced(n.sources);
            out_ += "},\n";
        }
    }
    // One line per node: the items of a node start at these positions.
    template <class F> void by_node(std::size_t size, range node::*member, F text) {
        std::vector<const node*> starts(size + 1, nullptr);
        for (const auto* list : {&g_.nodes, &g_.fused})
            for (const node& n : *list)
                if (auto& at = starts[std::size_t((n.*member).first)]; !at) at = &n;
        const node* owner = nullptr;
        for (std::size_t i = 0; i < size; ++i) {
            if (starts[i]) owner = starts[i];
            text(i, starts[i] != nullptr);
            const bool ends_node = i + 1 == size || starts[i + 1];
            if (ends_node) out_ += (owner ? "  // " + literal(owner->name) : "") + "\n";
        }
    }

  public:
    records(const graph_data& g, std::string& out) : g_(g), out_(out) {}
    void write() {
        array("inlay::value", "values", g_.values, [&] {
            for (std::size_t id = 0; id < g_.values.size(); ++id) add(g_.values[id], id);
        });
        array("inlay::node", "nodes", g_.nodes, [&] { add_nodes(g_.nodes); });
        array("inlay::node", "fused", g_.fused, [&] { add_nodes(g_.fused); });
        array("inlay::attribute", "attributes", g_.attributes, [&] {
            for (const attribute& a : g_.attributes) {
                add(a);
                out_ += '\n';
            }
        });
        array("int", "edges", g_.edges, [&] {
            by_node(g_.edges.size(), &node::inputs, [&](std::size_t i, bool first) {
                out_ += (first ? "    " : " ") + std::to_string(g_.edges[i]) + ",";
            });
        });
        const auto plain = [](const auto& x) { return std::to_string(x); };
        array("int", "inputs", g_.inputs, [&] { out_ += wrapped(g_.inputs, "    ", plain); });
        array("int", "outputs", g_.outputs, [&] { out_ += wrapped(g_.outputs, "    ", plain); });
        array("std::int64_t", "integers", g_.integers,
              [&] { out_ += wrapped(g_.integers, "    ", [](std::int64_t n) { return number(n); }); });
        array("double", "reals", g_.reals,
              [&] { out_ += wrapped(g_.reals, "    ", [](double x) { return number(x); }); });
        array("std::string_view", "texts", g_.texts, [&] { out_ += wrapped(g_.texts, "    ", literal); });
        array("std::string_view", "symbols", g_.symbols, [&] { out_ += wrapped(g_.symbols, "    ", literal); });
    }
};

std::string std_array(const std::string& type, const std::string& name, std::size_t size, const std::string& lines) {
    return "    static constexpr std::array<" + type + ", " + std::to_string(size) + "> " + name + "{" +
           (size ? "\n" + lines + "    " : "") + "};\n";
}
std::string describe(const compile_options& o, const weights_file& w) {
    std::string s = "// ";
    for (const dimension_size& d : o.sizes)
        s += literal(d.name) + "=" + (d.least == d.most ? "" : std::to_string(d.least) + "..") +
             std::to_string(d.most) + "; ";
    return s + std::to_string(w.bytes) + " bytes of weights, " +
           (o.place == weights_place::embedded ? "in the program" : "in a file next to the program") +
           (o.precision == precision::standard ? "" : "; precision " + std::string(name_of(o.precision))) + ".\n";
}
}  // namespace

std::string model_header(const frozen_model& m, const weights_file& w, const compile_options& o) {
    const graph_data& g = m.graph;
    const std::string space = o.name + "_records", symbol = "inlay_weights_" + o.name;
    const bool embedded = o.place == weights_place::embedded;
    const std::vector<stock> operators = operators_of(g);
    std::string s = "// Generated by inlay compile" + (o.source.empty() ? "" : " from " + o.source) +
                    "; do not edit.\n" + describe(o, w);
    s += "#pragma once\n#include <inlay/embedded/model.hpp>\n#include <inlay/operators.hpp>\n";
    std::set<std::string> files;
    for (const stock& k : operators) files.emplace(k.file);
    const bool has_contexts = std::ranges::any_of(g.nodes, stands_for_saved_region);
    if (has_contexts) s += "#include <inlay/embedded_context.hpp>\n";
    for (const std::string& f : files)
        s += "#include <inlay/" + f + ".hpp>\n#if __has_include(<inlay/cpu/" + f + ".hpp>)\n#include <inlay/cpu/" + f +
             ".hpp>\n#endif\n";
    s += "#include <array>\n#include <limits>\n\n";
    if (embedded) s += "extern \"C\" const std::byte " + symbol + "[];\n\n";
    s += "namespace inlay::models::" + space +
         " {\nusing enum inlay::element;\nusing kind = inlay::attribute_kind;\nusing holds = inlay::contents;\n";
    records(g, s).write();
    s += "}  // namespace inlay::models::" + space + "\n\nnamespace inlay::models {\nstruct " + o.name +
         " {\n    static constexpr std::string_view name = " + literal(o.name) + ";\n";
    const auto span = [&](const char* array, bool empty) {
        return empty ? std::string("{}, ") : space + "::" + array + ", ";
    };
    s += "    static constexpr inlay::graph_view graph{" + span("nodes", g.nodes.empty()) +
         span("fused", g.fused.empty()) + span("values", g.values.empty()) + span("attributes", g.attributes.empty()) +
         span("edges", g.edges.empty()) + span("inputs", g.inputs.empty()) + span("outputs", g.outputs.empty()) +
         span("integers", g.integers.empty()) + span("reals", g.reals.empty()) + span("texts", g.texts.empty()) +
         "{}, " + span("symbols", g.symbols.empty()) + literal(g.name) +
         (o.precision == precision::standard ? "" : ", inlay::precision::" + std::string(name_of(o.precision))) +
         "};\n";
    const auto names = [&](const std::vector<int>& ids) {
        return wrapped(ids, "        ", [&](int id) { return literal(g.values[std::size_t(id)].name); });
    };
    s += std_array("std::string_view", "input_names", g.inputs.size(), names(g.inputs)) +
         std_array("std::string_view", "output_names", g.outputs.size(), names(g.outputs));
    s +=
        std_array("inlay::shape", "input_shapes", m.input_shapes.size(),
                  wrapped(m.input_shapes, "        ", [](const shape& dims) { return "inlay::shape" + braced(dims); }));
    const auto dimension_text = [](const dimension_size& d) {
        return "inlay::dimension{" + literal(d.name) + ", " + number(d.least) + ", " + number(d.most) + "}";
    };
    s += std_array("inlay::dimension", "dimensions", m.dimensions.size(),
                   wrapped(m.dimensions, "        ", dimension_text));
    s += std_array("std::int64_t", "constants", w.offsets.size(),
                   wrapped(w.offsets, "        ", [](std::int64_t n) { return number(n); }));
    s += "    static constexpr std::int64_t weight_bytes = " + std::to_string(w.bytes) + ";\n";
    s += std::string("    static constexpr inlay::weights_place place = inlay::weights_place::") +
         (embedded                         ? "embedded"
          : o.place == weights_place::file ? "file"
                                           : "mapped") +
         ";\n";
    s += "    static constexpr std::string_view weights_file = " + literal(embedded ? "" : o.name + ".weights") + ";\n";
    s += "    static const std::byte* weights() noexcept { return " + (embedded ? symbol : "nullptr") +
         "; }\n    using operators = inlay::pack<";
    s += names_of(operators, has_contexts);
    return s + ">;\n};\nstatic_assert(inlay::embedded_model<" + o.name + ">);\n}  // namespace inlay::models\n";
}

// The directive is spelt in two parts, for ccache does not cache a compilation whose source seems to contain it.
std::string weights_assembler(const weights_file& w, const compile_options& o) {
    const std::string symbol = "inlay_weights_" + o.name;
    return "// Generated by inlay compile; do not edit. Assemble with -I and the folder of the weights.\n"
           "    .section .rodata." +
           symbol + ", \"a\", @progbits\n    .balign 64\n    .globl " + symbol + "\n    .type " + symbol +
           ", @object\n    .size " + symbol + ", " + std::to_string(w.bytes) + "\n" + symbol +
           ":\n    .inc"
           "bin \"" +
           o.name + ".weights\"\n    .section .note.GNU-stack, \"\", @progbits\n";
}
}  // namespace v1
}  // namespace inlay
