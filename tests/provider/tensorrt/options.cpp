// The options of both providers, which need no library.
#include "../engines.hpp"
#include <inlay/provider/tensorrt.hpp>
#include <provider/tensorrt/engine.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("TensorRT's options are read from text, and written", "[tensorrt]") {
    tensorrt p;
    CHECK(options_of(p) == option_list{{"device_id", "0"},
                                       {"trt_max_workspace_size", "0"},
                                       {"trt_fp16_enable", "false"},
                                       {"trt_int8_enable", "false"},
                                       {"trt_strict_type_constraints", "false"},
                                       {"trt_engine_cache_enable", "false"},
                                       {"trt_engine_cache_path", ""},
                                       {"use_tf32", "false"}});
    CHECK(p.operands(element::f32) == element::f32);
    CHECK(set_option(p, "trt_fp16_enable", "1"));
    CHECK(p.operands(element::f32) == element::f16);
    CHECK(set_option(p, "trt_max_workspace_size", "1073741824"));
    CHECK(p.trt_max_workspace_size == 1073741824);
    CHECK_FALSE(set_option(p, "trt_fp16_enable", "much"));
    CHECK_FALSE(set_option(p, "trt_fp8_enable", "1"));

    nv_tensorrt_rtx rtx;
    CHECK(options_of(rtx) == option_list{{"device_id", "0"},
                                         {"nv_max_workspace_size", "0"},
                                         {"use_tf32", "false"},
                                         {"enable_cuda_graph", "false"},
                                         {"nv_runtime_cache_path", ""}});
    CHECK(set_option(rtx, "device_id", "-1"));
    CHECK(rtx.device_id == -1);
}
TEST_CASE("Options of TensorRT that contradict each other are errors", "[tensorrt]") {
    const std::pair<tensorrt, std::string_view> wrong[] = {
        {{.trt_strict_type_constraints = true}, "is for `trt_fp16_enable`"},
    };
    for (const auto& [options, reason] : wrong) {
        const auto engine = options.open();
        REQUIRE_FALSE(engine);
        CHECK(engine.why().code == error_code::invalid_option);
        CHECK(has_text(engine.why().text, std::string(reason)));
    }
}
TEST_CASE("TensorRT's cache needs no folder, and a folder alone is none", "[tensorrt]") {
    for (const tensorrt& options :
         {tensorrt{.trt_engine_cache_enable = true}, tensorrt{.trt_engine_cache_path = "/tmp"}})
        if (const auto engine = options.open(); !engine)
            CHECK(engine.why().code == error_code::provider_unavailable);  // no longer an error of the options
    CHECK(cache_folder_of({.trt_engine_cache_enable = true}) == ".");
    CHECK(cache_folder_of({.trt_engine_cache_enable = true, .trt_engine_cache_path = "kept"}) == "kept");
    CHECK(cache_folder_of({.trt_engine_cache_path = "kept"}).empty());
}
