#include "contract.hpp"

namespace inlay {
inline namespace v1 {
std::vector<lowering::table_row> table_of(const provider_contract& c) {
    if (c.rules) return lowering::table_of(*c.rules);
    std::vector<lowering::table_row> rows;
    for (const capability& row : c.operators) {
        std::vector<std::string> requirements;
        for (const demand& d : row.demands)
            if (std::string text = text_of(d); !text.empty()) requirements.push_back(std::move(text));
        rows.push_back({std::string(row.operators), row.types, row.codes, row.least_rank, row.most_rank,
                        std::move(requirements), std::string(row.since)});
    }
    return rows;
}
}  // namespace v1
}  // namespace inlay
