// Which of the compiled regions in a file match a session, field by field, and what the session does where none match.
#include "saved_regions.hpp"
#include "support/content_hash.hpp"

namespace inlay {
inline namespace v1 {
namespace {
std::string differs(std::string_view field, std::string_view in_file, std::string_view in_session) {
    return "`" + std::string(field) + "` is `" + std::string(in_file) + "` in the file and `" +
           std::string(in_session) + "` here";
}
std::string_view type_name(const provider_handle& h) {  // without the number of the device
    return std::string_view(h.name).substr(0, h.name.find(':'));
}
void add(std::string& to, const std::string& text) { to += (to.empty() ? "" : "; ") + text; }

// Finds, for a region of a file, the provider of the list that compiled it, or what differs.
class matcher {
    std::vector<provider_handle>& handles_;
    // By address and size: many nodes may name one file.
    std::map<std::pair<const std::byte*, std::size_t>, std::string> checksums_{};

    std::string damage_of(const saved_region& r) {
        std::string& hash = checksums_[{r.bytes.data(), r.bytes.size()}];
        if (hash.empty()) hash = content_hash::hex(content_hash::of(r.bytes));
        return r.damage(hash);
    }
    // Opens the provider's engine, which the session then owns.
    std::string problem_of(provider_handle& h, const saved_region& r) const {
        if (!h.open_engine) return h.name + " has no engine here";
        if (!h.plan_only.empty()) return h.name + " cannot be used: " + std::string(h.plan_only);
        if (!h.existing_engine) {
            auto backend = h.open_engine(h.object.get());
            if (!backend) return h.name + " cannot be used: " + backend.why().text;
            h.existing_engine = std::move(*backend);
        }
        return difference(r.key, key_of(*h.existing_engine, h.options(h.object.get())));
    }

  public:
    explicit matcher(std::vector<provider_handle>& handles) : handles_(handles) {}
    int find(const saved_region& r, std::string& reasons) {  // -1: none, and the reason
        std::string problems;
        if (std::string damage = damage_of(r); !damage.empty())
            problems = std::move(damage);
        else {
            for (std::size_t i = 0; i < handles_.size(); ++i) {
                if (type_name(handles_[i]) != r.source) continue;
                const std::string problem = problem_of(handles_[i], r);
                if (problem.empty()) return int(i);
                add(problems, problem);
            }
            if (problems.empty()) problems = "its `source`, " + r.source + ", is not in the list of providers";
        }
        add(reasons, "`" + r.name + "`: " + problems);
        return -1;
    }
};
}  // namespace

void require_no_saved_regions(const graph_data& g) {
    for (const node& n : g.nodes)
        if (stands_for_saved_region(n))
            raise(
                {error_code::unsupported_model, "`" + std::string(n.name) +
                                                    "` (EPContext) is what an engine compiled, for sessions; take the "
                                                    "model that it was compiled from"});
}
std::string saved_region::damage(std::string_view checksum_of_bytes) const {
    if (!problem.empty()) return problem;
    if (const std::string actual_size = std::to_string(bytes.size()); actual_size != size)
        return differs("size", size, actual_size);
    return checksum_of_bytes == checksum ? "" : differs("checksum", checksum, checksum_of_bytes);
}
std::string difference(const saved_key& in_file, const saved_key& in_session) {
    std::string differences;
    for (const auto& [name, value] : in_session) {
        const auto at = std::ranges::find(in_file, name, &saved_key::value_type::first);
        if (at == in_file.end())
            add(differences, "`" + name + "` is not in the file, and `" + value + "` here");
        else if (at->second != value)
            add(differences, differs(name, at->second, value));
    }
    for (const auto& [name, value] : in_file)
        if (std::ranges::find(in_session, name, &saved_key::value_type::first) == in_session.end())
            add(differences, "`" + name + "` is `" + value + "` in the file, and nothing here");
    return differences;
}
saved_key key_of(const engine& e, const option_list& options) {
    saved_key key{{"version", INLAY_VERSION}, {std::string(library_field), ""}, {std::string(device_field), ""}};
    for (const auto& [name, value] : e.identity())
        if (name == "library")
            key[1].second = value;
        else if (name == "device")
            key[2].second = value;
        else
            key.emplace_back("identity " + name, value);
    for (const auto& [name, value] : options) {
        const std::string identity_name = "identity option " + name;  // the engine's own value for the option
        if (std::ranges::find(key, identity_name, &saved_key::value_type::first) == key.end())
            key.emplace_back("option " + name, value);
    }
    return key;
}
std::string ports_text(const graph_view& g, std::span<const int> values) {
    std::string text;
    for (const int id : values) {
        const value_type t = g.type_of(id);
        text += (text.empty() ? "" : " ") + to_string(t) + (t.is_tensor() ? to_string(t.shape) : "");
    }
    return text;
}
std::string saved_region::difference_of_ports(const graph_view& g, std::span<const int> reads,
                                              std::span<const int> makes) const {
    const std::string inputs_here = ports_text(g, reads), outputs_here = ports_text(g, makes);
    return inputs_here != inputs     ? differs("inputs", inputs, inputs_here)
           : outputs_here != outputs ? differs("outputs", outputs, outputs_here)
                                     : "";
}
result<std::shared_ptr<const compiled_region>> restored_by(engine& e, std::string_view provider, const region& r,
                                                           std::span<const std::byte> bytes) {
    auto outcome = e.restore(r, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (outcome && *outcome) return outcome;
    return error(error_code::provider_failed, std::string(provider) + " cannot restore it" +
                                                  (outcome ? ", and gave no reason" : ": " + outcome.why().text));
}
int saved_target::find(const node_view& n) const {
    if (!stands_for_saved_region(n.record)) return -1;
    const auto at = std::ranges::find(regions, n.text("partition_name", ""), &saved_region::name);
    return at == regions.end() ? -1 : int(at - regions.begin());
}
void restored_target::propose(int provider, const graph_view& g, std::vector<int>& nodes, proposals& answer) const {
    std::erase_if(nodes, [&](int i) {
        const int k = find({g, g.nodes[std::size_t(i)]});
        if (k < 0) return false;
        if (providers[std::size_t(k)] == provider)
            answer.take({i});
        else
            answer.refuse(i, "it was compiled by " + region(k).source);
        return true;
    });
}

chosen_graph choose_graph(const inlay::model& m, const std::shared_ptr<const saved_regions>& file,
                          std::vector<provider_handle>& handles, const session_options& o) {
    matcher match(handles);
    std::string reasons;
    for (std::size_t t = 0; t < file->targets.size(); ++t) {
        const saved_target& target = file->targets[t];
        auto restored = std::make_shared<restored_target>();
        restored->file = file;
        restored->target = int(t);
        std::string problems;
        for (std::size_t k = 0; k < target.regions.size() && problems.empty(); ++k)
            restored->providers.push_back(match.find(target.regions[k], problems));
        if (problems.empty()) return {int(t) == file->shown ? m : file->load(int(t)), std::move(restored), {}};
        add(reasons, file->targets.size() > 1 ? "target " + std::to_string(t) + ": " + problems : problems);
    }
    return original_graph(*file, {error_code::unsupported_model, reasons}, o);
}
chosen_graph original_graph(const saved_regions& file, const error& cause, const session_options& o) {
    error e = cause;
    e.text = "inlay: what the model's file has compiled cannot be used: " + cause.text;
    if (o.contexts == context_policy::refuse) {
        e.hint = "write the file again, or set session_options::contexts to context_policy::recompile";
        raise(std::move(e));
    }
    if (!file.has_original) {
        e.text += "; and it has no original graph to compile";
        raise(std::move(e));
    }
    return {file.load(saved_regions::original), nullptr, {e.text.substr(7) + "; it is compiled again"}};
}
}  // namespace v1
}  // namespace inlay
