// Nodes of ONNX as operations of QNN. QNN has images with their channels last: a tensor of four dimensions is turned
// where the first operation wants it so, and stays so until one wants it as ONNX has it.
#pragma once
#include "program.hpp"
#include <inlay/sdk/engine.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <provider/coded_graph.hpp>

namespace inlay {
inline namespace v1 {
inline constexpr std::string_view qnn_operators_on_codes[] = {
    "Add",       "AveragePool", "Clip",       "Concat",       "Conv",    "DepthToSpace",
    "Div",       "Flatten",     "Gather",     "Gelu",         "Gemm",    "GlobalAveragePool",
    "HardSwish", "MatMul",      "Max",        "MaxPool",      "Min",     "Mul",
    "PRelu",     "Pad",         "ReduceMean", "Relu",         "Reshape", "Resize",
    "Sigmoid",   "Slice",       "Softmax",    "SpaceToDepth", "Squeeze", "Sub",
    "Tanh",      "Transpose",   "Unsqueeze",  "Upsample"};
inline constexpr std::string_view qnn_moving_operators[] = {
    "DepthToSpace", "Flatten",      "Gather",  "MaxPool",   "Pad",       "Reshape", "Resize",
    "Slice",        "SpaceToDepth", "Squeeze", "Transpose", "Unsqueeze", "Upsample"};
inline constexpr coded_operators qnn_coded_operators{qnn_operators_on_codes, qnn_moving_operators};

enum class qnn_purpose : std::uint8_t { use, trial };  // trial: constants are zeros, which tells as well what is taken

class qnn_lowering {
  public:
    enum class order : std::uint8_t { plain, channels_last };  // of a tensor's elements
    using parameters = std::vector<qnn_program::parameter>;

    qnn_lowering(const region&, const qnn_backend&, qnn_program&, qnn_purpose);
    void lower(int node);
    void finish();

    // --- for the rules of operators, of the node that is lowered. Numbers are those of the program's tensors.
    int input(const node_view&, int k, order = order::plain);
    int output(const node_view&, int k = 0, order = order::plain);
    // Input k, constant or not, for an operation that broadcasts to `rank` dimensions.
    int operand(const node_view&, int k, int rank, order);
    // The order in which an element-wise node is computed: that of its first input that is there already.
    order order_of(const node_view&) const;
    bool on_codes() const { return coded_; }
    bool has_half_floats() const { return backend_.has_half_floats(); }
    void require_half_floats() const {
        if (!backend_.has_half_floats()) refuse("QNN has it for processors with floats of 16 bits, and this is none");
    }
    std::optional<quantisation> codes_of_input(const node_view& n, int k) const { return graph_.of_input(n, k); }
    // Input k is a constant with its axes in another order, times a factor, as codes where the node is computed on
    // them.
    int weights(const node_view&, int k, const shape& as, std::span<const int> permutation, float factor = 1);
    // One for each channel, or one for all.
    int bias(const node_view&, int k, int weights, std::int64_t channels, float factor = 1);
    bool is_never_negative(const node_view&, int k) const;     // as its maker or its codes tell
    std::vector<float> floats(const node_view&, int k) const;  // of a constant
    // A tensor between operations of a node, with elements as in `like`.
    int inner(const shape&, int like);
    int inner(const shape&, element);
    int reshaped(int tensor, const shape&);
    int permuted(int tensor, std::span<const int> permutation);
    const shape& dims(int tensor) const { return out_.tensors[std::size_t(tensor)].dims; }

    void add(std::string_view type, std::vector<int> inputs, std::vector<int> outputs, parameters = {});
    // y = a - b of floats: there are processors for which a graph with a subtraction cannot be finished.
    void give_difference(int a, int b, int y);
    static qnn_program::parameter real(std::string_view name, double);
    static qnn_program::parameter integer(std::string_view name, std::int32_t);
    static qnn_program::parameter natural(std::string_view name, std::int64_t);
    static qnn_program::parameter truth(std::string_view name, bool);
    qnn_program::parameter list(std::string_view name, std::span<const std::int64_t>, shape = {});
    qnn_program::parameter signed_list(std::string_view name, std::span<const std::int64_t>, shape = {});
    int constant(const shape&, std::span<const float>);
    int number(float, int like);      // a constant of one element, of the type of the tensor `like`
    bool is_wanted(int value) const;  // a node of the region reads it, or somebody outside

  private:
    using forms = std::array<int, 2>;  // a value's tensor in each order, or -1

    const region& r_;
    const qnn_backend& backend_;
    qnn_program& out_;
    qnn_purpose why_;
    coded_graph graph_;
    std::map<int, forms> known_;
    bool coded_ = false;
    int node_ = -1;

    int add_tensor(qnn_program::tensor_facts);
    int add_constant(const shape&, qnn_abi::data_type, tensor);
    qnn_program::tensor_facts blank(int value, order) const;
    int tensor_of(int value, order);
    int constant_of(int value);
    void put(int value, order o, int t) { forms_of(value)[std::size_t(o)] = t; }
    forms& forms_of(int value) { return known_.try_emplace(value, forms{-1, -1}).first->second; }
    int key_of_input(const node_view& n, int k) const { return coded_ ? graph_.key_of_input(n, k) : n.input_id(k); }
    void lower_border(const node_view&);
    void require_types(const node_view&, element_set others) const;
    template <class T> qnn_program::parameter list_of(std::string_view, std::span<const std::int64_t>, shape);
};
// How an operator of ONNX becomes operations: a rule in a list of its file.
using qnn_rule_function = void (*)(qnn_lowering&, const node_view&);  // throws refused_node
struct qnn_rule {
    std::string_view op;  // of another domain than ai.onnx: com.microsoft:Name
    qnn_rule_function lower;
    element_set types{};  // of its tensors, beside floats and codes
};
// An operator of ONNX that is one operation.
struct qnn_operation {
    std::string_view op, type;
};
constexpr std::string_view qnn_type_of(std::span<const qnn_operation> all, std::string_view op) {
    return std::ranges::find(all, op, &qnn_operation::op)->type;
}
inline constexpr element_set qnn_integers = element_set::of({element::i32}),
                             qnn_integers_and_truth = element_set::of({element::i32, element::boolean});
std::span<const qnn_rule> qnn_convolution_rules();
std::span<const qnn_rule> qnn_element_wise_rules();
std::span<const qnn_rule> qnn_logic_rules();
std::span<const qnn_rule> qnn_movement_rules();
std::span<const qnn_rule> qnn_normalization_rules();
std::span<const qnn_rule> qnn_product_rules();
std::span<const qnn_rule> qnn_recurrent_rules();
std::span<const qnn_rule> qnn_selection_rules();

// A value that is an argument of a region, without its scale.
qnn_program::tensor_facts qnn_argument(const graph_view&, int value);
qnn_program qnn_program_of(const region&, const qnn_backend&, qnn_purpose = qnn_purpose::use);  // throws refused_node

constexpr std::array<int, 4> qnn_to_channels_last{0, 2, 3, 1}, qnn_to_plain{0, 3, 1, 2};
inline bool is_qnn_image(const shape& dims) { return dims.rank == 4; }
inline shape permuted_dims(const shape& dims, std::span<const int> permutation) {
    shape s = shape::of_rank(dims.rank);
    for (int i = 0; i < dims.rank; ++i) s[i] = dims[permutation[std::size_t(i)]];
    return s;
}
// Where an axis of a tensor lies in this order.
inline int qnn_axis(int axis, const shape& dims, qnn_lowering::order o) {
    constexpr int last[] = {0, 3, 1, 2};
    return o == qnn_lowering::order::channels_last && is_qnn_image(dims) ? last[axis] : axis;
}
}  // namespace v1
}  // namespace inlay
