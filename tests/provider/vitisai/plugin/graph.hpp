// Operations of XIR as XIR describes them, over the evaluator of primitives: what stands in the tests for a device.
#pragma once
#include "../../evaluator/evaluator.hpp"
#include <map>
#include <stdexcept>
#include <string>
#include <xir/graph/graph.hpp>

namespace test_runner {
using namespace evaluator;
inline list dims_of(const xir::Tensor* t) {
    const auto dims = t->get_shape();
    return {dims.begin(), dims.end()};
}
struct tensor {
    list dims;
    numbers elements{};  // codes are whole numbers
};

// An operation with its inputs, computed already.
struct operation {
    const xir::Op* op;
    std::function<const tensor&(const xir::Op*)> value_of;

    std::string type() const { return op->get_type(); }
    list dims() const { return dims_of(op->get_output_tensor()); }
    const tensor& input(const std::string& name = "input", int k = 0) const {
        return value_of(op->get_input_op(name, k));
    }
    bool has(const std::string& name) const { return op->get_input_num(name) > 0; }
    int inputs() const { return op->get_input_num("input"); }
    template <class T> T get(const std::string& name) const { return op->get_attr<T>(name); }
    list integers(const std::string& name) const {
        const auto i = get<std::vector<std::int32_t>>(name);
        return {i.begin(), i.end()};
    }
};
tensor compute(const operation&);
}  // namespace test_runner
