// What rows of a table require of a node's attributes and inputs.
#include "capability.hpp"
#include <inlay/plan/schedule.hpp>
#include <inlay/sdk/operator.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
std::string input_name(int k) { return "input " + std::to_string(k); }
std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }
// f(word) for each; the first is reported too.
template <class F> void for_each_word(std::string_view texts, F f) {
    while (!texts.empty()) {
        const std::size_t end = std::min(texts.find(' '), texts.size());
        f(texts.substr(0, end));
        texts.remove_prefix(std::min(end + 1, texts.size()));
    }
}
std::string range_text(std::int64_t least, std::int64_t most) {
    return least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
}
std::string refuse_rank(const demand& d, const std::string& whose, int rank) {
    return rank >= d.least && rank <= d.most
               ? ""
               : whose + " has " + std::to_string(rank) + " dimensions; " + range_text(d.least, d.most) + " are taken";
}
std::string refuse_integer(const demand& d, const node_view& n) {
    const int at = n.position(d.name);
    if (at < 0) return {};
    const attribute& a = n.graph.attributes[std::size_t(at)];
    const auto refuse = [&](std::int64_t value) {
        return value >= d.least && value <= d.most
                   ? std::string()
                   : quoted(d.name) + " is " + std::to_string(value) + ", and has to be " + range_text(d.least, d.most);
    };
    if (a.kind == attribute_kind::integer) return refuse(a.integer);
    for (const std::int64_t value : n.integers(d.name))
        if (std::string reason = refuse(value); !reason.empty()) return reason;
    return {};
}
std::string refuse_values(const demand& d, const node_view& n) {
    if (!n.has_input(d.index)) return {};
    const auto integers = n.input_integers(d.index);
    if (!integers) return input_name(d.index) + " has to be known";
    for (const std::int64_t value : *integers)
        if (value < d.least || value > d.most)
            return input_name(d.index) + " has " + std::to_string(value) + "; " + range_text(d.least, d.most) +
                   " is taken";
    return {};
}
std::string refuse_text(const demand& d, const node_view& n) {
    const std::string_view ours = d.texts.substr(0, d.texts.find(' '));
    const std::string_view value = n.text(d.name, ours);
    bool good = false;
    std::string choices;
    for_each_word(d.texts, [&](std::string_view word) {
        if (word == "-") return;
        good |= value == word;
        choices += (choices.empty() ? "" : ", ") + std::string(word);
    });
    if (good) return {};
    return quoted(d.name) + (value == "-" ? " is not given" : " is " + std::string(value)) + ", and has to be " +
           choices;
}
std::string refuse_axes(const demand& d, const node_view& n) {
    const shape &x = n.input(0).dims, &y = n.output(0).dims;
    if (d.requirement == demand::kind::last_axis) {
        const int axis = normal_axis(n.integer("axis", n.version() < 13 ? 1 : -1), x.rank);
        return axis == x.rank - 1 ? "" : "axis " + std::to_string(axis) + " is not the last one";
    }
    for (int i = 0; i < std::min<int>(x.rank, int(d.least)); ++i)
        if (i >= y.rank || x[i] != y[i]) return "it changes the size of axis " + std::to_string(i);
    return {};
}
std::string refuse_counted_padding(const node_view& n) {
    const bool pads = !n.text("auto_pad", "NOTSET").starts_with("NOTSET") ||
                      std::ranges::any_of(n.integers("pads"), [](std::int64_t p) { return p != 0; });
    return pads && n.integer("count_include_pad", 0) != 0 ? "it leaves the padding out of the mean" : "";
}
std::string refuse_outputs(const demand& d, const node_view& n) {
    for (int k = d.index; k < n.output_count(); ++k)
        if (n.has_output(k)) return "output " + std::to_string(k) + " is used, which it does not produce";
    return {};
}
std::string refuse_shapes(const node_view& n) {
    if (!n.has_input(1) || n.input(0).dims == n.input(1).dims) return {};
    const shape& y = n.output(0).dims;
    return y == n.input(0).dims || y == n.input(1).dims ? "" : "both its operands are broadcast, not one";
}
}  // namespace

std::string text_of(const demand& d) {
    const std::string input = input_name(d.index);
    switch (d.requirement) {
        case demand::kind::nothing: return {};
        case demand::kind::constant: return input + " constant";
        case demand::kind::known: return input + " known";
        case demand::kind::no_input: return "no " + input;
        case demand::kind::no_output: return "no output " + std::to_string(d.index);
        case demand::kind::integer: return std::string(d.name) + " " + range_text(d.least, d.most);
        case demand::kind::text: return std::string(d.name) + " " + std::string(d.texts);
        case demand::kind::input_count: return range_text(d.least, d.most) + " inputs";
        case demand::kind::input_rank: return input + " of rank " + range_text(d.least, d.most);
        case demand::kind::result_rank: return "a result of rank " + range_text(d.least, d.most);
        case demand::kind::no_counted_padding: return "padding not counted";
        case demand::kind::one_broadcasts: return "one input broadcast";
        case demand::kind::last_axis: return "the last axis";
        case demand::kind::first_axes: return "not along the first " + std::to_string(d.least) + " axes";
        case demand::kind::values: return input + " of " + range_text(d.least, d.most);
        case demand::kind::one_order: return "no images of several channels and pixels";
        case demand::kind::positive_real: return std::string(d.name) + " above zero";
    }
    return {};
}
std::string refusal_by(const demand& d, const node_view& n) {
    const int k = d.index;
    switch (d.requirement) {
        case demand::kind::nothing: return {};
        case demand::kind::constant:
            return !n.has_input(k) || n.is_constant(k) ? "" : input_name(k) + " has to be a constant";
        case demand::kind::known:
            return !n.has_input(k) || n.input(k).kind != contents::none ? "" : input_name(k) + " has to be known";
        case demand::kind::no_input: return n.has_input(k) ? "it takes no " + input_name(k) : "";
        case demand::kind::no_output: return refuse_outputs(d, n);
        case demand::kind::integer: return refuse_integer(d, n);
        case demand::kind::text: return refuse_text(d, n);
        case demand::kind::input_count:
            return n.input_count() >= d.least && n.input_count() <= d.most
                       ? ""
                       : "it has " + std::to_string(n.input_count()) + " inputs; " + range_text(d.least, d.most) +
                             " are taken";
        case demand::kind::input_rank: return n.has_input(k) ? refuse_rank(d, input_name(k), n.input(k).dims.rank) : "";
        case demand::kind::result_rank: return refuse_rank(d, "its result", n.output(0).dims.rank);
        case demand::kind::no_counted_padding: return refuse_counted_padding(n);
        case demand::kind::one_broadcasts: return refuse_shapes(n);
        case demand::kind::last_axis:
        case demand::kind::first_axes: return refuse_axes(d, n);
        case demand::kind::values: return refuse_values(d, n);
        case demand::kind::one_order:
            for (const shape* s : {&n.input(0).dims, &n.output(0).dims})
                if (s->rank == 4 && !layouts_coincide(*s))
                    return to_string(*s) + " is not only renamed where channels come last";
            return {};
        case demand::kind::positive_real: return n.real(d.name, 1) > 0 ? "" : quoted(d.name) + " has to be above zero";
    }
    return {};
}
}  // namespace v1
}  // namespace inlay
