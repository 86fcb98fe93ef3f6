// A model's inputs and outputs: found by name, and checked against the values that are fed.
#pragma once
#include <inlay/model.hpp>

namespace inlay {
inline namespace v1 {
std::string names_in(std::span<const port> ports);
// An error where there is none. `likely`: the position to try first, so that a list in order needs no search.
int find_port(std::span<const port> ports, std::string_view name, std::string_view role, std::size_t likely = 0);
// Fixed dimensions must agree with the model's; a symbol must mean one number in all inputs.
class shape_check {
    std::array<std::int64_t, 64> symbol_sizes_;

  public:
    shape_check() { symbol_sizes_.fill(-1); }
    void operator()(const port& p, const shape& dims);
};
// The shapes of all inputs: those given by name, and the model's own. Raises errors.
std::vector<shape> bound_shapes(const class session_core&,
                                std::span<const std::pair<std::string_view, shape>> named_shapes);
void check_value(const port& p, const any_value& v, shape_check& check);  // in any memory space
}  // namespace v1
}  // namespace inlay
