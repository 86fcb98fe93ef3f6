// Regions as graphs of DirectML's operators. The same code asks whether a node is taken, by making the operators of
// that node alone, and writes the region.
#pragma once
#include "device.hpp"
#include <inlay/support/window_axis.hpp>
#include <deque>
#include <provider/node_writer.hpp>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
using namespace directx;

// trial: only operators are made, which tells as well what is taken.
enum class purpose : std::uint8_t { use, trial };

struct tensor_info {
    shape dims;
    element type = element::f32;
};
tensor_info with_dims(const tensor_info&, const shape&);  // as many elements
DML_TENSOR_DATA_TYPE type_of(element);                    // or refused
constexpr bool is_float(element e) { return e == element::f32 || e == element::f16; }
DML_SCALAR_UNION scalar_of(element, double);  // of floats
DML_SCALAR_UNION scalar_of(element, std::int64_t);
// Indices that the model does not know, and DirectML does not check: they are in [-length, length), the k-th one of
// lengths[k % lengths.size()].
struct index_check {
    std::string op;
    element type = element::i64;
    std::int64_t count = 0;
    std::vector<std::int64_t> lengths{};
    bool holds(const void* indices) const;
    std::string problem() const { return "an index of " + op + " is out of range"; }
};
struct checked_place {  // of an input of the graph, or of a result that is made beside the region's
    bool of_input = false;
    UINT index = 0;
    index_check check;
};
// A value inside a graph, its elements one after another: of an input of the graph, or of a node.
struct stream {
    bool of_input = false, of_constant = false;
    UINT index = 0;   // of the input or node
    UINT output = 0;  // of the node
    tensor_info info;
};

class graph_writer {
    const region& r_;
    const dml_device& device_;
    purpose why_;
    dml_graph out_{};
    std::unordered_map<int, stream> values_{};
    std::vector<std::pair<stream, index_check>> checks_{};
    std::vector<checked_place> checked_{};

    stream constant_value(int id);
    stream new_constant(const tensor_info&, dml_constant);
    stream own_constant(const tensor_info&, const void* elements);
    void write_node(int i);
    void write_outputs();
    void write_checks(std::vector<std::pair<UINT, UINT>>&);

  public:
    static constexpr std::string_view piece = "DirectML's operator";

    graph_writer(const region& r, const dml_device& d, purpose why) : r_(r), device_(d), why_(why) {}
    dml_graph write();  // throws refused_node

    stream value(int id);
    void put(int id, const stream& s) { values_[id] = s; }
    tensor_info info_of_value(int id) const;  // of a type that the adapter has, or refused
    const inlay::value& record(int id) const { return r_.graph.values[std::size_t(id)]; }
    static stream reshaped(const stream&, const tensor_info&);
    // Elements that are no value of the model.
    stream indices(const std::vector<UINT>&);  // of one dimension
    stream number(element, std::int64_t);      // one element, without dimensions
    // Those of the model that an operator looks up by; refused where they are known to be out of range.
    void check_indices(const stream&, index_check);
    std::vector<checked_place> take_checks() { return std::move(checked_); }  // after write()

    IDMLDevice1& device() const { return device_.dml(); }
    UINT add(com_ptr<IDMLOperator>, std::span<const std::optional<stream>> inputs);
};

// An operator that is made: the tensors of its description, in its order, then the operator.
class operator_maker {
    struct described {
        std::array<UINT, DML_TENSOR_DIMENSION_COUNT_MAX1> sizes{}, strides{};
        DML_BUFFER_TENSOR_DESC buffer{};
        DML_TENSOR_DESC tensor{};
    };
    graph_writer& to_;
    std::deque<described> tensors_{};
    std::deque<std::vector<UINT>> lists_{};
    std::vector<std::optional<stream>> inputs_{};
    std::vector<tensor_info> outputs_{};

    dml_tensor describe(const tensor_info&, const shape& strides, bool owned);

  public:
    explicit operator_maker(graph_writer& to) : to_(to) {}
    dml_tensor in(const stream& s) { return in(s, s.info.dims, strides_of(s.info.dims, layout::plain)); }
    dml_tensor in(const stream&, const shape& sizes, const shape& strides);
    dml_tensor in_as(const stream&, const shape& broadcast);  // by ONNX's rule
    dml_tensor absent();
    dml_tensor out(const tensor_info&);
    const UINT* list(std::vector<UINT> l) { return lists_.emplace_back(std::move(l)).data(); }
    const UINT* list(const shape&);
    // The operator; gives its results, or the first one.
    std::vector<stream> all_made(DML_OPERATOR_TYPE, const void* description);
    stream made(DML_OPERATOR_TYPE type, const void* description) { return all_made(type, description)[0]; }
};

struct node_writer : node_writer_to<graph_writer> {
    int rank() const { return n.input(0).dims.rank; }
    const shape& dims(int k) const { return n.input(k).dims; }
};
using writer_function = void (*)(const node_writer&);
struct named_writer {
    std::string_view op;
    writer_function write;
};
writer_function find_writer(std::string_view op);
std::span<const named_writer> code_writers();
std::span<const named_writer> element_wise_writers();
std::span<const named_writer> index_writers();
std::span<const named_writer> logic_writers();
std::span<const named_writer> movement_writers();
std::span<const named_writer> normalization_writers();
std::span<const named_writer> pool_writers();
std::span<const named_writer> product_writers();
std::span<const named_writer> recurrent_writers();
std::span<const named_writer> resize_writers();

// x as elements of another type.
stream cast_to(const node_writer&, const stream& x, element);
// x's elements at other places, or several times: its strides, of the result's dimensions.
stream strided_copy(const node_writer&, const stream& x, const shape& sizes, const shape& strides);
// [batch, channels, 1, all that is behind], as operators over channels take them.
shape channel_planes(const shape& x);
UINT last_pad(const window_axis&);  // that its last window reaches

// Why the nodes, as a region, are not taken; empty: they are.
std::string refusal_of_region(const region&, const dml_device&);
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay
