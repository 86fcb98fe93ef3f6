// must print: a provider of the list has no `kernels`
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

struct accelerator {
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
    result<std::shared_ptr<engine>> open() const { return nullptr; }
};
#ifdef WITHOUT_MISUSE
embedded<testing::two_nodes, cpu> net;
#else
embedded<testing::two_nodes, accelerator, cpu> net;
#endif
