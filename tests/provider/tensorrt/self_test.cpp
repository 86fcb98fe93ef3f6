// Whether the places in the library's tables are those that are called here.
#include "present.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("TensorRT RTX answers what its headers tell", "[tensorrt]") {
    need_library();
    const nv_library& l = tensorrt_rtx_library();
    CHECK(l.version.starts_with("1."));
    CHECK(l.at == &nv_places_11);
    CHECK(nv_self_test(l) == "");
}
TEST_CASE("The self-test finds places that were exchanged", "[tensorrt]") {
    need_library();
    nv_places at = *tensorrt_rtx_library().at;
    nv_library l = tensorrt_rtx_library();
    l.at = &at;
    CHECK(nv_self_test(l) == "");
    std::swap(at.config.set_flag, at.config.clear_flag);
    CHECK(has_text(nv_self_test(l), "a flag is not kept"));
    at = *tensorrt_rtx_library().at;
    at.builder.threads = at.builder.logger;
    CHECK(has_text(nv_self_test(l), "number of threads"));
    at = *tensorrt_rtx_library().at;
    std::swap(at.network.input, at.network.output);
    CHECK(has_text(nv_self_test(l), "does not make Relu"));
}
