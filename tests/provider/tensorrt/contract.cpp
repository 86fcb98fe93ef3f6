// The capability table of TensorRT RTX compared with the provider, whose engines are built without a GPU.
#include "../contracts.hpp"
#include "present.hpp"
#include <provider/tensorrt/nv_tensorrt_rtx_contract.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("The contract of TensorRT RTX takes every node that the provider takes, and has its options", "[tensorrt]") {
    need_library();
    check_contract_covers(nv_tensorrt_rtx_contract, nowhere, {});
}
