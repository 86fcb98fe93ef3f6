// The provider's options, by their names in ONNX Runtime.
#include "../../models.hpp"
#include <inlay/provider/cuda.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
const std::string& option(const option_list& list, std::string_view name) {
    for (const auto& [n, v] : list)
        if (n == name) return v;
    FAIL("no option " + std::string(name));
    return list.front().second;
}
error refused(std::string_view name, std::string_view text) {
    cuda c;
    const auto result = set_option(c, name, text);
    REQUIRE(!result);
    return result.why();
}
}  // namespace

TEST_CASE("The options have the names and defaults of ONNX Runtime", "[cuda]") {
    const option_list defaults = options_of(cuda{});
    CHECK(option(defaults, "device_id") == "0");
    CHECK(option(defaults, "gpu_mem_limit") == "18446744073709551615");
    CHECK(option(defaults, "arena_extend_strategy") == "kNextPowerOfTwo");
    CHECK(option(defaults, "cudnn_conv_algo_search") == "EXHAUSTIVE");
    CHECK(option(defaults, "do_copy_in_default_stream") == "true");
    CHECK(option(defaults, "cudnn_conv_use_max_workspace") == "true");
    CHECK(option(defaults, "use_tf32") == "false");  // the one that differs
    CHECK(option(defaults, "enable_cuda_graph") == "false");
    CHECK(option(defaults, "cudnn_plan_cache").empty());
    CHECK(option(defaults, "precision") == "standard");
    CHECK(defaults.size() == 11);
}
TEST_CASE("Options are read from text, as ONNX Runtime's tools write it", "[cuda]") {
    cuda c;
    for (const auto& [name, text] : option_list{{"device_id", "1"},
                                                {"gpu_mem_limit", "2147483648"},
                                                {"arena_extend_strategy", "kSameAsRequested"},
                                                {"cudnn_conv_algo_search", "HEURISTIC"},
                                                {"do_copy_in_default_stream", "0"},
                                                {"cudnn_conv_use_max_workspace", "False"},
                                                {"cudnn_plan_cache", "plans"},
                                                {"user_compute_stream", "4096"},
                                                {"precision", "float16"},
                                                {"use_tf32", "1"},
                                                {"enable_cuda_graph", "true"}})
        CHECK(set_option(c, name, text));
    CHECK(c.device_id == 1);
    CHECK(c.gpu_mem_limit == 2147483648u);
    CHECK(c.arena_extend_strategy == arena_extend::kSameAsRequested);
    CHECK(c.cudnn_conv_algo_search == conv_algo_search::HEURISTIC);
    CHECK(!c.do_copy_in_default_stream);
    CHECK(!c.cudnn_conv_use_max_workspace);
    CHECK(c.cudnn_plan_cache == "plans");
    CHECK(c.user_compute_stream == 4096);
    CHECK(c.precision == cuda_precision::float16);
    CHECK(c.use_tf32);
    CHECK(c.enable_cuda_graph);
}
TEST_CASE("What cannot be read is refused by name", "[cuda]") {
    CHECK(refused("arena_extend_strategy", "kTwice").code == error_code::invalid_option);
    CHECK(has_text(refused("cudnn_conv_algo_search", "exhaustive").text,
                   "`cudnn_conv_algo_search` cannot be `exhaustive`"));
    CHECK(has_text(refused("precision", "half").text, "`precision` cannot be `half`"));
    const auto contradiction = cuda{.precision = cuda_precision::strict, .use_tf32 = true}.open();
    REQUIRE(!contradiction);
    CHECK(contradiction.why().code == error_code::invalid_option);
    CHECK(refused("gpu_mem_limit", "-1").code == error_code::invalid_option);
    CHECK(has_text(refused("gpu_memlimit", "1").text, "did you mean `gpu_mem_limit`?"));
}
