// What the program says where it is given no command. The end of every command's help is add_manual's, in
// common.hpp.
#pragma once
#include <string>

namespace inlay::tool {
std::string first_steps();
}  // namespace inlay::tool
