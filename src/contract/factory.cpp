// Capability tables as providers that a program plans for and cannot run.
#include "contract.hpp"
#include <algorithm>
#include <deque>
#include <lowering/proposing.hpp>
#include <lowering/region_lowering.hpp>
#include <mutex>

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::string_view version_option = "sdk_version";

struct chosen_contract {
    const provider_contract& contract;
    option_list options;
    std::string reason{};

    std::size_t version() const {
        const auto at = std::ranges::find(contract.versions, std::string_view(options.front().second));
        return std::size_t(at - contract.versions.begin());
    }
    int device() const {
        int number = 0;
        for (const auto& [name, value] : options)
            if (name == "device_id") (void)from_text(value, number);
        return std::max(0, number);
    }
};

class contract_engine final : public engine {
    std::shared_ptr<const chosen_contract> table_;

    // A server takes all nodes, or none.
    static void propose_whole(const free_nodes& free, proposals& out) {
        std::vector<int> nodes;
        for (std::size_t i = 0; i < free.graph.nodes.size(); ++i)
            if (!all_constant(free.graph.values, free.graph.list(free.graph.nodes[i].outputs))) nodes.push_back(int(i));
        const bool whole_model = std::ranges::includes(free.nodes, nodes);
        for (const int i : free.nodes)
            if (!std::ranges::binary_search(nodes, i))
                out.refuse(i, "its results are constants, which a server has already");
            else if (!whole_model)
                out.refuse(i, "it runs whole models, and some node is another provider's or waits for the run");
        if (whole_model && !nodes.empty()) out.take(std::move(nodes));
    }

    // Constants are dequantized before a run, unless a supported node reads the quantized values.
    static void refuse_unread_constants(const free_nodes& free, std::vector<std::string>& refusals) {
        const graph_view& g = free.graph;
        std::vector<char> is_read(g.values.size(), 0);
        for (const int i : free.nodes)
            if (refusals[std::size_t(i)].empty() && !all_constant(g.values, g.list(g.nodes[std::size_t(i)].outputs)))
                for_each_read(g, g.nodes[std::size_t(i)], [&](int v) { is_read[std::size_t(v)] = 1; });
        for (const int i : free.nodes) {
            const std::span<const int> outputs = g.list(g.nodes[std::size_t(i)].outputs);
            const bool has_reader =
                std::ranges::any_of(outputs, [&](int v) { return v >= 0 && is_read[std::size_t(v)]; });
            if (all_constant(g.values, outputs) && !has_reader && refusals[std::size_t(i)].empty())
                refusals[std::size_t(i)] = "its results are constants, and nothing that it runs reads them";
        }
    }

    // As the provider itself proposes, without its library.
    void propose_by_rules(const free_nodes& free, proposals& out) const {
        const lowering::rule_set& rules = *table_->contract.rules;
        const lowering::target aim{&rules, std::string(table_->contract.versions[table_->version()]), rules.images};
        region_ends finder(free.graph);
        lowering::propose_nodes(
            free, rules,
            [&](std::span<const int> nodes, const lowering::byte_nodes& in_bytes) {
                return lowering::refusal_by_rules(free, nodes, in_bytes, aim, finder);
            },
            out);
    }

  public:
    explicit contract_engine(std::shared_ptr<const chosen_contract> c) : table_(std::move(c)) {}
    void propose(const free_nodes& free, proposals& out) override {
        if (table_->contract.whole_models) return propose_whole(free, out);
        if (table_->contract.rules) return propose_by_rules(free, out);
        const capability_reader reader(capabilities_of(table_->contract, table_->version()), free.graph);
        std::vector<std::string> refusals(free.graph.nodes.size(), "it is not free");
        for (const int i : free.nodes)
            refusals[std::size_t(i)] = reader.refusal({free.graph, free.graph.nodes[std::size_t(i)]});
        refuse_unread_constants(free, refusals);
        propose_each(free, out, [&](int i) { return refusals[std::size_t(i)]; });
    }
    result<std::shared_ptr<const compiled_region>> compile(const region&) override {
        return error(error_code::provider_unavailable, table_->reason);
    }
};

// The name and the device of memory that cannot be allocated: one for each table and device.
const space& space_of_contract(const provider_contract& c, int device) {
    if (c.memory.space == space_of<memory::host>.name) return space_of<memory::host>;
    static std::mutex lock;
    static std::deque<std::pair<const provider_contract*, space>> spaces;
    const std::lock_guard guard(lock);
    auto at = std::ranges::find(spaces, &c, &std::pair<const provider_contract*, space>::first);
    if (at == spaces.end()) {
        spaces.emplace_back(
            &c, space{c.memory.space, 0, [](std::size_t, int) noexcept -> void* { return nullptr; },
                      [](void*, int) noexcept {}, [](void*, const void*, std::size_t, int) noexcept { return false; },
                      [](void*, const void*, std::size_t, int) noexcept { return false; }});
        at = spaces.end() - 1;
    }
    return device == 0 ? at->second : space_of_device(at->second, device);
}

std::vector<contract_option> options_of_contract(const provider_contract& c) {
    std::string versions;
    for (const std::string_view v : c.versions) versions += (versions.empty() ? "" : " ") + std::string(v);
    std::vector<contract_option> options{{std::string(version_option), std::string(c.versions.back()), versions}};
    for (contract_option& option : c.options()) options.push_back(std::move(option));
    return options;
}
bool is_value(const contract_option& o, const std::string& text) {
    std::int64_t number = 0;
    bool truth = false;
    if (o.values == "text") return true;
    if (o.values == "integer") return from_text(text, number);
    if (o.values == "flag") return from_text(text, truth);
    const std::string padded = " " + o.values + " ";
    return text.find(' ') == text.npos && padded.find(" " + text + " ") != padded.npos;
}
result<option_list> configured(const provider_contract& c, const option_list& requested) {
    const std::vector<contract_option> contract_options = options_of_contract(c);
    option_list options;
    std::vector<std::string> names;
    for (const contract_option& o : contract_options) {
        options.emplace_back(o.name, o.initial);
        names.push_back(o.name);
    }
    for (const auto& [name, text] : requested) {
        const auto at = std::ranges::find(contract_options, name, &contract_option::name);
        if (at == contract_options.end()) return unknown_option(c.name, name, names);
        if (!is_value(*at, text)) return invalid_option(c.name, name, text);
        bool truth = false;
        options[std::size_t(at - contract_options.begin())].second =
            at->values == "flag" && from_text(text, truth) ? to_text(truth) : text;
    }
    return options;
}

struct contract_and_reason {
    const provider_contract* contract;
    std::string_view reason;
};
provider_handle handle_of(const contract_and_reason& from, option_list options) {
    const provider_contract& c = *from.contract;
    chosen_contract table{c, std::move(options)};
    table.reason = "its contract, " + std::string(c.sdk) + " " + table.options.front().second +
                   ", is all that is here: " + std::string(from.reason);
    auto object = std::make_shared<const chosen_contract>(std::move(table));
    provider_handle h;
    h.name = c.name;
    h.status = c.status;
    h.checked_on = c.checked_on;
    h.device = object->device();
    h.memory_space = &space_of_contract(c, h.device);
    h.type = &c;
    h.accepts = [](const void*, const node_view&) { return yes(); };
    h.options = [](const void* o) { return static_cast<const chosen_contract*>(o)->options; };
    h.open_engine = [](const void* o) -> result<std::shared_ptr<engine>> {
        const auto* const original = static_cast<const chosen_contract*>(o);
        return std::make_shared<contract_engine>(std::make_shared<const chosen_contract>(*original));
    };
    h.plan_only = object->reason;
    h.object = std::move(object);
    return h;
}
}  // namespace

provider_factory contract_factory_of(const provider_contract& c, std::string_view reason) {
    static std::mutex lock;
    static std::deque<contract_and_reason> records;  // factories point into it
    const std::lock_guard guard(lock);
    const contract_and_reason& record = records.emplace_back(contract_and_reason{&c, reason});
    return {c.name,
            c.status,
            [](const void* o) { return *configured(*static_cast<const contract_and_reason*>(o)->contract, {}); },
            [](const void* o, const option_list& options) -> result<provider_handle> {
                const auto& from = *static_cast<const contract_and_reason*>(o);
                auto all_options = configured(*from.contract, options);
                if (!all_options) return all_options.why();
                return handle_of(from, std::move(*all_options));
            },
            reason,
            c.short_name,
            &record,
            c.checked_on};
}

const provider_contract* find_contract(std::string_view provider) {
    const std::string_view name = provider.substr(0, provider.find(':'));
    for (const provider_contract* c : provider_contracts())
        if (names_provider(name, c->name) || names_provider(name, c->short_name)) return c;
    return nullptr;
}
}  // namespace v1
}  // namespace inlay
