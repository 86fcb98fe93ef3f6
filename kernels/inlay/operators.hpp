// The operators that the stock providers run, a list per domain; their kernels are found by name, never by
// registration.
#pragma once
#include <inlay/fused/operators.hpp>
#include <inlay/microsoft/operators.hpp>
#include <inlay/ml/operators.hpp>
#include <inlay/onnx/operators.hpp>
#include <inlay/training/operators.hpp>
#include <boost/hana/tuple.hpp>

#define INLAY_OPERATORS(X) \
    INLAY_ONNX_OPERATORS(X) \
    INLAY_ML_OPERATORS(X) INLAY_TRAINING_OPERATORS(X) INLAY_MICROSOFT_OPERATORS(X) INLAY_FUSED_OPERATORS(X)

namespace inlay {
inline namespace v1 {
namespace op {
#define INLAY_DECLARE(name, file) struct name;
INLAY_OPERATORS(INLAY_DECLARE)
#undef INLAY_DECLARE
}  // namespace op
template <class First, class... Op> inline constexpr auto list_of = boost::hana::tuple_t<Op...>;
#define INLAY_NAME(name, file) , op::name
inline constexpr auto stock_operators = list_of<void INLAY_OPERATORS(INLAY_NAME)>;
#undef INLAY_NAME
}  // namespace v1
}  // namespace inlay
