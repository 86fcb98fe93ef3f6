// inlay operators: the operators that providers have kernels for, with versions and element types; for engines, their
// capability tables.
#include "common.hpp"
#include "contract/contract.hpp"
#include <map>

namespace inlay::tool {
namespace {
struct operators_arguments {  // no --providers: those whose kernels every build has
    session_arguments session;
    bool as_json = false;
};
struct kernels_of_operator {
    version_range versions;
    element_set types;  // of the first type constraint
};
// Of one provider, by operator ("ai.onnx Relu") and kernel device ("cpu").
using operator_table = std::map<std::string, std::map<std::string, kernels_of_operator>>;

operator_table operators_of(const provider_handle& h) {
    operator_table rows;
    if (!h.kernels) return rows;
    for (const entry& e : h.kernels->entries) {
        const std::string domain(e.domain.empty() ? "ai.onnx" : e.domain);
        const auto [at, added] = rows[domain + " " + std::string(e.name)].try_emplace(std::string(e.device_name));
        kernels_of_operator& k = at->second;
        k.versions = added ? e.versions
                           : version_range{std::min(k.versions.since, e.versions.since),
                                           std::max(k.versions.through, e.versions.through)};
        k.types.bits |= e.elements[0].bits;
    }
    return rows;
}
std::vector<std::string_view> names_of(element_set types) {
    std::vector<std::string_view> names;
    for (int k = 0; k < element_count; ++k)
        if (types.has(element(k))) names.push_back(name_of(element(k)));
    return names;
}
json to_json(const operator_table& operators) {
    json list = json::array();
    for (const auto& [op, devices] : operators) {
        json kernels = json::array();
        for (const auto& [device, k] : devices)
            kernels.push_back({{"device", device},
                               {"since", k.versions.since},
                               {"through", k.versions.through},
                               {"types", names_of(k.types)}});
        const std::size_t space = op.find(' ');
        list.push_back({{"domain", op.substr(0, space)}, {"name", op.substr(space + 1)}, {"kernels", kernels}});
    }
    return list;
}
json to_json(const provider_contract& c) {
    json rows = json::array();
    for (const lowering::table_row& row : table_of(c))
        rows.push_back({{"operators", row.operators},
                        {"types", names_of(row.types)},
                        {"codes", names_of(row.quantized)},
                        {"least_rank", row.least_rank},
                        {"most_rank", row.most_rank},
                        {"demands", row.demands},
                        {"since", row.since}});
    return {{"sdk", c.sdk},
            {"versions", std::vector<std::string_view>(c.versions.begin(), c.versions.end())},
            {"source", c.source},
            {"memory", c.memory.space},
            {"alignment", c.memory.alignment},
            {"costs_of", c.costs.device},
            {"table", rows}};
}
void print_contract(const provider_contract& c) {
    fmt::print("  by the contract of {} {}, from {}; in the memory `{}`, aligned to {} bytes\n", c.sdk,
               c.versions.back(), c.source, c.memory.space, c.memory.alignment);
    if (c.whole_models) fmt::print("  whole models\n");
    for (const lowering::table_row& row : table_of(c)) {
        std::string types = fmt::format("{}", fmt::join(names_of(row.types), ", "));
        if (row.quantized.bits)
            types += fmt::format("{}codes {}", types.empty() ? "" : ", ", fmt::join(names_of(row.quantized), ", "));
        if (row.least_rank > 0 || row.most_rank < max_rank)
            types += fmt::format("; {} to {} dimensions", row.least_rank, row.most_rank);
        for (const std::string& d : row.demands) types += "; " + d;
        if (!row.since.empty()) types += fmt::format("; since {}", row.since);
        fmt::print("  {}\n      {}\n", row.operators, types);
    }
}
int operators(const operators_arguments& a) {
    options_from(a.session);  // refuses a bad --fallback
    const auto handles = or_exit(exit_status::bad_input, [&] {
        return provider_handles(provider_list(a.session.providers.empty() ? "cpu,reference" : a.session.providers));
    });
    json report{{"schema", "inlay.operators"}, {"version", 1}, {"providers", json::array()}};
    for (const provider_handle& h : handles) {
        const operator_table rows = operators_of(h);
        const provider_contract* const contract = h.kernels ? nullptr : find_contract(h.name);
        report["providers"].push_back(
            {{"name", h.name}, {"has_engine", h.kernels == nullptr}, {"operators", to_json(rows)}});
        if (contract) report["providers"].back()["contract"] = to_json(*contract);
        if (a.as_json || a.session.quiet) continue;
        fmt::print("{}: {}\n", h.name,
                   h.kernels ? std::to_string(rows.size()) + " operators"
                             : "its library decides, node by node: inlay plan MODEL shows what it supports");
        if (contract) print_contract(*contract);
        for (const auto& [op, devices] : rows)
            for (const auto& [device, k] : devices)
                fmt::print("  {:<44} {:<10} {:>2}-{:<2} {}\n", op, device, k.versions.since, k.versions.through,
                           fmt::join(names_of(k.types), ", "));
    }
    if (a.as_json) print(report);
    return exit_status::done;
}
}  // namespace

void add_operators(command& app, action& task) {
    auto a = std::make_shared<operators_arguments>();
    command c = app.add_command("operators",
                                "List the operators that providers have kernels for, with versions and element types");
    add_json(c, a->as_json);
    add_session_arguments(c, a->session);
    choose(c, task, operators, a);
}
}  // namespace inlay::tool
