#include "program.hpp"
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace {
// f(first byte of a row, where it is in a plain tensor, its bytes)
template <class F> void for_each_row(const arm::Tensor& t, F f) {
    const arm::ITensorInfo& info = *t.info();
    const arm::TensorShape& dims = info.tensor_shape();
    const std::size_t row = dims[0] * info.element_size(), rows = dims.total_size() / dims[0];
    for (std::size_t r = 0; r < rows; ++r) {
        arm::Coordinates at;
        std::size_t rest = r;
        for (std::size_t d = 1; d < dims.num_dimensions(); ++d) {
            at.set(d, int(rest % dims[d]));
            rest /= dims[d];
        }
        f(t.buffer() + info.offset_element_in_bytes(at), r * row, row);
    }
}
}  // namespace

void copy_in(arm::Tensor& to, const void* from) {
    for_each_row(to, [&](std::uint8_t* row, std::size_t at, std::size_t bytes) {
        std::memcpy(row, static_cast<const char*>(from) + at, bytes);
    });
}
void copy_out(const arm::Tensor& from, void* to) {
    for_each_row(from, [&](const std::uint8_t* row, std::size_t at, std::size_t bytes) {
        std::memcpy(static_cast<char*>(to) + at, row, bytes);
    });
}

arm::TensorInfo info_of(const shape& dims, element e) {
    arm::TensorShape arm_shape(1U);
    for (int i = 0; i < dims.rank; ++i) arm_shape.set(std::size_t(dims.rank - 1 - i), std::size_t(dims[i]));
    return {arm_shape, 1, e == element::f32 ? arm::DataType::F32 : arm::DataType::S32};
}

std::unique_ptr<program> recipe::make() const {
    auto p = std::make_unique<program>();
    for (const arm::TensorInfo& i : tensors_) p->tensors.emplace_back().allocator()->init(i);
    for (const step& s : steps_) p->functions.push_back(s(*p));
    for (arm::Tensor& t : p->tensors) t.allocator()->allocate();  // all functions have said what room they need
    for (const constant& c : constants_) copy_in(p->of(c.tensor), c.elements);
    for (const auto& f : p->functions) f->prepare();
    for (const constant& c : constants_)
        if (!p->of(c.tensor).is_used()) p->of(c.tensor).allocator()->free();  // packed
    return p;
}
}  // namespace v1
}  // namespace inlay
