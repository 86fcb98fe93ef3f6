// For tests of operators that only move elements: tensors of any bits, and comparisons of bits.
#pragma once
#include "result_of.hpp"
#include <algorithm>
#include <cstring>
#include <random>

namespace inlay::testing {
inline const std::vector<element> tensor_types = [] {
    std::vector<element> types;
    for (int e = int(element::f32); e < int(element::object); ++e) types.push_back(element(e));
    return types;
}();
inline tensor noise(element type, const shape& dims, unsigned seed = 1) {  // every pattern of bits, NaN included
    tensor t(type, dims);
    std::mt19937 random(seed);
    if (type == element::string)
        for (auto& s : t.as<std::string>()) s = std::string(random() % 40, char('a' + random() % 26));
    const unsigned mask = type == element::boolean ? 1 : 255;
    if (type != element::string)
        std::ranges::generate(std::span(static_cast<std::uint8_t*>(t.data()), std::size_t(t.bytes())),
                              [&] { return std::uint8_t(random() & mask); });
    return t;
}
inline std::string bits_at(const tensor& t, std::int64_t i) {  // of element i
    if (t.type() == element::string) return t.as<std::string>()[std::size_t(i)];
    const int bits = bits_of(t.type());
    const auto* p = static_cast<const char*>(t.data());
    if (bits >= 8) return std::string(p + i * bits / 8, std::size_t(bits / 8));
    return std::string(1, char(static_cast<unsigned char>(p[i * bits / 8]) >> (i * bits % 8) & ((1 << bits) - 1)));
}
inline bool same(const tensor& a, const tensor& b) {
    if (a.type() != b.type() || !(a.shape() == b.shape())) return false;
    if (a.type() == element::string) return std::ranges::equal(a.as<std::string>(), b.as<std::string>());
    if (bits_of(a.type()) >= 8) return a.bytes() == 0 || std::memcmp(a.data(), b.data(), std::size_t(a.bytes())) == 0;
    for (std::int64_t i = 0, count = a.elements(); i < count; ++i)  // what lies after the last one may differ
        if (bits_at(a, i) != bits_at(b, i)) return false;
    return true;
}
inline tensor numbers(const shape& dims) {  // 0, 1, 2, ...
    tensor t(element::f32, dims);
    std::ranges::generate(t.as<float>(), [i = 0]() mutable { return float(i++); });
    return t;
}
inline tensor list(std::initializer_list<std::int64_t> values) { return tensor({std::int64_t(values.size())}, values); }
inline attributes integer(std::string name, std::int64_t x) {
    return [=](graph_data& g) { return std::vector{g.make(name, x)}; };
}
inline attributes integers(std::string name, std::vector<std::int64_t> x) {
    return [=](graph_data& g) { return std::vector{g.make(name, std::span<const std::int64_t>(x))}; };
}

inline bool same(const outcome& result, const outcome& expected) {
    UNSCOPED_INFO(result.answer.reason << result.detail);
    if (!result.answer || result.code != expected.code || result.outputs.size() != expected.outputs.size())
        return false;
    for (std::size_t k = 0; k < result.outputs.size(); ++k)
        if (result.code == status::ok && !same(result[k], expected[k])) return false;
    return bool(expected.answer);
}
// On the devices of packages as in the reference kernel: in both layouts.
template <class Op> bool devices_agree(call c) {
    const outcome expected = run<Op, device::reference>(c);
    for (const device_runner& d : on_test_devices<Op>())
        for (const layout in : {layout::plain, layout::channels_last}) {
            c.in = in;
            UNSCOPED_INFO("on " << d.device << ", layout " << int(in));
            if (!same(d.run(c), expected)) return false;
        }
    return true;
}
// The reference kernel's result, and these devices' as well but for what only the host has: strings, and elements
// of less than a byte.
template <class Op> outcome run_everywhere(const call& c) {
    const outcome y = run<Op, device::reference>(c);
    const bool on_host = std::ranges::any_of(c.inputs, [](const operand& o) {
        return o.value && (o.value.type() == element::string || bits_of(o.value.type()) < 8);
    });
    if (y.answer && !on_host) CHECK(devices_agree<Op>(c));
    return y;
}
// On the CPU, and on the devices of packages, as in the reference kernel: in both layouts, on one thread and in several
// parts.
template <class Op> bool cpu_agrees(call c) {
    const outcome expected = run<Op, device::reference>(c);
    for (const layout in : {layout::plain, layout::channels_last})
        for (const int threads : {1, 2, 3, 7}) {
            c.in = in;
            c.threads = threads;
            if (!same(run<Op, device::cpu>(c), expected)) return false;
        }
    return devices_agree<Op>(c);
}
}  // namespace inlay::testing
