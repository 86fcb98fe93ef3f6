// The operators that the stock providers run: X(operator, kernel file). A new operator is its kernel files, its test and one line here.
#pragma once
#include <boost/hana/tuple.hpp>

#define INLAY_OPERATORS(X) \
    X(identity, reshape)

// Fused nodes, which the passes propose and a provider may take.
#define INLAY_FUSED_OPERATORS(X)

namespace inlay::inline v1 {
namespace op {
#define INLAY_DECLARE(name, file) struct name;
INLAY_OPERATORS(INLAY_DECLARE)
INLAY_FUSED_OPERATORS(INLAY_DECLARE)
#undef INLAY_DECLARE
}  // namespace op
template <class First, class... Op> inline constexpr auto list_of = boost::hana::tuple_t<Op...>;
#define INLAY_NAME(name, file) , op::name
inline constexpr auto stock_operators = list_of<void INLAY_OPERATORS(INLAY_NAME) INLAY_FUSED_OPERATORS(INLAY_NAME)>;
#undef INLAY_NAME
}  // namespace inlay::inline v1
