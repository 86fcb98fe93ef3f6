// Each operator on XNNPACK, with the kernels that it has for this processor, compared with the reference kernels.
#include "../../graph_cases.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("XNNPACK takes the operator, or says why not, and its numbers are those of the reference kernels",
          "[xnnpack]") {
    const xnnpack p{.intra_op_num_threads = 1};
    check_graphs(p, graph_cases::convolutions);
    check_graphs(p, graph_cases::products);
    check_graphs(p, graph_cases::pools);
    check_graphs(p, graph_cases::element_wise, {{"Tanh", "XNNPACK has no operation for Tanh"}});
    check_graphs(p, graph_cases::layers_and_movement,
                 {{"Concat", "XNNPACK has the operation from 2024-11-08 on", !INLAY_XNNPACK_SHARES_WEIGHTS},
                  {"LRN", "XNNPACK has no operation for LRN"},
                  {"Transpose", "XNNPACK has no operation for Transpose"},
                  {"Unsqueeze", "XNNPACK does not turn [1,2,3,1]"}});
}
