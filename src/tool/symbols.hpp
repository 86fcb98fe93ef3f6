// The values of --shape: shapes of inputs, and sizes of the symbols in them.
#pragma once
#include "common.hpp"

namespace inlay::tool {
// --set, which was --shape of symbols: it still is read, and no help shows it.
void add_old_set_option(command&, std::vector<std::string>& texts);
// Every combination of the ranges, the first symbol's sizes last to change; one where there is no range. Bad usage:
// anything but a size, and a name of neither an input nor a symbol of one.
std::vector<given_shapes> each_of_shapes(const std::vector<std::string>& texts, const model&);
// By symbol, including those in given shapes of inputs; for a dimension without a name by `input[axis]`.
symbol_sizes sizes_of(const given_shapes&, const model&);
std::string text_of_sizes(const symbol_sizes&);  // N=8,T=16
std::vector<std::string> joined(std::vector<std::string> texts, const std::vector<std::string>& additions);
}  // namespace inlay::tool
