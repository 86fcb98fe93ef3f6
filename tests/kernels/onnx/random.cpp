// Mirrors kernels/inlay/onnx/random.hpp. What is statistical has fixed seeds, and limits that one in some ten thousand
// seeds would exceed.
#include "../elementwise.hpp"
#include <inlay/onnx/random.hpp>
#include <numeric>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
struct options {
    std::optional<double> seed{};
    element type = element::f32;
    shape dims{};  // the attribute
    std::vector<std::pair<const char*, double>> reals{};
    std::optional<std::int64_t> samples{};
    bool dtype = true;
};
attributes how(options o) {
    return [=](graph_data& g) {
        std::vector<attribute> list;
        const std::vector<std::int64_t> dims(o.dims.begin(), o.dims.end());
        list.push_back(g.make("shape", std::span<const std::int64_t>(dims)));
        if (o.dtype) list.push_back(g.make("dtype", std::int64_t(o.type)));
        if (o.seed) list.push_back(g.make("seed", *o.seed));
        if (o.samples) list.push_back(g.make("sample_size", *o.samples));
        for (const auto& [name, x] : o.reals) list.push_back(g.make(name, x));
        return list;
    };
}
call of(options o, std::vector<operand> in = {}, int threads = 1) {
    return {.inputs = std::move(in), .with = how(o), .outputs = {o.type}, .threads = threads};
}
template <class Op> tensor drawn(options o, std::vector<operand> in = {}, int threads = 1) {
    return on_reference<Op>(of(std::move(o), std::move(in), threads));
}
template <class Op> std::string_view why(options o, std::vector<operand> in = {}) {
    return run<Op, device::reference>(of(std::move(o), std::move(in))).answer.reason;
}
template <class T = float> std::vector<double> numbers(const tensor& t) {
    std::vector<double> x;
    for (const T v : t.as<T>()) x.push_back(static_cast<double>(v));
    return x;
}
bool all_in(const std::vector<double>& x, double low, double high) {
    return std::ranges::all_of(x, [=](double v) { return v >= low && v < high; });
}
double moment(const std::vector<double>& x, double about, int power) {
    double sum = 0;
    for (const double v : x) sum += std::pow(v - about, power);
    return sum / double(x.size());
}
// Of counts that should be in proportion to `share`, minus its expectation, in standard deviations.
double excess_of_chi_square(const std::vector<std::int64_t>& counts, const std::vector<double>& share) {
    const double total = double(std::accumulate(counts.begin(), counts.end(), std::int64_t(0)));
    double sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
        sum += (double(counts[i]) - total * share[i]) * (double(counts[i]) - total * share[i]) / (total * share[i]);
    const double freedom = double(counts.size() - 1);
    return (sum - freedom) / std::sqrt(2 * freedom);
}
}  // namespace

TEST_CASE("Philox gives the numbers that its authors published") {
    using block = std::array<std::uint32_t, 4>;
    CHECK(philox({0, 0, 0, 0}, {0, 0}) == block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}
TEMPLATE_TEST_CASE("RandomUniform of every type is even between low and high", "", float, double, float16, bfloat16) {
    using T = TestType;
    const auto x = numbers<T>(drawn<op::random_uniform>({.seed = 5, .type = element_of<T>, .dims = {100, 1000}}));
    std::vector<std::int64_t> bins(64);
    REQUIRE(all_in(x, 0, 1));
    for (const double v : x) ++bins[std::size_t(v * 64)];
    CHECK(std::abs(excess_of_chi_square(bins, std::vector<double>(64, 1. / 64))) < 4);
    CHECK(std::abs(moment(x, .5, 1)) < 4 * std::sqrt(1. / 12 / 1e5) + 1. / 256);  // bfloat16 has 256 numbers
    CHECK(moment(x, .5, 2) == Approx(1. / 12).epsilon(.02));
    double together = 0;  // of neighbours
    for (std::size_t i = 1; i < x.size(); ++i) together += (x[i] - .5) * (x[i - 1] - .5);
    CHECK(std::abs(together / 1e5) < 4. / 12 / std::sqrt(1e5) + 1e-4);
    const auto wide = numbers<T>(drawn<op::random_uniform>(
        {.seed = 6, .type = element_of<T>, .dims = {20000}, .reals = {{"low", 2.}, {"high", 4.}}}));
    CHECK(all_in(wide, 2, 4));
    CHECK(moment(wide, 0, 1) == Approx(3).epsilon(.01));
}
TEMPLATE_TEST_CASE("RandomNormal of every type has the moments and the distribution of a normal one", "", float, double,
                   float16, bfloat16) {
    using T = TestType;
    const auto x = numbers<T>(drawn<op::random_normal>({.seed = 7, .type = element_of<T>, .dims = {100001}}));
    CHECK(std::abs(moment(x, 0, 1)) < 4 / std::sqrt(1e5));
    CHECK(std::abs(moment(x, 0, 2) - 1) < 4 * std::sqrt(2 / 1e5) + 1e-3);
    CHECK(std::abs(moment(x, 0, 3)) < 4 * std::sqrt(15 / 1e5));
    CHECK(std::abs(moment(x, 0, 4) - 3) < 4 * std::sqrt(96 / 1e5) + 1e-2);
    std::vector<std::int64_t> bins(12);
    std::vector<double> share;
    const auto below = [](double v) { return .5 * std::erfc(-v / std::sqrt(2.)); };
    for (int i = 0; i < 12; ++i)  // edges at -2.55, -2.05, .., which no type has
        share.push_back((i == 11 ? 1 : below(.5 * (i - 5) - .05)) - (i == 0 ? 0 : below(.5 * (i - 6) - .05)));
    for (const double v : x) ++bins[std::size_t(std::clamp(int(std::floor((v + .05) / .5)) + 6, 0, 11))];
    if (!std::is_same_v<T, bfloat16>) CHECK(std::abs(excess_of_chi_square(bins, share)) < 4);
    const auto y = numbers<T>(drawn<op::random_normal>(
        {.seed = 7, .type = element_of<T>, .dims = {20000}, .reals = {{"mean", 3.}, {"scale", .5}}}));
    CHECK(moment(y, 0, 1) == Approx(3).epsilon(.01));
    CHECK(moment(y, 3, 2) == Approx(.25).epsilon(.05));
}
TEST_CASE("A seed gives the same numbers in every run, whatever the threads; other seeds give others") {
    const auto with = [](double seed, int threads) {
        return drawn<op::random_uniform>({.seed = seed, .dims = {65537}}, {}, threads);
    };
    CHECK(same<float>(with(1, 1), with(1, 7)));
    CHECK(!same<float>(with(1, 1), with(2, 1)));
    CHECK(!same<float>(with(1, 1), with(1.5, 1)));
    CHECK(same<float>(with(0, 1), with(-0., 1)));
    const tensor x = tensor(element::i32, {65537});
    CHECK(same<float>(with(1, 1), drawn<op::random_uniform_like>({.seed = 1}, {x})));
    CHECK(same<float>(drawn<op::random_normal>({.seed = 3, .dims = {8191}}, {}, 3),
                      drawn<op::random_normal_like>({.seed = 3}, {tensor(element::string, {8191})})));
}
TEST_CASE("Without a seed, or with NaN, every node and every run has numbers of its own") {
    const auto first_draw = drawn<op::random_uniform>({.dims = {16}}), two = drawn<op::random_uniform>({.dims = {16}}),
               three = drawn<op::random_uniform>({.seed = double(quiet_nan), .dims = {16}});
    CHECK(!same<float>(first_draw, two));
    CHECK(!same<float>(first_draw, three));
    CHECK(!same<float>(two, three));
    using kernel_of = kernel<op::random_uniform, device::reference, types<float>>;
    random_state s;
    s.bind();
    std::vector<float> first(16), second(16);
    context alone;
    for (auto* y : {&first, &second}) {
        void* const out[] = {y->data()};
        REQUIRE(kernel_of::run({16, 0, 1, {}}, s, {nullptr, out}, alone) == status::ok);
    }
    CHECK(first != second);
    CHECK(!op::random_uniform::facts.pure);  // so that no pass folds it or merges two nodes
    CHECK(!op::random_normal_like::facts.pure);
    CHECK(!op::bernoulli::facts.pure);
    CHECK(!op::multinomial::facts.pure);
}
TEST_CASE("Random numbers take the input's type unless dtype is given, empty shapes and old versions") {
    const tensor half(element::f16, {3, 2});
    CHECK(drawn<op::random_normal_like>({.type = element::f16, .dtype = false}, {half}).type() == element::f16);
    CHECK(drawn<op::random_uniform_like>({.type = element::f64}, {half}).type() == element::f64);
    CHECK(drawn<op::random_uniform>({.dims = {2, 0}}).shape() == shape{2, 0});
    CHECK(drawn<op::random_uniform>({}).shape() == shape{});
    CHECK(drawn<op::random_normal>({.dims = {0}}).shape() == shape{0});
    call old = of({.dims = {3}});
    old.version = 1;
    CHECK(on_reference<op::random_uniform>(old).shape() == shape{3});
    CHECK(numbers(drawn<op::random_uniform>({.dims = {3}, .reals = {{"low", 2.}, {"high", 2.}}})) ==
          std::vector<double>{2, 2, 2});
}
TEST_CASE("Random numbers of shapes and ranges that are none are refused") {
    CHECK(why<op::random_uniform>({.dims = {2, -1}}) == "a dimension is negative");
    CHECK(why<op::random_normal>({.dims = {std::int64_t(1) << 40, std::int64_t(1) << 40}}) ==
          "the output is too large");
    CHECK(why<op::random_uniform>({.dims = {2}, .reals = {{"low", 2.}, {"high", 1.}}}) == "low is above high");
    CHECK(why<op::random_uniform>({.dims = {2}, .reals = {{"low", double(quiet_nan)}}}) == "low is above high");
    CHECK(why<op::random_uniform>({.dims = {2}, .reals = {{"high", double(infinity)}}}) == "low or high is infinite");
    CHECK(why<op::random_normal>({.dims = {2}, .reals = {{"scale", -1.}}}) == "scale is negative");
    const tensor x(element::f32, {2});
    CHECK(run<op::random_uniform_like, device::reference>(
              {.inputs = {x}, .with = how({.type = element::f64}), .outputs = {element::f32}})
              .answer.reason == "the output's type is not dtype, or the input's");
    CHECK(why<op::random_normal_like>({.type = element::i32}, {x}) == "no kernel for these types");
    CHECK(run<op::random_normal, device::reference>({.inputs = {}, .outputs = {element::f32}}).answer.reason ==
          "there is no attribute `shape`");
    const std::vector<std::int64_t> nine(9, 1);
    CHECK(run<op::random_normal, device::reference>(
              {.inputs = {},
               .with = [&](graph_data& g) { return std::vector{g.make("shape", std::span<const std::int64_t>(nine))}; },
               .outputs = {element::f32}})
              .answer.reason == "the shape has more than 8 dimensions");
}
TEST_CASE("Bernoulli is 1 as often as its probabilities say, in every type") {
    for (const element from : {element::f32, element::f64, element::f16, element::bf16}) {
        CAPTURE(name_of(from));
        for (const double p : {0., .25, .5, 1.}) {
            tensor x(from, {40000});
            for (std::int64_t i = 0; i < 40000; ++i) store_float<double>(from, x.data(), i, p);
            const auto y = numbers<double>(drawn<op::bernoulli>({.seed = 11, .type = element::f64}, {x}, 3));
            CHECK(std::ranges::all_of(y, [](double v) { return v == 0 || v == 1; }));
            CHECK(std::abs(moment(y, 0, 1) - p) <= 4 * std::sqrt(p * (1 - p) / 40000));
        }
    }
    const tensor x = list<float>({0, 1, 2, -1, quiet_nan, 1, infinity}), ones = list<double>({0, 1, 1, 0, 0, 1, 1});
    const auto check = [&]<class T>(T) {
        const auto y = numbers<T>(drawn<op::bernoulli>({.type = element_of<T>}, {x}));
        CHECK(y == elements<double>(ones));
    };
    [&]<class... T>(std::tuple<T...>) {
        (check(T{}), ...);
    }(std::tuple<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                 std::uint32_t, std::uint64_t, bool>{});
    CHECK(numbers<float16>(drawn<op::bernoulli>({.type = element::f16}, {x})) == elements<double>(ones));
    CHECK(numbers<bfloat16>(drawn<op::bernoulli>({.type = element::bf16}, {x})) == elements<double>(ones));
    CHECK(drawn<op::bernoulli>({.type = element::f32, .dtype = false}, {x}).type() == element::f32);
    CHECK(drawn<op::bernoulli>({}, {tensor(element::f32, {0, 3})}).shape() == shape{0, 3});
    CHECK(why<op::bernoulli>({.type = element::f8e5m2}, {x}) == "an output of this element type is not supported");
    CHECK(why<op::bernoulli>({}, {tensor(element::i32, {2})}) == "the probabilities are not real numbers");
}
TEMPLATE_TEST_CASE("Multinomial draws as often as the logarithms say", "", std::int32_t, std::int64_t) {
    using T = TestType;
    const std::vector<double> share{.1, .5, .15, .25};
    tensor x(element::f32, {2, 6});
    for (int row = 0; row < 2; ++row)
        for (int k = 0; k < 6; ++k)  // the first and the last are impossible
            x.as<float>()[std::size_t(row * 6 + k)] =
                k == 0 || k == 5 ? -infinity
                                 : float(std::log(share[std::size_t(row ? 4 - k : k - 1)]) + (row ? 1000 : -50));
    const tensor y = drawn<op::multinomial>({.seed = 13, .type = element_of<T>, .samples = 40000}, {x}, 2);
    REQUIRE(y.shape() == shape{2, 40000});
    for (int row = 0; row < 2; ++row) {
        std::vector<std::int64_t> counts(4);
        REQUIRE(all_in(numbers<T>(y), 1, 5));
        for (int i = 0; i < 40000; ++i) {
            const T k = y.as<T>()[std::size_t(row * 40000 + i)];
            ++counts[std::size_t(row ? 4 - k : k - 1)];
        }
        CHECK(std::abs(excess_of_chi_square(counts, share)) < 4);
    }
}
TEST_CASE("Multinomial of one sample by default, of every type of logarithms, and of none") {
    for (const element from : {element::f32, element::f64, element::f16, element::bf16}) {
        tensor x(from, {3, 2});
        for (std::int64_t i = 0; i < 6; ++i) store_float<double>(from, x.data(), i, i % 2 ? 0. : -1000.);
        const tensor y = drawn<op::multinomial>({.type = element::i32}, {x});
        CHECK(y.shape() == shape{3, 1});
        CHECK(elements<std::int32_t>(y) == std::vector<std::int32_t>{1, 1, 1});
    }
    CHECK(drawn<op::multinomial>({.type = element::i32, .samples = 0}, {tensor(element::f32, {2, 3})}).shape() ==
          shape{2, 0});
    CHECK(drawn<op::multinomial>({.type = element::i32}, {tensor(element::f32, {0, 3})}).shape() == shape{0, 1});
}
TEST_CASE("Multinomial refuses rows without probabilities, and sizes that are none") {
    const options i32{.type = element::i32};
    for (const auto& row :
         {list<float>({-infinity, -infinity}), list<float>({1, quiet_nan}), list<float>({infinity, 1})})
        CHECK(run<op::multinomial, device::reference>(of(i32, {row.reshaped({1, 2})})).detail ==
              "a row has no probabilities");
    CHECK(why<op::multinomial>({.type = element::i32, .samples = -1}, {tensor(element::f32, {2, 3})}) ==
          "sample_size is negative");
    CHECK(why<op::multinomial>({.type = element::i32, .samples = std::int64_t(1) << 60},
                               {tensor(element::f32, {2, 3})}) == "the output is too large");
    CHECK(why<op::multinomial>(i32, {tensor(element::f32, {3})}) == "the input is not [batches, outcomes]");
    CHECK(why<op::multinomial>(i32, {tensor(element::f32, {3, 0})}) == "there are no outcomes");
    CHECK(why<op::multinomial>(i32, {tensor(element::i32, {3, 2})}) == "the probabilities are not real numbers");
}
