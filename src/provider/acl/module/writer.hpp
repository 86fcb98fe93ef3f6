// Primitives as functions of the Arm Compute Library, each of which is queried first whether it takes its arguments.
#pragma once
#include "../rules.hpp"
#include "program.hpp"
#include <lowering/weights.hpp>
#include <provider/lowering_module.hpp>

namespace inlay {
inline namespace v1 {
class recipe_writer {
    using operand = lowering::operand;

    const region& r_;
    bool fast_math_, trial_;  // trial: without elements of constants
    recipe recipe_{};
    lowering::tensor_table<stream> tensors_{};

    const float* floats_of(const operand& x) { return trial_ ? nullptr : lowering::floats_of(r_, x, recipe_.floats); }
    stream at(const operand&);
    stream at(const operand& x, const shape& dims) { return reshaped(at(x), info_of(dims, x.type)); }
    stream tensor_for(const operand& y);
    // Weights have tensors of their own, whose memory functions free when they have packed them.
    stream weights(const operand&, const shape& dims);
    stream numbers(const shape& dims, float);
    template <class P> std::optional<stream> bias_of(const P&);
    stream reshaped(const stream&, const arm::TensorInfo&);
    template <class Function, class... Arguments> void call(const Arguments&... arguments) {
        recipe_.template call<Function>(arguments...);
    }
    // The function from x to a tensor of that shape.
    template <class Function, class... Settings>
    stream through(const stream& x, const arm::TensorInfo& y, const Settings&... settings) {
        const stream result = recipe_.tensor(y);
        call<Function>(x, result, settings...);
        return result;
    }
    template <class Function, class P, class... Settings> void give(const P& p, const Settings&... settings) {
        tensors_.set(p.y, through<Function>(at(p.x), info_of(p.y.dims), settings...));
    }
    stream transposed(const stream&, const shape& to, const lowering::integers& axes);
    stream cut(const stream& x, const shape& part, const lowering::integers& start, const lowering::integers& step);

  public:
    recipe_writer(const region& r, bool fast_math, bool trial) : r_(r), fast_math_(fast_math), trial_(trial) {}
    void argument(const operand&);
    void result(const operand&);
    recipe finish() { return std::move(recipe_); }

    void write(const lowering::unary_prim&);
    void write(const lowering::clamp_prim&);
    void write(const lowering::binary_prim&);
    void write(const lowering::conv_prim&);
    void write(const lowering::deconv_prim&);
    void write(const lowering::dense_prim&);
    void write(const lowering::matmul_prim&);
    void write(const lowering::pool_prim&);
    void write(const lowering::reduce_prim&);
    void write(const lowering::softmax_prim&);
    void write(const lowering::affine_prim&);
    void write(const lowering::instance_norm_prim&);
    void write(const lowering::lrn_prim&);
    void write(const lowering::reshape_prim&);
    void write(const lowering::transpose_prim&);
    void write(const lowering::concat_prim&);
    void write(const lowering::slice_prim&);
    void write(const lowering::pad_prim&);
    void write(const lowering::gather_prim&);
    void write(const lowering::blocks_prim&);
    void write(const lowering::resize_prim&);
    void write(const lowering::arg_prim&);
    void write(const lowering::cast_prim&);
};
}  // namespace v1
}  // namespace inlay
