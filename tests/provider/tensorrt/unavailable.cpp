// Where there are no libraries: this file's tests run with some that do not exist.
#include "../engines.hpp"
#include <inlay/provider/tensorrt.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without their libraries sessions over TensorRT say what is missing, and fallback::any does without") {
    check_unavailable<nv_tensorrt_rtx>("TensorRT RTX", "/no/such/place", "INLAY_NV_TENSORRT_RTX_LIBRARY");
    check_unavailable<tensorrt>("TensorRT", "/no/such/place", "INLAY_TENSORRT_LIBRARY");
}
TEST_CASE("Without their libraries the inventories of TensorRT tell it") {
    for (const device_inventory& inventory : {tensorrt::inventory(), nv_tensorrt_rtx::inventory()}) {
        CHECK(has_text(inventory.unusable, "/no/such/place"));
        CHECK(inventory.libraries[0].second.empty());
    }
}
