// Decoding with a cache gives what passing every past by hand gives, in place where the kernels can.
#include "../models.hpp"
#include <inlay/any_session.hpp>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
const char* const two_heads =
    R"(decoder (float[N,S,8] x, float[N,2,P,4] past_k, float[N,2,P,4] past_v) => (float[N,S,8] y, float[N,2,T,4] present_k, float[N,2,T,4] present_v) {
    to4 = Constant<value_ints = [0, 0, 2, 4]>() to3 = Constant<value_ints = [0, 0, 8]>() two = Constant<value_float = 2.0>() three = Constant<value_float = 3.0>()
    h = Reshape(x, to4) q = Transpose<perm = [0, 2, 1, 3]>(h) tripled = Mul(q, three)
    present_k = Concat<axis = 2>(past_k, q) present_v = Concat<axis = 2>(past_v, tripled)
    k = Transpose<perm = [0, 1, 3, 2]>(present_k) s0 = MatMul(q, k) s1 = Div(s0, two) p = Softmax(s1) o0 = MatMul(p, present_v) o1 = Transpose<perm = [0, 2, 1, 3]>(o0) y = Reshape(o1, to3)
})";
// Its rows follow each other in memory, so that whatever reads them may.
const char* const one_row_after_another =
    R"(sums (float[1,S,4] x, float[1,P,4] past) => (float[1,1,4] y, float[1,T,4] present) {
    present = Concat<axis = 1>(past, x) y = ReduceSum<keepdims = 1>(present, axis)
})";
// The old rows are read by others than the Concat, too.
const char* const past_read_twice =
    R"(twice (float[1,2,S,4] x, float[1,2,P,4] past) => (float[1,2,T,4] y, float[1,2,T,4] present) {
    present = Concat<axis = 2>(past, x) old = Neg(past) new = Neg(x) y = Concat<axis = 2>(old, new)
})";
// The operator keeps what it has seen by itself.
const char* const attention =
    R"(decoder (float[N,S,8] x, float[N,2,P,4] past_k, float[N,2,P,4] past_v) => (float[N,S,8] y, float[N,2,T,4] present_k, float[N,2,T,4] present_v) {
    y, present_k, present_v = Attention<q_num_heads = 2, kv_num_heads = 2, is_causal = 1>(x, x, x, , past_k, past_v)
})";
// Keys and values lie in buffers of larger capacity, as ONNX Runtime's generators bind them; more may read the past.
std::string group_query(const std::string& more = "") {
    return R"(<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
decoder (float[N,S,32] x, int64[N,T] mask, float[N,2,P,4] past_k, float[N,2,P,4] past_v) => (float[N,S,16] y, float[N,2,T,4] present_k, float[N,2,T,4] present_v)" +
           std::string(more.empty() ? "" : ", float[N,2,P,4] z") + R"() {
    axes = Constant<value_ints = [1]>() one = Constant<value_int = 1>()
    sums = ReduceSum<keepdims = 0>(mask, axes) less = Sub(sums, one) lengths = Cast<to = 6>(less)
    dims = Shape(mask) size = Gather(dims, one) total = Cast<to = 6>(size)
    y, present_k, present_v = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2>(x, , , past_k, past_v, lengths, total) )" +
           more + " }";
}
const char* const gpt2_attention = R"(<ir_version: 10, opset_import: ["" : 17, "com.microsoft" : 1]>
decoder (float[N,S,4] x, float[2,N,2,P,2] past) => (float[N,S,4] y, float[2,N,2,T,2] present) {
    all = Constant<value_floats = [1.0, 2.0, -1.0, 0.0, 1.0, 3.0, 0.0, 1.0, -1.0, 0.0, 2.0, 1.0]>() dims = Constant<value_ints = [1, 12]>() row = Reshape(all, dims)
    four = Constant<value_ints = [4, 12]>() w = Expand(row, four)
    y, present = com.microsoft.Attention<num_heads = 2, unidirectional = 1>(x, w, all, , past)
})";
const char* const causal_convolution = R"(<ir_version: 10, opset_import: ["" : 17, "com.microsoft" : 1]>
filter (float[N,2,S] x, float[N,2,2] past) => (float[N,2,S] y, float[N,2,2] present) {
    all = Constant<value_floats = [1.0, 2.0, -1.0, 0.0, 1.0, 3.0]>() dims = Constant<value_ints = [2, 1, 3]>() w = Reshape(all, dims)
    y, present = com.microsoft.CausalConvWithState(x, w, , past)
})";
model decoder() { return model_of(two_heads); }
tensor random(const shape& dims, unsigned seed) {
    std::mt19937 g(seed);
    tensor t(element::f32, dims);
    for (float& x : t.as<float>()) x = float(g() % 2001) / 1000 - 1;
    return t;
}
// Nine rows in three runs.
template <class Session> void check_copied(const Session& s, kv_cache& cache) {
    tensor k(element::f32, {2, 2, 0, 4}), v = k;
    for (std::int64_t rows : {3, 1, 5}) {
        const tensor x = random({2, rows, 8}, unsigned(rows));
        const fetched expected = s.run({{"x", x}, {"past_k", k}, {"past_v", v}});
        CHECK(floats(s.run({{"x", x}}, cache).at("y")) == floats(expected.at("y")));
        k = expected.at("present_k");
        v = expected.at("present_v");
        CHECK(cache.rows() == k.shape()[2]);
        CHECK(floats(cache.past("past_k")) == floats(k));
        CHECK(floats(cache.past("past_v")) == floats(v));
    }
    for (const auto& pair : cache.pairs()) CHECK_FALSE(pair.in_place);
}
}  // namespace

TEST_CASE("A run with a cache gives what a run with the pasts gives, and copies no old row", "[session]") {
    for (std::int64_t batch : {1, 3})
        for (int threads : {1, 2}) {
            const inlay::session s{decoder(), cpu{.threads = threads}};
            kv_cache cache = s.make_cache(40);
            CHECK(cache.room() == 40);
            tensor k(element::f32, {batch, 2, 0, 4}), v = k;
            unsigned seed = 0;
            for (std::int64_t rows : {5, 1, 1, 7, 1, 20, 5}) {  // 40 in all
                CAPTURE(batch, threads, rows, cache.rows());
                const tensor x = random({batch, rows, 8}, ++seed);
                const fetched expected = s.run({{"x", x}, {"past_k", k}, {"past_v", v}}),
                              actual = s.run({{"x", x}}, cache);
                REQUIRE(actual.size() == 1);
                CHECK(floats(actual.at("y")) == floats(expected.at("y")));
                k = expected.at("present_k");
                v = expected.at("present_v");
                CHECK(cache.rows() == k.shape()[2]);
                CHECK(floats(cache.past("past_k")) == floats(k));
                CHECK(floats(cache.past("past_v")) == floats(v));
                for (const auto& pair : cache.pairs()) {
                    CAPTURE(pair.past, pair.reason);
                    CHECK(pair.in_place);
                }
            }
        }
}
TEST_CASE("A cache holds what Attention extends", "[session]") {
    const inlay::session s{model_of(std::string("<ir_version: 11, opset_import: [\"\" : 24]> ") + attention), cpu{}};
    kv_cache cache = s.make_cache(9);
    check_copied(s, cache);
    for (const auto& pair : cache.pairs()) CHECK(has_text(pair.reason, "(Attention): the kernel copies old rows"));
}
TEST_CASE("A cache holds the buffers of GroupQueryAttention, in place on every provider", "[session]") {
    for (bool plain : {false, true})
        for (std::int64_t batch : {1, 2}) {
            const inlay::any_session s{model_of(group_query()), {plain ? "reference" : "cpu"}};
            kv_cache cache = s.make_cache(20);
            tensor k(element::f32, {batch, 2, 0, 4}), v = k;
            unsigned seed = 0;
            for (std::int64_t rows : {5, 1, 1, 1, 4, 1, 7}) {  // 20 in all
                CAPTURE(plain, batch, rows, cache.rows());
                const tensor x = random({batch, rows, 32}, ++seed);
                const std::int64_t total = cache.rows() + rows;
                const tensor mask({batch, total}, std::vector<std::int64_t>(std::size_t(batch * total), 1));
                const fetched expected = s.run({{"x", x}, {"mask", mask}, {"past_k", k}, {"past_v", v}}),
                              actual = s.run({{"x", x}, {"mask", mask}}, cache);
                REQUIRE(actual.size() == 1);
                CHECK(floats(actual.at("y")) == floats(expected.at("y")));
                k = expected.at("present_k");
                v = expected.at("present_v");
                CHECK(cache.rows() == total);
                CHECK(floats(cache.past("past_k")) == floats(k));
                CHECK(floats(cache.past("past_v")) == floats(v));
                for (const auto& pair : cache.pairs()) {
                    CAPTURE(pair.past, pair.reason);
                    CHECK(pair.in_place);
                }
            }
            cache.keep(3);
            CHECK(cache.past("past_k").shape() == shape{batch, 2, 3, 4});
        }
}
TEST_CASE("A mask that does not count the rows of the cache is an error", "[session]") {
    const inlay::session s{model_of(group_query()), cpu{.threads = 1}};
    kv_cache cache = s.make_cache(6);
    const auto run = [&](std::int64_t rows, std::int64_t total) {
        (void)s.run({{"x", random({1, rows, 32}, 1)},
                     {"mask", tensor({1, total}, std::vector<std::int64_t>(std::size_t(total), 1))}},
                    cache);
    };
    run(3, 3);
    const error wrong = raised([&] { run(1, 3); });
    CHECK(wrong.code == error_code::shape_mismatch);
    CHECK(has_text(wrong.text, "the cache holds 3 rows and the run adds 1; "));
    CHECK(has_text(wrong.text, "(GroupQueryAttention) is given 3 in all"));
    CHECK(raised([&] { run(4, 7); }).code == error_code::limit_exceeded);
    CHECK(cache.rows() == 3);
}
TEST_CASE("Buffers whose rows something else counts are given as they are", "[session]") {
    const inlay::session s{model_of(group_query("z = Neg(past_k)")), cpu{.threads = 1}};
    kv_cache cache = s.make_cache(6);
    for (std::int64_t rows = 1; rows < 4; ++rows) {
        const std::vector<float> past = rows > 1 ? floats(cache.past("past_k")) : std::vector<float>();
        const fetched y = s.run({{"x", random({1, 1, 32}, unsigned(rows))},
                                 {"mask", tensor({1, rows}, std::vector<std::int64_t>(std::size_t(rows), 1))}},
                                cache);
        REQUIRE(y.at("z").shape() == shape{1, 2, rows - 1, 4});
        for (std::size_t i = 0; i < past.size(); ++i) CHECK(floats(y.at("z"))[i] == -past[i]);
    }
    CHECK_FALSE(cache.pairs()[0].in_place);
    CHECK(cache.pairs()[1].past == "past_v");
}
TEST_CASE("A cache holds what com.microsoft's Attention extends, whose rows are the fourth axis", "[session]") {
    const inlay::session s{model_of(gpt2_attention), cpu{.threads = 1}};
    kv_cache cache = s.make_cache(9);
    tensor past(element::f32, {2, 2, 2, 0, 2});
    for (std::int64_t rows : {3, 1, 5}) {
        const tensor x = random({2, rows, 4}, unsigned(rows));
        const fetched expected = s.run({{"x", x}, {"past", past}});
        CHECK(floats(s.run({{"x", x}}, cache).at("y")) == floats(expected.at("y")));
        past = expected.at("present");
        CHECK(floats(cache.past("past")) == floats(past));
    }
    CHECK(cache.rows() == 9);
}
TEST_CASE("A cache holds a state, of which no row can be taken back", "[session]") {
    const inlay::session s{model_of(causal_convolution), cpu{.threads = 1}};
    kv_cache cache = s.make_cache(9);
    tensor past(element::f32, {2, 2, 2});
    std::vector<float> first;
    for (std::int64_t rows : {3, 1, 5}) {
        const tensor x = random({2, 2, rows}, unsigned(rows));
        const fetched expected = s.run({{"x", x}, {"past", past}});
        const std::vector<float> y = floats(s.run({{"x", x}}, cache).at("y"));
        CHECK(y == floats(expected.at("y")));
        if (first.empty()) first = y;
        past = expected.at("present");
        CHECK(floats(cache.past("past")) == floats(past));
    }
    CHECK(cache.rows() == 9);
    CHECK(has_text(raised([&] { cache.keep(8); }).text, "`past` is a state, from which no row can be taken back"));
    CHECK(raised([&] { (void)s.run({{"x", random({2, 2, 1}, 1)}}, cache); }).code == error_code::limit_exceeded);
    CHECK(floats(cache.past("past")) == floats(past));
    cache.keep(0);
    CHECK(floats(s.run({{"x", random({2, 2, 3}, 3)}}, cache).at("y")) == first);
    cache.assign(std::array{feed{"past", past}});
    CHECK(floats(cache.past("past")) == floats(past));
}
TEST_CASE("Where a kernel cannot take rows in place they are copied, with the reason, and the results are the same",
          "[session]") {
    const inlay::session s{decoder(), reference{}};
    kv_cache cache = s.make_cache(9);
    check_copied(s, cache);
    for (const auto& pair : cache.pairs()) {
        CHECK_FALSE(pair.in_place);
        CHECK(has_text(pair.reason, "(Concat): the kernel copies old rows"));
    }
    const inlay::session twice{model_of(past_read_twice), cpu{}};
    kv_cache twice_cache = twice.make_cache(4);
    for (int i = 0; i < 4; ++i) {
        const tensor x = random({1, 2, 1, 4}, unsigned(i));
        const std::vector<float> y = floats(twice.run({{"x", x}}, twice_cache).at("y")),
                                 past = floats(twice_cache.past("past"));
        REQUIRE(y.size() == past.size());
        for (std::size_t j = 0; j < y.size(); ++j) CHECK(y[j] == -past[j]);
    }
    CHECK_FALSE(twice_cache.pairs()[0].in_place);
    CHECK(has_text(twice_cache.pairs()[0].reason, "(Neg)"));
}
TEST_CASE("Rows that follow each other may be read by any kernel", "[session]") {
    const std::string text = std::string(one_row_after_another)
                                 .replace(std::string_view(one_row_after_another).find("present = "), 0,
                                          "axis = Constant<value_ints = [1]>() ");
    const inlay::session s{model_of(text), cpu{.threads = 1}};
    kv_cache cache = s.make_cache(6);
    std::vector<float> sum(4);
    for (std::int64_t rows : {2, 1, 3}) {
        const tensor x = random({1, rows, 4}, unsigned(rows));
        for (std::int64_t i = 0; i < 4 * rows; ++i) sum[std::size_t(i % 4)] += x.as<float>()[std::size_t(i)];
        const std::vector<float> y = floats(s.run({{"x", x}}, cache).at("y"));
        for (std::size_t j = 0; j < 4; ++j) CHECK(y[j] == Approx(sum[j]).margin(1e-5));
        CHECK(cache.pairs()[0].in_place);
    }
    CHECK(cache.rows() == 6);
}
TEST_CASE("A cache can be filled, cut and filled again", "[session]") {
    const inlay::session s{decoder(), cpu{.threads = 1}};
    kv_cache cache = s.make_cache(8);
    const tensor k = random({1, 2, 5, 4}, 1), v = random({1, 2, 5, 4}, 2), x = random({1, 1, 8}, 3);
    cache.assign(std::array{feed{"past_v", v}, feed{"past_k", k}});
    CHECK(cache.rows() == 5);
    CHECK(floats(cache.past("past_k")) == floats(k));
    const std::vector<float> expected = floats(s.run({{"x", x}, {"past_k", k}, {"past_v", v}}, {"y"})[0]);
    CHECK(floats(s.run({{"x", x}}, cache).at("y")) == expected);
    cache.keep(5);
    CHECK(floats(s.run({{"x", x}}, cache, {"y"})[0]) == expected);
    CHECK(cache.rows() == 6);
    cache.keep(0);
    (void)s.run({{"x", random({3, 2, 8}, 4)}}, cache);  // nothing is held: another batch is welcome
    CHECK(cache.past("past_k").shape() == shape{3, 2, 2, 4});
    kv_cache moved = std::move(cache);
    CHECK(moved.rows() == 2);
}
TEST_CASE("What a cache cannot do is an error, and leaves it as it was", "[session]") {
    const inlay::session s{decoder(), cpu{.threads = 1}};
    kv_cache cache = s.make_cache(4);
    const tensor x = random({1, 3, 8}, 1);
    CHECK(raised([&] { (void)cache.past("past_k"); }).code == error_code::not_found);
    (void)s.run({{"x", x}}, cache);
    const std::vector<float> past = floats(cache.past("past_k"));
    const error full = raised([&] { (void)s.run({{"x", x}}, cache); });
    CHECK(full.code == error_code::limit_exceeded);
    CHECK(has_text(full.text, "room for 4 rows and holds 3; the run adds 3"));
    const std::atomic<bool> stop{true};
    CHECK(raised([&] {
              (void)s.run({{"x", random({1, 1, 8}, 2)}}, cache, {}, {.stop = &stop});
          }).code == error_code::stopped);
    CHECK(raised([&] { (void)s.run({{"x", random({2, 1, 8}, 2)}}, cache); }).code == error_code::shape_mismatch);
    CHECK(has_text(raised([&] {
                       (void)s.run({{"x", x}, {"past_k", random({1, 2, 3, 4}, 1)}}, cache);
                   }).text,
                   "`past_k` is given, and the cache holds it"));
    CHECK(has_text(raised([&] {
                       (void)s.run({{"x", x}}, cache, {"present_k"});
                   }).text,
                   "the cache holds output `present_k`"));
    CHECK(raised([&] { cache.keep(4); }).code == error_code::invalid_argument);
    CHECK(raised([&] {
              cache.assign(std::array{feed{"past_k", random({1, 2, 1, 4}, 1)}});
          }).code == error_code::invalid_argument);
    CHECK(
        raised([&] {
            cache.assign(std::array{feed{"past_k", random({1, 2, 1, 4}, 1)}, feed{"past_v", random({1, 2, 2, 4}, 1)}});
        }).code == error_code::shape_mismatch);
    CHECK(raised([&] { (void)cache.past("x"); }).code == error_code::not_found);
    CHECK(cache.rows() == 3);
    CHECK(floats(cache.past("past_k")) == past);
    CHECK(raised([&] { (void)s.make_cache(0); }).code == error_code::invalid_argument);
    const inlay::session stranger{decoder(), cpu{.threads = 1}};
    CHECK(has_text(raised([&] { (void)stranger.run({{"x", x}}, cache); }).text, "another session"));
    const inlay::session stateless{model_of("g (float[N] x) => (float[N] y) { y = Neg(x) }"), cpu{}};
    CHECK(has_text(raised([&] { (void)stateless.make_cache(4); }).text, "nothing to keep"));
}
TEST_CASE("A cache outlives its session", "[session]") {
    std::optional<kv_cache> cache;
    {
        const inlay::session s{decoder(), cpu{.threads = 1}};
        cache = s.make_cache(4);
        (void)s.run({{"x", random({1, 3, 8}, 1)}}, *cache);
    }
    CHECK(cache->past("past_v").shape() == shape{1, 2, 3, 4});
}
TEST_CASE("A cache of more rows than memory can hold is an error, and says what to change", "[session]") {
    const inlay::session s{decoder(), cpu{.threads = 1}};
    for (const int power : {36, 52, 55, 61, 62}) {
        CAPTURE(power);
        const error e = raised([&] { (void)s.make_cache(std::int64_t(1) << power); });
        CHECK(e.code == error_code::limit_exceeded);
        CHECK(has_text(e.text, "`past_k`"));
        CHECK(has_text(e.hint, "less room"));
    }
    // Where the size of a row depends on data, the run reports it.
    model_options options;
    options.limits.elements_per_tensor = std::numeric_limits<std::int64_t>::max();
    const inlay::session wide{model_of(two_heads, options), cpu{.threads = 1}};
    for (const int power : {52, 55, 59}) {
        CAPTURE(power);
        kv_cache cache = wide.make_cache(std::int64_t(1) << power);
        const error e = raised([&] { wide.run({{"x", tensor(element::f32, {1, 1, 8})}}, cache); });
        CHECK(e.code == error_code::out_of_memory);
        CHECK(cache.rows() == 0);
    }
}
