// The capability table of a provider: what it supports, in which memory it computes and how long that takes, by version
// of its SDK. Programs plan with it without library or device. Each package has one, src/provider/<name>/contract.hpp.
#pragma once
#include <inlay/any_session.hpp>
#include <array>
#include <lowering/rules.hpp>

namespace inlay {
inline namespace v1 {
// What a row of the table requires of a node besides its types and its rank.
struct demand {
    enum class kind : std::uint8_t {
        nothing,
        constant,        // input `index` is a constant, where it is present
        known,           // the same, and its elements are known while planning
        no_input,        // there is no input `index`
        no_output,       // nothing uses output `index`
        integer,         // the attribute's integers are from `least` to `most`
        text,            // the attribute is one of `texts`
        input_count,     // there are `least` to `most` inputs
        input_rank,      // input `index` has `least` to `most` dimensions, where it is present
        result_rank,     // output 0 has `least` to `most` dimensions
        one_broadcasts,  // one of two inputs has the result's shape
        last_axis,       // `axis` is the last one
        first_axes,      // nothing is done along the first `least` axes: of Resize and Pad, whose results keep their
                         // sizes
        values,          // input `index` is known, and its integers are from `least` to `most`
        one_order,       // its elements have the same order whether channels come first or last, and the result's too
        positive_real    // the attribute is above zero
    };
    kind requirement = kind::nothing;
    int index = 0;
    std::string_view name{};  // of the attribute
    std::int64_t least = 0, most = 0;
    std::string_view texts{};  // separated by blanks; the first is ONNX's default
};
namespace demands {
constexpr demand constant(int input) { return {demand::kind::constant, input}; }
constexpr demand known(int input) { return {demand::kind::known, input}; }
constexpr demand no_input(int k) { return {demand::kind::no_input, k}; }
constexpr demand no_output(int k) { return {demand::kind::no_output, k}; }
constexpr demand integer(std::string_view name, std::int64_t least, std::int64_t most) {
    return {demand::kind::integer, 0, name, least, most};
}
constexpr demand equal(std::string_view name, std::int64_t value) { return integer(name, value, value); }
// of: first ONNX's default for an absent attribute; a `-` there says that the default is not supported.
constexpr demand text(std::string_view name, std::string_view of) { return {demand::kind::text, 0, name, 0, 0, of}; }
constexpr demand inputs(int least, int most) { return {demand::kind::input_count, 0, {}, least, most}; }
constexpr demand rank(int input, int least, int most) { return {demand::kind::input_rank, input, {}, least, most}; }
constexpr demand result_rank(int least, int most) { return {demand::kind::result_rank, 0, {}, least, most}; }
constexpr demand one_broadcasts() { return {demand::kind::one_broadcasts}; }
constexpr demand last_axis() { return {demand::kind::last_axis}; }
constexpr demand first_axes(int count) { return {demand::kind::first_axes, 0, {}, count}; }
constexpr demand values(int input, std::int64_t least, std::int64_t most) {
    return {demand::kind::values, input, {}, least, most};
}
constexpr demand one_order() { return {demand::kind::one_order}; }
constexpr demand positive(std::string_view name) { return {demand::kind::positive_real, 0, name}; }
}  // namespace demands

// A row: these operators, of these types and ranks. A node is supported if one row supports it.
struct capability {
    std::string_view operators;  // separated by blanks; of other domains than ai.onnx: com.microsoft:Gelu
    element_set types{};         // of the data: the first input, or the second where the first is a condition
    // Integers of 8 or 16 bits: the node is between a DequantizeLinear and a QuantizeLinear of these types.
    element_set codes{};
    int least_rank = 0, most_rank = max_rank;  // of the same input
    std::array<demand, 6> demands{};
    std::string_view since{};  // the first version of the SDK that has it; empty: all
};

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

// Empty: the table's provider supports the node, with that version of its SDK. Shapes are known.
class contract_reader {
    const provider_contract& contract_;
    std::size_t version_;
    const graph_view& graph_;
    std::vector<int> makers_;                // by value: the node that produces it, or -1
    std::vector<std::vector<int>> readers_;  // by value

    bool decoded(int value, element_set codes) const;
    bool encoded(int value, element_set codes) const;
    bool between_codes(const node_view&, element_set codes) const;
    std::string refusal_by(const capability&, const node_view&, int& progress) const;
    std::string product() const;  // the SDK and its version

  public:
    contract_reader(const provider_contract&, std::size_t version, const graph_view&);
    std::string refusal(int node) const;
};
// The table for people: the rows, or what the rules say of each operator.
std::vector<lowering::table_row> table_of(const provider_contract&);
std::string refusal_by(const demand&, const node_view&);  // empty: it is met
std::string text_of(const demand&);                       // "input 1 constant"

// The provider by name, for planning only: `reason` is the reason why it cannot be run, and lives as long as the
// program. Its options are the table's, and sdk_version.
provider_factory contract_factory_of(const provider_contract&, std::string_view reason);

// How long a run of the plan would take, in seconds, by the tables of its providers, which all have one. Fills in
// plan_report::step::predicted; it leaves control flow out. shapes: those that the plan was computed for.
double predict(plan_report&, const model&, std::span<const shape> shapes);
}  // namespace v1
}  // namespace inlay
