// What make and ninja read: tests/tool/compile.sh runs them over such files.
#include "../onnx/models.hpp"
#include "compile/depfile.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string text_for(const std::string& name) {
    const std::array<std::filesystem::path, 1> files{name};
    return depfile_text("out", files);
}
std::string refusal_of(const std::string& name) {
    try {
        text_for(name);
    } catch (const error& e) {
        return e.text;
    }
    return "taken";
}
}  // namespace

TEST_CASE("A depfile keeps spaces, #, $, colons and backslashes of names", "[depfile]") {
    CHECK(text_for("/m/a b") == "out: \\\n  /m/a\\ b\n");
    CHECK(text_for("/m/a#b") == "out: \\\n  /m/a\\#b\n");
    CHECK(text_for("/m/$(x)") == "out: \\\n  /m/$$(x)\n");
    CHECK(text_for("/m/a:b") == "out: \\\n  /m/a\\:b\n");
    CHECK(text_for("/m/a\\b") == "out: \\\n  /m/a\\b\n");
    CHECK(text_for("/m/a\\ b") == "out: \\\n  /m/a\\\\\\ b\n");
}
TEST_CASE("A depfile refuses names that make would take for a rule, a recipe or a variable", "[depfile]") {
    for (const char* name : {"/m/x\nall: ; touch y", "/m/x\ty", "/m/x\x7f", "/m/x;touch y", "/m/x|y", "/m/x\\#y",
                             "/m/x\\:y", "/m/x\\", "/m/x:", "/m/x!=touch y", "/m/x=y"}) {
        CAPTURE(name);
        CHECK(contains(refusal_of(name), "cannot stand in a file that make and ninja read"));
    }
    CHECK(contains(refusal_of("/m/x\ny"), "`/m/x\\ny`"));  // the message itself is one line
    CHECK_THROWS(depfile_text("a\nb", {}));
}
TEST_CASE("A depfile names files with = after others, where they set no variable", "[depfile]") {
    const std::array<std::filesystem::path, 3> files{"/m/a=b", "/m/c!=d", "/m/e"};
    CHECK(depfile_text("out", files) == "out: \\\n  /m/e \\\n  /m/a=b \\\n  /m/c!=d\n");
}
