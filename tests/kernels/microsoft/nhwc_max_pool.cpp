// Mirrors kernels/inlay/microsoft/nhwc_max_pool.hpp and kernels/inlay/cpu/microsoft/nhwc_max_pool.hpp.
#include "../windows.hpp"
#include <on_test_devices/microsoft/nhwc_max_pool.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
using numbers = std::vector<std::int64_t>;
struct window {
    numbers kernel{}, strides{}, pads{}, dilations{};
    std::int64_t ceil = 0;
    std::string auto_pad{};
    operator attributes() const {
        return [w = *this](graph_data& g) {
            std::vector<attribute> entries{g.make("ceil_mode", w.ceil)};
            add_window(g, w, entries);
            return entries;
        };
    }
};
template <class T> tensor pattern(const shape& dims) {
    tensor t(element_of<T>, dims);
    for (std::int64_t i = 0; i < t.elements(); ++i)
        t.as<T>()[std::size_t(i)] = static_cast<T>(i * 37 % 251 - (std::is_signed_v<T> ? 128 : 0));
    return t;
}
template <class T> tensor moved(const tensor& x, bool channels_last) {  // the channels, to the last axis or to axis 1
    shape s = x.shape();
    const std::int64_t channels = channels_last ? s[1] : s[s.rank - 1],
                       inner = s.elements(1) / std::max<std::int64_t>(channels, 1);
    for (int i = 1; i < s.rank; ++i)
        s[i] = channels_last ? (i + 1 < s.rank ? x.shape()[i + 1] : channels) : (i > 1 ? x.shape()[i - 1] : channels);
    tensor y(x.type(), s);
    for (std::int64_t n = 0; n < s[0]; ++n)
        for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t i = 0; i < inner; ++i) {
                const std::int64_t first = (n * channels + c) * inner + i, pixel = (n * inner + i) * channels + c;
                y.as<T>()[std::size_t(channels_last ? pixel : first)] =
                    x.as<T>()[std::size_t(channels_last ? first : pixel)];
            }
    return y;
}
}  // namespace

TEMPLATE_TEST_CASE("NhwcMaxPool is MaxPool of channels that are last, over one to three axes", "", std::int8_t,
                   std::uint8_t) {
    using T = TestType;
    struct trial {
        shape x;
        window w;
    };
    for (const auto& [dims, w] :
         {trial{{2, 4, 5, 3}, {.kernel = {2, 2}}},
          trial{{2, 4, 5, 3}, {.kernel = {2, 3}, .strides = {2, 2}, .pads = {1, 1, 1, 1}}},
          trial{{1, 4, 5, 17}, {.kernel = {2, 2}, .strides = {2, 2}, .dilations = {2, 2}, .ceil = 1}},
          trial{{2, 4, 5, 1}, {.kernel = {3, 3}, .strides = {2, 2}, .auto_pad = "SAME_UPPER"}},
          trial{{2, 9, 3}, {.kernel = {4}, .strides = {4}}}, trial{{1, 2, 4, 5, 3}, {.kernel = {2, 2, 2}}},
          trial{{0, 4, 5, 3}, {.kernel = {2, 2}}}, trial{{1, 4, 5, 0}, {.kernel = {2, 2}}}}) {
        CAPTURE(to_string(dims));
        const tensor x = pattern<T>(dims),
                     plain = on_reference<op::max_pool>({.inputs = {moved<T>(x, false)}, .with = w});
        CHECK(same<T>(on_reference<op::nhwc_max_pool>({.inputs = {x}, .with = w}), moved<T>(plain, true)));
    }
}
TEST_CASE("NhwcMaxPool as ONNX Runtime has it") {
    const tensor y = on_reference<op::nhwc_max_pool>(
        {.inputs = {pattern<std::int8_t>({2, 4, 5, 3})},
         .with = window{.kernel = {2, 2}, .strides = {2, 2}, .dilations = {2, 2}, .ceil = 1}});
    CHECK(same<std::int8_t>(y, list<std::int8_t>({94, 15,  52, 94, 102, 23,  -22, 15,  52, -51, -14, 23,
                                                  84, 121, 13, 55, 92,  100, -61, -24, 13, -90, -53, -16})
                                   .reshaped({2, 2, 2, 3})));
}
TEST_CASE("NhwcMaxPool refuses windows that do not fit") {
    const auto reason = [](const shape& s, const window& w) {
        return run<op::nhwc_max_pool, device::reference>({.inputs = {tensor(element::u8, s)}, .with = w}).answer.reason;
    };
    CHECK(reason({1, 4, 4, 8}, {.kernel = {2}}) == "kernel_shape needs one number per spatial axis");
    CHECK(reason({1, 4, 4, 8}, {.kernel = {6, 1}}) == "the window is larger than the padded input and a stride");
    CHECK(reason({1, 4}, {.kernel = {1}}) == "pools take an input of 3 to 5 dimensions");
}
TEMPLATE_TEST_CASE("NhwcMaxPool on the CPU agrees with the reference kernel at every number of channels", "",
                   std::int8_t, std::uint8_t) {
    for (std::int64_t channels = 0; channels <= 150; ++channels) {
        CAPTURE(channels);
        const tensor x = pattern<TestType>({2, 5, 4, channels});
        agree<op::nhwc_max_pool, TestType>(
            {.inputs = {x}, .with = window{.kernel = {3, 2}, .strides = {2, 1}, .pads = {1, 1, 0, 1}}});
    }
    agree<op::nhwc_max_pool, TestType>({.inputs = {pattern<TestType>({1, 9, 70})}, .with = window{.kernel = {4}}});
}
