// Mirrors kernels/inlay/fused/scaled_conv.hpp and kernels/inlay/cpu/fused/scaled_conv.hpp: what Mul and Conv compute
// one after the other.
#include "../dense.hpp"
#include <inlay/cpu/fused/scaled_conv.hpp>
#include <inlay/onnx/binary.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::dense;

namespace {
attributes window(std::vector<std::int64_t> pads, std::vector<std::int64_t> strides, std::int64_t group,
                  std::string_view activation = "") {
    return [=](graph_data& g) {
        list_of_attributes entries{g.make("group", group), g.make("activation", activation)};
        if (!pads.empty()) entries.push_back(g.make("pads", std::span<const std::int64_t>(pads)));
        if (!strides.empty()) entries.push_back(g.make("strides", std::span<const std::int64_t>(strides)));
        return entries;
    };
}
bool same_bytes(const tensor& a, const tensor& b) {
    return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), std::size_t(a.bytes())) == 0;
}
tensor times(const tensor& x, const tensor& scale) { return on_reference<op::mul>({{x, scale}}); }
// Whole numbers, whose sums are exact: the reference kernel's result to the bit.
void agrees(const shape& x, std::int64_t out, bool addend = false) {
    CAPTURE(to_string(x), out, addend);
    shape channels = x, w = shape::of_rank(x.rank);
    for (int i = 2; i < x.rank; ++i) channels[i] = 1;
    w[0] = out;
    w[1] = x[1];
    const tensor image = whole(x, 1), filter = whole(w, 2), bias = whole({out}, 3), scale = whole(channels, 5);
    tensor y = on_reference<op::conv>({{times(image, scale), filter, bias}});
    call c{{image, operand::weight(filter), bias, operand{}, scale}, window({}, {}, 1, addend ? "Relu" : "")};
    if (addend) {
        c.inputs[3] = whole(y.shape(), 4);
        for (std::size_t i = 0; i < y.as<float>().size(); ++i)
            y.as<float>()[i] = std::max(0.f, y.as<float>()[i] + c.inputs[3].value.as<float>()[i]);
    }
    at_every_level([&](isa::level l) { CHECK(same<float>(on_cpu<op::scaled_conv>(c, l), y)); });
}
}  // namespace

TEST_CASE("ScaledConv says why it refuses") {
    const tensor x = whole({1, 8, 6, 6}, 1), w = whole({8, 8, 1, 1}, 2), s = whole({1, 8, 1, 1}, 3);
    const auto refuses = [](const tensor& x, const tensor& w, operand s, attributes with = window({}, {}, 1)) {
        return run<op::scaled_conv, device::cpu>({{x, operand::weight(w), operand{}, operand{}, s}, with})
            .answer.reason;
    };
    CHECK(refuses(x, w, s) == "");
    CHECK(refuses(x, w, {}) == "the scale is missing");
    CHECK(refuses(x, w, whole({1, 1, 1, 1}, 3)) == "the scale must have one number per image and channel");
    CHECK(refuses(whole({1, 8, 4, 8}, 1), w, s) == "to scale W takes as long as to scale X");
    const std::string_view written = "written for a product of each pixel, over one or two spatial axes";
    CHECK(refuses(x, whole({8, 8, 2, 2}, 2), s) == written);
    CHECK(refuses(x, w, s, window({}, {2, 2}, 1)) == written);
    CHECK(refuses(x, w, s, window({1, 1, 1, 1}, {}, 1)) == written);
    CHECK(refuses(x, whole({8, 4, 1, 1}, 2), s, window({}, {}, 2)) == written);
    CHECK(refuses(whole({1, 8, 3, 6, 6}, 1), whole({8, 8, 1, 1, 1}, 2), whole({1, 8, 1, 1, 1}, 3)) == written);
    call c{{x, w, operand{}, operand{}, s}};
    c.precision = precision::bfloat16;
    CHECK(run<op::scaled_conv, device::cpu>(c).answer.reason == "weights in bfloat16 would be rounded twice");
}
TEST_CASE("ScaledConv is Conv of the product at every number of channels") {
    for (std::int64_t n = 0; n <= 67; ++n) agrees({1, 7, 4 * n + 1, 1}, n, n % 2 == 0);
    for (std::int64_t c = 0; c <= 35; ++c) agrees({2, c, 5, 7}, 5, c % 2 == 0);
    agrees({3, 9, 500}, 40);
    agrees({1, 1700, 7, 7}, 12);        // several slabs of K
    agrees({1, 1024, 9, 9}, 20, true);  // rows that share cache sets
    agrees({2, 96, 30, 31}, 40, true);  // enough work for several threads
    agrees({0, 9, 20, 20}, 4);
}
TEST_CASE("ScaledConv reads and writes slices") {
    call c{{fractions({2, 24, 9, 9}, 1), operand::weight(fractions({17, 24, 1, 1}, 2)), fractions({17}, 3),
            fractions({2, 17, 9, 9}, 4), fractions({2, 24, 1, 1}, 5)},
           window({}, {}, 1, "Silu")};
    at_every_level([&](isa::level l) {
        c.slices = false;
        const tensor expected = on_cpu<op::scaled_conv>(c, l);
        c.slices = true;
        CHECK(same_bytes(on_cpu<op::scaled_conv>(c, l), expected));
        CHECK(run<op::scaled_conv, device::cpu>(c).slices == 3);
    });
}
TEST_CASE("ScaledConv passes NaN and infinity of X and of the scale") {
    tensor x = whole({1, 20, 9, 9}, 1), s = whole({1, 20, 1, 1}, 5), w = fractions({7, 20, 1, 1}, 2);
    x.as<float>()[100] = quiet_nan;
    x.as<float>()[300] = infinity;
    x.as<float>()[400] = 0;
    const auto check = [&] {
        const tensor y = on_reference<op::conv>({{times(x, s), w}});
        at_every_level([&](isa::level l) {
            const tensor result = on_cpu<op::scaled_conv>({{x, operand::weight(w), operand{}, operand{}, s}}, l);
            for (std::size_t i = 0; i < y.as<float>().size(); ++i) {
                const float a = result.as<float>()[i], b = y.as<float>()[i];
                if (std::isfinite(b))
                    CHECK(a == Approx(b).margin(1e-4));
                else
                    CHECK((a == b || (std::isnan(a) && std::isnan(b))));
            }
        });
    };
    check();
    s.as<float>()[5] = infinity;
    check();
    s.as<float>()[5] = quiet_nan;
    check();
}
