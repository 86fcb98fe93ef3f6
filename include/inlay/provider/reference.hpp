// The operators' plain loops only: the oracle of tests and of side-by-side runs.
#pragma once
#include "cpu.hpp"

namespace inlay {
inline namespace v1 {
struct reference {
    static constexpr std::string_view name = "ReferenceExecutionProvider";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = stock_operators;

    constexpr verdict accepts(const node_view& n) const {
        return n.record.sources.count ? no("the reference runs what the model says, node by node") : yes();
    }
};
static_assert(provider<reference>);
extern template const kernel_table& kernels_of<reference>();
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::reference);
