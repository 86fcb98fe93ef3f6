// Regions that engines compiled, kept in a model file as its EPContext nodes (docs/how-to/contexts.md).
#pragma once
#include "erased_providers.hpp"
#include <functional>

namespace inlay {
inline namespace v1 {
// What a saved region depends on: names and values, in the order in which they are reported.
using saved_key = std::vector<std::pair<std::string, std::string>>;

// Attributes of ONNX Runtime's EPContext that are fields of the key: identity()'s "library" and "device".
inline constexpr std::string_view library_field = "ep_sdk_version", device_field = "hardware_architecture";

constexpr bool stands_for_saved_region(const node& n) { return n.op == "EPContext" && n.domain == "com.microsoft"; }

// Raises unsupported_model, for callers that cannot use saved regions.
void require_no_saved_regions(const graph_data&);

struct saved_region {             // an EPContext node
    std::string name;             // partition_name: that of the node, too
    std::string source;           // the provider
    std::string problem;          // not empty: where it contradicts the file or itself
    saved_key key;                // what it was compiled with
    std::string graph, weights;   // hashes of what it was compiled from
    std::string inputs, outputs;  // types and shapes
    std::string size, checksum;   // of the bytes
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> keep;  // of the bytes

    std::string damage(std::string_view checksum_of_bytes) const;  // empty: none
    // From what a graph gives it, in types and shapes; empty: none.
    std::string difference_of_ports(const graph_view&, std::span<const int> inputs, std::span<const int> outputs) const;
};
struct saved_target {  // what one session compiled: all regions of one plan
    std::vector<saved_region> regions;
    int find(const node_view&) const;  // the region that the node represents; -1: none
};
struct saved_regions {  // of a file
    static constexpr int original = -1;
    std::vector<saved_target> targets;
    bool has_original = false;       // the graph before regions were taken out
    int shown = 0;                   // the target whose graph the model has, or `original`
    std::function<model(int)> load;  // the model with the graph of another target, or the original

    static const std::shared_ptr<const saved_regions>& of(const model& m) { return m.saved(); }  // null: it has none
};

// "`ep_sdk_version` is `2026.4` in the file and `2027.1` here"; empty: both are the same.
std::string difference(const saved_key& in_file, const saved_key& in_session);
saved_key key_of(const engine&, const option_list&);
std::string ports_text(const graph_view&, std::span<const int> values);  // as saved_region::inputs: float[1,3],int64[]
// engine::restore(), whose error includes the provider's name.
result<std::shared_ptr<const compiled_region>> restored_by(engine&, std::string_view provider, const region&,
                                                           std::span<const std::byte>);

// The regions of one target, in a session whose graph has them as nodes.
struct restored_target {
    std::shared_ptr<const saved_regions> file;
    int target = 0;
    std::vector<int> providers;  // by region

    int find(const node_view& n) const { return file->targets[std::size_t(target)].find(n); }
    const saved_region& region(int k) const { return file->targets[std::size_t(target)].regions[std::size_t(k)]; }
    // Removes nodes that represent regions from the list: they go to the answer of their provider and are refused to
    // others.
    void propose(int provider, const graph_view&, std::vector<int>& nodes, proposals&) const;
};
struct restore_failure : error {  // thrown where a saved region cannot be used after all
    explicit restore_failure(error cause) : error(std::move(cause)) {}
};

// How a session handles a model whose file has saved regions.
struct chosen_graph {
    inlay::model model;
    std::shared_ptr<const restored_target> restored;  // null: all is compiled
    std::vector<std::string> notes;
};
// Opens engines that the file names; provider_handle::opened keeps them. Raises an error where no target fits and the
// policy is to refuse, or the file has no original.
chosen_graph choose_graph(const inlay::model&, const std::shared_ptr<const saved_regions>&,
                          std::vector<provider_handle>&, const session_options&);
// After restore() failed: the original, or the error.
chosen_graph original_graph(const saved_regions&, const error& cause, const session_options&);

// For the file's writer.
struct region_to_save {
    std::string source;
    std::vector<int> nodes, inputs, outputs;
    std::string bytes;
    saved_key key;
};
}  // namespace v1
}  // namespace inlay
