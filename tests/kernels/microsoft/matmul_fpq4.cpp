// Mirrors kernels/inlay/microsoft/matmul_fpq4.hpp. How bytes lie: as experiments with ONNX Runtime showed.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/matmul_fpq4.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
constexpr std::int64_t depth = 37, columns = 3;  // two blocks a column, the second with five numbers
int stored(std::int64_t column, std::int64_t i) { return int((i * 7 + column * 3 + 1) % 16); }
double scale(std::int64_t column, std::int64_t block) { return .25 * double(1 + column + 2 * block); }
int zero(std::int64_t column, std::int64_t block) { return int(3 + column + block); }
tensor packed(bool zeros) {
    const std::int64_t size = zeros ? 21 : 20;
    tensor t(element::u8, {columns * 2 * size});
    for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t block = 0; block < 2; ++block) {
            std::uint8_t* to = t.as<std::uint8_t>().data() + (j * 2 + block) * size;
            const auto number = float(scale(j, block));
            std::memcpy(to, &number, 4);
            if (zeros) to[4] = std::uint8_t(zero(j, block));
            for (int i = 0; i < 16; ++i)
                to[size - 16 + i] = std::uint8_t(stored(j, block * 32 + i) | stored(j, block * 32 + 16 + i)
                                                                                 << 4);  // past the end: filler
        }
    return t;
}
call product(int type, const tensor& a) {
    return {.inputs = {a, packed(type != 0), operand::weight(tensor({2}, std::vector<std::int64_t>{depth, columns}))},
            .with = with({{"blk_quant_type", type}})};
}
std::string_view refusal_of(const call& c) { return run<op::matmul_fpq4, device::reference>(c).answer.reason; }
}  // namespace

TEST_CASE("MatMulFpQ4 multiplies by blocks of 32 values of 4 bits, with zero points or without") {
    for (int type : {0, 1, 2})
        for (int threads : {1, 3}) {
            CAPTURE(type, threads);
            const tensor a = random_tensor({2, 2, depth}, 1);
            call c = product(type, a);
            c.threads = threads;
            tensor y(element::f32, {2, 2, columns});
            for (std::int64_t i = 0; i < 4; ++i)
                for (std::int64_t j = 0; j < columns; ++j) {
                    double sum = 0;
                    for (std::int64_t k = 0; k < depth; ++k)
                        sum += a.as<float>()[std::size_t(i * depth + k)] * scale(j, k / 32) *
                               (stored(j, k) - (type == 0 ? 8 : zero(j, k / 32)));
                    y.as<float>()[std::size_t(i * columns + j)] = float(sum);
                }
            CHECK(same<float>(on_reference<op::matmul_fpq4>(c), y, 1e-4));
        }
    CHECK(on_reference<op::matmul_fpq4>(product(1, random_tensor({depth}, 1))).shape() == shape{columns});
    CHECK(on_reference<op::matmul_fpq4>(product(1, tensor(element::f32, {0, depth}))).shape() == shape{0, columns});
}
TEST_CASE("MatMulFpQ4 has zero points where blk_quant_type is absent") {
    call c = product(1, random_tensor({1, depth}, 1));
    const tensor reference = on_reference<op::matmul_fpq4>(c);
    c.with = call{}.with;
    CHECK(same<float>(on_reference<op::matmul_fpq4>(c), reference));
}
TEST_CASE("MatMulFpQ4 refuses what does not fit") {
    const tensor a = random_tensor({1, depth}, 1);
    CHECK(refusal_of(product(3, a)) == "blk_quant_type must be 0, 1 or 2");
    CHECK(refusal_of(product(1, random_tensor({1, depth + 1}, 1))) == "the last axis of A does not fit B");
    call c = product(1, a);
    c.inputs[1] = packed(false);
    CHECK(refusal_of(c) == "B does not hold K rows and N columns");
    c = product(1, a);
    for (std::int64_t n : {std::int64_t(0), std::int64_t(1) << 62}) {
        c.inputs[2] = operand::weight(tensor({2}, std::vector<std::int64_t>{depth, n}));
        CHECK(refusal_of(c) == "K and N must be positive");
    }
    c.inputs[2] = operand::weight(tensor({3}, std::vector<std::int64_t>{1, 1, 1}));
    CHECK(refusal_of(c) == "B_shape must be [K, N]");
    c.inputs.resize(2);
    CHECK(refusal_of(c) == "MatMulFpQ4 has three inputs");
}
