// What inlay inspect shows beyond the file's own contents.
#pragma once
#include "common.hpp"

namespace inlay::tool {
struct free_dimension {  // name: empty where the model gives none
    std::string input, name;
    int axis;
};
std::vector<free_dimension> free_dimensions(const model&);

// The demands of a run with these shapes.
struct demand {
    std::vector<std::pair<std::string_view, shape>> shapes;
    std::optional<double> flop;  // multiplications and additions of matmuls, convolutions, recurrences and attention
    std::optional<memory_report> memory;
    std::map<std::string, int> nodes;  // by provider
    std::string no_flop, no_plan;      // why not
    std::int64_t peak_bytes() const {
        return memory ? memory->arena_bytes() + memory->scratch_bytes + memory->constant_bytes + memory->packed_bytes
                      : 0;
    }
};
demand demand_of(const model&, const given_shapes&, const session_arguments&);

bool has_node(const model&, const std::string& name);
json node_json(const model&, const std::string& name);
void show_node(const model&, const std::string& name);
}  // namespace inlay::tool
