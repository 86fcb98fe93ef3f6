// must print: inlay::v1::fixed_text<4>{"bend"}, inlay::v1::fixed_text<21>{"ai.onnx Relu-14 float"}
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

struct helper {  // runs what its name says
    static constexpr std::string_view name = "HelperExecutionProvider";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<op::relu, op::sigmoid>;
};
#ifdef WITHOUT_MISUSE
embedded<testing::two_nodes, only<cpu, op::gemm>, helper> net;
#else
embedded<testing::two_nodes, only<cpu, op::gemm>> net;
#endif
