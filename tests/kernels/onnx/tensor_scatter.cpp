// Mirrors kernels/inlay/onnx/tensor_scatter.hpp.
#include "../moving.hpp"
#include <inlay/onnx/tensor_scatter.hpp>
#include <cstring>
using namespace inlay;
using namespace inlay::testing;

namespace {
attributes how(std::string mode, std::int64_t axis = -2) {
    return [=](graph_data& g) { return std::vector{g.make("mode", mode), g.make("axis", axis)}; };
}
// The formula: element by element, by position.
std::vector<std::string> expected(const tensor& cache, const tensor& update, std::vector<std::int64_t> positions,
                                  int axis) {
    const shape c = cache.shape(), u = update.shape();
    const std::int64_t inner = c.elements(axis + 1), per_batch = c.elements(1, axis);
    std::vector<std::string> y;
    for (std::int64_t i = 0; i < cache.elements(); ++i) y.push_back(bits_at(cache, i));
    for (std::int64_t i = 0; i < update.elements(); ++i) {
        const std::int64_t in = i % inner, row = i / inner % u[axis], prefix = i / inner / u[axis],
                           to = (positions[std::size_t(prefix / per_batch)] + row + 10 * c[axis]) % c[axis];
        y[std::size_t((prefix * c[axis] + to) * inner + in)] = bits_at(update, i);
    }
    return y;
}
std::vector<std::string> bits(const tensor& t) {
    std::vector<std::string> y;
    for (std::int64_t i = 0; i < t.elements(); ++i) y.push_back(bits_at(t, i));
    return y;
}
tensor made(call c) { return result_of(run<op::tensor_scatter, device::reference>, c); }
outcome tried(const call& c) { return run<op::tensor_scatter, device::reference>(c); }
}  // namespace

TEST_CASE("TensorScatter of every type, along each axis, in both modes") {
    for (const element type : tensor_types)
        for (const auto& [axis, to, from] : {std::tuple<std::int64_t, shape, shape>{1, {2, 5, 3}, {2, 2, 3}},
                                             {-2, {2, 3, 5, 3}, {2, 3, 3, 3}},
                                             {-1, {2, 3, 5}, {2, 3, 5}}})
            for (const char* mode : {"linear", "circular"}) {
                CAPTURE(name_of(type), axis, mode);
                const tensor cache = noise(type, to, 1), update = noise(type, from, 2);
                const int at = normal_axis(axis, to.rank);
                const std::int64_t most = to[at] - from[at];
                for (const std::vector<std::int64_t>& positions :
                     {std::vector<std::int64_t>{0, most}, {most, 0}, {1, 4}, {-1, 9}}) {
                    if (mode == std::string("linear") &&
                        (positions[0] < 0 || positions[0] > most || positions[1] > most))
                        continue;
                    const tensor y =
                        made({.inputs = {cache, update, list({positions[0], positions[1]})}, .with = how(mode, axis)});
                    CHECK(bits(y) == expected(cache, update, positions, at));
                }
                CHECK(bits(made({.inputs = {cache, update}, .with = how(mode, axis)})) ==
                      expected(cache, update, {0, 0}, at));
            }
}
TEST_CASE("TensorScatter writes into its cache in place, and takes empty updates and caches") {
    tensor cache = numbers({1, 4, 2});
    const tensor update = numbers({1, 2, 2}), positions = list({1}), expected = made({{cache, update, positions}});
    const void* const in[] = {cache.data(), update.data(), positions.data()};
    void* const out[] = {cache.data()};
    context alone;
    using kernel_of = kernel<op::tensor_scatter, device::reference, types<raw<32>>>;
    REQUIRE(kernel_of::run({1, 1, 4, 2, 2, false, true}, {}, {in, out}, alone) == status::ok);
    CHECK(same(cache, expected));
    CHECK(same(made({{numbers({1, 4, 2}), numbers({1, 0, 2}), list({4})}}), numbers({1, 4, 2})));
    CHECK(made({.inputs = {numbers({2, 0, 2}), numbers({2, 0, 2}), list({0, 0})}, .with = how("circular")}).shape() ==
          shape{2, 0, 2});
    CHECK(made({{numbers({0, 4, 2}), numbers({0, 2, 2})}}).shape() == shape{0, 4, 2});
}
TEST_CASE("TensorScatter refuses updates that do not fit, and axes, modes and indices that are none") {
    const auto reason_of = [](const call& c) { return tried(c).answer.reason; };
    const tensor cache = numbers({2, 4, 3}), update = numbers({2, 2, 3});
    CHECK(reason_of({.inputs = {cache, update}, .with = how("spiral")}) == "mode is neither linear nor circular");
    CHECK(reason_of({.inputs = {cache, update}, .with = how("linear", 3)}) == "axis is out of range");
    CHECK(reason_of({.inputs = {cache, update}, .with = how("linear", 0)}) == "axis is that of the batches");
    CHECK(reason_of({.inputs = {cache, update}, .with = how("linear", -3)}) == "axis is that of the batches");
    CHECK(reason_of({{numbers({}), numbers({})}}) == "axis is out of range");
    CHECK(reason_of({{cache, numbers({2, 5, 3})}}) == "the update does not fit into the cache");
    CHECK(reason_of({{cache, numbers({1, 2, 3})}}) == "the update does not fit into the cache");
    CHECK(reason_of({{cache, numbers({2, 6})}}) == "cache and update have different ranks");
    CHECK(reason_of({{cache, tensor(element::i32, {2, 2, 3})}}) == "cache and update are of different types");
    CHECK(reason_of({{cache, update, list({1})}}) == "write_indices are not one per batch");
    CHECK(reason_of({{cache, update, tensor({2}, {1.f, 1.f})}}) == "write_indices are not int64");
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t bad : {std::int64_t(-1), std::int64_t(3), huge, -huge - 1})
        CHECK(tried({{cache, update, list({0, bad})}}).detail == "the update goes beyond the cache");
    CHECK(tried({.inputs = {cache, update, list({huge, -huge - 1})}, .with = how("circular")}).code == status::ok);
}
