// fuse_quantized: an operator between DequantizeLinear and QuantizeLinear by constants, of 8 bits, with Relu or Clip
// where the quantized result saturates anyway, as the operator that computes with the quantized values:
//   QLinearConv, QLinearMatMul; of com.microsoft QGemm, QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu,
//   QLinearAveragePool, QLinearGlobalAveragePool, QLinearSoftmax, QLinearReduceMean, QLinearConcat, QLinearWhere.
// Where scale and zero point stay the same, operators that move or select elements, and Relu and Clip, become the same
// operator over the quantized values.
// Several operators that read one DequantizeLinear get one each, for a fused node represents all nodes that it hides.
#include "quantized_values.hpp"
#include <map>
#include <tuple>

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
constexpr std::string_view microsoft = "com.microsoft";
// Products per int32 accumulator, each of two differences of 8-bit values; float32 does not wrap around.
constexpr std::int64_t deepest = std::numeric_limits<std::int32_t>::max() / (255 * 255 + 1);

struct integer_node {  // that may replace node `at` and the nodes around it
    int at = -1;
    std::string_view domain{}, op{};
    int version = 1;
    candidate c{};
    std::vector<coded> sources{};  // the quantized values that the node's inputs come from
};

class finder {
    rewriter& r_;
    quantized_values values_{r_};
    std::map<std::pair<element, int>, int> numbers_;  // constants of one quantized value

    const node& at(const integer_node& f) const { return r_.g.nodes[std::size_t(f.at)]; }
    int number_of(element e, int code) {
        const auto [it, isnew] = numbers_.emplace(std::pair(e, code), -1);
        if (!isnew) return it->second;
        tensor t(e, {});
        *static_cast<std::uint8_t*>(t.data()) = std::uint8_t(code);
        return it->second = r_.g.add_constant(std::string(name_of(e)) + " " + std::to_string(code), std::move(t));
    }
    int zero_of(const coded& c) { return c.zero >= 0 ? c.zero : number_of(c.type, 0); }

    // The 8-bit quantized values that input k is dequantized from; with one scale, where it says so.
    std::optional<coded> bytes(integer_node& f, int k) {
        auto c = values_.decoded(r_.input(at(f), k));
        if (!c || !is_byte(c->type)) return {};
        f.sources.push_back(*c);
        return c;
    }
    std::optional<coded> single(integer_node& f, int k) {
        auto c = bytes(f, k);
        return c && c->of_tensor() ? c : std::nullopt;
    }
    // Reads input k for an operator whose operands and result have one type.
    std::optional<coded> like(const coded& y, integer_node& f, int k) {
        auto c = single(f, k);
        return c && c->type == y.type ? c : std::nullopt;
    }
    void name(integer_node& f, std::string_view domain, std::string_view op, int version) {
        f.domain = domain;
        f.op = op;
        f.version = version;
    }
    void put(integer_node& f, const coded& c) { f.c.inputs.insert(f.c.inputs.end(), {c.codes, c.scale, zero_of(c)}); }
    void put_scale(integer_node& f, const coded& c) { f.c.inputs.insert(f.c.inputs.end(), {c.scale, zero_of(c)}); }
    void copy_attributes(integer_node& f) {
        const auto attributes = r_.attributes(at(f));
        f.c.attributes.assign(attributes.begin(), attributes.end());
    }
    void copy_inputs(integer_node& f) {
        const auto inputs = r_.list(at(f).inputs);
        f.c.inputs.assign(inputs.begin(), inputs.end());
    }
    // The same operator, with quantized values as input 0.
    void keep(integer_node& f, const coded& x, int since) {
        name(f, "", at(f).op, std::max(since, at(f).version));
        copy_inputs(f);
        copy_attributes(f);
        f.c.inputs[0] = x.codes;
    }

    std::optional<int> bias(integer_node&, const coded& x, const coded& w, double factor);
    bool conv(integer_node&, const coded& y);
    bool matmul(integer_node&, const coded& y);
    bool gemm(integer_node&, const coded& y);
    bool binary(integer_node&, const coded& y);
    bool unary(integer_node&, const coded& y);
    bool softmax(integer_node&, const coded& y);
    bool reduce_mean(integer_node&, const coded& y);
    bool concat(integer_node&, const coded& y);
    bool where(integer_node&, const coded& y);
    bool max_pool(integer_node&, const coded& y);
    bool resize(integer_node&, const coded& y);
    bool pad(integer_node&, const coded& y);
    bool bound(integer_node&, const coded& y);
    bool moves(integer_node&, const coded& y);
    using rule = bool (finder::*)(integer_node&, const coded&);
    static rule rule_of(std::string_view op);

    std::optional<coded> encoded(integer_node& f, int v);
    bool follow_outputs(integer_node& f, std::vector<coded>& outputs);
    bool fits(const integer_node& f) const;

  public:
    explicit finder(rewriter& r) : r_(r) {}
    std::optional<integer_node> at_node(int at);
};

// A bias as int32 in steps of x's scale times w's times the factor: its quantized values, -1 where there is no bias,
// nothing where it is anything else.
std::optional<int> finder::bias(integer_node& f, const coded& x, const coded& w, double factor) {
    const int v = r_.input(at(f), 2);
    if (v < 0) return -1;
    const auto b = values_.decoded(v);
    if (!b || b->type != element::i32 || !r_.constant(b->codes)) return {};
    if (!b->of_tensor() && (b->axis != dims_of(r_, b->codes).rank - 1 || (!w.of_tensor() && b->count() != w.count())))
        return {};
    for (std::int64_t j = 0; j < std::max(b->count(), w.count()); ++j) {
        const double step = factor * x.step() * w.step(j);
        // The step may be rounded; it is infinite where nothing is left of the bias.
        if (!std::isfinite(step) || !(std::abs(b->step(j) - step) <= 1e-6 * std::abs(step))) return {};
    }
    f.sources.push_back(*b);
    return b->codes;
}
bool finder::conv(integer_node& f, const coded& y) {
    const auto x = single(f, 0), w = bytes(f, 1);
    if (!x || !w || w->axis > 0) return false;
    const shape& dims = dims_of(r_, w->codes);
    if (!dims.known() || dims.elements(1) > deepest) return false;
    const auto b = bias(f, *x, *w, 1);
    if (!b) return false;
    name(f, "", "QLinearConv", 10);
    copy_attributes(f);
    put(f, *x);
    put(f, *w);
    put_scale(f, y);
    if (*b >= 0) f.c.inputs.push_back(*b);
    return true;
}
bool finder::matmul(integer_node& f, const coded& y) {
    const auto a = single(f, 0), b = bytes(f, 1);
    if (!a || !b) return false;
    const shape& dims = dims_of(r_, b->codes);
    const int rank = dims.rank;
    if (!b->of_tensor() && (rank < 2 || b->axis != rank - 1)) return false;
    if (rank > 0 && dims[std::max(0, rank - 2)] > deepest) return false;
    name(f, "", "QLinearMatMul", 10);
    put(f, *a);
    put(f, *b);
    put_scale(f, y);
    return true;
}
bool finder::gemm(integer_node& f, const coded& y) {
    const node& n = at(f);
    const auto a = single(f, 0), b = bytes(f, 1);
    if (n.version < 7 || !a || !b) return false;
    const int columns = r_.integer(n, "transB", 0) != 0 ? 0 : 1;
    const shape& dims = dims_of(r_, b->codes);
    if ((!b->of_tensor() && b->axis != columns) || dims.rank != 2 || dims[1 - columns] > deepest) return false;
    const auto c = bias(f, *a, *b, r_.real(n, "alpha", 1) / r_.real(n, "beta", 1));
    if (!c) return false;
    name(f, microsoft, "QGemm", 1);
    copy_attributes(f);
    std::erase_if(f.c.attributes, [](const attribute& a) { return a.name == "beta"; });
    put(f, *a);
    put(f, *b);
    f.c.inputs.push_back(*c);
    put_scale(f, y);
    return true;
}
bool finder::binary(integer_node& f, const coded& y) {
    const auto a = like(y, f, 0), b = like(y, f, 1);
    if (at(f).version < 7 || !a || !b) return false;
    name(f, microsoft, at(f).op == "Add" ? "QLinearAdd" : "QLinearMul", 1);
    put(f, *a);
    put(f, *b);
    put_scale(f, y);
    return true;
}
bool finder::unary(integer_node& f, const coded& y) {
    const auto x = like(y, f, 0);
    if (!x) return false;
    name(f, microsoft, r_.g.intern("QLinear" + std::string(at(f).op)), 1);
    copy_attributes(f);
    put(f, *x);
    put_scale(f, y);
    return true;
}
bool finder::softmax(integer_node& f, const coded& y) {
    const int version = at(f).version;
    const std::int64_t axis = r_.integer(at(f), "axis", version < 13 ? 1 : -1);
    if (!unary(f, y)) return false;
    f.c.attributes = {r_.g.make("axis", axis), r_.g.make("opset", std::int64_t(version))};
    return true;
}
bool finder::reduce_mean(integer_node& f, const coded& y) {
    const node& n = at(f);
    std::vector<std::int64_t> axes;
    const auto take = [&](range list) {
        const auto first = r_.g.integers.begin() + list.first;
        axes.assign(first, first + list.count);
    };
    if (const value* v = r_.input_value(n, 1)) {
        if (v->kind != contents::integers) return false;
        take(v->list);
    } else if (const attribute* a = r_.find(n, "axes"); a && a->kind == attribute_kind::integers)
        take(a->list);
    if (axes.empty() && r_.integer(n, "noop_with_empty_axes", 0) != 0) return false;
    const std::int64_t keepdims = r_.integer(n, "keepdims", 1);
    if (!unary(f, y)) return false;
    f.c.attributes = {r_.g.make("keepdims", keepdims)};
    if (!axes.empty()) f.c.attributes.push_back(r_.g.make("axes", std::span<const std::int64_t>(axes)));
    return true;
}
bool finder::concat(integer_node& f, const coded& y) {
    if (!r_.find(at(f), "axis")) return false;
    std::vector<coded> parts;
    for (int k = 0; k < at(f).inputs.count; ++k) {
        auto x = like(y, f, k);
        if (!x) return false;
        parts.push_back(std::move(*x));
    }
    name(f, microsoft, "QLinearConcat", 1);
    copy_attributes(f);
    put_scale(f, y);
    for (const coded& x : parts) put(f, x);
    return true;
}
bool finder::where(integer_node& f, const coded& y) {
    const auto a = like(y, f, 1), b = like(y, f, 2);
    if (!a || !b) return false;
    name(f, microsoft, "QLinearWhere", 1);
    f.c.inputs = {r_.input(at(f), 0)};
    put(f, *a);
    put(f, *b);
    put_scale(f, y);
    return true;
}

// --- with the scale and zero point of the result: the same operator
bool finder::max_pool(integer_node& f, const coded& y) {
    const auto x = single(f, 0);
    if (!x || !x->same_as(y)) return false;
    keep(f, *x, 12);
    return true;
}
bool finder::resize(integer_node& f, const coded& y) {
    const auto is = [&](std::string_view attribute, std::string_view otherwise, std::string_view text) {
        const auto* a = r_.find(at(f), attribute);
        return (a ? a->text : otherwise) == text;
    };
    const auto x = single(f, 0);
    // The value that it uses outside the image is a number, not a quantized value.
    const bool extrapolates = is("coordinate_transformation_mode", "half_pixel", "tf_crop_and_resize");
    if (!x || !x->same_as(y) || !is("mode", "nearest", "nearest") || extrapolates) return false;
    keep(f, *x, 1);
    return true;
}
bool finder::pad(integer_node& f, const coded& y) {
    const auto* mode = r_.find(at(f), "mode");
    const auto x = single(f, 0);
    if (at(f).version < 11 || !x || !x->same_as(y)) return false;
    const int v = r_.input(at(f), 2);
    const auto constant = v < 0 ? std::optional(0.) : number(r_, v);
    if (!constant || std::isnan(*constant)) return false;
    keep(f, *x, 1);
    f.c.inputs.resize(std::max<std::size_t>(f.c.inputs.size(), 3), -1);
    f.c.inputs[2] = !mode || mode->text == "constant" ? number_of(y.type, code_of(*constant, y)) : -1;
    return true;
}
bool finder::bound(integer_node& f, const coded& y) {
    const auto x = single(f, 0);
    const auto a = x && x->same_as(y) ? by_one_node(r_, x->floats, f.at) : std::nullopt;
    if (!a) return false;
    const bool below_only = a->name == "Relu";
    const double low = below_only ? 0 : a->params[0], high = below_only ? 0 : a->params[1];
    if (std::isnan(low) || std::isnan(high)) return false;
    name(f, "", "Clip", 13);
    f.c.inputs = {x->codes, number_of(y.type, code_of(low, y))};
    if (!below_only) f.c.inputs.push_back(number_of(y.type, code_of(high, y)));
    return true;
}
bool finder::moves(integer_node& f, const coded& y) {
    const int inputs = at(f).inputs.count;
    name(f, "", at(f).op, at(f).version);
    copy_inputs(f);
    copy_attributes(f);
    for (int k = 0; k < inputs; ++k) {
        const value* v = r_.input_value(at(f), k);
        if (!v || v->type != element::f32) continue;
        const auto x = single(f, k);
        if (!x || !x->same_as(y)) return false;
        f.c.inputs[std::size_t(k)] = x->codes;
    }
    return true;
}

finder::rule finder::rule_of(std::string_view op) {
    static constexpr std::pair<std::string_view, rule> rules[] = {
        {"Conv", &finder::conv},
        {"MatMul", &finder::matmul},
        {"Gemm", &finder::gemm},
        {"Add", &finder::binary},
        {"Mul", &finder::binary},
        {"Sigmoid", &finder::unary},
        {"LeakyRelu", &finder::unary},
        {"AveragePool", &finder::unary},
        {"GlobalAveragePool", &finder::unary},
        {"Softmax", &finder::softmax},
        {"ReduceMean", &finder::reduce_mean},
        {"Concat", &finder::concat},
        {"Where", &finder::where},
        {"MaxPool", &finder::max_pool},
        {"Resize", &finder::resize},
        {"Upsample", &finder::resize},
        {"Pad", &finder::pad},
        {"Relu", &finder::bound},
        {"Clip", &finder::bound},
    };
    const auto* row = std::ranges::find(rules, op, &std::pair<std::string_view, rule>::first);
    return row == std::end(rules) ? nullptr : row->second;
}

// The quantized values of v, by the one node that reads it, after bounds that their range implies.
std::optional<coded> finder::encoded(integer_node& f, int v) {
    std::vector<activation> bounds;
    for (int i = only_user(r_, v); i >= 0; i = only_user(r_, v)) {
        f.c.nodes.push_back(i);
        if (encodes(r_.g.nodes[std::size_t(i)])) {
            auto y = values_.read(i);
            const auto implied = [&](const activation& a) { return quantized_values::implies(*y, a); };
            return y && y->of_tensor() && std::ranges::all_of(bounds, implied) ? y : std::nullopt;
        }
        const auto a = by_one_node(r_, v, i);
        if (!a || (a->name != "Relu" && a->name != "Clip")) return {};
        bounds.push_back(*a);
        v = a->output;
    }
    return {};
}
bool finder::follow_outputs(integer_node& f, std::vector<coded>& outputs) {
    for (int v : r_.list(at(f).outputs)) {
        if (v < 0) return false;
        auto y = encoded(f, v);
        if (!y) return false;
        outputs.push_back(std::move(*y));
    }
    return !outputs.empty();
}
// Something is dequantized at run time, and nothing that the node hides is an input of it.
bool finder::fits(const integer_node& f) const {
    const auto runs = [&](const coded& c) { return !r_.constant(c.floats); };
    const auto hidden = [&](const coded& c) {
        return runs(c) && std::ranges::find(f.c.inputs, c.floats) != f.c.inputs.end();
    };
    return std::ranges::any_of(f.sources, runs) && std::ranges::none_of(f.sources, hidden);
}

std::optional<integer_node> finder::at_node(int at) {
    const node& n = r_.g.nodes[std::size_t(at)];
    if (!n.domain.empty()) return {};
    std::vector<rule> ways;  // by preference: what only moves quantized values loses nothing
    if (operator_of(n).facts.moves) ways.push_back(&finder::moves);
    if (const rule by_name = rule_of(n.op)) ways.push_back(by_name);
    const auto decoded = [&](int v) { return values_.decoded(v).has_value(); };
    if (ways.empty() || std::ranges::none_of(r_.list(n.inputs), decoded)) return {};
    integer_node ends{at};
    std::vector<coded> results;
    if (!follow_outputs(ends, results)) return {};
    const bool uniform = std::ranges::all_of(results, [&](const coded& y) { return y.same_as(results[0]); });
    for (const rule make : ways) {
        if (results.size() > 1 && !(uniform && make == &finder::moves)) continue;
        integer_node f = ends;
        if (!(this->*make)(f, results[0]) || !fits(f)) continue;
        f.c.nodes.push_back(at);
        f.c.output = results[0].codes;
        for (std::size_t k = 1; k < results.size(); ++k) f.c.more_outputs.push_back(results[k].codes);
        return f;
    }
    return {};
}

// Gives each of the nodes a DequantizeLinear of its own, next to the one that it shares with others, and adds it as a
// source.
class splitter {
    struct decoder {
        coded c{};
        std::vector<std::size_t> readers{};  // which of fusions_
    };
    struct copy {
        int of;
        std::size_t reader;
        node record;
    };
    rewriter& r_;
    std::vector<integer_node>& fusions_;
    std::map<int, decoder> decoders_;  // by node
    std::vector<copy> copies_;         // in the order of the nodes

    void collect() {
        for (std::size_t k = 0; k < fusions_.size(); ++k)
            for (const coded& c : fusions_[k].sources) {
                if (r_.constant(c.floats)) continue;  // computed already, by no provider
                decoder& d = decoders_[c.node];
                d.c = c;
                if (d.readers.empty() || d.readers.back() != k) d.readers.push_back(k);
            }
    }
    bool read_elsewhere(const decoder& d) const {  // by others than these, too
        const auto& users = r_.users(d.c.floats);
        return r_.is_output(d.c.floats) || std::ranges::any_of(users, [&](int user) {
                   return std::ranges::none_of(d.readers, [&](std::size_t k) { return fusions_[k].at == user; });
               });
    }
    void add_copy(const coded& c, std::size_t reader) {
        graph_data& g = r_.g;
        const node n = g.nodes[std::size_t(c.node)];
        const value v = g.values[std::size_t(c.floats)];
        const std::string end = "/" + std::to_string(copies_.size());
        const int copy = g.add_value(std::string(v.name) + end, v.type, v.dims);
        const std::vector<attribute> attributes(r_.attributes(n).begin(), r_.attributes(n).end());
        const std::vector<int> inputs(r_.list(n.inputs).begin(), r_.list(n.inputs).end());
        g.add_node(n.domain, n.op, n.version, std::string(n.name) + end, attributes, inputs, std::vector{copy});
        copies_.push_back({c.node, reader, g.nodes.back()});
        g.nodes.pop_back();
        for (int& input : r_.list(g.nodes[std::size_t(fusions_[reader].at)].inputs))
            if (input == c.floats) input = copy;
    }
    void insert_copies() {
        std::vector<node> nodes;
        std::vector<int> now;  // where each node is then
        std::vector<std::pair<std::size_t, int>> sources;
        auto next = copies_.begin();
        for (std::size_t i = 0; i < r_.g.nodes.size(); ++i) {
            now.push_back(int(nodes.size()));
            nodes.push_back(r_.g.nodes[i]);
            for (; next != copies_.end() && std::size_t(next->of) == i; ++next) {
                sources.emplace_back(next->reader, int(nodes.size()));
                nodes.push_back(next->record);
            }
        }
        r_.g.nodes = std::move(nodes);
        for (integer_node& f : fusions_)
            for (int& i : f.c.nodes) i = now[std::size_t(i)];
        for (const auto& [reader, i] : sources) fusions_[reader].c.nodes.push_back(i);
        for (integer_node& f : fusions_) std::ranges::sort(f.c.nodes);
    }

  public:
    splitter(rewriter& r, std::vector<integer_node>& fusions) : r_(r), fusions_(fusions) {}
    void run() {
        collect();
        for (const auto& [i, d] : decoders_) {
            std::size_t first = 0;
            if (!read_elsewhere(d)) fusions_[d.readers[first++]].c.nodes.push_back(i);
            for (std::size_t k = first; k < d.readers.size(); ++k) add_copy(d.c, d.readers[k]);
        }
        insert_copies();
    }
};
}  // namespace

int fuse_quantized(graph_data& g, const evaluator&) {
    rewriter r(g);
    finder find(r);
    std::vector<integer_node> fusions;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (auto f = find.at_node(int(i))) fusions.push_back(std::move(*f));
    splitter(r, fusions).run();
    std::map<std::tuple<std::string_view, std::string_view, int>, std::vector<candidate>> by_operator;
    for (integer_node& f : fusions) by_operator[{f.domain, f.op, f.version}].push_back(std::move(f.c));
    for (auto& [name, candidates] : by_operator)
        add_all(r, std::get<0>(name), std::get<1>(name), std::get<2>(name), candidates);
    return int(fusions.size());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
