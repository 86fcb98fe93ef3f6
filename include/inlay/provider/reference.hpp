// The operators' reference kernels only: the oracle of tests and of shadow runs. Of fused nodes it supports those that
// compute with integers instead of float32.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "cpu.hpp"
#include <inlay/sdk/integer_node.hpp>

namespace inlay {
inline namespace v1 {
struct reference {
    static constexpr std::string_view name = "ReferenceExecutionProvider";
    static constexpr provider_check checked_on = provider_check::device;
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = stock_operators;

    constexpr verdict accepts(const node_view& n) const {
        return n.record.sources.count && !leaves_floats(n.graph, n.record)
                   ? no("the reference runs what the model says, node by node")
                   : yes();
    }
};
static_assert(provider<reference>);
extern template const kernel_table& kernels_of<reference>();
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::reference);
