#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/support/relayout.hpp>
#include <on_test_devices/support/relayout.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
template <class Device> tensor convert(const tensor& x, const shape& dims, layout to, int threads = 1) {
    using k = kernel<op::relayout, Device, types<raw<32>>>;
    tensor y(x.type(), x.shape());
    const void* in[] = {x.data()};
    void* out[] = {y.data()};
    serial alone;
    context c = make_context(alone);
    c.threads = threads;
    REQUIRE(k::run(k::prepare(dims, to), {}, {in, out}, c) == status::ok);
    return y;
}
using conversion = tensor (*)(const tensor&, const shape&, layout, int threads);
const std::vector<conversion> on_other_devices = []<class... Device>(pack<Device...>) {
    return std::vector<conversion>{convert<Device>...};
}(test_devices{});
}  // namespace

TEST_CASE("a layout conversion puts the channels of a pixel together, and apart again") {
    const shape dims{1, 2, 1, 3};
    const tensor x = numbers({6}), y({6}, {0.f, 3.f, 1.f, 4.f, 2.f, 5.f});
    CHECK(same(convert<device::reference>(x, dims, layout::channels_last), y));
    CHECK(same(convert<device::reference>(y, dims, layout::plain), x));
    CHECK(same(convert<device::cpu>(x, dims, layout::channels_last), y));
    CHECK(same(convert<device::cpu>(y, dims, layout::plain), x));
    for (const conversion convert : on_other_devices) {
        CHECK(same(convert(x, dims, layout::channels_last, 1), y));
        CHECK(same(convert(y, dims, layout::plain, 1), x));
    }
}
TEST_CASE(
    "a layout conversion on the CPU and on other devices agrees with the reference kernel for every number of "
    "channels") {
    for (std::int64_t channels = 0; channels <= 67; ++channels)
        for (const std::int64_t pixels : {0, 1, 3, 7, 30})
            for (const layout to : {layout::plain, layout::channels_last}) {
                CAPTURE(channels, pixels, int(to));
                const shape dims{2, channels, pixels, 11};
                const tensor x = noise(element::f32, {dims.elements()});
                for (const int threads : {1, 3})
                    CHECK(same(convert<device::cpu>(x, dims, to, threads), convert<device::reference>(x, dims, to)));
                for (const conversion on_device : on_other_devices)
                    CHECK(same(on_device(x, dims, to, 1), convert<device::reference>(x, dims, to)));
            }
}
TEST_CASE("a layout conversion as a node changes no element") {
    for (const element e : {element::u8, element::f16, element::f32, element::f64, element::c128})
        for (const std::int64_t to : {0, 1}) {
            CAPTURE(name_of(e), to);
            const tensor x = noise(e, {2, 3, 5, 4});
            CHECK(same(run<op::relayout, device::reference>({{x}, integer("channels_last", to)})[0], x));
            CHECK(same(run<op::relayout, device::cpu>({{x}, integer("channels_last", to)})[0], x));
            for (const device_runner& d : on_test_devices<op::relayout>())
                CHECK(same(d.run({{x}, integer("channels_last", to)})[0], x));
        }
}
