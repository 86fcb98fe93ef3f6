// must print: a provider of the list has no `kernels`
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>
using namespace inlay;

struct engine {
    static constexpr std::string_view name = "EngineExecutionProvider";
    std::vector<claim> claims(const graph_view&, std::span<const int>) const { return {}; }
    std::unique_ptr<executable> compile(const region&) const { return nullptr; }
};
#ifdef WITHOUT_MISUSE
embedded<testing::two_nodes, cpu> net;
#else
embedded<testing::two_nodes, engine, cpu> net;
#endif
