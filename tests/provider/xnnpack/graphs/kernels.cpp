// Each operator on XNNPACK, with the kernels that it has for this processor, beside the plain loops.
#include "../../graph_cases.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("XNNPACK takes the operator, or says why not, and its numbers are those of the plain loops", "[xnnpack]") {
    const xnnpack p{.intra_op_num_threads = 1};
    check_graphs(p, graph_cases::convolutions);
    check_graphs(p, graph_cases::products);
    check_graphs(
        p, graph_cases::pools,
        {{"AveragePool", "XNNPACK's means do not count padding"}, {"GlobalMaxPool", "XNNPACK has no GlobalMaxPool"}});
    check_graphs(p, graph_cases::element_wise,
                 {{"Max", "XNNPACK has it for 2 inputs, not for 3"},
                  {"Sum", "XNNPACK has no Sum"},
                  {"Tanh", "XNNPACK has no Tanh"}});
    check_graphs(p, graph_cases::others,
                 {{"BatchNormalization", "XNNPACK has no BatchNormalization"},
                  {"Concat", INLAY_XNNPACK_SHARES_WEIGHTS ? "XNNPACK has it for images" : "XNNPACK has no Concat"},
                  {"LRN", "XNNPACK has no LRN"},
                  {"Softmax", "along the channels, not along axis 1"},
                  {"Transpose", "XNNPACK has no Transpose"},
                  {"Unsqueeze", "so that [1,2,3,1] is not only renamed"}});
}
