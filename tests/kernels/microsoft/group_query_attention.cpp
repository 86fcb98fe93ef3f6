// Mirrors kernels/inlay/microsoft/group_query_attention.hpp.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <on_test_devices/microsoft/group_query_attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor integer(double x) { return numbers(element::i32, {1}, {x}); }
attributes heads(std::int64_t q, std::int64_t kv, std::vector<std::pair<std::string_view, std::int64_t>> more = {},
                 double softcap = 0) {
    return [=](graph_data& g) {
        std::vector entries{g.make("num_heads", q), g.make("kv_num_heads", kv), g.make("scale", 1.),
                            g.make("softcap", softcap)};
        for (const auto& [name, value] : more) entries.push_back(g.make(name, value));
        return entries;
    };
}
// Scores are all 0, as the query is: outputs are means of what is attended to.
call zero_query(int rows, std::vector<double> values, int past, int total) {
    tensor v(element::f32, {1, rows, 1}), old(element::f32, {1, 1, past, 1});
    for (int i = 0; i < rows; ++i) v.as<float>()[std::size_t(i)] = float(values[std::size_t(past + i)]);
    for (int i = 0; i < past; ++i) old.as<float>()[std::size_t(i)] = float(values[std::size_t(i)]);
    tensor q(element::f32, {1, rows, 1});
    std::fill(q.as<float>().begin(), q.as<float>().end(), 0.f);
    return {.inputs = {q, v, v, old, old, integer(total - 1), operand::weight(integer(total))},
            .with = heads(1, 1),
            .outputs = {element::f32, element::f32, element::f32}};
}
outcome attended(const call& c) { return run<op::group_query_attention, device::reference>(c); }
}  // namespace

TEST_CASE("GroupQueryAttention attends to former rows and to those up to its own, and gives them back") {
    const outcome y = attended(zero_query(2, {8, 4, 6, 2}, 2, 4));
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], list<float>({6, 5}).reshaped({1, 2, 1}), 1e-6));
    CHECK(same<float>(y[1], list<float>({8, 4, 6, 2}).reshaped({1, 1, 4, 1})));
    CHECK(same<float>(y[2], list<float>({8, 4, 6, 2}).reshaped({1, 1, 4, 1})));
}
TEST_CASE("GroupQueryAttention sees a window, all rows, or a sink besides") {
    call c = zero_query(2, {8, 4, 6, 2}, 2, 4);
    c.with = heads(1, 1, {{"local_window_size", 2}});
    CHECK(same<float>(attended(c)[0], list<float>({5, 4}).reshaped({1, 2, 1}), 1e-6));
    c.with = heads(1, 1, {{"causal", 0}});
    CHECK(same<float>(attended(c)[0], list<float>({5, 5}).reshaped({1, 2, 1}), 1e-6));
    c.with = heads(1, 1, {{"smooth_softmax", 1}});
    CHECK(same<float>(attended(c)[0], list<float>({4.5, 4}).reshaped({1, 2, 1}), 1e-6));
    c.with = heads(1, 1);
    c.inputs.resize(11);
    c.inputs.push_back(list<float>({std::log(2.)}));
    CHECK(same<float>(attended(c)[0], list<float>({18 / 5., 20 / 6.}).reshaped({1, 2, 1}), 1e-6));
    c.inputs[10] = list<float>({-infinity, 0, 0, 0, -infinity, -infinity, 0, 0}).reshaped({1, 1, 2, 4});
    c.inputs[11] = {};
    CHECK(same<float>(attended(c)[0], list<float>({5, 4}).reshaped({1, 2, 1}), 1e-6));
}
TEST_CASE("GroupQueryAttention writes into buffers with room, behind the rows that each batch has") {
    call c = zero_query(1, {8, 4, 6, 2, 6}, 4, 3);  // two former rows, then a new one in place of the third
    const outcome y = attended(c);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], list<float>({6}).reshaped({1, 1, 1}), 1e-6));
    CHECK(same<float>(y[1], list<float>({8, 4, 6, 2}).reshaped({1, 1, 4, 1})));
}
TEST_CASE("GroupQueryAttention of keys without rows attends to the past alone, as layers that share a cache do") {
    call c = zero_query(2, {8, 4, 6, 2, 99, 0, 0}, 5, 4);  // the last two are of keys that go
    c.inputs[1] = c.inputs[2] = tensor(element::f32, {1, 0, 1});
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], list<float>({6, 5}).reshaped({1, 2, 1}), 1e-6));  // the queries are rows 2 and 3
    CHECK(same<float>(y[1], list<float>({8, 4, 6, 2, 99}).reshaped({1, 1, 5, 1})));
    c.outputs = {element::f32};
    CHECK(same<float>(attended(c)[0], y[0]));
    c.inputs[5] = integer(5);
    CHECK(attended(c).detail == "seqlens_k does not fit past and new rows");
    c.inputs[3] = c.inputs[4] = {};
    CHECK(attended(c).answer.reason == "key and value of no rows need past_key");
    c.inputs[1] = tensor(element::f32, {1, 1, 1});
    CHECK(attended(c).answer.reason == "key and value must be [batch, rows of query or 0, heads * size]");
}
TEST_CASE("GroupQueryAttention need not give its caches back") {
    call c = zero_query(2, {8, 4, 6, 2}, 2, 4);
    c.outputs = {element::f32};
    CHECK(same<float>(attended(c)[0], list<float>({6, 5}).reshaped({1, 2, 1}), 1e-6));
    c.outputs = {element::f32, element::f32};
    CHECK(attended(c).answer.reason == "present_key and present_value must come together");
}
TEST_CASE("GroupQueryAttention shares heads of K and V, unpacks all three from the query, and turns Q and K") {
    // two heads of Q, one of K and V, of size 2; a row is q0 q1 k v. Turning by a quarter: (1, 0) becomes (0, 1).
    const tensor x = list<float>({1, 0, 0, 1, 1, 0, 5, 6, 1, 0, 0, 1, 0, 3, 7, 8}).reshaped({1, 2, 8});
    call c{.inputs = {x,
                      {},
                      {},
                      {},
                      {},
                      integer(1),
                      operand::weight(integer(2)),
                      list<float>({1, 0}).reshaped({2, 1}),
                      list<float>({0, 1}).reshaped({2, 1})},
           .with = heads(2, 1, {{"do_rotary", 1}}),
           .outputs = {element::f32, element::f32, element::f32}};
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[1], list<float>({1, 0, -3, 0}).reshaped({1, 1, 2, 2}), 1e-6));
    // row 1: q0 turned is (0, 1): scores 0, 0; q1 turned is (-1, 0): scores -1, 3
    const double w = 1 / (1 + std::exp(-4.));
    CHECK(same<float>(y[0], list<float>({5, 6, 5, 6, 6, 7, 5 + 2 * w, 6 + 2 * w}).reshaped({1, 2, 4}), 1e-6));
    c.inputs.push_back(numbers(element::i64, {1, 2}, {0, 2}));
    CHECK(attended(c).detail == "a position is not in cos_cache");
}
TEST_CASE("GroupQueryAttention normalises Q and K, and caps scores") {
    call c{.inputs = {list<float>({3}).reshaped({1, 1, 1}),
                      list<float>({-5}).reshaped({1, 1, 1}),
                      list<float>({8}).reshaped({1, 1, 1}),
                      list<float>({1}).reshaped({1, 1, 1, 1}),
                      list<float>({2}).reshaped({1, 1, 1, 1}),
                      integer(1),
                      operand::weight(integer(2)),
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      {},
                      list<float>({2}),
                      list<float>({1})},
           .with = heads(1, 1, {}, 1),
           .outputs = {element::f32, element::f32, element::f32}};
    const outcome y = attended(c);  // q: 2, keys 1 and -1, scores tanh 2 and -tanh 2
    REQUIRE(y.code == status::ok);
    CHECK(y[1].as<float>()[1] == Approx(-1));
    CHECK(y[0].as<float>()[0] == Approx(2 + 6 / (1 + std::exp(2 * std::tanh(2.)))));
}
TEST_CASE("GroupQueryAttention refuses what does not fit") {
    const auto reason = [](call c) { return attended(c).answer.reason; };
    call c = zero_query(2, {8, 4, 6, 2}, 2, 4);
    for (double wrong : {-1., 0., 4., 1e9}) {
        c.inputs[5] = integer(wrong);
        CHECK(attended(c).detail == "seqlens_k does not fit past and new rows");
    }
    c.inputs[5] = numbers(element::i32, {2}, {3, 3});
    CHECK(reason(c) == "seqlens_k must have one number per batch");
    c = zero_query(2, {8, 4, 6, 2}, 2, 4);
    c.with = heads(3, 2);
    CHECK(reason(c) == "num_heads must be a positive multiple of kv_num_heads");
    c.with = heads(2, 2);
    CHECK(reason(c) == "query does not divide into heads");
    c.with = heads(1, 1, {{"do_rotary", 1}});
    CHECK(reason(c) == "do_rotary needs cos_cache and sin_cache");
    c.with = heads(1, 1);
    c.inputs[3] = tensor(element::f32, {1, 2, 2, 1});
    CHECK(reason(c) == "past_key and past_value must be [batch, heads, rows, size]");
    c.inputs[3] = {};
    CHECK(reason(c) == "past_key and past_value must come together");
}

namespace {
struct sizes {
    std::int64_t batch, heads, groups, rows, past, size, room;  // room: unused capacity of the buffers, in rows
};
struct features {
    std::int64_t turned = 0;  // pairs
    bool packed = false, norms = false, bias = false, sink = false;
    attributes with{};
};
call random_call(const sizes& s, const features& f) {
    const auto noise = [](const shape& dims, unsigned seed) { return random_tensor(dims, seed, -1, 1); };
    const std::int64_t total = s.past + s.rows, buffer = total + s.room;
    const tensor q = noise({s.batch, s.rows, (s.heads + (f.packed ? 2 * s.groups : 0)) * s.size}, 1),
                 k = noise({s.batch, s.rows, s.groups * s.size}, 2), v = noise({s.batch, s.rows, s.groups * s.size}, 3);
    call c{.inputs = {q, f.packed ? operand{} : k, f.packed ? operand{} : v},
           .with = f.with,
           .outputs = {element::f32, element::f32, element::f32}};
    c.inputs.resize(16);
    if (s.past + s.room > 0)
        for (std::size_t i : {3, 4}) c.inputs[i] = noise({s.batch, s.groups, buffer, s.size}, unsigned(i) + 1);
    // the last batch has two rows less, if there are so many
    tensor ends(element::i32, {s.batch});
    for (std::int64_t b = 0; b < s.batch; ++b)
        ends.as<std::int32_t>()[std::size_t(b)] =
            std::int32_t(total - 1 - (b > 0 && b == s.batch - 1 && s.past > 1 ? 2 : 0));
    c.inputs[5] = ends;
    c.inputs[6] = operand::weight(integer(double(total)));
    if (f.turned > 0)
        for (std::size_t i : {7, 8}) c.inputs[i] = noise({buffer, f.turned}, unsigned(i));
    if (f.bias) c.inputs[10] = noise({1, s.heads, s.rows, total}, 10);
    if (f.sink) c.inputs[11] = noise({s.heads}, 11);
    if (f.norms)
        for (std::size_t i : {14, 15}) c.inputs[i] = noise({s.size}, unsigned(i));
    while (!c.inputs.back().value.elements()) c.inputs.pop_back();
    return c;
}
template <class T> void make_halves(call& c) {
    for (operand& x : c.inputs) {
        if (x.value.type() != element::f32) continue;
        tensor half(element_of<T>, x.value.shape());
        for (std::int64_t i = 0; i < half.elements(); ++i)
            half.as<T>()[std::size_t(i)] = static_cast<T>(x.value.as<float>()[std::size_t(i)]);
        x.value = half;
    }
    c.outputs.assign(3, element_of<T>);
}
void check(call c) { check_levels<op::group_query_attention>(std::move(c), 2e-5, 2e-5); }
}  // namespace

TEST_CASE("The fast GroupQueryAttention agrees with the reference kernel at every length of sequences and heads") {
    const std::int64_t lengths[] = {2, 3, 4, 6, 8, 10, 16, 18, 32, 34, 48, 62, 64, 66, 96, 126, 128, 130};
    for (std::int64_t n = 1; n <= 70; ++n) {
        const std::int64_t size = lengths[n * 7 % 18], groups = n % 3 + 1;
        CAPTURE(n, size, groups);
        features f{.turned = n % 3 ? size / 2 : 0, .packed = n % 4 == 1, .norms = n % 5 == 0};
        f.with = heads(2 * groups, groups, {{"do_rotary", n % 3 != 0}, {"rotary_interleaved", n % 2}});
        check(random_call({1, 2 * groups, groups, n, 0, size, 0}, f));
        check(random_call({2, 2 * groups, groups, 1, n, size, n % 4}, f));
        check(random_call({2, 2 * groups, groups, n % 5 + 1, n, size, 0}, f));
    }
}
TEST_CASE("The fast GroupQueryAttention without new keys, or without caches to give back, agrees with the reference") {
    for (std::int64_t n = 1; n <= 40; ++n) {
        const std::int64_t groups = n % 3 + 1, size = 2 * (n % 19 + 1), rows = n % 4 ? 1 : n / 2;
        CAPTURE(n, groups, size, rows);
        features f{.turned = n % 3 ? size / 2 : 0, .packed = n % 5 == 1, .norms = n % 7 == 0};
        f.with = heads(2 * groups, groups, {{"do_rotary", n % 3 != 0}});
        call c = random_call({rows == 1 ? 2 : 1, 2 * groups, groups, rows, n * 11 % 300 + 1, size, n % 4}, f);
        if (!f.packed && n % 2)
            for (std::size_t k : {1, 2}) c.inputs[k] = tensor(element::f32, {rows == 1 ? 2 : 1, 0, groups * size});
        if (n % 6 != 3) c.outputs = {element::f32};
        check(c);
        make_halves<float16>(c);
        c.outputs.resize(n % 6 != 3 ? 1 : 3);
        beside_plain<op::group_query_attention>(
            c, [](const outcome& y, const outcome& plain) { CHECK(same<float16>(y[0], plain[0], 2e-3)); });
    }
}
TEST_CASE("The fast GroupQueryAttention agrees with the reference kernel over many keys, with all that it may have") {
    for (const sizes& s :
         {sizes{1, 4, 2, 430, 0, 20, 0}, sizes{2, 8, 2, 1, 700, 20, 50}, sizes{2, 4, 4, 100, 500, 20, 3}}) {
        CAPTURE(s.rows, s.past);
        features f{.turned = 6, .bias = true, .sink = true};
        f.with = heads(s.heads, s.groups, {{"do_rotary", 1}, {"local_window_size", 270}}, 2.5);
        check(random_call(s, f));
        f.sink = false;
        f.with = heads(s.heads, s.groups, {{"do_rotary", 1}, {"smooth_softmax", 1}});
        check(random_call(s, f));
        f.with = heads(s.heads, s.groups, {{"causal", 0}});
        check(random_call(s, f));
    }
}
TEST_CASE("The fast GroupQueryAttention leaves out the rows behind its own, be they NaN") {
    for (const std::int64_t rows : {5, 40, 300}) {
        CAPTURE(rows);
        features f;
        f.with = heads(4, 2, {});
        call c = random_call({1, 4, 2, rows, 0, 16, 0}, f);
        for (std::size_t k : {1, 2}) std::ranges::fill(c.inputs[k].value.as<float>().last(32), NAN);
        const auto plain = attended(c)[0];
        CHECK(std::ranges::none_of(plain.as<float>().first(std::size_t(rows - 1) * 64),
                                   [](float y) { return std::isnan(y); }));
        CHECK(std::isnan(plain.as<float>().back()));
        check(c);
    }
}
TEST_CASE("The fast GroupQueryAttention of large sinks and of scores that are all masked") {
    call c = zero_query(2, {8, 4, 6, 2}, 2, 4);
    c.inputs.resize(11);
    c.inputs[10] = list<float>({-infinity, -infinity, -infinity, -infinity, 0, 0, 0, 0}).reshaped({1, 1, 2, 4});
    CHECK(
        same<float>(run<op::group_query_attention, device::cpu>(c)[0], list<float>({0, 5}).reshaped({1, 2, 1}), 1e-6));
    c.inputs.push_back(list<float>({200}));
    CHECK(
        same<float>(run<op::group_query_attention, device::cpu>(c)[0], list<float>({0, 0}).reshaped({1, 2, 1}), 1e-6));
}

namespace {
// A new row after one of the past, one head of size 2; the scores are 0, as the query is.
call quantised(std::int64_t bits, element cache, tensor past_key, tensor past_value, tensor k_scale, tensor v_scale,
               const char* type = "PER_TENSOR") {
    call c{.inputs = {list<float>({0, 0}).reshaped({1, 1, 2}), list<float>({1, -2}).reshaped({1, 1, 2}),
                      list<float>({0.7, 100}).reshaped({1, 1, 2}), past_key, past_value, integer(1),
                      operand::weight(integer(2))},
           .with =
               [=](graph_data& g) {
                   return std::vector{g.make("num_heads", std::int64_t(1)), g.make("kv_num_heads", std::int64_t(1)),
                                      g.make("kv_cache_bit_width", bits),
                                      g.make("k_quant_type", std::string_view(type)),
                                      g.make("v_quant_type", std::string_view(type))};
               },
           .outputs = {element::f32, cache, cache}};
    c.inputs.resize(12);
    c.inputs.push_back(k_scale);
    c.inputs.push_back(v_scale);
    return c;
}
}  // namespace

TEST_CASE("GroupQueryAttention keeps keys and values as integers of 8 bits") {
    const tensor past = numbers(element::i8, {1, 1, 1, 2}, {4, -6});
    const outcome y = attended(quantised(8, element::i8, past, past, list<float>({0.5}), list<float>({0.25})));
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(numbers(y[1]) == real_numbers{4, -6, 2, -4});
    CHECK(numbers(y[2]) == real_numbers{4, -6, 3, 127});  // 0.7 / 0.25 is 2.8
    CHECK(same<float>(y[0], list<float>({0.875, 15.125}).reshaped({1, 1, 2}), 1e-6));
    call c = quantised(8, element::i8, past, past, list<float>({0.5, 2}).reshaped({1, 1, 1, 2}),
                       list<float>({0.25, 1}).reshaped({1, 1, 1, 2}), "PER_CHANNEL");
    const outcome z = attended(c);
    REQUIRE(z.code == status::ok);
    CHECK(numbers(z[1]) == real_numbers{4, -6, 2, -1});
    CHECK(numbers(z[2]) == real_numbers{4, -6, 3, 100});
    CHECK(same<float>(z[0], list<float>({0.875, 47}).reshaped({1, 1, 2}), 1e-6));
}
TEST_CASE("GroupQueryAttention keeps keys and values as integers of 4 bits, or as float8") {
    const tensor past = numbers(element::u8, {1, 1, 1, 1}, {10 + 16 * 3});  // 2, -5
    const outcome y = attended(quantised(4, element::u8, past, past, list<float>({0.5}), list<float>({0.25})));
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(numbers(y[1]) == real_numbers{10 + 16 * 3, 10 + 16 * 4});
    CHECK(numbers(y[2]) == real_numbers{10 + 16 * 3, 11 + 16 * 15});
    CHECK(same<float>(y[0], list<float>({0.625, 0.25}).reshaped({1, 1, 2}), 1e-6));
    const tensor small = numbers(element::f8e4m3fn, {1, 1, 1, 2}, {1.5, -2});
    const outcome z = attended(quantised(8, element::f8e4m3fn, small, small, list<float>({0.5}), list<float>({0.125})));
    INFO(z.answer.reason << z.detail);
    REQUIRE(z.code == status::ok);
    CHECK(numbers(z[1]) == real_numbers{1.5, -2, 2, -4});
    CHECK(run<op::group_query_attention, device::cpu>(
              quantised(8, element::f8e4m3fn, small, small, list<float>({0.5}), list<float>({0.125})))
              .answer.reason == "the reference kernel reads float8");
    CHECK(numbers(z[2]) == real_numbers{1.5, -2, 5.5, 448});  // 5.6 has no place, 800 is too large
}
TEST_CASE("GroupQueryAttention refuses quantised caches that do not fit") {
    const tensor past = numbers(element::i8, {1, 1, 1, 2}, {4, -6}), scale = list<float>({1});
    const auto refusal = [&](std::int64_t bits, const tensor& cache, const tensor& scales, const char* type) {
        return attended(quantised(bits, cache.type(), cache, cache, scales, scales, type)).answer.reason;
    };
    CHECK(refusal(2, past, scale, "PER_TENSOR") == "kv_cache_bit_width must be 4 or 8");
    CHECK(refusal(8, past, scale, "PER_ROW") ==
          "k_quant_type and v_quant_type must be NONE, PER_TENSOR or PER_CHANNEL");
    CHECK(refusal(8, past, list<float>({1, 1}), "PER_CHANNEL") ==
          "k_scale and v_scale must be one number, or [1, heads, 1, size]");
    CHECK(refusal(8, past, list<double>({1}), "PER_TENSOR") == "k_scale and v_scale must be float");
    CHECK(refusal(4, past, scale, "PER_TENSOR") == "past_key and past_value must be [batch, heads, rows, size]");
    CHECK(refusal(4, numbers(element::i8, {1, 1, 1, 1}, {0}), scale, "PER_TENSOR") == "caches of 4 bits must be uint8");
    CHECK(refusal(8, numbers(element::u8, {1, 1, 1, 2}, {0, 0}), scale, "PER_TENSOR") ==
          "caches of 8 bits must be int8 or float8e4m3fn");
    CHECK(refusal(8, past, {}, "PER_TENSOR") == "quantised keys and values need k_scale and v_scale");
}
TEST_CASE("The fast GroupQueryAttention of quantised caches agrees with the reference kernel") {
    for (std::int64_t n = 1; n <= 40; ++n)
        for (std::int64_t bits : {4, 8}) {
            const std::int64_t size = n % 3 == 0 ? 2 * n : 34 - n % 9 * 2, rows = n % 4 == 0 ? n : 1,
                               past = n * 11 % 300;
            CAPTURE(n, bits, size, rows, past);
            call c = random_call({1, 4, 2, rows, past, size, n % 5 == 0 ? 3 : 0}, {});
            const element e = bits == 8 ? element::i8 : element::u8;
            const std::int64_t width = bits == 8 ? size : size / 2, room = c.inputs[3].value.elements();
            if (room == 0) continue;
            for (std::size_t k : {3, 4})
                c.inputs[k] = random_codes(e, {1, 2, c.inputs[k].value.shape()[2], width}, unsigned(k + n));
            c.inputs.resize(12);
            for (unsigned k : {12, 13})
                c.inputs.push_back(
                    random_tensor(n % 2 ? shape{1} : shape{1, 2, 1, size}, k, .5 / (1 << bits), 2. / (1 << bits)));
            c.outputs = {element::f32, e, e};
            c.with = [=](graph_data& g) {
                const std::string_view type = n % 2 ? "PER_TENSOR" : "PER_CHANNEL";
                return std::vector{g.make("num_heads", std::int64_t(4)), g.make("kv_num_heads", std::int64_t(2)),
                                   g.make("kv_cache_bit_width", bits), g.make("k_quant_type", type),
                                   g.make("v_quant_type", type)};
            };
            beside_plain<op::group_query_attention>(c, [](const outcome& y, const outcome& plain) {
                CHECK(same<float>(y[0], plain[0], 2e-5));
                for (std::size_t k : {1, 2}) CHECK(numbers(y[k]) == numbers(plain[k]));
            });
        }
}
TEST_CASE("GroupQueryAttention leaves out keys whose bias is -inf, be they NaN") {
    for (const std::int64_t rows : {1, 3, 40}) {
        CAPTURE(rows);
        features f{.bias = true};
        f.with = heads(4, 2, {});
        call c = random_call({1, 4, 2, rows, 300, 16, 0}, f);
        tensor& bias = c.inputs[10].value;
        for (std::int64_t i = 0; i < bias.elements(); ++i)  // every third key; all keys of a head's last row
            if (i % (300 + rows) % 3 == 1 || i >= bias.elements() - 300 - rows)
                bias.as<float>()[std::size_t(i)] = -INFINITY;
        for (std::size_t k : {3, 4})
            for (std::int64_t i = 0; i < c.inputs[k].value.elements(); ++i)
                if (i / 16 % (300 + rows) % 3 == 1) c.inputs[k].value.as<float>()[std::size_t(i)] = NAN;
        CHECK(std::ranges::none_of(attended(c)[0].as<float>(), [](float y) { return std::isnan(y); }));
        check(c);
    }
}
TEMPLATE_TEST_CASE("The fast GroupQueryAttention of 16 bits leaves out what a row does not see, be it NaN", "", float16,
                   bfloat16) {
    using T = TestType;
    features f{};
    f.with = heads(4, 2, {{"local_window_size", 100}});
    call c = random_call({1, 4, 2, 1, 300, 20, 0}, f);
    for (std::size_t k : {3, 4})
        for (std::size_t head = 0; head < 2; ++head)
            std::ranges::fill(c.inputs[k].value.as<float>().subspan(head * 301 * 20, 150 * 20), NAN);
    make_halves<T>(c);
    beside_plain<op::group_query_attention>(c, [](const outcome& y, const outcome& plain) {
        CHECK(std::ranges::none_of(plain[0].as<T>(), [](T x) { return std::isnan(static_cast<float>(x)); }));
        for (std::size_t k : {0, 1, 2}) CHECK(same<T>(y[k], plain[k], std::is_same_v<T, float16> ? 2e-3 : 1.6e-2));
    });
}
TEMPLATE_TEST_CASE("The fast GroupQueryAttention of 16 bits agrees with the reference kernel, and keeps its caches", "",
                   float16, bfloat16) {
    using T = TestType;
    const double precision = std::is_same_v<T, float16> ? 2e-3 : 1.6e-2;
    const auto check = [&](const sizes& s, features f) {
        CAPTURE(s.batch, s.heads, s.groups, s.rows, s.past, s.size, s.room);
        call c = random_call(s, f);
        make_halves<T>(c);
        beside_plain<op::group_query_attention>(c, [&](const outcome& y, const outcome& plain) {
            for (std::size_t k : {0, 1, 2}) CHECK(same<T>(y[k], plain[k], precision));
        });
    };
    for (std::int64_t n = 1; n <= 40; ++n) {
        const std::int64_t groups = n % 3 + 1, size = 2 * (n % 19 + 1);
        features f{.turned = n % 3 ? size / 2 : 0, .packed = n % 4 == 1, .norms = n % 5 == 0};
        f.with = heads(2 * groups, groups, {{"do_rotary", n % 3 != 0}});
        check({2, 2 * groups, groups, 1, n * 11 % 300, size, n % 4}, f);
        check({1, 2 * groups, groups, n, n % 2 * 7, size, 0}, f);
    }
    // Several blocks of keys; those before a window are kept, and not read.
    for (const sizes& s :
         {sizes{2, 8, 2, 1, 700, 20, 50}, sizes{2, 4, 4, 3, 700, 20, 0}, sizes{1, 4, 2, 20, 500, 20, 3}})
        for (std::int64_t window : {-1, 3, 270}) {
            features f{.turned = 6, .bias = true, .sink = true};
            f.with = heads(s.heads, s.groups, {{"do_rotary", 1}, {"local_window_size", window}}, 2.5);
            check(s, f);
        }
}
