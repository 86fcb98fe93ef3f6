// Mirrors kernels/inlay/microsoft/matmul_bnb4.hpp.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/matmul_bnb4.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
constexpr int rows_of_b = 3, depth = 13;  // of B: 39 values of 4 bits, in blocks that do not end with rows
constexpr double fp4[] = {0, 1. / 192, 2. / 3, 1, 1. / 3, .5, 1. / 6, .25},
                 nf4[] = {-1,        -0.6961928, -0.5250731, -0.3949175, -0.2844414, -0.1847734, -0.0910500, 0,
                          0.0795803, 0.1609302,  0.2461123,  0.3379152,  0.4407098,  0.5626170,  0.7229568,  1};
int code_of(int i) { return (i * 7 + 3) % 16; }
double number(bool normal, int i) {
    const double scale[] = {2, .5, 4};
    const int code = code_of(i);
    return (normal ? nf4[code] : code < 8 ? fp4[code] : -fp4[code - 8]) * scale[i / 16];
}
template <class T> call product(bool normal, bool transposed) {
    tensor codes(element::u8, {(rows_of_b * depth + 1) / 2});
    std::uint8_t* p = codes.as<std::uint8_t>().data();
    for (int i = 0; i < rows_of_b * depth; i += 2)
        p[i / 2] = std::uint8_t(code_of(i) << 4 | (i + 1 < rows_of_b * depth ? code_of(i + 1) : 0));
    return {.inputs = {random_tensor<T>({2, 1, transposed ? depth : rows_of_b}, 1), codes, list<T>({2, .5, 4})},
            .with = with(
                {{"K", depth}, {"N", rows_of_b}, {"block_size", 16}, {"quant_type", normal}, {"transB", transposed}})};
}
}  // namespace

TEMPLATE_TEST_CASE("MatMulBnb4 multiplies by numbers of FP4 and NF4, or by their transpose", "", float, float16,
                   bfloat16) {
    using T = TestType;
    for (bool normal : {false, true})
        for (bool transposed : {false, true}) {
            call c = product<T>(normal, transposed);
            const auto a = numbers(c.inputs[0].value);
            const int columns = transposed ? rows_of_b : depth, along = transposed ? depth : rows_of_b;
            tensor y(element_of<T>, {2, 1, columns});
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < columns; ++j) {
                    double sum = 0;
                    for (int k = 0; k < along; ++k)
                        sum +=
                            a[std::size_t(i * along + k)] * number(normal, transposed ? j * depth + k : k * depth + j);
                    y.as<T>()[std::size_t(i * columns + j)] = static_cast<T>(sum);
                }
            const double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-2;
            CHECK(same<T>(on_reference<op::matmul_bnb4>(c), y, tolerance));
            c.threads = 3;
            CHECK(same<T>(on_reference<op::matmul_bnb4>(c), y, tolerance));
        }
}
TEST_CASE("MatMulBnb4 refuses what does not fit") {
    const auto reason = [](const call& c) { return run<op::matmul_bnb4, device::reference>(c).answer.reason; };
    const auto sizes = [](std::int64_t k, std::int64_t n, std::int64_t block, std::int64_t type) {
        return with({{"K", k}, {"N", n}, {"block_size", block}, {"quant_type", type}});
    };
    call c = product<float>(true, true);
    c.with = sizes(depth, rows_of_b, 16, 2);
    CHECK(reason(c) == "quant_type must be 0 for FP4, or 1 for NF4");
    c.with = sizes(depth, 0, 16, 1);
    CHECK(reason(c) == "N and K must be positive");
    c.with = sizes(std::int64_t(1) << 62, rows_of_b, 16, 1);
    CHECK(reason(c) == "N and K must be positive");
    c.with = sizes(depth, rows_of_b, 20, 1);
    CHECK(reason(c) == "block_size must be a power of two from 16 on");
    c.with = sizes(depth, rows_of_b, 32, 1);
    CHECK(reason(c) == "absmax must have one number per block");
    c.with = sizes(depth, rows_of_b + 1, 16, 1);
    CHECK(reason(c) == "B does not hold N rows of K codes");
    c = product<float>(true, false);
    c.with = sizes(depth, rows_of_b, 16, 1);
    CHECK(reason(c) == "the last axis of A does not fit B");
    c = product<float>(true, true);
    c.inputs[2] = list<double>({1, 2, 3});
    CHECK(reason(c) == "A and absmax must have one type");
    c.inputs.resize(2);
    CHECK(reason(c) == "MatMulBnb4 has three inputs");
    c = product<float>(true, true);
    c.inputs[0] = tensor(element::f32, {0, depth});
    CHECK(on_reference<op::matmul_bnb4>(c).shape() == shape{0, rows_of_b});
}
