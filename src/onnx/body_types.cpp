#include "body_types.hpp"
#include "schemas.hpp"
#include <inlay/onnx/control_flow.hpp>

namespace inlay {
inline namespace v1 {
namespace loading {
using ::onnx::AttributeProto;
using ::onnx::NodeProto;

static bool is_standard(const NodeProto& n, std::string_view op) { return n.domain().empty() && n.op_type() == op; }
bool has_bodies(const NodeProto& n) {
    return is_standard(n, "SequenceMap") ||
           (is_control_flow(n.domain(), n.op_type()) && !is_generation(n.domain(), n.op_type()));
}
bool is_repeated(const NodeProto& n) { return is_standard(n, "Loop") || is_standard(n, "Scan"); }

shape common_shape(const shape& a, const shape& b) {
    if (a.rank != b.rank) return shape::unknown();
    shape y = a;
    for (int i = 0; i < y.rank; ++i)
        if (a[i] != b[i]) y[i] = -1;
    return y;
}
static shape without(const shape& dims, int64_t axis) {
    if (axis < 0) axis += dims.rank;
    if (axis < 0 || axis >= dims.rank) return shape::unknown();
    shape y;
    for (int i = 0; i < dims.rank; ++i)
        if (i != axis) y.push_back(dims[i]);
    return y;
}
static shape with(const shape& dims, int64_t axis, int64_t size) {
    if (dims.rank < 0 || dims.rank >= max_rank) return shape::unknown();
    if (axis < 0) axis += dims.rank + 1;
    if (axis < 0 || axis > dims.rank) return shape::unknown();
    shape y;
    for (int i = 0; i <= dims.rank; ++i) y.push_back(i < axis ? dims[i] : i == axis ? size : dims[i - 1]);
    return y;
}
static int64_t size_along(const shape& dims, int64_t axis) {
    if (axis < 0) axis += dims.rank;
    return axis >= 0 && axis < dims.rank ? dims[int(axis)] : -1;
}
static std::vector<int64_t> axes_of(const NodeProto& n, std::string_view name) {
    for (auto& a : n.attribute())
        if (a.name() == name) return {a.ints().begin(), a.ints().end()};
    return {};
}
static int64_t axis_at(std::span<const int64_t> axes, std::size_t k) { return k < axes.size() ? axes[k] : 0; }

body_form::body_form(const NodeProto& n, std::span<const value_type> inputs, int version)
    : kind_(is_standard(n, "Loop")          ? kind::loop
            : is_standard(n, "Scan")        ? kind::scan
            : is_standard(n, "SequenceMap") ? kind::sequence_map
                                            : kind::branch),
      inputs_(inputs) {
    if (kind_ == kind::loop) {
        first_input = 2;
        first_output = 1;
        states = inputs.size() - std::min<std::size_t>(inputs.size(), 2);
    }
    if (kind_ != kind::scan) return;
    batched_ = version < 9;
    if (batched_ && !inputs_.empty()) inputs_ = inputs_.subspan(1);  // sequence_lens
    for (auto& a : n.attribute())
        if (a.name() == "num_scan_inputs" && a.i() >= 0 && std::size_t(a.i()) <= inputs_.size())
            states = inputs_.size() - std::size_t(a.i());
    if (batched_) return;
    input_axes_ = axes_of(n, "scan_input_axes");
    output_axes_ = axes_of(n, "scan_output_axes");
}
std::size_t body_form::scans() const { return kind_ == kind::scan ? inputs_.size() - states : 0; }
value_type body_form::scanned(std::size_t k) const {
    value_type t = inputs_[states + k];
    t.shape = without(batched_ ? without(t.shape, 0) : t.shape, axis_at(input_axes_, k));
    return t;
}
value_type body_form::given(const value_type& t) const {
    return kind_ == kind::sequence_map && t.known() && t.depth < value_type::max_depth
               ? t.within({value_kind::sequence})
               : t;
}
shape body_form::stacked(std::size_t k, shape slice) const {
    if (kind_ == kind::loop) return with(slice, 0, -1);
    if (scans() == 0) return shape::unknown();
    const shape& x = inputs_[states].shape;
    if (batched_) return with(with(slice, 0, size_along(x, 1)), 0, size_along(x, 0));
    return with(slice, axis_at(output_axes_, k), size_along(x, axis_at(input_axes_, 0)));
}
shape body_form::output_shape(std::size_t k, const shape& of_body) const {
    if (kind_ == kind::branch) return of_body;
    if (kind_ == kind::sequence_map) return shape::unknown();
    if (k >= states) return stacked(k - states, of_body);
    const std::size_t at = k + (kind_ == kind::loop ? first_input : 0);  // without an iteration the output is the input
    const shape& first = inputs_[at].shape;
    return common_shape(first, batched_ ? with(of_body, 0, size_along(first, 0)) : of_body);
}

std::vector<value_type> formal_types(const NodeProto& n, std::span<const value_type> inputs, int version) {
    std::vector<value_type> formal;
    if (is_standard(n, "Loop")) {
        formal = {{element::i64, shape{}}, {element::boolean, shape{}}};
        for (std::size_t k = 2; k < inputs.size(); ++k) formal.push_back(inputs[k]);
        for (std::size_t k = 2; k < formal.size(); ++k) formal[k].shape = shape::unknown();  // iterations may change it
    } else if (is_standard(n, "Scan")) {
        const body_form form(n, inputs, version);
        const std::size_t first = inputs.size() - form.states - form.scans();
        for (std::size_t k = 0; k < form.states; ++k) {
            formal.push_back(inputs[first + k]);
            if (version < 9) formal.back().shape = without(formal.back().shape, 0);
        }
        for (std::size_t k = 0; k < form.scans(); ++k) formal.push_back(form.scanned(k));
    } else if (is_standard(n, "SequenceMap"))
        for (const value_type& t : inputs)
            formal.push_back(t.kind() == value_kind::sequence && t.depth > 0 ? t.contents() : t);
    else if (is_generation(n.domain(), n.op_type()))
        formal.assign(std::size_t(generation_tokens(n)), value_type{element::i32});
    return formal;
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
