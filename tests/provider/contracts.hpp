// Whether a capability table says of a provider what its library says.
#pragma once
#include "operator_cases.hpp"
#include <contract/contract.hpp>
#include <set>

namespace inlay::testing {
// Nodes that the other provider has, or the plan folded, have no owner here.
inline std::vector<std::string> nodes_on(const plan_report& r, std::string_view provider) {
    std::vector<std::string> ops;
    for (const auto& l : r.nodes)
        if (l.provider == provider) ops.push_back(l.op);
    return ops;
}
inline std::string reasons_of(const plan_report& r, std::string_view provider) {
    std::string reasons;
    for (const auto& l : r.nodes)
        for (const auto& a : l.answers)
            if (a.provider == provider) reasons += (reasons.empty() ? "" : "; ") + l.op + ": " + a.text;
    return reasons;
}
inline plan_report contract_plan(const provider_contract& c, const model& m, const option_list& options) {
    session_options o = quiet();
    o.plan_only = true;
    auto handle = contract_factory_of(c, "it is planned for").make(options);
    return handle_session(m, {std::move(handle).value_or_raise(), make_handle(cpu{.threads = 1})}, o).plan();
}
// Those of ONNX's operators that engines have cases of; and element-wise ones of types that few engines have.
inline std::vector<std::string> contract_cases() {
    std::vector<std::string> cases;
    for (const operator_case& c : operator_cases)
        cases.push_back("<ir_version: 8, opset_import: [\"\" : " + std::string(c.version) + "]> g (float" +
                        to_string(c.x) + " x) => (" + (c.op.starts_with("Arg") ? "int64" : "float") + " y) " + c.graph);
    for (const std::string type : {"double", "float16", "int64", "int32", "uint8"})
        for (const std::string node :
             {"Add (x, x)", "MatMul (x, x)", "Relu (x)", "Transpose (x)", "Concat <axis = 0> (x)"})
            if (!(type == "uint8" && (node[0] == 'M' || node[0] == 'R')))
                cases.push_back("g (" + type + "[2,2] x) => (" + type + "[2,2] y) { y = " + node + " }");
    return cases;
}
template <provider P> void check_names(const provider_contract& c) {
    CHECK(c.name == P::name);
    CHECK(names_provider(c.short_name, short_name_of<P>().empty() ? P::name : short_name_of<P>()));
}
// The capability table has each option of the provider, and may have others of ONNX Runtime's.
template <provider P> void check_options_covered(const provider_contract& c, const P& p) {
    const auto schema = c.options();
    for (const auto& option : options_of(p)) {
        CAPTURE(option.first);
        CHECK(std::ranges::find(schema, option.first, &contract_option::name) != schema.end());
    }
}
// by_processor: part of the library's reasons that are the processor's, which no table has.
template <provider P>
void check_same_nodes(const provider_contract& c, const P& p, const option_list& options = {},
                      std::string_view by_processor = "?") {
    check_names<P>(c);
    for (const std::string& text : contract_cases()) {
        INFO(text);
        const model m = model_of(text, {.optimize = false});
        const plan_report real = session{m, quiet(), p, cpu{.threads = 1}}.plan();
        const plan_report planned = contract_plan(c, m, options);
        if (has_text(reasons_of(real, P::name), by_processor)) continue;
        INFO("the library: " << reasons_of(real, P::name));
        INFO("the contract: " << reasons_of(planned, P::name));
        CHECK(nodes_on(planned, P::name) == nodes_on(real, P::name));
    }
}
template <provider P>
void check_contract(const provider_contract& c, const P& p, const option_list& options = {},
                    std::string_view by_processor = "?") {
    option_list schema;
    for (const contract_option& o : c.options()) schema.emplace_back(o.name, o.initial);
    CHECK(schema == options_of(P{}));
    check_same_nodes(c, p, options, by_processor);
}
// The capability table is of the vendor's pages, which have more than the provider hands over: it takes each node that
// the provider takes and has each of its options; never_handed_over: the operators of the cases that it takes some of,
// and the provider none.
template <provider P>
void check_contract_covers(const provider_contract& c, const P& p, const std::set<std::string>& never_handed_over) {
    check_names<P>(c);
    check_options_covered(c, p);
    std::multiset<std::string> handed_over, listed;
    for (const std::string& text : contract_cases()) {
        INFO(text);
        const model m = model_of(text, {.optimize = false});
        const plan_report planned = contract_plan(c, m, {});
        INFO("the contract: " << reasons_of(planned, P::name));
        const auto real_nodes = nodes_on(session{m, quiet(), p, cpu{.threads = 1}}.plan(), P::name),
                   planned_nodes = nodes_on(planned, P::name);
        for (const std::string& op : real_nodes)
            CHECK(std::ranges::count(real_nodes, op) <= std::ranges::count(planned_nodes, op));
        handed_over.insert(real_nodes.begin(), real_nodes.end());
        listed.insert(planned_nodes.begin(), planned_nodes.end());
    }
    CHECK(handed_over.size() > 40);
    std::set<std::string> never;
    for (const std::string& op : listed)
        if (!handed_over.contains(op)) never.insert(op);
    CHECK(never == never_handed_over);
}
}  // namespace inlay::testing
