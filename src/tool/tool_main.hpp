// The command-line program `inlay`, for its main() and for the Python package, which includes it too.
#pragma once

namespace inlay::tool {
int tool_main(int count, char** words);  // as main(): words[0] is the program, and count > 0
}  // namespace inlay::tool
