// The capability table of a provider: what it supports, in which memory it computes and how long that takes, by version
// of its SDK. Programs plan with it without library or device. Each package has one, src/provider/<name>/contract.hpp.
#pragma once
#include <inlay/any_session.hpp>
#include <array>
#include <lowering/capability.hpp>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
struct contract_option {
    std::string name, initial;
    std::string values;  // "integer", "flag", "text", or the values, separated by blanks
};
template <class P> std::vector<contract_option> contract_options_of() {  // of a provider's struct
    std::vector<contract_option> options;
    boost::hana::for_each(boost::hana::accessors<P>(), [&](auto member) {
        using type = std::remove_cvref_t<decltype(boost::hana::second(member)(std::declval<const P&>()))>;
        options.push_back({boost::hana::to<const char*>(boost::hana::first(member)),
                           to_text(boost::hana::second(member)(P{})),
                           std::same_as<type, bool> ? "flag"
                           : std::integral<type>    ? "integer"
                                                    : "text"});
    });
    return options;
}

struct contract_memory {
    std::string_view space = "host";
    int alignment = 64;  // of arguments, in bytes
};
// Of one device, which `device` names. Rates are what networks reach, not what a data sheet promises.
struct cost_parameters {
    std::string_view device;
    double f32, f16, codes;     // multiplications and additions per second, in float32, in 16 and in 8 bits
    double memory;              // bytes per second
    double node, region;        // seconds to start one
    double link = 0, copy = 0;  // between the host and its memory: bytes per second, and seconds to start a copy
};

struct provider_contract {
    std::string_view name, short_name;
    std::string_view sdk;                        // the product that the versions belong to
    std::span<const std::string_view> versions;  // ascending; the last one is the default
    std::string_view source;                     // the source of the table
    contract_memory memory;
    // Null: the options of the provider's own type, which every build has.
    std::vector<contract_option> (*options)() = nullptr;
    // The rules that the provider's own code checks nodes by; or the rows of a table; none: its kernels answer, which
    // every build has.
    const lowering::rule_set* rules = nullptr;
    std::span<const capability> operators{};
    tensor_demands tensors{};  // of all rows
    cost_parameters costs;
    // Takes whole models or nothing: all nodes that are left, whatever they are.
    bool whole_models = false;
    // As its type declares, from which provider_contracts() fills it in.
    provider_status status = provider_status::preview;
    provider_check checked_on = provider_check::unstated;
};
template <provider P> constexpr provider_contract contract_of(provider_contract c) {  // with what its type says of it
    c.status = status_of<P>();
    c.checked_on = check_of<P>();
    return c;
}

// Of all packages of the source tree, in the order of their names.
std::span<const provider_contract* const> provider_contracts();
const provider_contract* find_contract(std::string_view provider);  // by either name; of a device too: NAME:1

// The rows as they are queried about nodes.
inline capability_table capabilities_of(const provider_contract& c, std::size_t version) {
    const std::string_view text = c.versions[version];
    return {std::string(c.sdk) + " " + std::string(text), std::string(text), c.operators, c.tensors};
}
// The table for people: the rows, or what the rules say of each operator.
std::vector<lowering::table_row> table_of(const provider_contract&);

// The provider by name, for planning only: `reason` is the reason why it cannot be run, and lives as long as the
// program. Its options are the table's, and sdk_version.
provider_factory contract_factory_of(const provider_contract&, std::string_view reason);

// How long a run of the plan would take, in seconds, by the tables of its providers, which all have one. Fills in
// plan_report::step::predicted; it leaves control flow out. shapes: those that the plan was computed for.
double predict(plan_report&, const model&, std::span<const shape> shapes);
}  // namespace v1
}  // namespace inlay
