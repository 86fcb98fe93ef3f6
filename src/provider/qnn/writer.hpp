// Regions as graphs of QNN: tensors, operations and their parameters.
#pragma once
#include "program.hpp"
#include "rules.hpp"
#include <lowering/region_engine.hpp>
#include <lowering/weights.hpp>

namespace inlay {
inline namespace v1 {
qnn_abi::data_type qnn_type_of(element);
// A value that is an argument of a region, without its scale.
qnn_program::tensor_facts qnn_argument(const lowering::operand&);

class qnn_writer {
    using operand = lowering::operand;
    using numbers = lowering::integers;
    using parameter = qnn_program::parameter;
    using parameters = std::vector<parameter>;
    using tensors = std::vector<int>;  // by their numbers in the program

    const qnn_backend& backend_;
    const region& r_;
    lowering::purpose purpose_;
    qnn_program out_{};
    lowering::tensor_table<int> tensors_{};

    int add(qnn_program::tensor_facts);
    int add_constant(const shape&, qnn_abi::data_type, const std::function<std::vector<char>()>&);  // zeros in trials
    int constant(const operand&);
    int constant(const operand&, element);  // of floats, as this type
    int at(const operand&);
    int at(const operand&, int rank);  // with axes of 1 in front
    int made(const operand& y, qnn_abi::tensor_kind = qnn_abi::tensor_kind::native);
    int between(const operand& like);
    int between(const shape&, element);
    // Weights with their axes in this order, and a bias in their scales times the input's.
    int weights(const operand& x, const operand& w, const std::vector<int>& axes, int channel);
    int bias(const operand& x, const operand& w, const operand& bias);
    void operation(std::string_view type, tensors inputs, tensors outputs, parameters = {});
    void give(std::string_view type, tensors inputs, const operand& y, parameters = {});
    static parameter real(std::string_view name, double);
    static parameter integer(std::string_view name, std::int64_t);
    static parameter natural(std::string_view name, std::int64_t);
    static parameter truth(std::string_view name, bool);
    template <class T> parameter list_of(std::string_view name, const numbers&, shape dims);
    parameter list(std::string_view name, const numbers&, const shape& dims = {});         // of numbers from 0 on
    parameter signed_list(std::string_view name, const numbers&, const shape& dims = {});  // of any
    int indices(const numbers&, const shape& dims = {});
    int truncated(const operand& x);
    parameter pad_constant(const lowering::pad_prim&) const;

  public:
    qnn_writer(const qnn_backend& b, const region& r, lowering::purpose purpose)
        : backend_(b), r_(r), purpose_(purpose) {}
    void argument(const operand& x) { out_.inputs.push_back(made(x, qnn_abi::tensor_kind::app_write)); }
    void result(const operand& y);
    qnn_program finish();

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
    void write(const lowering::lrn_prim&);
    void write(const lowering::reshape_prim&);
    void write(const lowering::transpose_prim&);
    void write(const lowering::concat_prim&);
    void write(const lowering::slice_prim&);
    void write(const lowering::pad_prim&);
    void write(const lowering::gather_prim&);
    void write(const lowering::lookup_prim&);
    void write(const lowering::tile_prim&);
    void write(const lowering::arg_prim&);
    void write(const lowering::top_k_prim&);
    void write(const lowering::cumulative_sum_prim&);
    void write(const lowering::select_prim&);
    void write(const lowering::cast_prim&);
    void write(const lowering::blocks_prim&);
    void write(const lowering::resize_prim&);
    void write(const lowering::quantize_prim&);
    void write(const lowering::dequantize_prim&);
};
}  // namespace v1
}  // namespace inlay
