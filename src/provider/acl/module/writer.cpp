#include "writer.hpp"
#include <arm_compute/runtime/NEON/functions/NEReshapeLayer.h>
#include <climits>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace {
// f(first element of a row, its number in a plain tensor, elements of a row)
template <class F> void for_each_row(const arm::Tensor& t, F f) {
    const arm::ITensorInfo& info = *t.info();
    const arm::TensorShape& dims = info.tensor_shape();
    const std::size_t row = dims[0], rows = dims.total_size() / row;
    for (std::size_t r = 0; r < rows; ++r) {
        arm::Coordinates at;
        std::size_t rest = r;
        for (std::size_t d = 1; d < dims.num_dimensions(); ++d) {
            at.set(d, int(rest % dims[d]));
            rest /= dims[d];
        }
        f(reinterpret_cast<float*>(t.buffer() + info.offset_element_in_bytes(at)), r * row, row);
    }
}
}  // namespace

void copy_in(arm::Tensor& to, const float* from) {
    for_each_row(to, [&](float* row, std::size_t first, std::size_t n) { std::copy_n(from + first, n, row); });
}
void copy_out(const arm::Tensor& from, float* to) {
    for_each_row(from, [&](const float* row, std::size_t first, std::size_t n) { std::copy_n(row, n, to + first); });
}

arm::TensorInfo info_of(const shape& dims, element e) {
    constexpr std::int64_t most = INT_MAX / 4;  // bytes are counted in 32 bits
    if (e != element::f32) refuse("ACL gets no tensors of type " + std::string(name_of(e)) + " here");
    if (dims.rank > int(arm::TensorShape::num_max_dimensions))
        refuse("ACL has no tensors of " + std::to_string(dims.rank) + " dimensions");
    std::int64_t elements = 1;
    arm::TensorShape there(1U);
    for (int i = dims.rank - 1; i >= 0; --i) {
        const std::int64_t d = dims[i];
        if (d < 1) refuse("ACL has no tensors without elements, as that of shape " + to_string(dims));
        if (d > most || elements > most / d) refuse("a tensor of shape " + to_string(dims) + " is too large for ACL");
        elements *= d;
        there.set(std::size_t(dims.rank - 1 - i), std::size_t(d));
    }
    return {there, 1, arm::DataType::F32};
}

std::unique_ptr<program> recipe::make() const {
    auto p = std::make_unique<program>();
    for (const arm::TensorInfo& i : tensors) p->tensors.emplace_back().allocator()->init(i);
    for (const step& s : steps) p->functions.push_back(s(*p));
    for (arm::Tensor& t : p->tensors)
        t.allocator()->allocate();  // now that all functions have told what room they need
    for (const constant& c : constants) copy_in(p->of(c.tensor), c.own.empty() ? c.elements : c.own.data());
    for (const auto& f : p->functions) f->prepare();
    for (const constant& c : constants)
        if (!p->of(c.tensor).is_used()) p->of(c.tensor).allocator()->free();  // packed
    return p;
}

void recipe_writer::write(const node& record) {
    const std::string op(record.op);
    if (!record.domain.empty()) refuse("ACL has no function for " + op + " of " + std::string(record.domain));
    const writer_function write_functions = find_writer(op);
    if (!write_functions) refuse("ACL has no function for " + op + " here");
    const node_view n{graph_, record};
    refuse_constant_results(n);
    write_functions({{*this, n}});
}

stream recipe_writer::value(int id) {
    if (id < 0) refuse("an input is missing");
    if (const auto found = values_.find(id); found != values_.end()) return found->second;
    const arm::TensorInfo i = info_of_value(id);
    const stream s = graph_.values[std::size_t(id)].is_constant() ? weights(id, i) : tensor(i);
    put(id, s);
    return s;
}
stream recipe_writer::weights(int id, const arm::TensorInfo& i) {
    const stream s = tensor(i);
    if (!constants_) return s;
    const void* const elements = constants_->elements(id);
    if (!elements) refuse("the elements of a constant are not there");
    made_.constants.push_back({s.tensor, static_cast<const float*>(elements)});
    return s;
}
stream recipe_writer::reshaped(const stream& s, const arm::TensorInfo& i) {
    if (s.info.tensor_shape() == i.tensor_shape()) return s;
    const stream result = tensor(i);
    call<arm::NEReshapeLayer>(s, result);
    return result;
}
}  // namespace v1
}  // namespace inlay
