// Mirrors kernels/inlay/onnx/image_decoder.hpp and src/kernels/image_decoder.cpp. The files of libraries' formats were
// written by Pillow.
#include "../elementwise.hpp"
#include <on_test_devices/onnx/image_decoder.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using bytes = std::vector<std::uint8_t>;
bytes text(std::string_view s) { return {s.begin(), s.end()}; }
bytes hex(std::string_view digits) {
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    bytes data;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        data.push_back(std::uint8_t(value(digits[i]) * 16 + value(digits[i + 1])));
    return data;
}
bytes joined(std::initializer_list<bytes> parts) {
    bytes data;
    for (const bytes& p : parts) data.insert(data.end(), p.begin(), p.end());
    return data;
}
bytes little(std::int64_t x, int count) {
    bytes data;
    for (int i = 0; i < count; ++i) data.push_back(std::uint8_t(x >> 8 * i));
    return data;
}
bytes bmp(std::int64_t width, std::int64_t height, int depth, int compression, const bytes& palette,
          const bytes& pixels, const bytes& masks = {}) {
    return joined({text("BM"), bytes(8), little(std::int64_t(54 + masks.size() + palette.size()), 4), little(40, 4),
                   little(width, 4), little(height, 4), little(1, 2), little(depth, 2), little(compression, 4),
                   bytes(20), masks, palette, pixels});
}
outcome decoded(const bytes& file, const std::string& format = "") {
    tensor x(element::u8, {std::int64_t(file.size())});
    std::ranges::copy(file, x.as<std::uint8_t>().begin());
    return run<op::image_decoder, device::reference>({.inputs = {x}, .with = [=](graph_data& g) {
                                                          std::vector<attribute> entries;
                                                          if (!format.empty())
                                                              entries.push_back(
                                                                  g.make("pixel_format", std::string_view(format)));
                                                          return entries;
                                                      }});
}
void check(const bytes& file, const shape& dims, const std::vector<int>& expected, const std::string& format = "") {
    const outcome y = decoded(file, format);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    REQUIRE(y[0].shape() == dims);
    const auto result = elements<std::uint8_t>(y[0]);
    CHECK(std::vector<int>(result.begin(), result.end()) == expected);
}
bool is_empty(const bytes& file) {
    const outcome y = decoded(file);
    return y.code == status::ok && y[0].shape() == shape{0, 0, 3};
}
const std::vector<int> six{255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 200, 100, 50, 255, 255, 255};
const bytes black_and_red = hex("000000000000ff00");  // a palette: blue, green, red, nothing
const bytes six_in_ppm = joined({text("P6\n3 2\n255\n"), bytes(six.begin(), six.end())}),
            six_in_bmp = bmp(3, 2, 24, 0, {}, hex("1e140a3264c8ffffff0000000000ff00ff00ff0000000000"));
struct library_file {
    std::string_view name;
    bytes file;
    shape dims;
    std::vector<int> pixels;
};
std::vector<library_file> library_files() {
    std::vector<int> ramp;
    for (int i = 0; i < 64; ++i) ramp.insert(ramp.end(), 3, i % 8 * 20);
    return {
        {"PNG",
         hex("89504e470d0a1a0a0000000d49484452000000030000000208020000001216f14d0000001849444154789c63f8cfc0c000c15c227"
             "2"
             "27528cfeffff0f003c190795efc2c6d80000000049454e44ae426082"),
         {2, 3, 3},
         six},
        {"WebP",
         hex("5249464642000000574542505650384c360000002f024000002f40906db341dcebfe32d32093b6c95fff76666d64d236ad87fdf3a"
             "f"
             "b2f31f68e491acfb06040294b1e2816d22fa1fe305"),
         {2, 3, 3},
         six},
        {"TIFF",
         hex("49492a00080000000a000001040001000000030000000101040001000000020000000201030003000000860000000301030001000"
             "0"
             "000100000006010300010000000200000011010400010000008c00000015010300010000000300000016010400010000000200000"
             "0"
             "1701040001000000120000001c010300010000000100000000000000080008000800ff000000ff000000ff0a141ec86432fffff"
             "f"),
         {2, 3, 3},
         six},
        {"JPEG",
         hex("ffd8ffe000104a46494600010100000100010000ffdb0043000101010101010101010101010101010101010101010101"
             "0101010101010101010101010101010101010101010101010101010101010101010101010101010101ffc0000b080008"
             "000801011100ffc40014000100000000000000000000000000000009ffc4001810000203000000000000000000000000"
             "0000094684c2ffda0008010100003f000bd494669e0fffd9"),
         {8, 8, 3},
         ramp},
        {"JPEG 2000",
         hex("ff4fff51002f000000000003000000020000000000000000000000030000000200000000000000000003070101070101070101ff5"
             "2"
             "000c00000001000104040001ff5c00074040484850ff640025000143726561746564206279204f70656e4a5045472076657273696"
             "f6e20322e352e34ff90000a00000000004f0001ff93c1f20208c3c7d40609873fdf8018059205c1f382bf3038fc008009bf0a7d1e"
             "01f3c7da051f681cfcc080015f0986e70713c7da050fa80e0fa808082f031f7f0473ffd9"),
         {2, 3, 3},
         six}};
}
struct decoding {
    status code = status::ok;
    std::string detail{};
    shape dims{};
    bytes data{};
    std::int64_t left = 0;  // of the bytes that the run may take
};
using decoder = kernel<op::image_decoder, device::reference, types<std::uint8_t>>;
template <class F> decoding run_within(std::int64_t most, F decode) {  // a run that may take so many bytes
    decoding y;
    y.left = most;
    context c;
    c.owner = &y;
    c.bytes_left = &y.left;
    c.grow = [](void* owner, int, const shape& dims) noexcept -> void* {
        decoding& m = *static_cast<decoding*>(owner);
        m.dims = dims;
        m.data.resize(std::size_t(dims.elements()));
        return m.data.data();
    };
    y.code = decode(c);
    y.detail = c.detail;
    return y;
}
decoding within(std::int64_t most, const bytes& file) {  // RGB
    const void* in[] = {file.data()};
    void* out[] = {nullptr};
    return run_within(most, [&](context& c) {
        return decoder::run({std::int64_t(file.size()), decoder::order::rgb}, {}, {in, out}, c);
    });
}
const bool has_libraries = image_codecs_by_libraries() != nullptr;
}  // namespace

TEST_CASE("ImageDecoder gives red, green and blue, or blue first, or grey") {
    for (const bytes& file : {six_in_ppm, six_in_bmp}) {
        check(file, {2, 3, 3}, six);
        check(file, {2, 3, 3}, six, "RGB");
        check(file, {2, 3, 3}, {0, 0, 255, 0, 255, 0, 255, 0, 0, 30, 20, 10, 50, 100, 200, 255, 255, 255}, "BGR");
        check(file, {2, 3, 1}, {76, 150, 29, 18, 124, 255}, "Grayscale");
    }
}
TEST_CASE("PNM of bits, greys and colours, in digits and in binary") {
    const std::vector<int> bits{255, 255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 255};
    check(text("P1\n# a comment\n2 2\n01\n1 0\n"), {2, 2, 3}, bits);
    check(text("P1 2 2 0110"), {2, 2, 3}, bits);
    check(joined({text("P4 2 2\n"), {0x40, 0x80}}), {2, 2, 3}, bits);
    check(text("P2\n2 1\n9\n3 9\n"), {1, 2, 3}, {85, 85, 85, 255, 255, 255});
    check(joined({text("P5 2 1 255\n"), {7, 200}}), {1, 2, 3}, {7, 7, 7, 200, 200, 200});
    check(joined({text("P5 2 1 65535\n"), {0x80, 0, 0xff, 0xff}}), {1, 2, 3}, {128, 128, 128, 255, 255, 255});
    check(text("P3 1 2 255 1 2 3 40 50 60"), {2, 1, 3}, {1, 2, 3, 40, 50, 60});
    check(joined({text("P6\t1\r1#\n15\n"), {0, 15, 5}}), {1, 1, 3}, {0, 255, 85});
}
TEST_CASE("PNM that ends too early or has no sense is no image") {
    for (std::string_view wrong : {"P2 2 1 255 3",
                                   "P2 2 1 255 3 x",
                                   "P2 0 1 255 3",
                                   "P2 1 0 255 3",
                                   "P2 2 1 0 3 3",
                                   "P2 2 1 65536 3 3",
                                   "P2 -2 1 255 3 3",
                                   "P1 2 2 0 1 1",
                                   "P1 2 2 0121",
                                   "P3 1 1 255 1 2",
                                   "P5 2 2 255 abc",
                                   "P6 1 1 255 ab",
                                   "P5 2147483647 2147483647 255 a",
                                   "P5 99999999999999999999 1 255 a",
                                   "P4 9 9 a",
                                   "P7 1 1 255 a",
                                   "P",
                                   "P5",
                                   "P5 1 1 255",
                                   "P6 1 1 255#"})
        CHECK(is_empty(text(wrong)));
    for (std::size_t n = 0; n < six_in_ppm.size(); ++n)
        CHECK(is_empty(bytes(six_in_ppm.begin(), six_in_ppm.begin() + std::ptrdiff_t(n))));
}
TEST_CASE("BMP of every depth, from below and from above") {
    const std::vector<int> red_and_black{255, 0, 0, 0, 0, 0};
    check(bmp(2, 1, 1, 0, black_and_red, {0x80, 0, 0, 0}), {1, 2, 3}, red_and_black);
    check(bmp(2, 1, 4, 0, black_and_red, {0x10, 0, 0, 0}), {1, 2, 3}, red_and_black);
    check(bmp(2, 1, 8, 0, black_and_red, {1, 0, 0, 0}), {1, 2, 3}, red_and_black);
    check(bmp(2, 1, 16, 0, {}, {0, 0x7c, 0, 0}), {1, 2, 3}, red_and_black);
    check(bmp(2, 1, 32, 0, {}, {0, 0, 255, 9, 0, 0, 0, 9}), {1, 2, 3}, red_and_black);
    check(bmp(1, 1, 16, 3, {}, {0xe0, 0x07, 0, 0}, hex("00f80000e00700001f000000")), {1, 1, 3}, {0, 255, 0});
    check(bmp(1, 1, 32, 3, {}, {1, 2, 3, 4}, hex("ff00000000ff00000000ff00")), {1, 1, 3}, {1, 2, 3});
    check(bmp(1, -2, 24, 0, {}, {3, 2, 1, 0, 6, 5, 4, 0}), {2, 1, 3}, {1, 2, 3, 4, 5, 6});
    check(bmp(1, 2, 24, 0, {}, {3, 2, 1, 0, 6, 5, 4, 0}), {2, 1, 3}, {4, 5, 6, 1, 2, 3});
    check(joined({text("BM"),
                  bytes(8),
                  little(32, 4),
                  little(12, 4),
                  little(1, 2),
                  little(1, 2),
                  little(1, 2),
                  little(1, 2),
                  hex("0000000000ff"),
                  {0x80, 0, 0, 0}}),
          {1, 1, 3}, {255, 0, 0});  // the header of OS/2
}
TEST_CASE("BMP of runs: of bytes and of halves, with steps and colours as they are") {
    const auto reds = [](std::initializer_list<int> row) {
        std::vector<int> pixels;
        for (int red : row) pixels.insert(pixels.end(), {red ? 255 : 0, 0, 0});
        return pixels;
    };
    check(bmp(4, 2, 8, 1, black_and_red, {3, 1, 1, 0, 0, 0, 0, 3, 1, 0, 1, 0, 1, 1, 0, 1}), {2, 4, 3},
          reds({1, 0, 1, 1, 1, 1, 1, 0}));
    check(bmp(4, 2, 8, 1, black_and_red, {1, 1, 0, 2, 1, 1, 2, 1, 0, 1}), {2, 4, 3}, reds({0, 0, 1, 1, 1, 0, 0, 0}));
    check(bmp(5, 1, 4, 2, black_and_red, {5, 0x10, 0, 1}), {1, 5, 3}, reds({1, 0, 1, 0, 1}));
    check(bmp(5, 1, 4, 2, black_and_red, {0, 5, 0x01, 0x10, 0x10, 0, 0, 1}), {1, 5, 3}, reds({0, 1, 1, 0, 1}));
    check(bmp(2, 1, 8, 1, black_and_red, {200, 1, 0, 1}), {1, 2, 3}, reds({1, 1}));  // beyond the row
    CHECK(is_empty(bmp(4, 2, 8, 1, black_and_red, {3, 1})));
    CHECK(is_empty(bmp(4, 2, 8, 1, black_and_red, {0, 9, 1, 1})));
    CHECK(is_empty(bmp(4, -2, 8, 1, black_and_red, {0, 1})));
    CHECK(is_empty(bmp(4, 2, 4, 1, black_and_red, {0, 1})));
}
TEST_CASE("BMP that ends too early or has no sense is no image") {
    for (std::size_t n = 0; n < six_in_bmp.size(); ++n)
        CHECK(is_empty(bytes(six_in_bmp.begin(), six_in_bmp.begin() + std::ptrdiff_t(n))));
    constexpr std::int64_t much = (std::int64_t(1) << 31) - 1;
    CHECK(is_empty(bmp(much, much, 24, 0, {}, {})));
    CHECK(is_empty(bmp(-1, 1, 24, 0, {}, {0, 0, 0, 0})));
    CHECK(is_empty(bmp(1, std::int64_t(1) << 31, 24, 0, {}, {0, 0, 0, 0})));
    CHECK(is_empty(bmp(0, 1, 24, 0, {}, {0, 0, 0, 0})));
    CHECK(is_empty(bmp(1, 0, 24, 0, {}, {0, 0, 0, 0})));
    CHECK(is_empty(bmp(1, 1, 7, 0, {}, {0, 0, 0, 0})));
    CHECK(is_empty(bmp(1, 1, 24, 4, {}, {0, 0, 0, 0})));
    check(bmp(1, 1, 8, 0, {}, {255, 0, 0, 0}), {1, 1, 3}, {0, 0, 0});  // a palette that the file does not have
}
TEST_CASE("Files of no format that ONNX names are no images") {
    for (std::string_view wrong : {"", "B", "GIF89a...", "RIFF1234WAVE", "hello, world"}) CHECK(is_empty(text(wrong)));
}
TEST_CASE("JPEG, PNG, TIFF, WebP and JPEG 2000 are decoded by libraries, or refused with the option that they need") {
    for (const library_file& f : library_files()) {
        CAPTURE(std::string(f.name));
        if (has_libraries) {
            check(f.file, f.dims, f.pixels);
            continue;
        }
        const outcome y = decoded(f.file);
        CHECK(y.code == status::unsupported);
        CHECK(y.detail ==
              std::string(f.name) +
                  " files need libinlay_images_module.so, which builds with INLAY_IMAGES have, and there is none");
    }
}
TEST_CASE("A damaged file of a library's format is an image or none, whatever is wrong with it") {
    if (!has_libraries) return;
    constexpr std::int64_t most = 64 << 20;
    for (const library_file& f : library_files())
        for (std::size_t n = 12; n < f.file.size(); n += n % 3 + 1) {
            CAPTURE(std::string(f.name), n);
            bytes changed = f.file;
            changed[n] ^= std::uint8_t(1 << n % 8);
            const decoding y = within(most, changed),
                           cut = within(most, bytes(f.file.begin(), f.file.begin() + std::ptrdiff_t(n)));
            CHECK((y.code == status::ok || y.code == status::out_of_memory));
            CHECK(cut.code == status::ok);
            CHECK((y.left == most && cut.left == most));
        }
}
TEST_CASE("ImageDecoder takes no more memory than the run may, and gives it back") {
    const decoding less = within(17, six_in_ppm), enough = within(18, six_in_ppm);
    CHECK(less.code == status::out_of_memory);
    CHECK(less.detail == "the image is larger than the run may take");
    CHECK(less.left == 17);
    CHECK(enough.code == status::ok);
    CHECK(enough.dims == shape{2, 3, 3});
    CHECK(enough.left == 18);
    // Two bytes for a run, of an image that would have some 10^18.
    constexpr std::int64_t much = (std::int64_t(1) << 30) - 1;
    CHECK(within(1 << 20, bmp(much, much, 8, 1, black_and_red, {0, 1})).detail ==
          "the image is larger than a run may make");
    CHECK(within(1 << 20, bmp(much, 1, 8, 1, black_and_red, {0, 1})).detail ==
          "the image is larger than the run may take");
}
TEST_CASE("An image without height or width is none, whatever its reader says") {
    for (const image_size& s : {image_size{0, 3}, image_size{2, 0}, image_size{0, 0}, image_size{-1, 3}}) {
        CAPTURE(s.height, s.width);
        bool decoded = false;
        const decoding y = run_within(1 << 20, [&](context& c) {
            return decoder::give({0, decoder::order::rgb}, s, 0, c, [&](std::uint8_t*) { return decoded = true; });
        });
        CHECK(y.code == status::ok);
        CHECK(y.dims == shape{0, 0, 3});
        CHECK(!decoded);
    }
}
TEST_CASE("ImageDecoder refuses other pixel formats, and what is not a list of bytes") {
    CHECK(decoded(six_in_ppm, "RGBA").answer.reason == "pixel_format is none of RGB, BGR, Grayscale");
    CHECK(run<op::image_decoder, device::reference>({{tensor(element::u8, {2, 2})}}).answer.reason ==
          "the file is not a list of bytes");
}
