// Runs one operator as run_on.hpp does, in a run that was stopped before it began.
#pragma once
#include "run_on.hpp"

namespace inlay::testing {
outcome stopped_run(const tested_operator&, std::span<const row> kernels, const call&);
template <class Op, class Device> outcome stopped_run(const call& c) {
    return stopped_run({Op::domain, Op::onnx_name, Op::versions, &Op::shapes}, rows<Op, Device>(), c);
}
}  // namespace inlay::testing
