// An implementation of NNAPI for the host, from the reference of its interface, over the evaluator of primitives: what
// the tests of the provider run over. It checks what is written to it: numbers and types of operands, shapes, scales
// and zero points, fixed orders of calls, and that an operation is of the feature level LEVEL or an earlier one.
#pragma once
#include "../../evaluator/evaluator.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <provider/nnapi/interface.hpp>

namespace host {
using namespace inlay::nnapi_interface;
using namespace evaluator;

struct operand {
    std::int32_t type = 0;
    list shape;
    float scale = 0;
    std::int32_t zero = 0;
    std::vector<float> scales;  // of each index of dimension `channel`
    std::uint32_t channel = 0;
    std::vector<char> copied;  // a value of up to 128 bytes
    const void* value = nullptr;
    bool is_input = false, is_written = false;
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
    const operand& tensor(std::size_t k) const {  // of float32 or of 8 bits
        const operand& o = any(k);
        require(!o.is_scalar() && (o.type == TENSOR_FLOAT32 || o.in_bytes()));
        return o;
    }
    const list& shape(std::size_t k) const { return tensor(k).shape; }
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
    list integers(std::size_t k, std::size_t rank = 1) const {
        const operand& o = any(k);
        require(o.type == TENSOR_INT32 && o.shape.size() == rank && o.value && o.scale == 0);
        const auto* const first = static_cast<const std::int32_t*>(o.value);
        return {first, first + elements(o.shape)};
    }
    list integers_from(std::size_t k, std::size_t count) const {  // of as many inputs
        list integers;
        for (std::size_t i = k; i < k + count; ++i) integers.push_back(integer(i));
        return integers;
    }
    void require_count(std::size_t least, std::size_t most) const { require(count() >= least && count() <= most); }
    void require_floats() const { require(tensor(0).type == TENSOR_FLOAT32); }
    void require_one_type(std::size_t inputs) const {
        for (std::size_t k = 0; k < inputs; ++k) require(tensor(k).type == output().type);
    }
    void require_same_scale() const { require(tensor(0).same_scale(output())); }
    void require_output_scale(float scale, std::int32_t zero) const {  // zero: of signed integers
        const bool has_sign = output().type == TENSOR_QUANT8_ASYMM_SIGNED;
        require(output().scale == scale && output().zero == (has_sign ? zero : zero + 128));
    }
    void require_no_activation(std::size_t k) const { require(integer(k) == FUSED_NONE); }  // the others are not made
    // What `make` does for images, in the order of input 0 that is said.
    primitive of_images(bool channels_first, const std::function<primitive(const list&)>& make) const {
        require(shape(0).size() == 4);
        return channels_first ? make(shape(0)) : channels_last(shape(0), make);
    }
};
// What operations compute, once everything about them is checked.
using rules = std::map<std::int32_t, primitive (*)(const call&)>;
extern const rules axis_rules, movement_rules, window_rules;
primitive plan_element_wise(const call&);
}  // namespace host
