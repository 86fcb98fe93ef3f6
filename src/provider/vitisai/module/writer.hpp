// Primitives as operations of a graph of XIR. Integers of 8 bits are floats behind an operation `fix`, which rounds
// them as a DPU does; the tensors that go in and out are the integers themselves.
#pragma once
#include "../rules.hpp"
#include <UniLog/UniLog.hpp>
#include <lowering/weights.hpp>
#include <provider/lowering_module.hpp>
#include <xir/graph/graph.hpp>

namespace inlay {
inline namespace v1 {
// XIR's errors are exceptions of its own, where it does not end the process.
template <class F> auto xir_call(F f) try { return f(); } catch (const ErrorCode& e) {
    refuse("XIR: " + e.getErrID() + ": " + e.getErrDsp());
}
using xir_inputs = std::map<std::string, std::vector<xir::Op*>>;
using xir_integers = std::vector<std::int32_t>;
class xir_attributes {
    std::unique_ptr<xir::Attrs> attributes_ = xir::Attrs::create();

  public:
    template <class T> xir_attributes& set(const std::string& name, const T& x) {
        attributes_->set_attr<T>(name, x);
        return *this;
    }
    std::unique_ptr<xir::Attrs> take() { return std::move(attributes_); }
};

class xir_writer {
    using operand = lowering::operand;
    struct tensor {
        xir::Op* op;
        std::optional<int> point{};         // of integers: binary digits behind the point
        mutable xir::Op* floats = nullptr;  // the same as floats, rounded; null: nothing has read it yet
    };

    const region& r_;
    lowering::purpose purpose_;
    std::unique_ptr<xir::Graph> out_ = xir::Graph::create("region");
    lowering::tensor_table<tensor> tensors_{};
    int names_ = 0, arguments_ = 0, results_ = 0;

    static std::optional<int> point_of(const operand&);
    const tensor& tensor_of(const operand&);
    xir::Op* at(const operand&);  // as an operation reads it
    xir::Op* at(const operand&, int rank);
    xir::Op* before_rounding(const operand& x, const operand& y);
    xir::Op* add(const std::string& type, xir_attributes, const xir_inputs&, const xir_integers& dims,
                 const std::string& name = {});
    void give(const operand& y, const std::string& type, xir_attributes, const xir_inputs&);
    xir::Op* fixed(xir::Op*, int point, const char* type = "fix");
    xir::Op* reshaped(xir::Op*, const xir_integers& dims, const std::string& name = {});
    // Numbers, which are zeros in trials.
    xir::Op* numbers(const xir_integers& dims, const std::function<std::vector<float>()>&);
    std::vector<float> elements_of(const operand&) const;
    // Weights with their axes in this order, and a bias.
    void add_weights(xir_inputs&, const operand& x, const operand& w, const shape& dims, const lowering::integers& axes,
                     const std::optional<operand>& bias);

  public:
    xir_writer(const region& r, lowering::purpose purpose) : r_(r), purpose_(purpose) {}
    void argument(const operand& x);
    void result(const operand& y);
    std::unique_ptr<xir::Graph> finish() { return std::move(out_); }

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
    void write(const lowering::reshape_prim&);
    void write(const lowering::transpose_prim&);
    void write(const lowering::concat_prim&);
    void write(const lowering::slice_prim&);
    void write(const lowering::pad_prim&);
    void write(const lowering::resize_prim&);
    void write(const lowering::quantize_prim&);
    void write(const lowering::dequantize_prim&);
};
}  // namespace v1
}  // namespace inlay
