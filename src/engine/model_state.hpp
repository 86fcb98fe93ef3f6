// The contents of a model: filled once, by the loader or from a graph in memory, and shared by all its users.
#pragma once
#include "bound_states.hpp"
#include "saved_regions.hpp"
#include <inlay/model.hpp>

namespace inlay {
inline namespace v1 {
struct model::state {
    std::vector<port> inputs, outputs;
    std::map<std::string, std::string> metadata;
    std::int64_t ir_version, model_version;
    std::vector<opset> opsets;
    std::string producer_name, producer_version, domain, doc_string, graph_name;
    graph_data graph;
    graph_view view;
    std::vector<pass_count> log;
    std::vector<std::string> warnings;
    inlay::limits limits;
    std::string file_name;                       // without its folder; empty: not from a file
    std::shared_ptr<const saved_regions> saved;  // null: none
    std::shared_ptr<bound_states> bound = std::make_shared<bound_states>();
};

port port_of(const graph_data& g, int value);  // as the graph declares it: type_text is empty where nothing is known
}  // namespace v1
}  // namespace inlay
