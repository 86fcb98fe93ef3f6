// What the tests of quantised operators share: tensors of any number type by what their elements mean, and integer
// attributes.
#pragma once
#include "elementwise.hpp"
#include <inlay/support/quantized.hpp>

namespace inlay::testing::quantization {
using real_numbers = std::vector<double>;
inline tensor numbers(element e, const shape& dims, const real_numbers& values) {
    tensor t(e, dims);
    REQUIRE(std::int64_t(values.size()) == t.elements());
    if (t.bytes()) std::memset(t.data(), 0, std::size_t(t.bytes()));
    quantized::store(e, t.data(), 0, int(values.size()), values.data());
    return t;
}
inline tensor scalar(element e, double x) { return numbers(e, {}, {x}); }
inline real_numbers numbers(const tensor& t) {
    real_numbers values;
    for (std::int64_t i = 0; i < t.elements(); ++i) values.push_back(quantized::load(t.type(), t.data(), i));
    return values;
}
inline attributes with(std::vector<std::pair<std::string_view, std::int64_t>> list) {
    return [=](graph_data& g) {
        std::vector<attribute> entries;
        for (const auto& [name, value] : list) entries.push_back(g.make(name, value));
        return entries;
    };
}
// Integers, all of which come up.
inline tensor random_codes(element e, const shape& dims, unsigned seed) {
    tensor t(e, dims);
    std::mt19937 g(seed);
    for (std::int64_t i = 0; i < t.bytes(); ++i) static_cast<std::uint8_t*>(t.data())[i] = std::uint8_t(g());
    return t;
}
inline tensor single(float x) {  // also what scalar() may not hold exactly
    tensor t(element::f32, {});
    *t.as<float>().data() = x;
    return t;
}
// Fast kernels of a quantised type must give the reference kernel's quantized values, whatever else differs:
// levels, layouts, threads.
template <class Op> void agree_in_codes(const call& c) {
    static_assert(kernel_count<Op, device::cpu>() > 0, "include the operator's header of the CPU");
    const element e = c.outputs.empty() ? c.inputs[0].value.type() : c.outputs[0];
    CAPTURE(int(e));
    if (e == element::i8)
        elementwise::agree<Op, std::int8_t>(c);
    else
        elementwise::agree<Op, std::uint8_t>(c);
}
// Scales, and how they may meet: ordinary ones, some that make ties, or all but ties, which show how often a sum of
// products has been rounded, and some that no sane file has.
inline const std::vector<std::array<float, 3>> odd_scales{{.5f, .25f, .5f},
                                                          {.013f, .021f, .017f},
                                                          {1, 1, 2},
                                                          {.1f, .3f, 1},
                                                          {1, 3, 1e-30f},
                                                          {1e30f, 1e30f, 1e-30f},
                                                          {3e38f, 3e38f, 1},
                                                          {1e-40f, 1e-45f, 1e-42f},
                                                          {-.5f, .25f, -1},
                                                          {0, 1, 1},
                                                          {1, 1, 0},
                                                          {elementwise::infinity, 1, 1},
                                                          {1, 1, elementwise::infinity},
                                                          {elementwise::quiet_nan, 1, 1},
                                                          {1, 1, elementwise::quiet_nan}};
}  // namespace inlay::testing::quantization
