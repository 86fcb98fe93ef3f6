// Regions as ML programs, in packages.
#pragma once
#include "program.hpp"
#include "rules.hpp"
#include <lowering/region_engine.hpp>

namespace inlay {
inline namespace v1 {
namespace mil {
class writer {
    using operand = lowering::operand;

    const std::map<std::string, std::string>& settings_;
    const region& r_;
    lowering::purpose purpose_;
    package out_{};
    program program_{out_.weights};
    lowering::tensor_table<variable> tensors_{};
    std::size_t outputs_ = 0;

    std::string_view name_of_value(int id) const { return r_.graph.values[std::size_t(id)].name; }
    variable constant(const operand&);
    variable filled(const shape&, const operand& like, float element);
    variable at(const operand&);
    template <class P> arguments weighted(const P&);
    template <class P> arguments convolution_arguments(const P&);
    void put(std::string_view operation, const arguments&, const operand& y);

  public:
    // settings: entries for those who load the model.
    writer(const std::map<std::string, std::string>& settings, const region& r, lowering::purpose purpose)
        : settings_(settings), r_(r), purpose_(purpose) {}
    void argument(const operand&);
    void result(const operand&);
    package finish();

    void write(const lowering::unary_prim&);
    void write(const lowering::clamp_prim&);
    void write(const lowering::binary_prim&);
    void write(const lowering::select_prim&);
    void write(const lowering::cast_prim&);
    void write(const lowering::conv_prim&);
    void write(const lowering::deconv_prim&);
    void write(const lowering::dense_prim&);
    void write(const lowering::matmul_prim&);
    void write(const lowering::pool_prim&);
    void write(const lowering::reduce_prim&);
    void write(const lowering::softmax_prim&);
    void write(const lowering::affine_prim&);
    void write(const lowering::instance_norm_prim&);
    void write(const lowering::layer_norm_prim&);
    void write(const lowering::lrn_prim&);
    void write(const lowering::reshape_prim&);
    void write(const lowering::transpose_prim&);
    void write(const lowering::tile_prim&);
    void write(const lowering::concat_prim&);
    void write(const lowering::slice_prim&);
    void write(const lowering::pad_prim&);
    void write(const lowering::gather_prim&);
    void write(const lowering::blocks_prim&);
    void write(const lowering::resize_prim&);
};
}  // namespace mil
}  // namespace v1
}  // namespace inlay
