// Regions as graphs of DirectML's operators.
#pragma once
#include "device.hpp"
#include <deque>
#include <lowering/region_engine.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_graphs {
using namespace directx;
using lowering::operand;
using lowering::purpose;

DML_TENSOR_DATA_TYPE type_of(element);        // throws refused_node
DML_SCALAR_UNION scalar_of(element, double);  // of floats
DML_SCALAR_UNION scalar_of(element, std::int64_t);
// Indices that the model does not know, and DirectML does not check: they are in [-length, length), the k-th one of
// lengths[k % lengths.size()].
struct index_check {
    std::string op;
    std::vector<std::int64_t> lengths;
    element type = element::i64;
    std::int64_t count = 0;
    bool holds(const void* indices) const;
    std::string problem() const { return "an index of " + op + " is out of range"; }
};
struct checked_place {  // of an input of the graph, or of a result that is made in addition to the region's
    bool of_input = false;
    UINT index = 0;
    index_check check;
};
struct checked_graph {
    dml_graph graph;
    std::vector<checked_place> checks;
};
// What is inside a graph, its elements one after another: of an input of the graph, or of a node.
struct graph_tensor {
    bool of_input = false, of_constant = false;
    UINT index = 0;   // of the input or node
    UINT output = 0;  // of the node
    shape dims{};
    element type = element::f32;
    std::pair<UINT, UINT> place() const { return {index, output}; }
};

class dml_writer {
    const region& r_;
    const dml_device& device_;
    purpose purpose_;
    checked_graph out_{};
    lowering::tensor_table<graph_tensor> tensors_{};
    std::vector<std::pair<UINT, UINT>> results_{};
    std::vector<std::pair<graph_tensor, index_check>> checks_{};
    int temporaries_ = -1;
    friend class dml_operator;

    graph_tensor new_constant(const shape&, element, const void* elements, bool copies);
    graph_tensor constant(const operand&);
    const graph_tensor& at(const operand& x) {
        return tensors_.get(x, [this](const operand& c) { return constant(c); });
    }
    // The same elements, by other dimensions.
    void rename(const operand& x, const operand& y);
    operand temporary(const shape& dims, element type) { return {--temporaries_, dims, type}; }
    graph_tensor number(element, std::int64_t);  // one element, without dimensions
    graph_tensor whole_numbers(const lowering::integers&);
    operand not_owned(const operand&);
    operand first_places(const lowering::lookup_prim&);
    void check_indices(const operand&, std::string op, std::vector<std::int64_t> lengths);
    void give(const graph_tensor&);
    void write_checks();
    void copy(const operand& x, const operand& y, const shape& strides);
    void reduce(DML_REDUCE_FUNCTION, const operand& x, const operand& y, const lowering::integers& axes);
    void convolve(DML_CONVOLUTION_DIRECTION, const operand& x, const operand& w, const std::optional<operand>& bias,
                  const operand& y, std::span<const window_axis>, std::int64_t groups);

  public:
    dml_writer(const dml_device& d, const region& r, purpose purpose) : r_(r), device_(d), purpose_(purpose) {}
    void argument(const operand&);
    void result(const operand&);
    checked_graph finish();

    void write(const lowering::unary_prim&);
    void write(const lowering::clamp_prim&);
    void write(const lowering::binary_prim&);
    void write(const lowering::select_prim&);
    void write(const lowering::cast_prim&);
    void write(const lowering::conv_prim&);
    void write(const lowering::deconv_prim&);
    void write(const lowering::gemm_prim&);
    void write(const lowering::matmul_prim&);
    void write(const lowering::pool_prim&);
    void write(const lowering::reduce_prim&);
    void write(const lowering::arg_prim&);
    void write(const lowering::top_k_prim&);
    void write(const lowering::cumulative_sum_prim&);
    void write(const lowering::softmax_prim&);
    void write(const lowering::batch_norm_prim&);
    void write(const lowering::layer_norm_prim&);
    void write(const lowering::lrn_prim&);
    void write(const lowering::reshape_prim& p) { rename(p.x, p.y); }
    void write(const lowering::transpose_prim&);
    void write(const lowering::broadcast_prim&);
    void write(const lowering::tile_prim&);
    void write(const lowering::concat_prim&);
    void write(const lowering::split_prim&);
    void write(const lowering::slice_prim&);
    void write(const lowering::pad_prim&);
    void write(const lowering::gather_prim&);
    void write(const lowering::lookup_prim&);
    void write(const lowering::one_hot_prim&);
    void write(const lowering::blocks_prim&);
    void write(const lowering::resize_prim&);
    void write(const lowering::quantize_blocks_prim&);
    void write(const lowering::dynamic_quantize_prim&);
    void write(const lowering::quantized_conv_prim&);
    void write(const lowering::quantized_matmul_prim&);
    void write(const lowering::recurrent_prim&);
};

// An operator that is made: the tensors of its description, in its order, then the operator.
class dml_operator {
    struct described {
        std::array<UINT, DML_TENSOR_DIMENSION_COUNT_MAX1> sizes{}, strides{};
        DML_BUFFER_TENSOR_DESC buffer{};
        DML_TENSOR_DESC tensor{};
    };
    dml_writer& to_;
    std::deque<described> tensors_{};
    std::deque<std::vector<UINT>> lists_{};
    std::vector<std::optional<graph_tensor>> inputs_{};
    std::vector<operand> outputs_{};

    dml_tensor describe(element, const shape& sizes, const shape& strides, bool owned);
    void add(DML_OPERATOR_TYPE, const void* description);

  public:
    explicit dml_operator(dml_writer& to) : to_(to) {}
    dml_tensor in(const graph_tensor&, const shape& sizes, const shape& strides);
    dml_tensor in(const operand& x) { return in(x, x.dims); }
    dml_tensor in(const operand&, const shape& sizes);         // as many elements
    dml_tensor in_as(const operand&, const shape& broadcast);  // by ONNX's rule
    dml_tensor in_as(const operand&, const shape& dims, const shape& broadcast);
    dml_tensor in(const std::optional<operand>& x, const shape& sizes) { return x ? in(*x, sizes) : absent(); }
    dml_tensor absent();
    dml_tensor out(const operand& y) { return out(y, y.dims); }
    dml_tensor out(const operand&, const shape& sizes);
    template <class List> const UINT* list(const List& l) { return lists_.emplace_back(l.begin(), l.end()).data(); }
    template <class Description> void make(DML_OPERATOR_TYPE type, const Description& d) { add(type, &d); }
};

// Windows over two or three spatial axes: a single one gets another of one element before it.
struct window_lists {
    std::vector<UINT> kernel{}, strides{}, dilations{}, start{}, end{}, more{};
    explicit window_lists(std::span<const window_axis>);
    UINT axes() const { return UINT(kernel.size()); }
};
inline shape image_dims(const shape& d) { return d.rank == 3 ? shape{d[0], d[1], 1, d[2]} : d; }
// [batch, channels, 1, all that is behind], as operators over channels take them.
inline shape channel_planes(const shape& x) { return {x[0], x[1], 1, x.elements(2)}; }
}  // namespace dml_graphs
}  // namespace v1
}  // namespace inlay
