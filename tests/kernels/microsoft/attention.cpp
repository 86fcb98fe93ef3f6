// Mirrors kernels/inlay/microsoft/attention.hpp.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <on_test_devices/microsoft/attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
using integer_list = std::vector<std::pair<std::string_view, std::int64_t>>;
outcome attended(const call& c) { return run<op::microsoft_attention, device::reference>(c); }
tensor of(const shape& dims, const real_numbers& x, element e = element::f32) { return numbers(e, dims, x); }
tensor ints(const shape& dims, const real_numbers& x) { return numbers(element::i32, dims, x); }
// Rows of two numbers; Q and K are 0, V is the row with 10 added to the second number: outputs are means. Two heads.
call means(const real_numbers& rows, const integer_list& list = {}, std::vector<operand> more = {}) {
    integer_list entries = list;
    entries.push_back({"num_heads", 2});
    call c{.inputs = {of({1, std::int64_t(rows.size()) / 2, 2}, rows),
                      operand::weight(of({2, 6}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1})), of({6}, {0, 0, 0, 0, 0, 10})},
           .with = with(entries)};
    c.inputs.insert(c.inputs.end(), more.begin(), more.end());
    return c;
}
void check_means(const call& c, const real_numbers& expected) {
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], of({1, std::int64_t(expected.size()) / 2, 2}, expected), 1e-6));
    CHECK(same<float>(run<op::microsoft_attention, device::cpu>(c)[0], y[0], 1e-6));
}
std::string_view refusal_of(const call& c) { return attended(c).answer.reason; }
const real_numbers three_rows{1, 1, 2, 2, 6, 9};
}  // namespace

TEST_CASE("Attention of com.microsoft takes means where scores are equal, under masks of each form") {
    check_means(means(three_rows), {3, 14, 3, 14, 3, 14});
    check_means(means(three_rows, {{"unidirectional", 1}}), {1, 11, 1.5, 11.5, 3, 14});
    check_means(means(three_rows, {}, {ints({1}, {2})}), {1.5, 11.5, 1.5, 11.5, 1.5, 11.5});
    check_means(means(three_rows, {}, {ints({2}, {3, 1})}), {4, 15.5, 4, 15.5, 4, 15.5});
    check_means(means(three_rows, {}, {ints({5}, {2, 0, 3, 0, 3})}), {1.5, 11.5, 1.5, 11.5, 1.5, 11.5});
    check_means(means(three_rows, {}, {ints({1, 3}, {1, 0, 1})}), {3.5, 15, 3.5, 15, 3.5, 15});
    check_means(means(three_rows, {}, {ints({1, 3, 3}, {1, 0, 0, 0, 1, 0, 1, 1, 1})}), {1, 11, 2, 12, 3, 14});
    check_means(means(three_rows, {}, {ints({1, 1, 4, 4}, {1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1})}),
                {1, 11, 2, 12, 3, 14});
    check_means(means(three_rows, {}, {ints({1, 3}, {2, -1, 7})}), {3.5, 15, 3.5, 15, 3.5, 15});
    check_means(means(three_rows, {}, {ints({1, 1}, {0})}), {3, 14, 3, 14, 3, 14});  // masks nothing
    check_means(means({1, 1, 3, 3}, {}, {{}, {}, of({1, 1, 2, 2}, {0, -infinity, -infinity, 0})}), {1, 11, 3, 13});
    call filled = means({1, 1, 3, 3}, {}, {ints({1, 2}, {1, 0})});
    filled.with = [](graph_data& g) {
        return std::vector{g.make("num_heads", std::int64_t(2)), g.make("mask_filter_value", -std::log(3.))};
    };
    check_means(filled, {1.5, 11.5, 1.5, 11.5});
}
TEST_CASE("Attention of com.microsoft puts former keys and values before the new ones, and gives all back") {
    call c = means({1, 1, 3, 3}, {{"unidirectional", 1}}, {{}, of({2, 1, 2, 1, 1}, {7, 8, 4, 5})});
    c.outputs = {element::f32, element::f32};
    const outcome y = attended(c);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], of({1, 2, 2}, {2.5, 8, 8 / 3., 29 / 3.}), 1e-6));
    CHECK(same<float>(y[1], of({2, 1, 2, 3, 1}, {7, 0, 0, 8, 0, 0, 4, 1, 3, 5, 11, 13})));
    CHECK(same<float>(run<op::microsoft_attention, device::cpu>(c)[1], y[1], 1e-6));
}
TEST_CASE("Attention of com.microsoft has values of another width, a scale, and turns the heads of Q and K") {
    call c{.inputs = {of({1, 2, 1}, {1, 2}), operand::weight(of({1, 7}, {1, 0, 1, 0, 1, 2, 3}))},
           .with = [](graph_data& g) {
               return std::vector{g.make("num_heads", std::int64_t(1)), g.make("scale", 0.5),
                                  g.make("qkv_hidden_sizes", std::vector<std::int64_t>{2, 2, 3})};
           }};
    const double w = 1 / (1 + std::exp(.5)), v = 1 / (1 + std::exp(1.));  // of the first row, in both rows
    const real_numbers plain{2 - w, 2 * (2 - w), 3 * (2 - w), 2 - v, 2 * (2 - v), 3 * (2 - v)};
    CHECK(same<float>(attended(c)[0], of({1, 2, 3}, plain), 1e-6));
    c.with = [](graph_data& g) {
        return std::vector{g.make("num_heads", std::int64_t(1)), g.make("scale", 0.5),
                           g.make("do_rotary", std::int64_t(1)),
                           g.make("qkv_hidden_sizes", std::vector<std::int64_t>{2, 2, 3})};
    };
    const double t = std::cos(1.), first = 1 / (1 + std::exp(t - .5)), second = 1 / (1 + std::exp(2 - t));
    const real_numbers turned{2 - first,  2 * (2 - first),  3 * (2 - first),
                              2 - second, 2 * (2 - second), 3 * (2 - second)};
    CHECK(same<float>(attended(c)[0], of({1, 2, 3}, turned), 1e-6));
}
TEST_CASE("The fast Attention of com.microsoft agrees with the reference kernel") {
    const auto noise = [](const shape& dims, unsigned seed) { return random_tensor(dims, seed, -1, 1); };
    for (std::int64_t n : {1, 2, 7, 16, 33, 70})
        for (std::int64_t past : {0, 5}) {
            const std::int64_t size = n % 17 + 1, heads = n % 3 + 1, hidden = size * heads, keys = past + n;
            CAPTURE(n, past, size, heads);
            call c{
                .inputs = {noise({2, n, 19}, 1), operand::weight(noise({19, 3 * hidden}, 2)), noise({3 * hidden}, 3)},
                .with = with({{"num_heads", heads}, {"unidirectional", n % 2}, {"do_rotary", size % 2 == 0 ? 1 : 0}})};
            c.inputs.resize(6);
            c.inputs[3] = ints({4}, {double(keys), double(keys / 2), 0, n % 2 ? 0. : double(keys / 4)});
            if (past > 0) {
                c.inputs[4] = noise({2, 2, heads, past, size}, 4);
                c.outputs = {element::f32, element::f32};
            }
            c.inputs[5] = noise({1, heads, n, keys}, 5);
            check_levels<op::microsoft_attention>(c, 5e-5, 5e-5);
        }
}
TEMPLATE_TEST_CASE("Attention of com.microsoft takes all its types", "", float, float16, bfloat16) {
    call c = means(three_rows);
    for (operand& x : c.inputs) {
        const bool constant = x.constant;
        x = of(x.value.shape(), numbers(x.value), element_of<TestType>);
        x.constant = constant;
    }
    const auto close = [](const tensor& y) {
        return same<TestType>(y, list<TestType>({3, 14, 3, 14, 3, 14}).reshaped({1, 3, 2}), 1e-2);
    };
    c.outputs = {element_of<TestType>};
    CHECK(close(attended(c)[0]));
    CHECK(close(run<op::microsoft_attention, device::cpu>(c)[0]));
}
TEST_CASE("Attention of com.microsoft of nothing is nothing") {
    CHECK(attended(means({}))[0].shape() == shape{1, 0, 2});
    CHECK(run<op::microsoft_attention, device::cpu>(means({}))[0].shape() == shape{1, 0, 2});
}
TEST_CASE("Attention of com.microsoft refuses what does not fit") {
    const auto with_input = [](std::size_t k, tensor t) {
        call c = means(three_rows);
        c.inputs.resize(std::max(c.inputs.size(), k + 1));
        c.inputs[k] = std::move(t);
        return c;
    };
    CHECK(refusal_of(means(three_rows, {}, {ints({4}, {1, 1, 1, 1})})) ==
          "mask_index has another shape than those of masks");
    CHECK(refusal_of(with_input(1, of({3, 6}, real_numbers(18)))) ==
          "input must be [batch, rows, width], and weights [width, Q, K and V]");
    CHECK(refusal_of(with_input(1, of({2, 9}, real_numbers(18)))) == "bias must have one number per column of weights");
    CHECK(refusal_of(with_input(3, of({1}, {1}))) == "mask_index must be int32");
    CHECK(refusal_of(with_input(4, of({2, 1, 1, 1, 2}, {1, 1, 1, 1}))) == "past must be [2, batch, heads, rows, size]");
    CHECK(refusal_of(with_input(5, of({1, 1, 1, 3}, {1, 1, 1}))) ==
          "attention_bias must be [batch or 1, heads or 1, rows, keys]");
    CHECK(refusal_of(with_input(6, ints({1}, {0}))) == "shared buffers are not supported");
    CHECK(refusal_of(means(three_rows, {{"do_rotary", 1}})) ==
          "rotary_embedding_dim must be even, and no more than a head has");
    call c = means(three_rows);
    c.with = with({{"num_heads", 4}});
    CHECK(refusal_of(c) == "the columns of weights do not divide into heads of Q, K and V");
    c.with = with({});
    CHECK(refusal_of(c) == "num_heads must be positive");
}
