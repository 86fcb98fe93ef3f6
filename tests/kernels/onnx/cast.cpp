// Mirrors kernels/inlay/onnx/cast.hpp and kernels/inlay/cpu/onnx/cast.hpp.
#include "../result_of.hpp"
#include <inlay/cpu/onnx/cast.hpp>
#include <cmath>
#include <on_test_devices/onnx/cast.hpp>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
using text = std::string;

template <class T> T make(double x) {
    if constexpr (std::is_same_v<T, float8e8m0>)
        return casting::narrow<T>(x, {true, casting::rounding::nearest});
    else if constexpr (casting::is_small_int<T>)
        return T{std::int8_t(x)};
    else
        return T(x);
}
template <class T> tensor list(std::initializer_list<double> values) {
    tensor t(element_of<T>, {std::int64_t(values.size())});
    std::int64_t i = 0;
    for (double x : values) store<T>(t.data(), i++, make<T>(x));
    return t;
}
tensor words(std::initializer_list<text> values) { return tensor({std::int64_t(values.size())}, values); }
template <class T> std::vector<double> numbers(const tensor& t) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < t.elements(); ++i) values.push_back(double(casting::widen(load<T>(t.data(), i))));
    return values;
}
bool same(const std::vector<double>& a, const std::vector<double>& b) {  // NaN is like NaN; the sign of zero counts
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(a[i] != a[i] && b[i] != b[i]) && (a[i] != b[i] || std::signbit(a[i]) != std::signbit(b[i]))) {
            UNSCOPED_INFO("element " << i << ": " << a[i] << ", not " << b[i]);
            return false;
        }
    return true;
}
template <class Device = device::reference>
outcome cast(const tensor& x, element to, attributes with = {}, layout in = layout::plain, int threads = 1) {
    call c{.inputs = {x}, .outputs = {to}, .in = in, .threads = threads};
    if (with) c.with = with;
    return run<op::cast, Device>(c);
}
template <class T> std::vector<double> to(const tensor& x, attributes with = {}) {
    const outcome o = cast(x, element_of<T>, with);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    return numbers<T>(o[0]);
}
std::vector<text> to_words(const tensor& x) {
    const outcome o = cast(x, element::string);
    REQUIRE(o.code == status::ok);
    const auto s = o[0].as<text>();
    return {s.begin(), s.end()};
}
const attributes unsaturated = [](graph_data& g) { return std::vector{g.make("saturate", std::int64_t(0))}; };
attributes round_mode(std::string_view mode, std::int64_t saturate) {
    return [=](graph_data& g) { return std::vector{g.make("round_mode", mode), g.make("saturate", saturate)}; };
}
}  // namespace

TEMPLATE_TEST_CASE("Cast between any two number types keeps zero and one", "", float, double, float16, bfloat16,
                   float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float4e2m1, bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                   int4, uint4, int2, uint2) {
    const tensor x = list<TestType>({0, 1, 1, 0, 1});
    const auto check = [&]<class... T>(types<T...>) {
        const auto check_pair = [&]<class U>(std::type_identity<U>) {
            CAPTURE(name_of(element_of<U>));
            if constexpr (std::is_same_v<U, float8e8m0>)
                CHECK(same(to<U>(x), {0x1p-127, 1, 1, 0x1p-127, 1}));
            else
                CHECK(same(to<U>(x), {0, 1, 1, 0, 1}));
        };
        (check_pair(std::type_identity<T>{}), ...);
    };
    check(casting::numbers{});
}
TEST_CASE("Cast to integers truncates toward zero") {
    const tensor x = list<float>({-2.9, -0.5, 0.5, 2.9, 100.99});
    CHECK(same(to<std::int8_t>(x), {-2, 0, 0, 2, 100}));
    CHECK(same(to<std::int64_t>(x), {-2, 0, 0, 2, 100}));
    CHECK(same(to<std::uint16_t>(list<double>({0.9, 65535.9})), {0, 65535}));
}
TEST_CASE("Cast to integers of 32 and 64 bits saturates, NaN is 0") {
    const tensor x = list<double>({quiet_nan, inf, -inf, 3e9, -3e9, 1e20, -1e20});
    constexpr double i32 = 2147483647, i64 = 9223372036854775808., u64 = 18446744073709551616.;
    CHECK(same(to<std::int32_t>(x), {0, i32, -i32 - 1, i32, -i32 - 1, i32, -i32 - 1}));
    CHECK(same(to<std::uint32_t>(x), {0, 4294967295., 0, 3e9, 0, 4294967295., 0}));
    CHECK(same(to<std::int64_t>(x), {0, i64, -i64, 3e9, -3e9, i64, -i64}));
    CHECK(same(to<std::uint64_t>(x), {0, u64, 0, 3e9, 0, u64, 0}));
}
TEST_CASE("Cast of out-of-range integers keeps the low bits") {
    CHECK(same(to<std::int8_t>(list<std::int16_t>({200, -129, 256})), {-56, 127, 0}));
    CHECK(same(to<std::uint8_t>(list<std::int64_t>({-1, 511})), {255, 255}));
    CHECK(same(to<std::uint64_t>(list<std::int8_t>({-1})), {18446744073709551616.}));
    CHECK(same(to<int4>(list<float>({-9, -8, 7, 8, 15})), {7, -8, 7, -8, -1}));
    CHECK(same(to<uint4>(list<float>({-9, 15, 16, 17})), {7, 15, 0, 1}));
    CHECK(same(to<int2>(list<std::int32_t>({-3, -2, 1, 2, 5})), {1, -2, 1, -2, 1}));
    CHECK(same(to<uint2>(list<std::uint64_t>({0, 3, 4, 7})), {0, 3, 0, 3}));
}
TEST_CASE("Cast to bool is true for all but zero") {
    CHECK(same(to<bool>(list<float>({0, -0., 1e-45, quiet_nan, -inf})), {0, 0, 1, 1, 1}));
    CHECK(same(to<bool>(list<std::int64_t>({0, 256, -1})), {0, 1, 1}));
    CHECK(same(to<bool>(list<uint2>({0, 1, 2, 3, 0})), {0, 1, 1, 1, 0}));
}
TEST_CASE("Cast to a smaller float rounds once, to the nearest even") {
    CHECK(same(
        to<float16>(list<float>({1 + 0x1p-11, 1 + 0x3p-11, 65519, 65520, -65520, 0x1p-25, 0x1.8p-25, quiet_nan, -0.})),
        {1, 1 + 0x1p-9, 65504, inf, -inf, 0, 0x1p-24, quiet_nan, -0.}));
    CHECK(same(to<bfloat16>(list<float>({1 + 0x1p-8, 1 + 0x3p-8, 3.4e38, inf})), {1, 1 + 0x1p-6, inf, inf}));
    // By way of float these two would be rounded twice.
    CHECK(same(to<float16>(list<double>({1 + 0x1p-11 + 0x1p-40, 1 + 0x3p-11 - 0x1p-40, -(1 + 0x1p-11 + 0x1p-40)})),
               {1 + 0x1p-10, 1 + 0x1p-10, -(1 + 0x1p-10)}));
    CHECK(same(to<bfloat16>(tensor({2}, {(std::int64_t(1) << 60) + (std::int64_t(1) << 52) + 1,
                                         std::numeric_limits<std::int64_t>::min()})),
               {0x1p60 + 0x1p53, -0x1p63}));
    CHECK(same(to<float>(list<double>({1e300, -1e300, 1e-300, 0.1})), {inf, -inf, 0, double(0.1f)}));
    CHECK(same(to<float16>(list<std::int32_t>({65519, 65520, -70000})), {65504, inf, -inf}));
}
TEST_CASE("Cast to float8 saturates unless saturate is 0") {
    const tensor x = list<float>({1000000, -1000000, inf, -inf, quiet_nan, -0.});
    CHECK(same(to<float8e4m3fn>(x), {448, -448, 448, -448, quiet_nan, -0.}));
    CHECK(same(to<float8e4m3fnuz>(x), {240, -240, 240, -240, quiet_nan, 0}));
    CHECK(same(to<float8e5m2>(x), {57344, -57344, 57344, -57344, quiet_nan, -0.}));
    CHECK(same(to<float8e5m2fnuz>(x), {57344, -57344, 57344, -57344, quiet_nan, 0}));
    CHECK(same(to<float8e4m3fn>(x, unsaturated), {quiet_nan, quiet_nan, quiet_nan, quiet_nan, quiet_nan, -0.}));
    CHECK(same(to<float8e4m3fnuz>(x, unsaturated), {quiet_nan, quiet_nan, quiet_nan, quiet_nan, quiet_nan, 0}));
    CHECK(same(to<float8e5m2>(x, unsaturated), {inf, -inf, inf, -inf, quiet_nan, -0.}));
    CHECK(same(to<float8e5m2fnuz>(x, unsaturated), {quiet_nan, quiet_nan, quiet_nan, quiet_nan, quiet_nan, 0}));
    CHECK(same(to<float8e4m3fn>(list<std::int64_t>({464, 465, -1000})), {448, 448, -448}));
    CHECK(same(to<float16>(list<float>({1e6}), unsaturated), {inf}));
}
TEST_CASE("Cast to float4e2m1 takes the nearest of its fifteen numbers") {
    CHECK(same(to<float4e2m1>(list<float>({0.48, 0.25, 0.26, 1.05, 2.5, 3.5, -8, 1e6, inf, -inf, quiet_nan})),
               {0.5, 0, 0.5, 1, 2, 4, -6, 6, 6, -6, -0.}));
}
TEST_CASE("Cast to float8e8m0 follows round_mode") {
    const tensor x = list<float>({1, 1.1, 1.5, 1.9, 3, 0.124});
    CHECK(same(to<float8e8m0>(x), {1, 2, 2, 2, 4, 0.125}));
    CHECK(same(to<float8e8m0>(x, round_mode("up", 1)), {1, 2, 2, 2, 4, 0.125}));
    CHECK(same(to<float8e8m0>(x, round_mode("down", 1)), {1, 1, 1, 1, 2, 0.0625}));
    CHECK(same(to<float8e8m0>(x, round_mode("nearest", 1)), {1, 1, 2, 2, 4, 0.125}));
    const tensor edge = list<double>({0, quiet_nan, inf, 0x1.8p127, 0x1p-130, 0x1p-127, 0x1p127});
    CHECK(same(to<float8e8m0>(edge), {0x1p-127, quiet_nan, 0x1p127, 0x1p127, 0x1p-127, 0x1p-127, 0x1p127}));
    CHECK(same(to<float8e8m0>(edge, round_mode("nearest", 0)),
               {quiet_nan, quiet_nan, quiet_nan, quiet_nan, quiet_nan, 0x1p-127, 0x1p127}));
    CHECK(same(to<float>(list<float8e8m0>({0.25, 8, quiet_nan, 0x1p-127})), {0.25, 8, quiet_nan, 0x1p-127}));
    CHECK(!cast(x, element::f8e8m0, round_mode("sideways", 1)).answer);
}
TEST_CASE("Cast to a packed type leaves nothing of older bytes behind its last element") {
    const std::uint8_t ones = 0xff;
    for (std::int64_t n = 1; n <= 9; ++n) {
        std::vector<std::uint8_t> y(8, ones), x(std::size_t(n), 1);
        casting::params p{n, element::u8, element::i4, {true, casting::rounding::up}};
        serial alone;
        context c = make_context(alone);
        const void* in[] = {x.data()};
        void* out[] = {y.data()};
        CHECK(casting::number_kernel::run(p, {}, {in, out}, c) == status::ok);
        CHECK(y[std::size_t(n / 2)] == (n % 2 ? 1 : ones));
    }
}
TEST_CASE("Cast to strings writes the shortest decimals that convert back") {
    CHECK(to_words(list<float>({0.47892547f, 0.2f, 1, -1e6, 314.15926f, 1e-5, 3.4028235e38, quiet_nan, inf, -inf, -0.,
                                0.0001f})) == std::vector<text>{"0.47892547", "0.2", "1.0", "-1000000.0", "314.15927",
                                                                "1e-05", "3.4028235e+38", "NaN", "INF", "-INF", "-0.0",
                                                                "0.0001"});
    CHECK(to_words(list<double>({0.1, 1e15, 1e16, 123456789.125, -2.5e-300})) ==
          std::vector<text>{"0.1", "1000000000000000.0", "1e+16", "123456789.125", "-2.5e-300"});
    CHECK(to_words(list<float16>({0.1, 65504, 0x1p-24})) == std::vector<text>{"0.1", "65500.0", "6e-08"});
    CHECK(to_words(list<bfloat16>({0.1, 1.0})) == std::vector<text>{"0.1", "1.0"});
    CHECK(to_words(list<float8e4m3fn>({448, quiet_nan})) == std::vector<text>{"450.0", "NaN"});
    CHECK(to_words(list<float8e8m0>({0.5, 4})) == std::vector<text>{"0.5", "4.0"});
    CHECK(to_words(list<bool>({1, 0})) == std::vector<text>{"True", "False"});
    CHECK(to_words(list<int4>({-8, 7, 3})) == std::vector<text>{"-8", "7", "3"});
    CHECK(to_words(tensor({2}, {std::numeric_limits<std::int64_t>::min(), std::int64_t(7)})) ==
          std::vector<text>{"-9223372036854775808", "7"});
    CHECK(to_words(tensor({1}, {std::numeric_limits<std::uint64_t>::max()})) ==
          std::vector<text>{"18446744073709551615"});
}
TEST_CASE("Cast to strings and back keeps every float16 and float8") {
    const auto round_trip = [&]<class T>(std::type_identity<T>, unsigned codes) {
        tensor x(element_of<T>, {std::int64_t(codes)});
        for (unsigned i = 0; i < codes; ++i) x.as<T>()[i] = T::of_bits(typename T::storage(i));
        const outcome middle = cast(x, element::string);
        CHECK(same(to<T>(middle[0]), numbers<T>(x)));
    };
    round_trip(std::type_identity<float16>{}, 65536);
    round_trip(std::type_identity<bfloat16>{}, 65536);
    round_trip(std::type_identity<float8e4m3fn>{}, 256);
    round_trip(std::type_identity<float8e5m2fnuz>{}, 256);
}
TEST_CASE("Cast from strings reads plain and scientific decimals") {
    CHECK(same(to<float>(words({"0.47892547", "1e-5", "1E8", " 3.14\n", "+2", "-.5", "7."})),
               {double(0.47892547f), double(1e-5f), 1e8, double(3.14f), 2, -0.5, 7}));
    CHECK(same(to<double>(words({"NaN", "nan", "INF", "+INF", "-inf", "infinity"})),
               {quiet_nan, quiet_nan, inf, inf, -inf, inf}));
    CHECK(same(to<double>(words({"1e999", "-1e999", "1e-999", "-1e-999"})), {inf, -inf, 0, -0.}));
    const text zeros(400, '0');
    CHECK(same(to<double>(words({"1" + zeros, "0." + zeros + "1", "1" + zeros + "e-10", "0." + zeros + "1e+10"})),
               {inf, 0, inf, 0}));
    CHECK(same(to<float>(words({"1e39", "1e-60"})), {inf, 0}));
    CHECK(same(to<std::int32_t>(words({"1000", "-7", "100.5", "1e3", "+9", "-2147483648"})),
               {1000, -7, 100, 1000, 9, -2147483648.}));
    CHECK(same(to<std::uint64_t>(words({"18446744073709551615"})), {18446744073709551616.}));
    CHECK(same(to<int4>(words({"-8", "7", "0"})), {-8, 7, 0}));
    CHECK(same(to<bool>(words({"True", "false", "0", "0.0", "2"})), {1, 0, 0, 0, 1}));
    CHECK(same(to<float8e4m3fn>(words({"1e9"})), {448}));
}
TEST_CASE("Cast from a string that is no number of the type fails") {
    for (const char* s : {"", " ", "Hello", "1.5x", "--1", "+-1", "1e", "e5", ".", "0x10", "1 2"}) {
        CAPTURE(s);
        for (element e : {element::f32, element::f64, element::f16, element::i64, element::u4, element::boolean}) {
            const outcome o = cast(words({s}), e);
            CHECK(o.code == status::invalid_value);
            CHECK(!o.detail.empty());
        }
    }
    for (auto [s, e] : {std::pair{"300", element::i8},
                        {"-1", element::u32},
                        {"8", element::i4},
                        {"9223372036854775808", element::i64},
                        {"1e30", element::i64},
                        {"nan", element::i32},
                        {"inf", element::u64}}) {
        CAPTURE(s);
        CHECK(cast(words({s}), e).code == status::invalid_value);
    }
}
TEST_CASE("Cast from bool takes any byte but 0 for true") {
    const std::uint8_t bytes[] = {0, 1, 2, 255, 128};
    const tensor x = tensor::borrow(element::boolean, {5}, bytes);
    CHECK(same(to<float16>(x), {0, 1, 1, 1, 1}));
    CHECK(to_words(x)[2] == "True");
    CHECK(same(numbers<float>(cast<device::cpu>(x, element::f32)[0]), {0, 1, 1, 1, 1}));
    CHECK(same(numbers<std::int64_t>(cast<device::cpu>(x, element::i64)[0]), {0, 1, 1, 1, 1}));
}
TEST_CASE("Cast to the same type copies") {
    CHECK(to_words(words({"a", "a longer one that does not fit its own object"})) ==
          std::vector<text>{"a", "a longer one that does not fit its own object"});
    CHECK(same(to<int4>(list<int4>({-8, 7, 3})), {-8, 7, 3}));
    CHECK(same(to<float>(list<float>({quiet_nan, -0., 1})), {quiet_nan, -0., 1}));
}
TEST_CASE("Cast takes empty tensors, scalars and versions without attributes") {
    CHECK(cast(tensor(element::f32, {0, 3}), element::i64)[0].shape() == shape{0, 3});
    CHECK(cast(tensor(element::string, {0}), element::i2).code == status::ok);
    CHECK(numbers<std::int64_t>(cast(tensor(shape{}, {2.f}), element::i64)[0]) == std::vector<double>{2});
    for (int version : {1, 6, 9, 13, 19, 21, 23, 24, 25}) {
        CAPTURE(version);
        CHECK(run<op::cast, device::reference>(
                  {.inputs = {list<float>({1.5})}, .version = version, .outputs = {element::i32}})[0]
                  .as<std::int32_t>()[0] == 1);
    }
}
TEST_CASE("Cast 1 names the type in capitals, later versions by its number") {
    const auto type_of = [](int version, auto to) {
        graph_data g;
        const int in = g.add_value("x", element::f32, {2}), out = g.add_value("y", element::undefined, {2});
        g.add_node("", "Cast", version, "node", std::array{g.make("to", to)}, std::array{in}, std::array{out});
        const graph_view v = g.view();
        return op::cast::output_type({v, v.nodes[0]}, 0);
    };
    CHECK(type_of(1, std::string_view("UINT32")) == element::u32);
    CHECK(type_of(1, std::string_view("FLOAT16")) == element::f16);
    CHECK(type_of(1, std::string_view("BOOL")) == element::boolean);
    for (const std::string_view name : {"", "float", "UNDEFINED", "OBJECT", "FLOATING"})
        CHECK(type_of(1, name) == element::undefined);
    CHECK(type_of(6, std::int64_t(12)) == element::u32);
}
TEST_CASE("CastLike takes the type of its second input") {
    const outcome o = run<op::cast_like, device::reference>(
        {.inputs = {list<float>({1.5, -2}), list<std::int16_t>({})}, .outputs = {element::i16}});
    CHECK(same(numbers<std::int16_t>(o[0]), {1, -2}));
    CHECK(run<op::cast_like, device::cpu>(
              {.inputs = {list<std::int64_t>({1, -2}), list<float>({})}, .outputs = {element::f32}})[0]
              .as<float>()[1] == -2);
}

using pairs =
    std::tuple<types<float, std::int64_t>, types<float, std::int32_t>, types<float, std::uint8_t>, types<float, bool>,
               types<float, float16>, types<float, bfloat16>, types<std::int64_t, float>, types<std::int32_t, float>,
               types<std::uint8_t, float>, types<bool, float>, types<float16, float>, types<bfloat16, float>,
               types<std::int64_t, std::int32_t>, types<std::int32_t, std::int64_t>, types<std::int64_t, bool>,
               types<bool, std::int64_t>, types<std::int32_t, bool>, types<bool, std::int32_t>>;
TEMPLATE_LIST_TEST_CASE("Cast on the CPU and on other devices agrees with the reference kernel at every tail length",
                        "", pairs) {
    []<class From, class To>(types<From, To>) {
        std::mt19937 random(7);
        const auto fill = [&](tensor& x) {
            for (std::int64_t i = 0; i < x.elements(); ++i) {
                const std::uint64_t bits = std::uint64_t(random()) << 32 | random();
                From v;
                if constexpr (std::is_same_v<From, bool>)
                    v = bits & 1;
                else if constexpr (std::is_same_v<From, float>)
                    v = i % 3 ? std::bit_cast<float>(std::uint32_t(bits)) : float(int(bits % 2000) - 1000) / 8;
                else
                    std::memcpy(&v, &bits, sizeof v);
                x.as<From>()[std::size_t(i)] = v;
            }
        };
        const auto agree = [&](const tensor& x, layout in, int threads) {
            const outcome fast = cast<device::cpu>(x, element_of<To>, {}, in, threads), plain = cast(x, element_of<To>);
            REQUIRE(fast.answer);
            return same(numbers<To>(fast[0]), numbers<To>(plain[0]));
        };
        const auto devices_agree = [&](const tensor& x, layout in) {
            const tensor plain = cast(x, element_of<To>)[0];
            return std::ranges::all_of(on_test_devices<op::cast>(), [&](const device_runner& d) {
                const tensor result = result_of(d.run, {.inputs = {x}, .outputs = {element_of<To>}, .in = in});
                return same(numbers<To>(result), numbers<To>(plain));
            });
        };
        for (int n = 0; n <= 67; ++n) {
            CAPTURE(n);
            tensor x(element_of<From>, {n});
            fill(x);
            CHECK(agree(x, layout::plain, 1));
            CHECK(devices_agree(x, layout::plain));
        }
        tensor large(element_of<From>, {40001}), image(element_of<From>, {2, 3, 5, 7});
        fill(large);
        fill(image);
        CHECK(agree(large, layout::plain, 3));
        CHECK(agree(image, layout::channels_last, 3));
        CHECK(devices_agree(large, layout::plain));
        CHECK(devices_agree(image, layout::channels_last));
    }(TestType{});
}
TEST_CASE("Cast on the CPU converts every float16 and bfloat16 exactly, and back") {
    const auto every = [&]<class T>(std::type_identity<T>) {
        tensor x(element_of<T>, {65536});
        for (unsigned i = 0; i < 65536; ++i) x.as<T>()[i] = T::of_bits(std::uint16_t(i));
        const tensor wide = cast<device::cpu>(x, element::f32)[0];
        CHECK(same(numbers<float>(wide), numbers<T>(x)));
        CHECK(same(numbers<T>(cast<device::cpu>(wide, element_of<T>)[0]), numbers<T>(x)));
        tensor between({2 * 65536}, std::vector<float>(2 * 65536));  // halfway to the next, and just above that
        for (unsigned i = 0; i < 65536; ++i) {
            const auto bits = std::bit_cast<std::uint32_t>(wide.as<float>()[i]),
                       next = std::bit_cast<std::uint32_t>(wide.as<float>()[(i + 1) & 65535]);
            const float middle = std::bit_cast<float>(std::uint32_t((std::uint64_t(bits) + next) / 2));
            between.as<float>()[2 * i] = middle;
            between.as<float>()[2 * i + 1] = std::nextafter(middle, std::numeric_limits<float>::infinity());
        }
        CHECK(same(numbers<T>(cast<device::cpu>(between, element_of<T>)[0]),
                   numbers<T>(cast(between, element_of<T>)[0])));
    };
    every(std::type_identity<float16>{});
    every(std::type_identity<bfloat16>{});
}
