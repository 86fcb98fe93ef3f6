// An implementation of NNAPI for the host, from the reference of its interface and by plain loops: what the tests of
// the provider run over. It checks what is written to it: numbers and types of operands, shapes, scales and zero
// points, fixed orders of calls, and that an operation is of the feature level LEVEL or an earlier one.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <provider/nnapi/interface.hpp>
#include <string>
#include <vector>

namespace host {
using namespace inlay::nnapi_interface;
using dims = std::vector<std::uint32_t>;
using numbers = std::vector<float>;
struct bad_data {};
inline void require(bool good) {
    if (!good) throw bad_data();
}
inline std::int64_t elements(const dims& d) {
    std::int64_t all = 1;
    for (std::uint32_t x : d) all *= x;
    return all;
}

struct operand {
    std::int32_t type = 0;
    dims shape;
    float scale = 0;
    std::int32_t zero = 0;
    std::vector<float> scales;  // of each index of dimension `channel`
    std::uint32_t channel = 0;
    std::vector<char> copied;  // a value of up to 128 bytes
    const void* value = nullptr;
    bool is_input = false, made = false;
    bool is_scalar() const { return shape.empty(); }
    bool in_bytes() const { return type == TENSOR_QUANT8_ASYMM || type == TENSOR_QUANT8_ASYMM_SIGNED; }
    bool is_filter() const { return in_bytes() || type == TENSOR_FLOAT32 || type == TENSOR_QUANT8_SYMM_PER_CHANNEL; }
    bool same_scale(const operand& o) const { return scale == o.scale && zero == o.zero; }
    numbers decode(const void* data) const;
    void encode(const numbers& from, void* data, bool half) const;
};
struct operation {
    std::int32_t code = 0;
    std::vector<std::uint32_t> inputs, outputs;
};
// What an operation does, once everything about it is checked.
struct planned {
    dims shape;  // of its output
    std::function<numbers(const std::vector<const numbers*>& inputs)> compute;
};

// An operation that is looked at: inputs by their positions.
struct call {
    const std::vector<operand>& operands;
    const operation& op;

    std::size_t count() const { return op.inputs.size(); }
    const operand& any(std::size_t k) const {
        require(k < count());
        return operands[op.inputs[k]];
    }
    const operand& output() const { return operands[op.outputs[0]]; }
    const operand& tensor(std::size_t k) const {  // of floats or of 8 bits
        const operand& o = any(k);
        require(!o.is_scalar() && (o.type == TENSOR_FLOAT32 || o.in_bytes()));
        return o;
    }
    const dims& shape(std::size_t k) const { return tensor(k).shape; }
    template <class T> T scalar(std::size_t k, std::int32_t type) const {
        const operand& o = any(k);
        require(o.is_scalar() && o.type == type && o.value);
        T x;
        std::copy_n(static_cast<const char*>(o.value), sizeof x, reinterpret_cast<char*>(&x));
        return x;
    }
    std::int32_t integer(std::size_t k) const { return scalar<std::int32_t>(k, INT32); }
    float real(std::size_t k) const { return scalar<float>(k, FLOAT32); }
    bool flag(std::size_t k) const { return scalar<std::uint8_t>(k, BOOL) != 0; }
    bool flag_if(std::size_t k, int level) const {  // one that may be left out, and came with the level
        if (k >= count()) return false;
        require(LEVEL >= level);
        return flag(k);
    }
    std::vector<std::int32_t> integers(std::size_t k, std::size_t rank = 1) const {
        const operand& o = any(k);
        require(o.type == TENSOR_INT32 && o.shape.size() == rank && o.value && o.scale == 0);
        const auto* const first = static_cast<const std::int32_t*>(o.value);
        return {first, first + elements(o.shape)};
    }
    void require_floats() const { require(tensor(0).type == TENSOR_FLOAT32); }
    void require_one_type(std::size_t inputs) const {
        for (std::size_t k = 0; k < inputs; ++k) require(tensor(k).type == output().type);
    }
    void require_same_scale() const { require(tensor(0).same_scale(output())); }
    void require_no_activation(std::size_t k) const { require(integer(k) == FUSED_NONE); }  // the others are not made
};
planned plan_element_wise(const call&);
planned plan_movement(const call&);
planned plan_window(const call&);
planned plan_reduction(const call&);

// A batch of images as it lies in memory.
struct images {
    std::int64_t n, h, w, c;
    bool first;  // the channels are
    images(const dims& d, bool channels_first)
        : n(d.at(0)),
          h(d.at(channels_first ? 2 : 1)),
          w(d.at(channels_first ? 3 : 2)),
          c(d.at(channels_first ? 1 : 3)),
          first(channels_first) {
        require(d.size() == 4);
    }
    std::size_t at(std::int64_t i, std::int64_t y, std::int64_t x, std::int64_t k) const {
        return std::size_t(first ? ((i * c + k) * h + y) * w + x : ((i * h + y) * w + x) * c + k);
    }
    dims shape() const {
        const auto u = [](std::int64_t x) { return std::uint32_t(x); };
        return first ? dims{u(n), u(c), u(h), u(w)} : dims{u(n), u(h), u(w), u(c)};
    }
};
// Calls f(index of each axis) for all elements, in the order of memory.
template <class F> void for_each_index(const dims& d, F f) {
    std::vector<std::int64_t> at(d.size(), 0);
    for (std::int64_t left = elements(d); left > 0; --left) {
        f(at);
        for (std::size_t i = d.size(); i-- > 0;) {
            if (++at[i] < std::int64_t(d[i])) break;
            at[i] = 0;
        }
    }
}
inline std::size_t place(const dims& d, const std::vector<std::int64_t>& at) {
    std::int64_t k = 0;
    for (std::size_t i = 0; i < d.size(); ++i) k = k * d[i] + at[i];
    return std::size_t(k);
}
}  // namespace host
