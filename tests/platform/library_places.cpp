#include "../catch.hpp"
#include "platform/shared_library.hpp"
#include <cstdlib>

using namespace inlay;

TEST_CASE("a library is where its variable says, else where the program has found it, else by its name", "[platform]") {
    constexpr const char* variable = "INLAY_TEST_LIBRARY";
    unsetenv(variable);
    CHECK(named_by(variable, "libvendor.so") == "libvendor.so");
    library_places::of_program().set(variable, "/packages/libvendor.so");
    CHECK(named_by(variable, "libvendor.so") == "/packages/libvendor.so");
    CHECK(named_by("INLAY_TEST_OTHER_LIBRARY", "libvendor.so") == "libvendor.so");
    setenv(variable, "/own/libvendor.so", 1);
    CHECK(named_by(variable, "libvendor.so") == "/own/libvendor.so");
    setenv(variable, "", 1);  // as if it were not set
    CHECK(named_by(variable, "libvendor.so") == "/packages/libvendor.so");
    unsetenv(variable);
    std::string problem;
    CHECK(!open_named_library(variable, "libvendor.so", "pip install vendor brings it", problem));
    CHECK(problem.starts_with("/packages/libvendor.so: "));
    CHECK(problem.ends_with(
        "pip install vendor brings it; the environment variable INLAY_TEST_LIBRARY may name the file"));
}
