#include "../../catch.hpp"
#include "../elementwise.hpp"
#include <inlay/onnx/affine_grid.hpp>
#include <on_test_devices/onnx/affine_grid.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::list;
using elementwise::same;

namespace {
outcome grid(const tensor& theta, std::initializer_list<double> size, std::int64_t corners = 0) {
    return run<op::affine_grid, device::reference>({{theta, list<std::int64_t>(size)}, [=](graph_data& g) {
                                                        return std::vector<attribute>{g.make("align_corners", corners)};
                                                    }});
}
const tensor as_is({1, 2, 3}, {1.f, 0.f, 0.f, 0.f, 1.f, 0.f});
}  // namespace

TEST_CASE("AffineGrid leads places of a picture, whose outer edges or centres are -1 and 1") {
    CHECK(same<float>(grid(as_is, {1, 3, 2, 2})[0], tensor({1, 2, 2, 2}, {-.5f, -.5f, .5f, -.5f, -.5f, .5f, .5f, .5f}),
                      1e-6));
    CHECK(same<float>(grid(as_is, {1, 3, 2, 3}, 1)[0],
                      tensor({1, 2, 3, 2}, {-1.f, -1.f, 0.f, -1.f, 1.f, -1.f, -1.f, 1.f, 0.f, 1.f, 1.f, 1.f}), 1e-6));
    const tensor turned({1, 2, 3}, {0.f, 2.f, 1.f, -1.f, 0.f, 3.f});  // x' = 2 y + 1, y' = 3 - x
    CHECK(same<float>(grid(turned, {1, 1, 1, 2}, 1)[0], tensor({1, 1, 2, 2}, {-1.f, 4.f, -1.f, 2.f}), 1e-6));
}
TEST_CASE("AffineGrid of three axes, of several pictures, and of none") {
    const tensor theta({2, 3, 4}, {1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.,  //
                                   0., 0., 1., 5., 0., 0., 0., 6., 1., 0., 0., 7.});
    const outcome y = grid(theta, {2, 1, 2, 1, 1});
    CHECK(same<double>(y[0], tensor({2, 2, 1, 1, 3}, {0., 0., -.5, 0., 0., .5, 4.5, 6., 7., 5.5, 6., 7.}), 1e-12));
    CHECK(grid(as_is, {1, 1, 0, 3})[0].shape() == shape{1, 0, 3, 2});
    CHECK(grid(as_is, {1, 1, 3, 0})[0].shape() == shape{1, 3, 0, 2});
}
TEST_CASE("AffineGrid refuses sizes that do not fit theta, negative and huge ones") {
    CHECK(!grid(as_is, {2, 1, 2, 2}).answer);
    CHECK(!grid(as_is, {1, 1, 2, 2, 2}).answer);
    for (const shape& dims : {shape{1, 2, 4}, shape{1, 2, 2}, shape{1, 3, 3}, shape{2, 2, 3}})
        CHECK(grid(tensor(element::f32, dims), {1, 1, 2, 2}).answer.reason == "theta does not fit size");
    CHECK(!grid(as_is, {1, 1, 2}).answer);
    CHECK(!grid(as_is, {1, 1, -2, 2}).answer);
    CHECK(!grid(as_is, {1, 1, 0x1p40, 0x1p40}).answer);
    CHECK(!grid(tensor({2, 3}, {1.f, 0.f, 0.f, 0.f, 1.f, 0.f}), {1, 1, 2, 2}).answer);
}
