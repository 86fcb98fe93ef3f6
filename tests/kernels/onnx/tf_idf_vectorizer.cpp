#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/tf_idf_vectorizer.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
using number_list = std::vector<std::int64_t>;
struct pool {
    std::string mode = "TF";
    number_list starts{0, 2}, places{0, 1, 2, 3}, numbers{5, 7, 5, 7, 7, 5};  // 5, 7; 5 7, 7 5
    std::vector<std::string> texts{};
    std::int64_t least = 1, most = 2, skips = 0;
    std::vector<double> weights{};
    attributes make() const {
        return [p = *this](graph_data& g) {
            const std::vector<std::string_view> views(p.texts.begin(), p.texts.end());
            return std::vector{g.make("mode", std::string_view(p.mode)),
                               g.make("min_gram_length", p.least),
                               g.make("max_gram_length", p.most),
                               g.make("max_skip_count", p.skips),
                               g.make("ngram_counts", std::span<const std::int64_t>(p.starts)),
                               g.make("ngram_indexes", std::span<const std::int64_t>(p.places)),
                               g.make("pool_int64s", std::span<const std::int64_t>(p.numbers)),
                               g.make("pool_strings", std::span<const std::string_view>(views)),
                               g.make("weights", std::span<const double>(p.weights))};
        };
    }
};
outcome counted(const tensor& x, const pool& p, int threads = 1) {
    call c{{x}, p.make(), 0, {element::f32}};
    c.threads = threads;
    return run<op::tf_idf_vectorizer, device::reference>(c);
}
std::vector<float> counts(const tensor& x, const pool& p) {
    const outcome y = counted(x, p);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    return {y[0].as<float>().begin(), y[0].as<float>().end()};
}
template <class F> std::string_view why_not(F change) {
    pool p;
    change(p);
    return counted(list({5, 7}), p).answer.reason;
}
}  // namespace

TEST_CASE("TfIdfVectorizer counts the n-grams of its pool") {
    CHECK(counts(list({5, 7, 5, 9, 7}), {}) == std::vector{2.f, 2.f, 1.f, 1.f});
    CHECK(counts(tensor({3}, {std::int32_t(7), std::int32_t(7), std::int32_t(5)}), {}) ==
          std::vector{1.f, 2.f, 0.f, 1.f});
    pool pairs;
    pairs.least = 2;
    CHECK(counts(list({5, 7, 5}), pairs) == std::vector{0.f, 0.f, 1.f, 1.f});
    pool singles;
    singles.most = 1;
    CHECK(counts(list({5, 7, 5}), singles) == std::vector{2.f, 1.f, 0.f, 0.f});
    CHECK(counts(list({}), {}) == std::vector<float>(4));
}
TEST_CASE("TfIdfVectorizer puts counts at the places that ngram_indexes tell, of rows in rows") {
    pool p;
    p.places = {5, 0, 5, 2};  // two n-grams may have one place
    CHECK(counts(list({5, 7}), p) == std::vector{1.f, 0.f, 0.f, 0.f, 0.f, 2.f});
    const tensor rows({3, 2}, number_list{5, 7, 7, 5, 9, 9});
    const outcome y = counted(rows, {});
    CHECK(y[0].shape() == shape{3, 4});
    for (const int threads : {1, 2, 3}) {
        const outcome split = counted(rows, {}, threads);
        CHECK(elements<float>(split[0]) == std::vector{1.f, 1.f, 1.f, 0.f, 1.f, 1.f, 0.f, 1.f, 0.f, 0.f, 0.f, 0.f});
    }
    CHECK(counted(tensor({0, 2}, number_list{}), {})[0].shape() == shape{0, 4});
}
TEST_CASE("TfIdfVectorizer counts n-grams with skips, and single tokens once") {
    pool p;
    p.skips = 1;  // apart by one: 57 77 75 57; by two: 57 75 77
    CHECK(counts(list({5, 7, 7, 5, 7}), p) == std::vector{2.f, 3.f, 3.f, 2.f});
    p.skips = std::numeric_limits<std::int64_t>::max();  // ends with the row
    CHECK(counts(list({5, 9, 9, 7}), p) == std::vector{1.f, 1.f, 1.f, 0.f});
}
TEST_CASE("TfIdfVectorizer weighs by mode") {
    pool p;
    p.weights = {0.5, 2, 10, 3};
    const tensor x = list({5, 7, 5});
    CHECK(counts(x, p) == std::vector{2.f, 1.f, 1.f, 1.f});
    p.mode = "TFIDF";
    CHECK(counts(x, p) == std::vector{1.f, 2.f, 10.f, 3.f});
    p.mode = "IDF";
    CHECK(counts(list({5, 5}), p) == std::vector{0.5f, 0.f, 0.f, 0.f});
    p.weights.clear();
    CHECK(counts(list({5, 5}), p) == std::vector{1.f, 0.f, 0.f, 0.f});
}
TEST_CASE("TfIdfVectorizer counts n-grams of strings") {
    pool p;
    p.numbers.clear();
    p.texts = {"a", "b", "a", "b", "b", "a"};
    CHECK(counts(tensor({4}, std::vector<std::string>{"a", "b", "a", "c"}), p) == std::vector{2.f, 1.f, 1.f, 1.f});
    CHECK(counted(list({5}), p).answer.reason == "the pool is of another type than the input");
    p.numbers = {1};
    CHECK(counted(list({5}), p).answer.reason == "there are both pool_strings and pool_int64s");
}
TEST_CASE("TfIdfVectorizer refuses pools and settings that do not fit") {
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    CHECK(why_not([](pool& p) { p.mode = "tf"; }) == "mode is none of TF, IDF and TFIDF");
    CHECK(!why_not([](pool& p) { p.least = 0; }).empty());
    CHECK(!why_not([](pool& p) { p.most = 0; }).empty());
    CHECK(!why_not([](pool& p) { p.skips = -1; }).empty());
    CHECK(why_not([](pool& p) { p.places[1] = -1; }) == "ngram_indexes are out of range");
    CHECK(why_not([=](pool& p) { p.places[1] = huge; }) == "ngram_indexes are out of range");
    CHECK(why_not([](pool& p) { p.places.pop_back(); }) == "ngram_indexes are not as many as the pool's n-grams");
    CHECK(why_not([](pool& p) { p.starts = {2, 0}; }) == "ngram_counts are no ascending places of the pool");
    CHECK(why_not([](pool& p) { p.starts = {0, 7}; }) == "ngram_counts are no ascending places of the pool");
    CHECK(why_not([](pool& p) { p.starts = {-1, 2}; }) == "ngram_counts are no ascending places of the pool");
    CHECK(why_not([](pool& p) { p.starts = {0, 3}; }) == "the pool ends within an n-gram");
    CHECK(why_not([](pool& p) {
              p.mode = "IDF";
              p.weights = {1, 2};
          }) == "there are fewer weights than places in the output");
    pool wide;
    wide.places[0] = (std::int64_t(1) << 54) - 1;
    CHECK(counted(tensor({2, 1}, number_list{5, 7}), wide).answer.reason == "the output is too large");
    CHECK(counted(tensor({1, 1, 1}, number_list{5}), {}).answer.reason == "the input is neither a list nor rows");
    CHECK(counted(tensor(shape{}, {std::int64_t(5)}), {}).answer.reason == "the input is neither a list nor rows");
}
