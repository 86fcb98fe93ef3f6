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
    real_numbers all;
    for (std::int64_t i = 0; i < t.elements(); ++i) all.push_back(quantized::load(t.type(), t.data(), i));
    return all;
}
inline attributes with(std::vector<std::pair<std::string_view, std::int64_t>> list) {
    return [=](graph_data& g) {
        std::vector<attribute> all;
        for (const auto& [name, value] : list) all.push_back(g.make(name, value));
        return all;
    };
}
// Integers, all of which come up.
inline tensor random_codes(element e, const shape& dims, unsigned seed) {
    tensor t(e, dims);
    std::mt19937 g(seed);
    for (std::int64_t i = 0; i < t.bytes(); ++i) static_cast<std::uint8_t*>(t.data())[i] = std::uint8_t(g());
    return t;
}
}  // namespace inlay::testing::quantization
