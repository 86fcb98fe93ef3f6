// must print: inlay::embedded: this array of the plan has fewer places than the plan needs
// More memory spaces than a frozen plan has room for.
#include "../embedded/small_models.hpp"
#include <inlay/embedded.hpp>

template <int N> struct bank {};
namespace inlay {
template <int N> struct memory_space<bank<N>> : memory_space<memory::host> {
    static constexpr std::string_view name = "bank";
};
template <int N> struct transfer<memory::host, bank<N>> : transfer<memory::host, memory::host> {};
template <int N> struct transfer<bank<N>, memory::host> : transfer<memory::host, memory::host> {};
}  // namespace inlay
using namespace inlay;

template <int N> struct banked : only<cpu, op::identity> {
    using memory = bank<N>;
    static constexpr std::string_view names[] = {"A", "B", "C", "D", "E", "F", "G", "H"};
    static constexpr std::string_view name = names[N];
};
#ifdef WITHOUT_MISUSE
embedded<testing::two_nodes, banked<0>, banked<1>, cpu> net;
#else
embedded<testing::two_nodes, banked<0>, banked<1>, banked<2>, banked<3>, banked<4>, banked<5>, banked<6>, banked<7>,
         cpu>
    net;
#endif
