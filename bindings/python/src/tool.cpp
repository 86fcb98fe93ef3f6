#include "tool.hpp"
#ifndef INLAY_TOOL_LACKS
#include "tool/tool_main.hpp"
#endif

namespace inlay::python {
static int run_tool([[maybe_unused]] std::vector<std::string> words) {
#ifdef INLAY_TOOL_LACKS
    throw nb::import_error("inlay: this package was built without the command-line tool, for " INLAY_TOOL_LACKS
                           " was missing; scripts/setup installs it");
#else
    words.insert(words.begin(), "inlay");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const nb::gil_scoped_release released;
    return tool::tool_main(int(words.size()), pointers.data());
#endif
}
void add_tool(nb::module_& m) {
    m.def("run_tool", &run_tool, nb::arg("words"), nb::sig("def run_tool(words: typing.Sequence[str]) -> int"),
          "Runs the command-line tool with these arguments, and returns its exit status. Results go to the process's "
          "standard output.\n\nRaises ImportError where the package was built without it.");
}
}  // namespace inlay::python
