// Sizes of a model's symbolic dimensions, from the command line.
#pragma once
#include "common.hpp"

namespace inlay::tool {
using symbol_sizes = std::map<std::string, std::int64_t>;
// --set NAME=8, as often as wanted; `ranges`: or NAME=1..8.
void add_set_option(command&, std::vector<std::string>& texts, bool ranges = false);
// Every combination, the first symbol's sizes last to change; one, of no sizes, where there is no text. Bad usage: what
// is no size, and symbols that the model's inputs do not have.
std::vector<symbol_sizes> sizes_from(const std::vector<std::string>& texts, const model&, bool ranges = false);
symbol_sizes one_size_each(const std::vector<std::string>& texts, const model&);
std::string text_of_sizes(const symbol_sizes&);  // N=8,T=16
}  // namespace inlay::tool
