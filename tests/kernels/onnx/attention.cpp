// Mirrors kernels/inlay/onnx/attention.hpp.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <on_test_devices/onnx/attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
struct options {
    std::vector<std::pair<std::string_view, std::int64_t>> integers{};
    std::vector<std::pair<std::string_view, double>> reals{};
    attributes with() const {
        return [*this](graph_data& g) {
            std::vector<attribute> entries;
            for (const auto& [name, x] : integers) entries.push_back(g.make(name, x));
            for (const auto& [name, x] : reals) entries.push_back(g.make(name, x));
            return entries;
        };
    }
};
tensor of(const shape& dims, const real_numbers& x, element e = element::f32) { return numbers(e, dims, x); }
tensor truths(const shape& dims, const std::vector<int>& x) {
    tensor t(element::boolean, dims);
    for (std::size_t i = 0; i < x.size(); ++i)
        static_cast<std::uint8_t*>(t.data())[i] = std::uint8_t(x[i]);  // a caller's true need not be 1
    return t;
}
outcome attended(const call& c) { return run<op::onnx_attention, device::reference>(c); }
// Scores are all 0, as Q is: outputs are means of the values that are seen. One batch, one head, heads of one column.
call zero_query(int rows, const real_numbers& values, std::vector<operand> more = {}, const options& h = {}) {
    const std::int64_t keys = std::int64_t(values.size());
    call c{.inputs = {of({1, 1, rows, 1}, real_numbers(std::size_t(rows))), of({1, 1, keys, 1}, values),
                      of({1, 1, keys, 1}, values)},
           .with = h.with(),
           .outputs = {element::f32}};
    c.inputs.insert(c.inputs.end(), more.begin(), more.end());
    return c;
}
void check_means(const call& c, const real_numbers& expected) {
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], of({1, 1, std::int64_t(expected.size()), 1}, expected), 1e-6));
}
std::string_view refusal_of(const call& c) { return attended(c).answer.reason; }
const operand absent{};
}  // namespace

TEST_CASE("ONNX's Attention weighs values by the softened scores, with the scale of its size or the one given") {
    const double ln3 = std::log(3.);
    call c{{of({1, 1, 1, 4}, {ln3, 0, 0, 0}), of({1, 1, 2, 4}, {2, 0, 0, 0, 0, 0, 0, 0}), of({1, 1, 2, 1}, {4, 8})}};
    check_means(c, {5});  // 1 / sqrt(4): weights 3 : 1
    c.with = options{{}, {{"scale", 1.}}}.with();
    check_means(c, {4.4});  // 9 : 1
    c.with = options{{}, {{"scale", 1.}, {"softcap", ln3}}}.with();
    const double w = std::exp(ln3 * std::tanh(2.));
    check_means(c, {(4 * w + 8) / (w + 1)});
}
TEST_CASE("ONNX's Attention sees what masks, causality, windows and the number of valid keys leave") {
    const real_numbers v{8, 4, 6, 2};
    check_means(zero_query(2, v), {5, 5});
    check_means(zero_query(2, v, {truths({2, 4}, {1, 0, 200, 0, 0, 0, 0, 0})}), {7, 0});
    check_means(zero_query(2, v, {truths({4}, {1, 0, 200, 0})}), {7, 7});
    check_means(zero_query(1, v, {of({1, 4}, {minus_infinity, minus_infinity, 0, std::log(3.)})}), {3});
    check_means(zero_query(1, v, {of({1, 4}, {minus_infinity, minus_infinity, minus_infinity, minus_infinity})}), {0});
    check_means(zero_query(2, v, {}, {{{"is_causal", 1}}}), {8, 6});
    check_means(zero_query(2, v, {truths({1, 4}, {0, 1, 1, 1})}, {{{"is_causal", 1}}}), {0, 4});
    check_means(zero_query(4, v, {}, {{{"left_window_size", 1}, {"right_window_size", 0}}}), {8, 6, 5, 4});
    check_means(zero_query(4, v, {}, {{{"right_window_size", 1}}}), {6, 6, 5, 5});
    const operand three = of({1}, {3}, element::i64), single = of({1}, {1}, element::i64);
    check_means(zero_query(2, v, {absent, absent, absent, three}), {6, 6});
    check_means(zero_query(2, v, {absent, absent, absent, three}, {{{"is_causal", 1}}}), {6, 6});
    check_means(zero_query(2, v, {absent, absent, absent, single}, {{{"is_causal", 1}}}), {0, 8});
    check_means(zero_query(2, v, {truths({1, 2}, {1, 1})}), {6, 6});  // a mask that ends the keys
    call old = zero_query(1, v, {of({1, 1}, {5})});
    old.version = 23;
    check_means(old, {5});  // one number for all keys
    old.with = options{{{"left_window_size", 1}}}.with();
    check_means(old, {5});                                                     // which version 23 does not have
    for (element e : {element::f16, element::f64, element::i8, element::u64})  // added, whatever they are
        check_means(zero_query(1, {8, 4}, {of({2}, {0, 100}, e)}), {4});
}
TEST_CASE("What ONNX's Attention does not see may be anything") {
    call c = zero_query(1, {8, INFINITY, 4, NAN}, {truths({4}, {1, 0, 1, 0})});
    c.inputs[1] = of({1, 1, 4, 1}, {0, 0, 0, 0});
    check_means(c, {6});
    CHECK(std::isnan(attended(zero_query(1, {8, NAN}))[0].as<float>()[0]));
}
TEST_CASE("ONNX's Attention puts new rows behind former ones and gives both back") {
    call c = zero_query(2, {6, 2}, {absent, of({1, 1, 2, 1}, {1, 3}), of({1, 1, 2, 1}, {8, 4})}, {{{"is_causal", 1}}});
    c.outputs = {element::f32, element::f32, element::f32};
    const outcome y = attended(c);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], of({1, 1, 2, 1}, {6, 5}), 1e-6));
    CHECK(same<float>(y[1], of({1, 1, 4, 1}, {1, 3, 6, 2})));
    CHECK(same<float>(y[2], of({1, 1, 4, 1}, {8, 4, 6, 2})));
}
TEST_CASE("ONNX's Attention of three axes has heads side by side, several of which share one of K and V") {
    // two batches; heads of Q of size 1, all 0; two heads of V of size 2
    call c{.inputs = {of({2, 1, 4}, real_numbers(8)), of({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                      of({2, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 1, 1, 2, 2, 3, 3})},
           .with = options{{{"q_num_heads", 4}, {"kv_num_heads", 2}}}.with(),
           .outputs = {element::f32, element::f32, element::f32, element::f32}};
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], of({2, 1, 8}, {3, 4, 3, 4, 5, 6, 5, 6, 1, 1, 1, 1, 2, 2, 2, 2}), 1e-6));
    CHECK(same<float>(y[1], of({2, 2, 2, 1}, {1, 3, 2, 4, 5, 7, 6, 8})));
    CHECK(same<float>(y[2], of({2, 2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8, 0, 0, 2, 2, 1, 1, 3, 3})));
    CHECK(same<float>(y[3], of({2, 4, 1, 2}, real_numbers(16))));
}
TEST_CASE("ONNX's Attention returns its scores as they are, capped, masked or softened") {
    const auto scores_of_mode = [](std::int64_t mode) {
        call c{.inputs = {of({1, 1, 1, 1}, {2}), of({1, 1, 3, 1}, {1, 2, 3}), of({1, 1, 3, 1}, {0, 0, 0}),
                          of({1, 3}, {0, 1, minus_infinity})},
               .with = options{{{"qk_matmul_output_mode", mode}}, {{"softcap", 4.}}}.with(),
               .outputs = {element::f32, element::undefined, element::undefined, element::f32}};
        return attended(c)[3];
    };
    const double a = 4 * std::tanh(.5), b = 4 * std::tanh(1.), c = 4 * std::tanh(1.5),
                 w = 1 / (1 + std::exp(b + 1 - a));
    CHECK(same<float>(scores_of_mode(0), of({1, 1, 1, 3}, {2, 4, 6}), 1e-6));
    CHECK(same<float>(scores_of_mode(1), of({1, 1, 1, 3}, {a, b, c}), 1e-6));
    CHECK(same<float>(scores_of_mode(2), of({1, 1, 1, 3}, {a, b + 1, minus_infinity}), 1e-6));
    CHECK(same<float>(scores_of_mode(3), of({1, 1, 1, 3}, {w, 1 - w, 0}), 1e-6));
}
TEST_CASE(
    "ONNX's Attention takes all floating-point types, that of V apart, and computes its softmax in the requested "
    "precision") {
    for (element q : {element::f32, element::f16, element::bf16, element::f64})
        for (element v : {element::f32, element::f16, element::bf16, element::f64}) {
            CAPTURE(name_of(q), name_of(v));
            const call c{.inputs = {of({1, 1, 1, 1}, {0}, q), of({1, 1, 1, 1}, {7}, q), of({1, 1, 1, 1}, {4}, v),
                                    absent, of({1, 1, 1, 1}, {5}, q), of({1, 1, 1, 1}, {8}, v)},
                         .outputs = {q, q, v}};
            const outcome y = attended(c);
            INFO(y.answer.reason << y.detail);
            REQUIRE(y.code == status::ok);
            CHECK(numbers(y[0]) == real_numbers{6});
            CHECK(numbers(y[1]) == real_numbers{5, 7});
            CHECK(numbers(y[2]) == real_numbers{8, 4});
        }
    call c = zero_query(1, {1, 0, 0});
    c.with = options{{{"softmax_precision", 16}}}.with();
    check_means(c, {double(static_cast<float>(static_cast<bfloat16>(1 / 3.f)))});
    c.with = options{{{"softmax_precision", 2}}}.with();
    CHECK(refusal_of(c) == "softmax_precision must be a type of floating-point numbers");
}
TEST_CASE("ONNX's Attention of nothing is nothing, and without keys 0") {
    check_means(zero_query(0, {1, 2}), {});
    check_means(zero_query(2, {}), {0, 0});
    const call c{.inputs = {of({0, 2, 3, 4}, {}), of({0, 2, 5, 4}, {}), of({0, 2, 5, 6}, {})}};
    CHECK(attended(c)[0].shape() == shape{0, 2, 3, 6});
}
TEST_CASE("ONNX's Attention refuses what does not fit") {
    const auto with_input = [](std::size_t k, tensor t) {
        call c = zero_query(2, {8, 4});
        c.inputs.resize(std::max(c.inputs.size(), k + 1));
        c.inputs[k] = std::move(t);
        return c;
    };
    CHECK(refusal_of(with_input(0, of({1, 2}, {0, 0}))) == "Q, K and V must all have three axes, or four");
    CHECK(refusal_of(with_input(0, of({1, 1, 1, 2}, {0, 0}))) == "Q, K and V do not fit each other");
    CHECK(refusal_of(with_input(1, of({1, 2, 1, 1}, {0, 0}))) ==
          "the heads of Q must be a positive multiple of those of K and V");
    CHECK(refusal_of(with_input(1, of({1, 1, 2, 1}, {0, 0}, element::f64))) == "Q, K and past_key must have one type");
    CHECK(refusal_of(with_input(3, of({3, 2}, {0, 0, 0, 0, 0, 0}))) ==
          "attn_mask does not broadcast to [batch, heads, rows, keys]");
    CHECK(refusal_of(with_input(3, of({3}, {0, 0, 0}))) == "attn_mask has another number of keys");
    CHECK(refusal_of(with_input(3, of({}, {0}))) == "attn_mask must have one to four axes");
    CHECK(refusal_of(with_input(4, of({1, 1, 1, 1}, {0}))) == "past_key and past_value must come together");
    CHECK(refusal_of(with_input(6, of({2}, {1, 1}, element::i64))) ==
          "nonpad_kv_seqlen must have one number per batch");
    for (double valid : {-1., 3., -9e18})
        CHECK(attended(with_input(6, of({1}, {valid}, element::i64))).detail ==
              "nonpad_kv_seqlen is not within the keys");
    call c = with_input(6, of({1}, {1}, element::i64));
    c.version = 23;
    CHECK(refusal_of(c) == "version 23 has no nonpad_kv_seqlen");
    c = zero_query(1, {1}, {}, {{{"qk_matmul_output_mode", 4}}});
    CHECK(refusal_of(c) == "qk_matmul_output_mode must be 0, 1, 2 or 3");
    c = zero_query(1, {1}, {}, {{{"left_window_size", -2}}});
    CHECK(refusal_of(c) == "a window's size must be -1 or more");
    c = zero_query(1, {1}, {}, {{{"left_window_size", std::numeric_limits<std::int64_t>::max()}}});
    check_means(c, {1});
    const tensor x = of({1, 1, 3}, {0, 0, 0});
    CHECK(refusal_of({.inputs = {x, x, x}}) == "the heads of Q must be a positive multiple of those of K and V");
    CHECK(refusal_of({.inputs = {x, x, x}, .with = options{{{"q_num_heads", 2}, {"kv_num_heads", 1}}}.with()}) ==
          "an input does not divide into heads");
}

namespace {
struct sizes {
    std::int64_t batch, heads, groups, rows, past, keys, size, value_size;  // keys: new ones
};
call random_call(const sizes& s, bool three, const options& h, const operand& mask = {}, const operand& valid = {}) {
    const auto rows = [&](std::int64_t heads, std::int64_t count, std::int64_t size, unsigned seed) {
        return random_tensor(three ? shape{s.batch, count, heads * size} : shape{s.batch, heads, count, size}, seed, -1,
                             1);
    };
    options settings = h;
    if (three) {
        settings.integers.push_back({"q_num_heads", s.heads});
        settings.integers.push_back({"kv_num_heads", s.groups});
    }
    call c{.inputs = {rows(s.heads, s.rows, s.size, 1), rows(s.groups, s.keys, s.size, 2),
                      rows(s.groups, s.keys, s.value_size, 3), mask},
           .with = settings.with(),
           .outputs = {element::f32}};
    if (s.past > 0) {
        c.inputs.push_back(random_tensor({s.batch, s.groups, s.past, s.size}, 4, -1, 1));
        c.inputs.push_back(random_tensor({s.batch, s.groups, s.past, s.value_size}, 5, -1, 1));
        c.outputs = {element::f32, element::f32, element::f32};
    } else if (valid.value.elements() > 0) {
        c.inputs.resize(6);
        c.inputs.push_back(valid);
    }
    return c;
}
}  // namespace

TEST_CASE("The fast Attention of ONNX agrees with the reference kernel at every length of sequences and heads") {
    const std::int64_t lengths[] = {1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17, 31,
                                    32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 130};
    std::int64_t at = 0;
    for (std::int64_t n = 1; n <= 70; ++n) {
        const std::int64_t size = lengths[at++ % 23], value_size = lengths[(at * 5) % 23];
        CAPTURE(n, size, value_size);
        const bool causal = n % 3 != 0, past = n % 4 == 1;
        check_levels<op::onnx_attention>(random_call(
            {1 + n % 2, 4, n % 2 ? 4 : 2, n, past ? n % 7 + 1 : 0, causal || n % 2 ? n : 71 - n, size, value_size},
            n % 2 == 0, {{{"is_causal", causal}}}));
        check_levels<op::onnx_attention>(
            random_call({1, 6, n % 5 ? 2 : 1, 1, n, 1, size, value_size}, n % 2 == 0, {{{"is_causal", 1}}}));
    }
}
TEST_CASE("The fast Attention of ONNX agrees with the reference kernel over many keys, with what it masks") {
    const sizes self{1, 2, 1, 150, 0, 700, 24, 20}, next{2, 4, 2, 1, 600, 1, 24, 20}, few{1, 2, 2, 3, 530, 3, 16, 40};
    for (const sizes& s : {self, next, few}) {
        const std::int64_t keys = s.past + s.keys;
        CAPTURE(keys, s.rows);
        const operand added = random_tensor({s.heads, s.rows, keys}, 7, -2, 2);
        tensor truth(element::boolean, {s.batch, 1, s.rows, keys});
        for (std::int64_t i = 0; i < truth.elements(); ++i)
            static_cast<std::uint8_t*>(truth.data())[i] = std::uint8_t(i / 7 % 3 ? i % 200 : 0);
        std::fill_n(static_cast<std::uint8_t*>(truth.data()), keys, std::uint8_t(0));  // a row that sees nothing
        const options capped{{{"is_causal", 1}}, {{"softcap", 3.}, {"scale", 0.7}}};
        for (bool three : {false, true}) {
            CAPTURE(three);
            check_levels<op::onnx_attention>(random_call(s, three, capped, added));
            check_levels<op::onnx_attention>(random_call(s, three, {}, truth));
            check_levels<op::onnx_attention>(
                random_call(s, three, {{{"is_causal", 1}, {"left_window_size", 40}}}, truth));
            check_levels<op::onnx_attention>(
                random_call(s, three, {{{"left_window_size", 300}, {"right_window_size", 5}}}, added));
            if (s.past > 0) continue;
            tensor shorter(element::boolean, {1, keys - 30});
            std::fill_n(static_cast<std::uint8_t*>(shorter.data()), keys - 30, std::uint8_t(1));
            for (double valid : {0., 1., 149., 150., 151., 300., 699., 700.})
                check_levels<op::onnx_attention>(
                    random_call(s, three, {{{"is_causal", 1}}}, shorter, of({1}, {valid}, element::i64)));
        }
    }
}
TEST_CASE("The fast Attention of ONNX does not look at keys behind those that count") {
    call c = random_call({1, 2, 2, 20, 0, 90, 8, 8}, false, {}, {}, of({1}, {70}, element::i64));
    const tensor plain = attended(c)[0];
    for (std::size_t k : {1, 2})
        for (std::int64_t h = 0; h < 2; ++h)
            std::fill_n(c.inputs[k].value.as<float>().begin() + (h * 90 + 70) * 8, 20 * 8, NAN);
    for (isa::level l : tested_levels()) {
        c.level = l;
        CHECK(same<float>(run<op::onnx_attention, device::cpu>(c)[0], plain, 2e-5));
    }
}
TEST_CASE("The fast Attention of ONNX leaves out what a row does not see, be it NaN or infinite") {
    // Every third key is poison, and hidden from the even rows.
    const auto poisoned = [](std::int64_t key) { return key % 3 == 1; };
    for (const sizes& s : {sizes{1, 2, 2, 1, 0, 40, 8, 8}, sizes{1, 4, 2, 1, 0, 40, 8, 8},
                           sizes{2, 2, 2, 6, 0, 40, 8, 12}, sizes{1, 4, 2, 40, 0, 400, 8, 8}})
        for (const bool added : {false, true}) {
            CAPTURE(s.heads, s.rows, added);
            tensor mask(added ? element::f32 : element::boolean, {s.rows, s.keys});
            for (std::int64_t i = 0; i < mask.elements(); ++i) {
                const bool hidden = poisoned(i % s.keys) && i / s.keys % 2 == 0;
                if (added)
                    mask.as<float>()[std::size_t(i)] = hidden ? -INFINITY : .5f;
                else
                    static_cast<std::uint8_t*>(mask.data())[i] = !hidden;
            }
            call c = random_call(s, false, {}, mask);
            for (std::size_t k : {1, 2}) {
                tensor& x = c.inputs[k].value;
                const std::int64_t width = x.shape()[3];
                for (std::int64_t i = 0; i < x.elements(); ++i)
                    if (poisoned(i / width % s.keys))
                        x.as<float>()[std::size_t(i)] = k == 2 && i % width == 0 ? INFINITY : NAN;
            }
            const tensor plain = attended(c)[0];
            for (std::int64_t i = 0; i < plain.elements(); ++i)
                REQUIRE(std::isnan(plain.as<float>()[std::size_t(i)]) == (i / s.value_size % s.rows % 2 != 0));
            check_levels<op::onnx_attention>(c);
        }
}
TEST_CASE("The fast Attention of ONNX leaves out the rows behind its own, be they NaN") {
    for (const sizes& s : {sizes{1, 2, 2, 30, 0, 30, 8, 8}, sizes{1, 4, 1, 300, 0, 300, 8, 8}}) {
        call c = random_call(s, false, {{{"is_causal", 1}}});
        for (std::size_t k : {1, 2}) {
            tensor& x = c.inputs[k].value;
            std::fill_n(x.as<float>().end() - 5 * 8, 8, NAN);  // the last row but four of the last head
        }
        const auto plain = attended(c)[0];
        CHECK(std::ranges::none_of(plain.as<float>().first(std::size_t(s.rows - 5) * 8),
                                   [](float y) { return std::isnan(y); }));
        CHECK(std::isnan(plain.as<float>().back()));
        check_levels<op::onnx_attention>(c);
    }
}
namespace {
// The same with K, V and what was before of these types, and with presents if there is a past.
call in_types(call c, element keys, element values) {
    const element types[] = {keys, keys, values, keys, keys, values};
    for (std::size_t k = 0; k < std::min<std::size_t>(6, c.inputs.size()); ++k)
        if (tensor& x = c.inputs[k].value; x.elements() > 0 && x.type() == element::f32)
            c.inputs[k] = of(x.shape(), numbers(x), types[k]);
    for (std::size_t k = 0; k < c.outputs.size(); ++k) c.outputs[k] = k == 2 ? values : keys;
    return c;
}
void check_halves(const call& c) {
    beside_plain<op::onnx_attention>(c, [](const outcome& y, const outcome& plain) {
        const auto result = numbers(y[0]), expected = numbers(plain[0]);
        const double margin = plain[0].type() == element::f16 ? 1e-3 : 1e-2;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (std::isnan(expected[i]) && std::isnan(result[i])) continue;
            REQUIRE(result[i] == Approx(expected[i]).margin(margin).epsilon(margin));
        }
        for (std::size_t k = 1; k < plain.outputs.size(); ++k) CHECK(numbers(y[k]) == numbers(plain[k]));
    });
}
}  // namespace

TEST_CASE("The fast Attention of ONNX takes 16 bits") {
    for (const auto& [keys, values] : {std::pair{element::f16, element::f16},
                                       {element::bf16, element::bf16},
                                       {element::f16, element::bf16},
                                       {element::f16, element::f32}}) {
        CAPTURE(name_of(keys), name_of(values));
        for (const sizes& s :
             {sizes{1, 2, 2, 5, 3, 5, 8, 8}, sizes{2, 4, 2, 1, 600, 1, 24, 20}, sizes{1, 4, 4, 1, 513, 1, 16, 40},
              sizes{1, 4, 2, 3, 40, 3, 16, 16}, sizes{1, 4, 2, 40, 0, 300, 12, 20}, sizes{1, 2, 2, 7, 0, 700, 12, 20}})
            for (const bool three : {false, true}) {
                CAPTURE(s.heads, s.groups, s.rows, s.past, three);
                check_halves(in_types(random_call(s, three, {{{"is_causal", s.past > 0}}}), keys, values));
                check_halves(in_types(random_call(s, three, {{{"left_window_size", 270}, {"right_window_size", 0}}}),
                                      keys, values));
                call untold = in_types(random_call(s, three, {}), keys, values);
                untold.outputs.resize(1);
                check_halves(untold);
            }
    }
}
TEST_CASE(
    "The fast Attention of ONNX with 16 bits leaves out keys that are masked, be they NaN, and keeps the presents") {
    for (const sizes& s : {sizes{1, 4, 2, 1, 600, 1, 8, 8}, sizes{1, 2, 2, 4, 400, 4, 8, 8}}) {
        CAPTURE(s.rows);
        const std::int64_t keys = s.past + s.keys;
        tensor mask(element::boolean, {s.rows, keys});
        for (std::int64_t i = 0; i < mask.elements(); ++i)
            static_cast<std::uint8_t*>(mask.data())[i] = i % keys % 3 != 1;
        call c = random_call(s, false, {{{"right_window_size", 0}}}, mask);
        for (std::size_t k : {4, 5})
            for (std::int64_t i = 0; i < c.inputs[k].value.elements(); ++i)
                if (i / 8 % s.past % 3 == 1) c.inputs[k].value.as<float>()[std::size_t(i)] = k == 5 ? INFINITY : NAN;
        c = in_types(c, element::f16, element::f16);
        beside_plain<op::onnx_attention>(c, [](const outcome& y, const outcome& plain) {
            CHECK(std::ranges::none_of(plain[0].as<float16>(), [](float16 x) { return std::isnan(float(x)); }));
            for (std::size_t k : {0, 1, 2}) CHECK(same<float16>(y[k], plain[k], k == 0 ? 2e-3 : 0));
        });
    }
}
TEST_CASE("The fast Attention of ONNX leaves the rest to the reference kernel") {
    call wide = in_types(random_call({1, 2, 2, 5, 0, 5, 8, 8}, false, {}), element::f32, element::f16);
    CHECK(run<op::onnx_attention, device::cpu>(wide).answer.reason == "fast only where V has floats, or 16 bits as Q");
    wide = in_types(random_call({1, 2, 2, 5, 0, 5, 8, 8}, false, {}, of({5}, {0, 0, 0, 0, 0}, element::f16)),
                    element::f32, element::f32);
    CHECK(run<op::onnx_attention, device::cpu>(wide).answer.reason ==
          "fast only with truth values or floats as a mask");
    call c = zero_query(1, {1}, {of({1}, {0}, element::i32)});
    CHECK(run<op::onnx_attention, device::cpu>(c).answer.reason == "fast only with truth values or floats as a mask");
    c = zero_query(1, {1}, {}, {{{"softmax_precision", 10}}});
    CHECK(run<op::onnx_attention, device::cpu>(c).answer.reason == "fast only where scores are softened as floats");
    c.outputs.resize(4, element::f32);
    CHECK(run<op::onnx_attention, device::cpu>(c).answer.reason == "the reference kernel returns the scores");
}
