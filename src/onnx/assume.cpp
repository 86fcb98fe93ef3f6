// Invalid files that ONNX Runtime runs: what they omit or spell differently, and what is assumed then.
// Everything after this sees a valid model.
#include "assume.hpp"
#include "schemas.hpp"
#include <inlay/support/recurrent.hpp>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using nodes = google::protobuf::RepeatedPtrField<NodeProto>;

bool equal_letters(std::string_view a, std::string_view b) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, small, small);
}
AttributeProto& add_attribute(NodeProto& n, const char* name, AttributeProto::AttributeType type) {
    AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(type);
    return a;
}
NodeProto& add_node(nodes& list, const char* op, std::initializer_list<std::string> inputs, const std::string& output) {
    NodeProto& n = *list.Add();
    n.set_op_type(op);
    n.set_name(output);
    for (const std::string& x : inputs) n.add_input(x);
    n.add_output(output);
    return n;
}

class graph_walk {
    ::onnx::ModelProto& m_;
    assumptions& a_;
    int opset_ = 0;  // of ai.onnx; 0: not imported
    std::set<std::string_view> imported_{};
    std::set<std::string> used_names_{};  // names of values, filled on first use

    void take_names(const GraphProto& g) {
        for (auto& v : g.input()) used_names_.insert(v.name());
        for (auto& t : g.initializer()) used_names_.insert(t.name());
        for (auto& n : g.node()) {
            used_names_.insert(n.output().begin(), n.output().end());
            for (auto& a : n.attribute())
                if (a.has_g()) take_names(a.g());
        }
    }
    std::string fresh(std::string name) {
        if (used_names_.empty()) take_names(m_.graph());
        while (!used_names_.insert(name).second) name += "'";
        return name;
    }

    void activations(NodeProto& n) {
        for (auto& a : *n.mutable_attribute()) {
            if (a.name() != "activations") continue;
            for (std::string& name : *a.mutable_strings())
                for (const auto& activation : recurrent_activation::table)
                    if (name != activation.name && equal_letters(name, activation.name)) {
                        a_.add("names an activation as `" + one_line(name) + "`",
                               std::string(activation.name) + " is meant", text_of(n));
                        name = activation.name;
                    }
        }
    }
    void version(NodeProto& n) {
        const int first = first_version(n.op_type(), "");
        if (opset_ && first > opset_)
            a_.add("is no operator of opset " + std::to_string(opset_),
                   "its version of opset " + std::to_string(first) + " is meant", text_of(n));
    }
    void dynamic_slice(NodeProto& n) {
        if (opset_ >= 10 || n.input_size() < 2) return;
        const bool is_slice = n.op_type() == "Slice";
        a_.add(is_slice ? "has inputs that Slice of opset " + std::to_string(opset_) + " has not"
                        : "is no operator of ONNX",
               "Slice of opset 10 is meant", text_of(n));
        n.set_op_type("Slice");
    }
    void group_normalization(const NodeProto& n) {
        const auto* schema = find_schema(n.op_type(), opset_, "");
        if (schema && schema->Deprecated())
            a_.add("is deprecated in opset " + std::to_string(opset_),
                   "scale and bias are per group, as version " + std::to_string(schema->SinceVersion()) + " had them",
                   text_of(n));
    }
    void unknown_attributes(const NodeProto& n) {
        for (auto& a : n.attribute())
            if (!has_microsoft_attribute(n.op_type(), a.name()))
                a_.add("has the attribute `" + one_line(a.name()) + "`, which the operator has not", "it means nothing",
                       text_of(n));
    }
    void add_import(const std::string& domain, int version) {
        auto& s = *m_.add_opset_import();
        s.set_domain(domain);
        s.set_version(version);
    }
    void simplified_normalization(NodeProto& n) {
        if (n.output_size() > 1 && !n.output(1).empty()) {  // which RMSNormalization does not produce
            a_.add("is no operator of ONNX", "that of com.microsoft is meant", text_of(n));
            n.set_domain("com.microsoft");
            if (imported_.insert("com.microsoft").second) add_import("com.microsoft", 1);
            return;
        }
        a_.add("is no operator of ONNX", "RMSNormalization is meant", text_of(n));
        while (n.output_size() > 1) n.mutable_output()->RemoveLast();
        n.set_op_type("RMSNormalization");
    }

    // Experimental operators, which ONNX had before opset 10 and ONNX Runtime still runs: the nodes that replace one of
    // them.
    struct replacement {
        graph_walk& graph;
        const NodeProto& n;
        nodes& list;  // of its graph, to which they are added

        std::string fresh(const char* suffix) { return graph.fresh(n.output(0) + "/" + suffix); }
        ::onnx::TensorProto& constant(const std::string& name) {
            NodeProto& node = add_node(list, "Constant", {}, name);
            ::onnx::TensorProto& t = *add_attribute(node, "value", AttributeProto::TENSOR).mutable_t();
            t.set_data_type(::onnx::TensorProto::FLOAT);
            return t;
        }
        std::string number(const char* attribute, float otherwise) {
            const AttributeProto* a = find(n, attribute);
            const std::string name = fresh(attribute);
            constant(name).add_float_data(a ? a->f() : otherwise);
            return name;
        }
        void combine(const char* op, const std::string& a, const std::string& b, const std::string& y, int axis = -1) {
            NodeProto& node = add_node(list, op, {a, b}, y);
            if (graph.opset_ >= 7) return;
            add_attribute(node, "broadcast", AttributeProto::INT).set_i(1);
            if (axis >= 0) add_attribute(node, "axis", AttributeProto::INT).set_i(axis);
        }
        std::string multiplied(const std::string& x, const char* attribute) {
            const std::string y = fresh("product");
            combine("Mul", x, number(attribute, 1), y);
            return y;
        }

        void affine() { combine("Add", multiplied(n.input(0), "alpha"), number("beta", 0), n.output(0)); }
        void scale() { combine("Mul", n.input(0), number("scale", 1), n.output(0)); }
        void scaled(const char* op) {
            const std::string inner = fresh("inner");
            const std::string product = multiplied(n.input(0), "beta");
            add_node(list, op, {product}, inner);
            combine("Mul", inner, number("alpha", 1), n.output(0));
        }
        // Over all axes of images except the channels, or over these too.
        void mean_variance() {
            const auto flag = [&](const char* name, bool otherwise) {
                const AttributeProto* a = find(n, name);
                return a ? a->i() != 0 : otherwise;
            };
            const bool divides = flag("normalize_variance", true), across = flag("across_channels", false);
            const std::string y = divides ? n.output(0) : fresh("mean");
            NodeProto& node = add_node(list, divides ? "MeanVarianceNormalization" : "ReduceMean", {n.input(0)}, y);
            AttributeProto& axes = add_attribute(node, "axes", AttributeProto::INTS);
            for (const int axis : {0, 1, 2, 3})
                if (axis != 1 || across) axes.add_ints(axis);
            if (!divides) combine("Sub", n.input(0), y, n.output(0));
        }
        void crop() {  // border: left, top, right, bottom; scale: the output's height and width
            NodeProto& node = add_node(list, "Slice", {n.input(0)}, n.output(0));
            AttributeProto &axes = add_attribute(node, "axes", AttributeProto::INTS),
                           &starts = add_attribute(node, "starts", AttributeProto::INTS),
                           &ends = add_attribute(node, "ends", AttributeProto::INTS);
            const auto& border = find(n, "border")->ints();
            const AttributeProto* size = find(n, "scale");
            for (int k : {0, 1}) {
                const std::int64_t begin = border[1 - k], end = border[3 - k];
                axes.add_ints(2 + k);
                starts.add_ints(begin);
                ends.add_ints(size && size->ints_size() ? begin + size->ints(k) : end ? -end : INT_MAX);
            }
        }
        void image_scaler() {  // y = x * scale + bias, a number per channel
            const AttributeProto* a = find(n, "bias");
            if (!a || a->floats_size() == 0) return scale();
            const std::string product = multiplied(n.input(0), "scale"), name = fresh("bias");
            ::onnx::TensorProto& bias = constant(name);
            *bias.mutable_float_data() = a->floats();
            bias.add_dims(a->floats_size());
            for (int k = 0; k < 2 && graph.opset_ >= 7; ++k) bias.add_dims(1);
            combine("Add", product, name, n.output(0), 1);
        }
    };
    static const AttributeProto* find(const NodeProto& n, std::string_view name) {
        for (auto& a : n.attribute())
            if (a.name() == name) return &a;
        return nullptr;
    }
    struct old_operator {
        std::string_view op, meaning;
        bool (*complete)(const NodeProto&);
        void (*replace)(replacement&);
    };
    static bool has_factors(const NodeProto& n) { return find(n, "alpha") && find(n, "beta"); }
    static bool has_borders(const NodeProto& n) {
        const AttributeProto *border = find(n, "border"), *scale = find(n, "scale");
        const auto fits = [](std::int64_t x) { return x >= 0 && x <= 1 << 30; };
        return border && border->ints_size() == 4 && std::ranges::all_of(border->ints(), fits) &&
               (!scale || scale->ints_size() == 0 ||
                (scale->ints_size() == 2 && std::ranges::all_of(scale->ints(), fits)));
    }
    static constexpr auto always = [](const NodeProto&) { return true; };
    static constexpr old_operator old_operators[] = {
        {"Affine", "its input times `alpha` plus `beta` is meant", always, [](replacement& r) { r.affine(); }},
        {"Crop", "the Slice between its borders is meant", has_borders, [](replacement& r) { r.crop(); }},
        {"ImageScaler", "its input times `scale` plus `bias` is meant", always,
         [](replacement& r) { r.image_scaler(); }},
        {"MeanVarianceNormalization", "that of opset 9 over the axes of images is meant", always,
         [](replacement& r) { r.mean_variance(); }},
        {"ParametricSoftplus", "`alpha` times the Softplus of `beta` times its input is meant", has_factors,
         [](replacement& r) { r.scaled("Softplus"); }},
        {"Scale", "its input times `scale` is meant", always, [](replacement& r) { r.scale(); }},
        {"ScaledTanh", "`alpha` times the Tanh of `beta` times its input is meant", has_factors,
         [](replacement& r) { r.scaled("Tanh"); }},
    };
    static int last_opset(const old_operator& o) { return first_version(o.op, "") ? first_version(o.op, "") : 10; }
    const old_operator* old(const NodeProto& n) const {
        if (!n.domain().empty() || n.input_size() != 1 || n.output_size() != 1 || n.output(0).empty()) return nullptr;
        for (const old_operator& o : old_operators)
            if (n.op_type() == o.op)  // files of any opset have ImageScaler
                return o.complete(n) && (opset_ < last_opset(o) || o.op == "ImageScaler") ? &o : nullptr;
        return nullptr;
    }
    void replace_old(GraphProto& g) {
        nodes& new_nodes = make_on<nodes>(arena_of(g));  // the nodes that it takes belong to the arena
        for (NodeProto& n : *g.mutable_node()) {
            const old_operator* o = old(n);
            if (!o) {
                new_nodes.UnsafeArenaAddAllocated(&n);
                continue;
            }
            a_.add(first_version(o->op, "") ? "is no operator of opset " + std::to_string(opset_)
                                            : "is no operator of ONNX any more",
                   std::string(o->meaning), text_of(n));
            replacement r{*this, n, new_nodes};
            o->replace(r);
        }
        g.mutable_node()->Swap(&new_nodes);
    }

    // A body that declares the iteration number or the condition as a list of one number gets such a list, under a new
    // name: the name of a body's input may mean something else outside.
    void loop(NodeProto& n) {
        for (auto& a : *n.mutable_attribute()) {
            if (!a.has_g() || a.name() != "body") continue;
            GraphProto& body = *a.mutable_g();
            nodes& first = make_on<nodes>(arena_of(body));
            for (int k = 0; k < std::min(body.input_size(), 2); ++k) {
                auto& tensor = *body.mutable_input(k)->mutable_type()->mutable_tensor_type();
                if (tensor.shape().dim_size() != 1) continue;
                const std::string name = body.input(k).name(), list = fresh(name + "/list");
                tensor.mutable_shape()->clear_dim();
                rename_reads(body, name, list);
                unsqueeze(first, name, list);
            }
            if (first.empty()) continue;
            a_.add("declares the iteration number or the condition of its body with one dimension",
                   "the body gets it so", text_of(n));
            for (NodeProto& inner : *body.mutable_node()) first.UnsafeArenaAddAllocated(&inner);
            body.mutable_node()->Swap(&first);
        }
    }
    static bool defines(const GraphProto& g, const std::string& name) {
        const auto is_it = [&](const auto& v) { return v.name() == name; };
        return std::ranges::any_of(g.input(), is_it) || std::ranges::any_of(g.initializer(), is_it) ||
               std::ranges::any_of(g.node(), [&](const NodeProto& n) {
                   return std::ranges::find(n.output(), name) != n.output().end();
               });
    }
    static void rename_reads(GraphProto& g, const std::string& name, const std::string& to) {
        for (NodeProto& n : *g.mutable_node()) {
            std::ranges::replace(*n.mutable_input(), name, to);
            for (auto& a : *n.mutable_attribute()) {
                if (a.has_g() && !defines(a.g(), name)) rename_reads(*a.mutable_g(), name, to);
                for (GraphProto& inner : *a.mutable_graphs())
                    if (!defines(inner, name)) rename_reads(inner, name, to);
            }
        }
        for (auto& y : *g.mutable_output())
            if (y.name() == name) y.set_name(to);
    }
    void unsqueeze(nodes& list, const std::string& x, const std::string& y) {
        if (opset_ < 13) {
            add_attribute(add_node(list, "Unsqueeze", {x}, y), "axes", AttributeProto::INTS).add_ints(0);
            return;
        }
        const std::string axes = fresh(y + "/axes");
        add_attribute(add_node(list, "Constant", {}, axes), "value_ints", AttributeProto::INTS).add_ints(0);
        add_node(list, "Unsqueeze", {x, axes}, y);
    }

    void visit(GraphProto& g) {
        bool replaced = false;
        for (NodeProto& n : *g.mutable_node()) {
            for (auto& a : *n.mutable_attribute()) {
                if (a.has_g()) visit(*a.mutable_g());
                for (auto& body : *a.mutable_graphs()) visit(body);
            }
            if (n.domain().empty()) replaced |= visit_standard(n);
            if (n.domain() == "com.microsoft") unknown_attributes(n);
            separate_sizes(n, a_);
            if (n.domain() == "ai.onnx.ml" && n.op_type() == "OneHotEncoder" && find(n, "cats_int64s") &&
                find(n, "cats_strings"))
                a_.add("has both `cats_int64s` and `cats_strings`", "those of the input's type are meant", text_of(n));
            for (const std::string_view domain : {"com.microsoft", "ai.onnx.ml"})
                if (n.domain() == domain && imported_.insert(domain).second) import(n);
        }
        if (replaced) replace_old(g);
    }
    void import(const NodeProto& n) {  // as in ONNX Runtime: the newest version
        const auto& domains = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
        const auto range = domains.find(n.domain());
        const int newest = range == domains.end() ? 1 : range->second.second;
        a_.add("is of the domain `" + n.domain() + "`, which the model does not import",
               "its version " + std::to_string(newest) + " is meant", text_of(n));
        add_import(n.domain(), newest);
    }
    bool visit_standard(NodeProto& n) {  // true: other nodes take its place
        const std::string& op = n.op_type();
        if (op == "LSTM" || op == "GRU" || op == "RNN") activations(n);
        if (op == "Loop") loop(n);
        if (op == "GroupNormalization") group_normalization(n);
        if (op == "DynamicSlice" || op == "Slice") dynamic_slice(n);
        if (op == "SimplifiedLayerNormalization") {
            simplified_normalization(n);
            return false;
        }
        const bool is_old = old(n);
        if (!is_old && first_version(op, "")) version(n);
        return is_old;
    }
    // The first initializer of the graph or its subgraphs that is no input; none: null.
    static const std::string* lone_initializer(const GraphProto& g) {
        std::set<std::string_view> inputs;
        for (auto& v : g.input()) inputs.insert(v.name());
        for (auto& t : g.initializer())
            if (!inputs.contains(t.name())) return &t.name();
        for (auto& n : g.node())
            for (auto& a : n.attribute())
                if (const std::string* name = a.has_g() ? lone_initializer(a.g()) : nullptr) return name;
        return nullptr;
    }
    void outputs() {
        std::set<std::string> listed;
        for (auto& v : m_.graph().output())
            if (!listed.insert(v.name()).second)
                a_.add("is listed twice", "it is given twice", "the output `" + one_line(v.name()) + "`");
    }

  public:
    graph_walk(::onnx::ModelProto& m, assumptions& a) : m_(m), a_(a) {
        for (auto& s : m.opset_import()) {
            if (s.domain().empty()) opset_ = int(s.version());
            for (const std::string_view domain : {"com.microsoft", "ai.onnx.ml"})
                if (s.domain() == domain) imported_.insert(domain);
        }
    }
    void run() {
        if (m_.ir_version() < 4)
            if (const std::string* name = lone_initializer(m_.graph())) {
                a_.add("is no input, as IR version " + std::to_string(m_.ir_version()) + " requires",
                       "version 4 is meant", "the initializer `" + one_line(*name) + "`");
                m_.set_ir_version(4);
            }
        outputs();
        visit(*m_.mutable_graph());
    }
};
}  // namespace

void assumptions::add(const std::string& fault, const std::string& meaning, const std::string& subject) {
    if (strict_) refuse(error_code::invalid_model, subject + " " + fault, "without limits::strict, " + meaning);
    for (auto& entry : list_)
        if (entry.fault == fault && entry.meaning == meaning) {
            ++entry.repeats;
            return;
        }
    if (list_.size() < most) list_.push_back({fault, meaning, subject});
}
std::vector<std::string> assumptions::texts() const {
    std::vector<std::string> list;
    for (const auto& a : list_)
        list.push_back(a.subject + " " + a.fault +
                       (a.repeats ? " (and so do " + std::to_string(a.repeats) + " more)" : "") + ": " + a.meaning);
    return list;
}

void assume_imports(::onnx::ModelProto& m, assumptions& a) {
    auto& list = *m.mutable_opset_import();
    int count = 0;
    std::unordered_map<std::string, int> places;
    for (int k = 0; k < list.size(); ++k) {
        const auto& s = list[k];
        const auto [it, isnew] = places.try_emplace(s.domain(), count);
        if (isnew) {
            list.SwapElements(count++, k);
            continue;
        }
        a.add("is imported twice", "version " + std::to_string(s.version()) + ", the last one, is meant",
              "the domain `" + (s.domain().empty() ? "ai.onnx" : one_line(s.domain())) + "`");
        list[it->second].set_version(s.version());
    }
    list.DeleteSubrange(count, list.size() - count);
}
void assume_graph(::onnx::ModelProto& m, assumptions& a) { graph_walk(m, a).run(); }

void check_equations(const ::onnx::GraphProto& g) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_equation = [&](std::string_view text) {
        bool ellipsis = false, arrow = false;  // in the term, in the equation
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (is_letter(text[i]) || text[i] == ' ') continue;
            if (text[i] == ',' && !arrow)
                ellipsis = false;
            else if (text.substr(i, 2) == "->" && !std::exchange(arrow, true)) {
                ellipsis = false;
                ++i;
            } else if (text.substr(i, 3) == "..." && !std::exchange(ellipsis, true))
                i += 2;
            else
                return false;
        }
        return true;
    };
    for (auto& n : g.node())
        for (auto& a : n.attribute()) {
            if (a.has_g()) check_equations(a.g());
            if (n.domain().empty() && n.op_type() == "Einsum" && a.name() == "equation" && !is_equation(a.s()))
                refuse(error_code::invalid_model,
                       "the equation `" + one_line(a.s()) + "` of " + text_of(n) +
                           " is none: terms are letters and at most one ellipsis, with commas between them and at "
                           "most one arrow");
        }
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
