// Mirrors kernels/inlay/microsoft/gather_packed.hpp. Expected values: ONNX Runtime 1.32's.
#include "../quantized.hpp"
#include <cmath>
#include <limits>
#include <on_test_devices/microsoft/gather_packed.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
using bytes = std::vector<std::uint8_t>;
constexpr std::int64_t f32 = 1, f16 = 10, bf16 = 16;  // as output_dtype has them

call gather(std::int64_t format, std::int64_t columns, const shape& dims, const bytes& data,
            const std::vector<std::int64_t>& rows, std::int64_t type = f32) {
    return {.inputs = {tensor(dims, data), tensor({std::int64_t(rows.size())}, rows)},
            .with = with({{"packed_type", format}, {"K", columns}, {"output_dtype", type}}),
            .outputs = {element_numbered(type)}};
}
real_numbers gathered(const call& c) { return numbers(on_reference<op::gather_packed>(c)); }
std::string_view reason(const call& c) { return run<op::gather_packed, device::reference>(c).answer.reason; }

struct block_size {
    int elements, bytes;
};
block_size size_of(int format) {
    switch (format) {
        case 2:
        case 20: return {32, 18};
        case 6: return {32, 22};
        case 8: return {32, 34};
        case 13: return {256, 176};
        case 14: return {256, 210};
        case 16: return {256, 66};
        case 17: return {256, 74};
        case 18: return {256, 98};
        case 22: return {256, 82};
        case 23: return {256, 136};
        default: return {64, 18};
    }
}
// Three rows of 256 elements, of bytes that have all values; each block has the scale 1, and of minima 0.5.
call three_rows(int format, std::int64_t type = f32) {
    const auto [elements, size] = size_of(format);
    bytes data;
    for (int block = 0; block < 3 * 256 / elements; ++block) {
        const auto first = data.size();
        for (int i = 0; i < size; ++i) data.push_back(std::uint8_t(i * i * 31 + i * 17 + format * 5 + block * 101));
        const std::size_t scale = first + (format == 14 ? 208 : 0);
        data[scale] = 0;
        data[scale + 1] = 0x3c;
        if (format == 13) {
            data[first + 2] = 0;
            data[first + 3] = 0x38;
        }
    }
    const auto row = std::int64_t(data.size()) / 3;
    return gather(format, 256, {3, row}, data, {2, 0}, type);
}
double weighted(const real_numbers& x, std::size_t first, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += x[first + i] * double(i + 1);
    return sum;
}
struct expectation {
    int format;
    real_numbers elements;  // 0 to 4, 100 and 255 of row 2
    real_numbers sums;      // of each row, element i times i + 1
};
const expectation expectations[] = {{2, {0, -4, 6, -2, 4, 3, -5}, {-15468, -27148}},
                                    {6, {-16, -12, 6, 6, -12, 3, 15}, {-22380, -10076}},
                                    {8, {22, -62, -84, -44, 58, 105, 75}, {-107456, -221376}},
                                    {13, {1691.5, 1691.5, 1565.5, 1313.5, 1943.5, 761.5, 440}, {16802864, 14718152}},
                                    {14, {1536, 1536, -672, -480, 1344, -2420, 798}, {7630864, -955776}},
                                    {16, {53.125, 17, -53.125, -91.375, -91.375, -5, -3.125}, {108818.25, 186601.875}},
                                    {17, {27, 27, -27, 145.125, -27, -71.875, -28.125}, {19796.5, 5727.75}},
                                    {18, {99, -9, 139.5, 81, 45, 9, 31}, {463461.5, 358412.5}},
                                    {20, {-83, 89, 1, -127, -22, -35, 13}, {-141968, -182177}},
                                    {22, {29, -90.625, -90.625, 29, -90.625, 25, 3}, {137265, 485354.875}},
                                    {23, {-595, -595, -1105, 1921, 221, 325, -830}, {-4228766, -827405}},
                                    {42, {-1, 1, 0, 1, -1, 0, 0}, {15676, 17768}}};

// Blocks with the scale 1 that name every entry of a format's grid, in order; write(block, i): entries of block i.
template <class Write> real_numbers grid_of(int format, int blocks, Write write) {
    const auto size = std::size_t(size_of(format).bytes);
    bytes data(std::size_t(blocks) * size);
    std::vector<std::int64_t> rows;
    for (int i = 0; i < blocks; ++i) {
        std::uint8_t* block = data.data() + std::size_t(i) * size;
        block[1] = 0x3c;
        write(block + 2, i);
        rows.push_back(i);
    }
    return gathered(gather(format, 256, {blocks, std::int64_t(size)}, data, rows));
}
void check_grid(const real_numbers& grid, double sum, double by_place, double by_square) {
    double sums[3]{};
    for (std::size_t j = 0; j < grid.size(); ++j) {
        sums[0] += grid[j];
        sums[1] += grid[j] * double(j + 1);
        sums[2] += grid[j] * double(j * j % 1009);
    }
    CHECK(sums[0] == sum);
    CHECK(sums[1] == by_place);
    CHECK(sums[2] == by_square);
}
}  // namespace

TEST_CASE("GatherPacked dequantizes rows of every format that has blocks") {
    for (const expectation& e : expectations) {
        CAPTURE(e.format);
        const real_numbers y = gathered(three_rows(e.format));
        REQUIRE(y.size() == 512);
        CHECK(real_numbers{y[0], y[1], y[2], y[3], y[4], y[100], y[255]} == e.elements);
        CHECK(weighted(y, 0, 256) == e.sums[0]);
        CHECK(weighted(y, 256, 256) == e.sums[1]);
    }
}
TEST_CASE("GatherPacked has every entry of the grids of iq2_xxs, iq2_xs, iq2_s and iq3_xxs") {
    check_grid(grid_of(16, 8,
                       [](std::uint8_t* x, int i) {
                           for (int k = 0; k < 32; ++k) x[k / 4 * 8 + k % 4] = std::uint8_t(i * 32 + k);
                       }),
               4826.375, 5262619.375, 2397337.625);
    check_grid(grid_of(17, 16,
                       [](std::uint8_t* x, int i) {
                           for (int k = 0; k < 32; ++k) {
                               x[2 * k] = std::uint8_t(i * 32 + k);
                               x[2 * k + 1] = std::uint8_t((i * 32 + k) >> 8);
                           }
                       }),
               10197.75, 22755546.75, 5085687.625);
    check_grid(grid_of(22, 32,
                       [](std::uint8_t* x, int i) {
                           for (int k = 0; k < 32; ++k) x[k] = std::uint8_t(i * 32 + k);
                           for (int k = 0; k < 8; ++k) x[64 + k] = std::uint8_t((i >> 3) * 0x55);
                       }),
               20948.625, 90030740.25, 10518972.125);
    check_grid(grid_of(18, 4,
                       [](std::uint8_t* x, int i) {
                           for (int k = 0; k < 64; ++k) x[k] = std::uint8_t(i * 64 + k);
                       }),
               6398, 3728217, 3185153);
}
TEST_CASE("GatherPacked takes rows of float32, float16 and bfloat16 as they are") {
    const bytes singles{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0},  // 1, -2.5
        halves{0, 0x3c, 0, 0xc1}, brains{0x80, 0x3f, 0x20, 0xc0};
    for (std::int64_t type : {f32, f16, bf16}) {
        CHECK(gathered(gather(0, 2, {1, 8}, singles, {0}, type)) == real_numbers{1, -2.5});
        CHECK(gathered(gather(1, 2, {1, 4}, halves, {0}, type)) == real_numbers{1, -2.5});
        CHECK(gathered(gather(30, 2, {1, 4}, brains, {0}, type)) == real_numbers{1, -2.5});
    }
}
TEST_CASE("GatherPacked rounds to the type that output_dtype names, bfloat16 where it names none") {
    for (const expectation& e : expectations) {
        CAPTURE(e.format);
        const tensor single = on_reference<op::gather_packed>(three_rows(e.format));
        real_numbers rounded;
        for (const float x : elements<float>(single)) rounded.push_back(float(float16(x)));
        CHECK(gathered(three_rows(e.format, f16)) == rounded);
        rounded.clear();
        for (const float x : elements<float>(single)) rounded.push_back(float(bfloat16(x)));
        call c = three_rows(e.format, bf16);
        CHECK(gathered(c) == rounded);
        c.with = with({{"packed_type", e.format}, {"K", 256}});
        CHECK(gathered(c) == rounded);
    }
}
TEST_CASE("GatherPacked takes row 0 for an index out of range, and indices of any rank, in int32 too") {
    call c = gather(8, 32, {2, 34}, bytes(68, 1), {});
    bytes data(68);
    for (std::size_t i = 0; i < 68; ++i) data[i] = std::uint8_t(i % 34 < 2 ? i % 34 * 0x3c : i);
    c.inputs[0] = tensor(shape{2, 34}, data);
    for (element e : {element::i32, element::i64}) {
        c.inputs[1] = numbers(e, {2, 1, 3}, {1, 0, -1, 2, 2147483647, -2147483648.});
        c.threads = 3;
        const tensor y = on_reference<op::gather_packed>(c);
        CHECK(y.shape() == shape{2, 1, 3, 32});
        const real_numbers x = numbers(y);
        for (std::size_t row = 0; row < 6; ++row)
            for (std::size_t j = 0; j < 32; ++j) CHECK(x[row * 32 + j] == double(j + 2 + (row == 0 ? 34 : 0)));
    }
    c.inputs[1] = numbers(element::i64, {}, {1});
    CHECK(on_reference<op::gather_packed>(c).shape() == shape{32});
    c.inputs[0] = tensor(element::u8, {0, 34});
    c.inputs[1] = tensor(element::i64, {0, 2});
    CHECK(on_reference<op::gather_packed>(c).shape() == shape{0, 2, 32});
}
TEST_CASE("GatherPacked gives infinities and NaN where the scale is one") {
    bytes data(18);
    data[1] = 0x7c;  // infinity
    data[2] = 0x18;  // 0 and -7 times it
    const real_numbers y = gathered(gather(2, 32, {1, 18}, data, {0}));
    CHECK(std::isnan(y[0]));
    CHECK(y[1] == -std::numeric_limits<double>::infinity());
    CHECK(y[16] == -std::numeric_limits<double>::infinity());
}
TEST_CASE("GatherPacked refuses what does not fit") {
    const bytes row(18);
    for (std::int64_t format : {-1, 3, 7, 12, 41, 43})
        CHECK(reason(gather(format, 32, {1, 18}, row, {0})) ==
              "packed_type must be one of the formats 0, 1, 2, 6, 8, 13, 14, 16, 17, 18, 20, 22, 23, 30, 42");
    for (std::int64_t columns : {std::int64_t(0), std::int64_t(-32), std::int64_t(31), std::int64_t(1) << 62})
        CHECK(reason(gather(2, columns, {1, 18}, row, {0})) ==
              "K must be a positive multiple of the elements in a block of packed_type");
    CHECK(reason(gather(2, 64, {1, 18}, row, {0})) == "the rows of data must hold K elements of packed_type");
    CHECK(reason(gather(2, 32, {18}, row, {0})) == "data must be [rows, bytes of a row]");
    CHECK(reason(gather(2, 32, {0, 18}, {}, {0})) == "data has no rows");
    call c = gather(2, 32, {1, 18}, row, {0});
    c.inputs[1] = tensor(element::i16, {1});
    CHECK(reason(c) == "the indices are neither int32 nor int64");
    c.inputs[1] = tensor(element::i64, {1, 1, 1, 1, 1, 1, 1, 1});
    CHECK(reason(c) == "the output has more than 8 dimensions");
    c.inputs.resize(1);
    CHECK(reason(c) == "GatherPacked has two inputs");
    c = gather(2, 32, {1, 18}, row, {0}, f32);
    c.outputs = {element::f16};
    CHECK(reason(c) == "the output's type is not output_dtype");
}
