// must print: {"CPUExecutionProvider: no kernel for this operator (Relu)"}, inlay::v1::fixed_text<60>{"HelperExecutionProvider: the helper rests on relu days today"}
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

struct helper {  // runs what its name says
    static constexpr std::string_view name = "HelperExecutionProvider";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<op::relu, op::sigmoid>;
    constexpr verdict accepts(const node_view& n) const {
        return n.record.op == "Relu" ? no("the helper rests on relu days today") : yes();
    }
};
#ifdef WITHOUT_MISUSE
embedded<testing::two_nodes, cpu, helper> net;
#else
embedded<testing::two_nodes, only<cpu, op::gemm>, helper> net;
#endif
