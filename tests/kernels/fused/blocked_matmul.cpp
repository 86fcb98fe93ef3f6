// Mirrors kernels/inlay/fused/blocked_matmul.hpp and kernels/inlay/cpu/fused/blocked_matmul.hpp.
#include "../dense.hpp"
#include <inlay/cpu/fused/blocked_matmul.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

namespace {
struct form {
    std::int64_t rows, k, n, block;
    bool by_columns = false, is_signed = true, zeros = false, bias = false;
};
int code_of(std::int64_t i) { return int((i * 7 + 3) % 16); }  // as it lies there
tensor codes(const shape& dims, bool is_signed) {
    tensor t = tensor::uninitialized(is_signed ? element::i4 : element::u4, dims);
    auto* const bytes = static_cast<std::uint8_t*>(t.data());
    for (std::int64_t i = 0; i < dims.elements(); i += 2)
        bytes[i / 2] = std::uint8_t(code_of(i) | (i + 1 < dims.elements() ? code_of(i + 1) << 4 : 0));
    return t;
}
shape by_axis(const form& f, std::int64_t k) { return f.by_columns ? shape{f.n, k} : shape{k, f.n}; }
attributes with(std::int64_t axis, std::int64_t block) {
    return [=](graph_data& g) { return std::vector{g.make("axis", axis), g.make("block_size", block)}; };
}
call product(const form& f) {
    const std::int64_t blocks = (f.k + f.block - 1) / f.block;
    tensor scales(element::f32, by_axis(f, blocks));
    for (std::int64_t i = 0; i < scales.shape().elements(); ++i) scales.as<float>()[std::size_t(i)] = float(1 + i % 3);
    call c{{whole({2, f.rows, f.k}, 1), operand::weight(codes(by_axis(f, f.k), f.is_signed)), operand::weight(scales),
            f.zeros ? operand::weight(codes(by_axis(f, blocks), f.is_signed)) : operand{},
            f.bias ? operand(whole({f.n}, 2)) : operand{}}};
    c.with = with(f.by_columns, f.block);
    return c;
}
// By the formula, in integers.
tensor expected(const form& f, const call& c) {
    const auto value = [&](std::int64_t i) { return f.is_signed && code_of(i) > 7 ? code_of(i) - 16 : code_of(i); };
    const auto x = c.inputs[0].value.as<float>();
    const std::int64_t blocks = (f.k + f.block - 1) / f.block;
    tensor y(element::f32, {2, f.rows, f.n});
    for (std::int64_t row = 0; row < 2 * f.rows; ++row)
        for (std::int64_t j = 0; j < f.n; ++j) {
            double sum = f.bias ? c.inputs[4].value.as<float>()[std::size_t(j)] : 0;
            for (std::int64_t i = 0; i < f.k; ++i) {
                const std::int64_t b = i / f.block, scale = f.by_columns ? j * blocks + b : b * f.n + j;
                const std::int64_t at = f.by_columns ? j * f.k + i : i * f.n + j;
                sum += double(x[std::size_t(row * f.k + i)]) * (value(at) - (f.zeros ? value(scale) : 0)) *
                       double(1 + scale % 3);
            }
            y.as<float>()[std::size_t(row * f.n + j)] = float(sum);
        }
    return y;
}
std::vector<form> forms() {
    std::vector<form> cases;
    for (bool by_columns : {false, true})
        for (bool is_signed : {false, true})
            for (bool zeros : {false, true}) {
                cases.push_back({1, 32, 5, 16, by_columns, is_signed, zeros, true});
                cases.push_back({3, 40, 37, 32, by_columns, is_signed, zeros, false});  // half a block
                cases.push_back({20, 96, 70, 48, by_columns, is_signed, zeros, true});  // no power of two
            }
    return cases;
}
}  // namespace

TEST_CASE("A matmul by blocks of 4-bit quantized values is that of the numbers that they represent") {
    for (const form& f : forms()) {
        CAPTURE(f.rows, f.k, f.n, f.by_columns, f.is_signed, f.zeros);
        const call c = product(f);
        const outcome o = run<op::blocked_matmul, device::reference>(c);
        REQUIRE(o.code == status::ok);
        CHECK(same<float>(o[0], expected(f, c)));
    }
}
TEST_CASE("A matmul by blocks of 4-bit quantized values on the CPU agrees with the reference kernel at every level") {
    for (const form& f : forms()) {
        call c = product(f);
        const outcome plain = run<op::blocked_matmul, device::reference>(c);
        at_every_level([&](isa::level l) {
            c.level = l;
            for (int threads : {1, 3}) {
                c.threads = threads;
                CAPTURE(f.rows, f.k, f.n, f.by_columns, f.is_signed, f.zeros, threads, isa::name_of(l));
                const outcome fast = run<op::blocked_matmul, device::cpu>(c);
                REQUIRE(fast.code == status::ok);
                CHECK(same<float>(fast[0], plain[0]));
            }
        });
    }
}
TEST_CASE("A matmul by blocks of 4-bit quantized values with precision bfloat16 rounds rows and weights at most") {
    for (const form& f : forms()) {
        call c = product(f);
        const outcome plain = run<op::blocked_matmul, device::reference>(c);
        c.precision = precision::bfloat16;
        at_every_level([&](isa::level l) {
            c.level = l;
            CAPTURE(f.rows, f.k, f.n, f.by_columns, f.is_signed, f.zeros, isa::name_of(l));
            const outcome fast = run<op::blocked_matmul, device::cpu>(c);
            REQUIRE(fast.code == status::ok);
            CHECK(difference(fast[0], plain[0]) < 1e-2);
        });
    }
}
TEST_CASE("Blocks of 4-bit quantized values that do not fit are refused with the reason") {
    const auto reason_of = [](const call& c) { return run<op::blocked_matmul, device::reference>(c).answer.reason; };
    const form f{1, 32, 4, 16};
    call c = product(f);
    c.with = with(0, 8);
    CHECK(reason_of(c) == "block_size must be a multiple of 16");
    c.with = with(2, 16);
    CHECK(reason_of(c) == "axis must be 0 or 1");
    c = product(f);
    c.inputs[2] = operand::weight(tensor(element::f32, {3, 4}));
    CHECK(reason_of(c) == "there must be one scale for each block");
    c = product(f);
    c.inputs[3] = operand::weight(codes({2, 4}, false));
    CHECK(reason_of(c) == "zero points are of another type than the quantized values");
}
