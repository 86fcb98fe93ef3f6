// Mirrors kernels/inlay/microsoft/matmul_nbits.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/matmul_nbits.hpp>
#include <on_test_devices/microsoft/matmul_nbits.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
constexpr int columns = 3, depth = 20;  // two blocks of 16, the second of 4 numbers
int code_of(int bits, int row, int k) { return (row * 7 + k * 5 + 3) % (1 << bits); }
tensor packed(int bits, int rows, int count, int (*code)(int, int, int)) {
    const int bytes = (count * bits + 7) / 8;
    tensor t(element::u8, {rows, bytes});
    std::uint8_t* p = t.as<std::uint8_t>().data();
    std::fill(p, p + rows * bytes, std::uint8_t(0));
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < count; ++i) p[r * bytes + i * bits / 8] |= std::uint8_t(code(bits, r, i) << (i * bits % 8));
    return t;
}
attributes sizes(int bits, std::int64_t k = depth) {
    return with({{"N", columns}, {"K", k}, {"bits", bits}, {"block_size", 16}});
}
template <class T> call product(int bits) {
    return {
        .inputs = {random_tensor<T>({2, depth}, 1), packed(bits, columns, 32, code_of).reshaped({columns, 2, 2 * bits}),
                   list<T>({0.5, 1, 2, 0.25, 1, 0.5})},
        .with = sizes(bits)};
}
// Sums of the formula, in double.
template <class T, class Zero> tensor expected(const call& c, int bits, Zero zero, const int* groups = nullptr) {
    const auto a = numbers(c.inputs[0].value), scales = numbers(c.inputs[2].value);
    tensor y(element_of<T>, {2, columns});
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < columns; ++j) {
            double sum = 0;
            for (int k = 0; k < depth; ++k) {
                const int block = groups ? groups[k] : k / 16;
                sum += a[std::size_t(i * depth + k)] * (code_of(bits, j, k) - zero(j, block)) *
                       scales[std::size_t(j * 2 + block)];
            }
            y.as<T>()[std::size_t(i * columns + j)] = static_cast<T>(sum);
        }
    return y;
}
}  // namespace

TEMPLATE_TEST_CASE("MatMulNBits multiplies by 2-bit, 4-bit and 8-bit quantized values less their zero points", "",
                   float, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-2;
    for (int bits : {2, 4, 8}) {
        CAPTURE(bits);
        call c = product<T>(bits);
        const int middle = 1 << (bits - 1);
        CHECK(same<T>(on_reference<op::matmul_nbits>(c), expected<T>(c, bits, [=](int, int) { return middle; }),
                      tolerance));
        c.threads = 3;
        c.inputs.push_back(packed(bits, columns, 2, code_of));
        CHECK(same<T>(on_reference<op::matmul_nbits>(c),
                      expected<T>(c, bits, [=](int j, int b) { return code_of(bits, j, b); }), tolerance));
        c.inputs[3] = list<T>({0.5, 1.5, 0, 1, 2, 3});
        const double zeros[] = {0.5, 1.5, 0, 1, 2, 3};
        CHECK(same<T>(on_reference<op::matmul_nbits>(c),
                      expected<T>(c, bits, [&](int j, int b) { return zeros[j * 2 + b]; }), tolerance));
    }
}
TEST_CASE("MatMulNBits takes the scale of the group that g_idx names, and adds a bias") {
    call c = product<float>(4);
    int groups[depth];
    real_numbers indices;
    for (int k = 0; k < depth; ++k) indices.push_back(groups[k] = k % 3 == 0);
    c.inputs.resize(4);
    c.inputs.push_back(numbers(element::i32, {depth}, indices));
    const tensor y = expected<float>(
        c, 4, [](int, int) { return 8; }, groups);
    CHECK(same<float>(on_reference<op::matmul_nbits>(c), y, 1e-5));
    c.inputs.push_back(list<float>({10, 20, 30}));
    const tensor z = on_reference<op::matmul_nbits>(c);
    for (int i = 0; i < 6; ++i)
        CHECK(z.as<float>()[std::size_t(i)] == Approx(y.as<float>()[std::size_t(i)] + 10 * (i % 3 + 1)));
    for (double wrong : {-1., 2.}) {
        indices[7] = wrong;
        c.inputs[4] = numbers(element::i32, {depth}, indices);
        CHECK(run<op::matmul_nbits, device::reference>(c).detail == "g_idx names a group that is not there");
    }
}
TEST_CASE("MatMulNBits refuses what does not fit") {
    const auto reason = [](const call& c) { return run<op::matmul_nbits, device::reference>(c).answer.reason; };
    call c = product<float>(4);
    c.with = sizes(3);
    CHECK(reason(c) == "bits must be 2, 4 or 8");
    c.with = with({{"N", columns}, {"K", depth}, {"block_size", 16}, {"weight_prepacked", 1}});
    CHECK(reason(c) == "weights that a provider packed are not supported");
    c.with = sizes(4, 0);
    CHECK(reason(c) == "N and K must be positive");
    c.with = sizes(4, std::int64_t(1) << 62);
    CHECK(reason(c) == "N and K must be positive");
    c.with = sizes(4, 64);
    CHECK(reason(c) == "B does not hold N rows of K codes in blocks");
    c.with = sizes(4, 21);
    CHECK(reason(c) == "the last axis of A must be K long");
    c = product<float>(4);
    c.inputs[2] = list<float>({1, 2, 3});
    CHECK(reason(c) == "scales must have one number per block");
    c.inputs[2] = list<double>({1, 2, 3, 4, 5, 6});
    CHECK(reason(c) == "A, scales and bias must have one type");
    c = product<float>(4);
    c.inputs.push_back(tensor(element::u8, {2}));
    CHECK(reason(c) == "zero_points must have one number per block");
    c = product<float>(4);
    c.inputs[0] = tensor(element::f32, {0, depth});
    CHECK(on_reference<op::matmul_nbits>(c).shape() == shape{0, columns});
}
namespace {
// Rows by weights that are constants, with zero points that are quantized, float, or absent.
template <class T>
call constant_weights(std::int64_t rows, std::int64_t n, std::int64_t k, int bits, std::int64_t block, int zeros,
                      bool bias) {
    const std::int64_t blocks = (k + block - 1) / block;
    call c{.inputs = {random_tensor<T>({rows, k}, 1, -1, 1),
                      operand::weight(random_codes(element::u8, {n, blocks, block * bits / 8}, 2)),
                      operand::weight(random_tensor<T>({n, blocks}, 3, .01, .1))},
           .with = with({{"N", n}, {"K", k}, {"bits", bits}, {"block_size", block}})};
    if (zeros == 1) c.inputs.push_back(operand::weight(random_codes(element::u8, {n, (blocks * bits + 7) / 8}, 4)));
    if (zeros == 2) c.inputs.push_back(operand::weight(random_tensor<T>({n, blocks}, 5, 0, double(1 << bits))));
    c.inputs.resize(6);
    if (bias) c.inputs[5] = random_tensor<T>({n}, 6, -1, 1);
    return c;
}
}  // namespace
TEST_CASE("The fast MatMulNBits agrees with the reference kernel by few rows and many, at each tail of N and K",
          "[threads]") {
    for (int bits : {2, 4, 8})
        for (int zeros : {0, 1, 2}) {
            CAPTURE(bits, zeros);
            const double tolerance = bits == 8 ? 3e-4 : 3e-5;
            for (std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 33})
                agree<op::matmul_nbits>(constant_weights<float>(rows, 37, 50, bits, 16, zeros, rows % 2), tolerance);
            for (std::int64_t n : {1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 64, 65, 95, 200})
                for (std::int64_t rows : {1, 10})
                    agree<op::matmul_nbits>(constant_weights<float>(rows, n, 32, bits, 32, zeros, true), tolerance);
            for (std::int64_t k = 1; k < 40; ++k)
                for (std::int64_t rows : {1, 2, 10})
                    agree<op::matmul_nbits>(constant_weights<float>(rows, 20, k, bits, 16, zeros, false), tolerance);
        }
}
TEST_CASE("The fast MatMulNBits takes all sizes of blocks, rows whose distance is a power of two, and batches") {
    for (std::int64_t block : {16, 32, 64, 128, 256})
        for (std::int64_t rows : {1, 3, 20})
            agree<op::matmul_nbits>(constant_weights<float>(rows, 48, 2048, 4, block, block == 64, true), 1e-4);
    call c = constant_weights<float>(6, 20, 32, 4, 16, 0, false);
    c.inputs[0] = c.inputs[0].value.reshaped({2, 3, 32});
    agree<op::matmul_nbits>(c, 3e-5);
    c.inputs[0] = tensor(element::f32, {0, 32});
    agree<op::matmul_nbits>(c, 3e-5);
}
namespace {
attributes rounding(const call& c, std::int64_t accuracy = 4) {  // those of c, and accuracy_level
    return [list = c.with, accuracy](graph_data& g) {
        auto entries = list(g);
        entries.push_back(g.make("accuracy_level", accuracy));
        return entries;
    };
}
// Whether rows and weights become bfloat16.
bool in_tiles(isa::level level, std::int64_t rows, bool bytes) {
    return nbits_product{.bits = 4, .rounds = bytes, .pairs = true}.in_tiles(level, rows);
}
// The MatMul of rows and weights rounded to bfloat16. The reference kernel dequantizes the weights.
tensor of_bfloat16(const call& c, std::int64_t rows, std::int64_t n, std::int64_t k) {
    call identity = c;
    identity.inputs[0] = tensor(element::f32, {k, k});
    for (std::int64_t i = 0; i < k; ++i) identity.inputs[0].value.as<float>()[std::size_t(i * k + i)] = 1;
    identity.inputs[5] = {};
    const tensor weights = on_reference<op::matmul_nbits>(identity);
    const auto rounded = [](float x) { return double(static_cast<float>(static_cast<bfloat16>(x))); };
    const auto a = c.inputs[0].value.as<float>(), w = weights.as<float>();
    tensor y(element::f32, {rows, n});
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = c.inputs[5].value ? c.inputs[5].value.as<float>()[std::size_t(j)] : 0.f;
            for (std::int64_t d = 0; d < k; ++d)
                sum += rounded(a[std::size_t(i * k + d)]) * rounded(w[std::size_t(d * n + j)]);
            y.as<float>()[std::size_t(i * n + j)] = float(sum);
        }
    return y;
}
}  // namespace
TEST_CASE("Many rows of MatMulNBits of accuracy levels 3 and 4 become bfloat16 where tiles of it are multiplied",
          "[threads]") {
    for (int bits : {2, 4, 8})
        for (int zeros : {0, 1, 2})
            for (std::int64_t n : {1, 16, 37, 64, 130})
                for (std::int64_t k : {1, 15, 16, 50, 64, 200, 2100}) {
                    const std::int64_t rows = k > 2000 ? 700 : 20 + n % 16;
                    if (rows == 700 && (n != 37 || bits != 4 || zeros != 1)) continue;  // K in several steps
                    CAPTURE(bits, zeros, rows, n, k);
                    call c = constant_weights<float>(rows, n, k, bits, 16, zeros, n % 2);
                    const tensor expected = of_bfloat16(c, rows, n, k);
                    // With zero points a weight is computed in two ways, which may round to neighbours.
                    const double tolerance = (zeros ? 100 : 1) * (bits == 8 ? 3e-3 : 3e-4);
                    c.with = rounding(c, k % 2 ? 3 : 4);
                    for (isa::level level : tested_levels())
                        for (int threads : {1, 3}) {
                            if (!in_tiles(level, rows, true)) continue;
                            c.level = level;
                            c.threads = threads;
                            const auto y = run<op::matmul_nbits, device::cpu>(c);
                            REQUIRE(y.code == status::ok);
                            REQUIRE(same<float>(y[0], expected, tolerance));
                        }
                }
}
TEST_CASE("MatMulNBits of accuracy level 4 rounds each block of a row to integers from -127 to 127", "[threads]") {
    for (int bits : {2, 4, 8})
        for (int zeros : {0, 1, 2})
            for (std::int64_t rows : {1, 2, 3, 4, 5, 7, 13, 33, 57})
                for (std::int64_t n : {1, 16, 37, 64, 130})
                    for (std::int64_t k : {1, 15, 16, 50, 64}) {
                        CAPTURE(bits, zeros, rows, n, k);
                        call c = constant_weights<float>(rows, n, k, bits, 16, zeros, rows % 2);
                        c.with = rounding(c);
                        const auto a = c.inputs[0].value.as<float>();
                        for (std::int64_t i = 0; i < rows * k; ++i)  // what rounds to itself, in every block
                            a[std::size_t(i)] = float(i % k % 16 ? (i * 37 + i / k) % 255 - 127 : 127) * .5f;
                        c.threads = 3;
                        const tensor expected = on_reference<op::matmul_nbits>(c);
                        for (isa::level level : tested_levels()) {
                            if (in_tiles(level, rows, true)) continue;
                            c.level = level;
                            const auto y = run<op::matmul_nbits, device::cpu>(c);
                            REQUIRE(y.code == status::ok);
                            REQUIRE(same<float>(y[0], expected, bits == 8 ? 3e-3 : 2e-4));
                        }
                    }
}
TEST_CASE("A row that MatMulNBits rounds to int8 gives the same results alone and next to others") {
    constexpr std::int64_t most = 60, n = 70, k = 90;
    for (int bits : {4, 8})
        for (int zeros : {0, 1, 2}) {
            const call largest_call = constant_weights<float>(most, n, k, bits, 32, zeros, true);
            for (isa::level level : tested_levels())
                for (std::int64_t rows : {1, 2, 3, 4, 5, 6, 12, 47, 48, 60}) {
                    if (!nbits_s8_has(level, bits) || in_tiles(level, most, true)) continue;
                    CAPTURE(bits, zeros, isa::name_of(level), rows);
                    call c = largest_call;
                    c.with = rounding(c);
                    c.level = level;
                    const auto together = numbers(result_of(run<op::matmul_nbits, device::cpu>, c));
                    c.inputs[0] = tensor(element::f32, {rows, k});
                    std::copy_n(largest_call.inputs[0].value.as<float>().data(), rows * k,
                                c.inputs[0].value.as<float>().data());
                    const auto alone = numbers(result_of(run<op::matmul_nbits, device::cpu>, c));
                    CHECK(std::equal(alone.begin(), alone.end(), together.begin()));
                }
        }
}
TEST_CASE("MatMulNBits of accuracy level 4 multiplies by blocks so long that sums of bytes have more than 32 bits") {
    for (std::int64_t block : {1 << 16, 1 << 18}) {
        call c = constant_weights<float>(5, 17, block, 8, block, 0, false);
        std::ranges::fill(c.inputs[0].value.as<float>(), 1.f);
        std::ranges::fill(c.inputs[1].value.as<std::uint8_t>(), std::uint8_t(255));
        c.with = rounding(c);
        agree<op::matmul_nbits>(c, 1e-2);
    }
}
TEST_CASE("MatMulNBits of accuracy level 4 is near the exact matmul, and keeps infinities and NaN") {
    for (int bits : {4, 8}) {
        call c = constant_weights<float>(3, 40, 96, bits, 32, 1, true);
        const tensor expected = on_reference<op::matmul_nbits>(c);
        c.with = rounding(c);
        agree<op::matmul_nbits>(c, bits == 4 ? .02 : .3);
        c.inputs[0].value.as<float>()[5] = infinity;
        c.inputs[0].value.as<float>()[96 + 40] = quiet_nan;
        for (isa::level level : tested_levels()) {
            c.level = level;
            const auto y = numbers(result_of(run<op::matmul_nbits, device::cpu>, c));
            for (std::size_t j = 0; j < 40; ++j) {
                CHECK(!std::isfinite(y[j]));
                CHECK(std::isnan(y[40 + j]));
                CHECK(y[80 + j] == Approx(expected.as<float>()[80 + j]).margin(bits == 4 ? .02 : .3));
            }
        }
    }
}
TEMPLATE_TEST_CASE("The fast MatMulNBits takes fp16 and bf16", "", float16, bfloat16) {
    using T = TestType;
    for (std::int64_t rows : {1, 12})
        for (int zeros : {0, 1, 2})
            agree<op::matmul_nbits, T>(constant_weights<T>(rows, 20, 40, 4, 16, zeros, true),
                                       std::is_same_v<T, float16> ? 2e-3 : 1.6e-2);
}
TEST_CASE("The fast MatMulNBits leaves g_idx to the reference kernel") {
    const auto reason = [](const call& c) { return run<op::matmul_nbits, device::cpu>(c).answer.reason; };
    call c = product<float>(4);
    c.inputs.resize(4);
    c.inputs.push_back(tensor(element::i32, {depth}));
    CHECK(reason(c) == "fast only without g_idx");
}
