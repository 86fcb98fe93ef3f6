// Graphs of XIR, computed by plain loops as XIR describes its operations: what stands in the tests for a device.
#pragma once
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <xir/graph/graph.hpp>

namespace test_runner {
using integers = std::vector<std::int32_t>;
struct tensor {
    integers dims;
    std::vector<float> elements{};  // codes are whole numbers

    explicit tensor(integers d = {}) : dims(std::move(d)), elements(std::size_t(count(dims))) {}
    static std::int64_t count(const integers& d) {
        std::int64_t n = 1;
        for (std::int32_t x : d) n *= x;
        return n;
    }
    float& at(std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) {
        return elements[std::size_t(((n * dims[1] + y) * dims[2] + x) * dims[3] + c)];
    }
    float at(std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) const {
        return const_cast<tensor*>(this)->at(n, y, x, c);
    }
};

// An operation with its inputs, computed already.
struct operation {
    const xir::Op* op;
    std::function<const tensor&(const xir::Op*)> value_of;

    std::string type() const { return op->get_type(); }
    integers dims() const { return op->get_output_tensor()->get_shape(); }
    const tensor& input(const std::string& name = "input", int k = 0) const {
        return value_of(op->get_input_op(name, k));
    }
    bool has(const std::string& name) const { return op->get_input_num(name) > 0; }
    int inputs() const { return op->get_input_num("input"); }
    template <class T> T get(const std::string& name) const { return op->get_attr<T>(name); }
    integers list(const std::string& name) const { return get<integers>(name); }
};
using rule = tensor (*)(const operation&);
rule find_window_rule(const std::string& type);
rule find_element_rule(const std::string& type);
rule find_movement_rule(const std::string& type);

// The place of an element by its number.
inline integers place_of(std::int64_t k, const integers& dims) {
    integers at(dims.size());
    for (std::size_t i = dims.size(); i-- > 0; k /= dims[i]) at[i] = std::int32_t(k % dims[i]);
    return at;
}
inline std::int64_t number_of(const integers& at, const integers& dims) {
    std::int64_t k = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) k = k * dims[i] + at[i];
    return k;
}
}  // namespace test_runner
