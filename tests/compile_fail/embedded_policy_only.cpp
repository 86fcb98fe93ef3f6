// must print: {"CPUExecutionProvider: the policy keeps this operator on the first provider"}
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

struct helper {  // runs what its name says
    static constexpr std::string_view name = "HelperExecutionProvider";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<op::relu, op::sigmoid>;
};
#ifdef WITHOUT_MISUSE
embedded<testing::two_nodes, helper, cpu, policy::only<op::gemm>> net;
#else
embedded<testing::two_nodes, helper, cpu, policy::only<op::relu>> net;
#endif
