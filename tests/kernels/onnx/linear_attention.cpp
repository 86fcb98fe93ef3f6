// Mirrors kernels/inlay/onnx/linear_attention.hpp.
#include "../elementwise.hpp"
#include <inlay/onnx/linear_attention.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
struct options {
    std::string rule = "gated_delta";
    std::int64_t queries = 4, heads = 2;
    double scale = 0;
};
attributes how(options o) {
    return [=](graph_data& g) {
        return std::vector{g.make("update_rule", o.rule), g.make("q_num_heads", o.queries),
                           g.make("kv_num_heads", o.heads), g.make("scale", o.scale)};
    };
}
call of(std::vector<operand> in, options o = {}, int threads = 1) {
    const element e = in[0].value.type(), s = in.size() > 3 && in[3].value ? in[3].value.type() : e;
    return {.inputs = std::move(in), .with = how(o), .outputs = {e, s}, .threads = threads};
}
outcome made(const call& c) {
    const outcome o = run<op::linear_attention, device::reference>(c);
    INFO(o.answer.reason << o.detail);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    return o;
}
std::string_view why(const call& c) { return run<op::linear_attention, device::reference>(c).answer.reason; }

double at(const tensor& t, std::int64_t i) { return load_float<double>(t.type(), t.data(), i); }
// The recurrence, by the definition: inputs as the operator has them.
struct recurrence {
    tensor y, state;
};
recurrence expected(const std::vector<operand>& in, options o) {
    const tensor &q = in[0].value, &k = in[1].value, &v = in[2].value;
    const std::int64_t batches = q.shape()[0], rows = q.shape()[1], dk = q.shape()[2] / o.queries,
                       dv = v.shape()[2] / o.heads, group = o.queries / o.heads;
    const tensor past = in.size() > 3 ? in[3].value : tensor(), g = in.size() > 4 ? in[4].value : tensor(),
                 beta = in.size() > 5 ? in[5].value : tensor();
    recurrence w{tensor(element::f64, {batches, rows, o.queries * dv}),
                 tensor(element::f64, {batches, o.heads, dk, dv})};
    const double scale = o.scale ? o.scale : 1 / std::sqrt(double(dk));
    for (std::int64_t b = 0; b < batches; ++b)
        for (std::int64_t h = 0; h < o.heads; ++h) {
            std::vector s(static_cast<std::size_t>(dk), std::vector<double>(static_cast<std::size_t>(dv)));
            for (std::int64_t i = 0; i < dk * dv && past; ++i)
                s[std::size_t(i / dv)][std::size_t(i % dv)] = at(past, (b * o.heads + h) * dk * dv + i);
            for (std::int64_t t = 0; t < rows; ++t) {
                const std::int64_t row = b * rows + t;
                const auto key = [&](std::int64_t i) { return at(k, (row * o.heads + h) * dk + i); };
                for (std::int64_t i = 0; i < dk && g; ++i)
                    for (double& x : s[std::size_t(i)])
                        x *= std::exp(g.shape()[2] == o.heads ? at(g, row * o.heads + h)
                                                              : at(g, (row * o.heads + h) * dk + i));
                for (std::int64_t j = 0; j < dv; ++j) {
                    double add = at(v, (row * o.heads + h) * dv + j);
                    if (beta) {
                        for (std::int64_t i = 0; i < dk; ++i) add -= key(i) * s[std::size_t(i)][std::size_t(j)];
                        add *= beta.shape()[2] == 1 ? at(beta, row) : at(beta, row * o.heads + h);
                    }
                    for (std::int64_t i = 0; i < dk; ++i) s[std::size_t(i)][std::size_t(j)] += key(i) * add;
                }
                for (std::int64_t m = 0; m < group; ++m)
                    for (std::int64_t j = 0; j < dv; ++j) {
                        const std::int64_t head = row * o.queries + h * group + m;
                        double sum = 0;
                        for (std::int64_t i = 0; i < dk; ++i)
                            sum += at(q, head * dk + i) * s[std::size_t(i)][std::size_t(j)];
                        w.y.as<double>()[std::size_t(head * dv + j)] = scale * sum;
                    }
            }
            for (std::int64_t i = 0; i < dk * dv; ++i)
                w.state.as<double>()[std::size_t((b * o.heads + h) * dk * dv + i)] =
                    s[std::size_t(i / dv)][std::size_t(i % dv)];
        }
    return w;
}
bool near(const tensor& result, const tensor& expected, double tolerance) {
    if (!(result.shape() == expected.shape())) return false;
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        if (!(std::abs(at(result, i) - at(expected, i)) <= tolerance * std::max(1., std::abs(at(expected, i))))) {
            UNSCOPED_INFO("element " << i << ": " << at(result, i) << ", not " << at(expected, i));
            return false;
        }
    return true;
}
}  // namespace

TEMPLATE_TEST_CASE("LinearAttention of every rule and type agrees with its definition", "", float, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 1e-5 : std::is_same_v<T, float16> ? 4e-3 : 3e-2;
    for (const std::string rule : {"linear", "gated", "delta", "gated_delta"})
        for (const bool wide : {false, true})
            for (const std::int64_t queries : {2, 6}) {
                CAPTURE(rule, wide, queries);
                const options o{rule, queries, 2, wide ? .5 : 0};
                const bool gated = rule.starts_with("gated"), delta = rule.ends_with("delta");
                std::vector<operand> in{random_tensor<T>({2, 5, queries * 3}, 1, -1, 1),
                                        random_tensor<T>({2, 5, 2 * 3}, 2, -.5, .5),
                                        random_tensor<T>({2, 5, 2 * 4}, 3, -1, 1)};
                in.push_back(wide ? operand(random_tensor({2, 2, 3, 4}, 4, -1, 1)) : operand());
                in.push_back(gated ? operand(random_tensor<T>({2, 5, wide ? 6 : 2}, 5, -1, 0)) : operand());
                in.push_back(delta ? operand(random_tensor<T>({2, 5, wide ? 1 : 2}, 6, 0, 1)) : operand());
                const outcome y = made(of(in, o, 3));
                const recurrence w = expected(in, o);
                CHECK(near(y[0], w.y, tolerance));
                CHECK(near(y[1], w.state, tolerance));
                CHECK(y[1].type() == (wide ? element::f32 : element_of<T>));
            }
}
TEST_CASE("LinearAttention row by row, with its state, is that of all rows at once") {
    const std::int64_t rows = 7;
    const tensor q = random_tensor({1, rows, 8}, 1), k = random_tensor({1, rows, 4}, 2, -.5, .5),
                 v = random_tensor({1, rows, 6}, 3), g = random_tensor({1, rows, 2}, 4, -1, 0),
                 b = random_tensor({1, rows, 2}, 5, 0, 1);
    const outcome whole = made(of({q, k, v, {}, g, b}));
    const auto row = [](const tensor& t, std::int64_t i) {
        const std::int64_t n = t.shape()[2];
        tensor y(element::f32, {1, 1, n});
        std::copy_n(t.as<float>().data() + i * n, n, y.as<float>().data());
        return y;
    };
    tensor state(element::f32, {1, 2, 2, 3});
    std::ranges::fill(state.as<float>(), 0.f);
    for (std::int64_t i = 0; i < rows; ++i) {
        const outcome y = made(of({row(q, i), row(k, i), row(v, i), state, row(g, i), row(b, i)}));
        CHECK(same<float>(y[0], row(whole[0], i), 1e-6));
        state = y[1];
    }
    CHECK(same<float>(state, whole[1], 1e-6));
}
TEST_CASE("LinearAttention of no rows keeps its state, and gives none where none is wanted") {
    const options o{.rule = "linear", .queries = 1, .heads = 1};
    const tensor past = random_tensor({1, 1, 2, 3}, 1);
    const outcome y = made(of(
        {tensor(element::f32, {1, 0, 2}), tensor(element::f32, {1, 0, 2}), tensor(element::f32, {1, 0, 3}), past}, o));
    CHECK(y[0].shape() == shape{1, 0, 3});
    CHECK(same<float>(y[1], past));
    CHECK(made(of({tensor(element::f32, {0, 4, 2}), tensor(element::f32, {0, 4, 2}), tensor(element::f32, {0, 4, 3})},
                  o))[1]
              .shape() == shape{0, 1, 2, 3});
    call c = of({random_tensor({1, 4, 2}, 1), random_tensor({1, 4, 2}, 2), random_tensor({1, 4, 3}, 3)}, o);
    c.outputs.pop_back();
    CHECK(made(c).outputs.size() == 1);
}
TEST_CASE("LinearAttention refuses heads, rules and shapes that do not fit") {
    const auto of_dims = [](std::int64_t n, std::int64_t rows = 5) { return tensor(element::f32, {2, rows, n}); };
    const tensor q = of_dims(12), k = of_dims(6), v = of_dims(8), g = of_dims(2), b = of_dims(1);
    CHECK(why(of({q, k, v, {}, g, b}, {.rule = "cubic"})) ==
          "update_rule is none of linear, gated, delta, gated_delta");
    CHECK(why(of({q, k, v, {}, {}, b})) == "decay is what gated rules have, and no others");
    CHECK(why(of({q, k, v, {}, g}, {.rule = "linear"})) == "decay is what gated rules have, and no others");
    CHECK(why(of({q, k, v, {}, g})) == "beta is what delta rules have, and no others");
    CHECK(why(of({q, k, v, {}, g, b}, {.rule = "gated"})) == "beta is what delta rules have, and no others");
    for (const auto& [queries, heads] : {std::pair{4, 0}, {3, 2}, {0, 2}, {-2, 2}, {2, -2}})
        CHECK(why(of({q, k, v, {}, g, b}, {.queries = queries, .heads = heads})) ==
              "q_num_heads is no positive multiple of kv_num_heads");
    CHECK(why(of({tensor(element::f32, {2, 60}), k, v, {}, g, b})) == "an input is not [batches, rows, heads * size]");
    CHECK(why(of({of_dims(13), k, v, {}, g, b})) == "a width does not divide into heads");
    CHECK(why(of({q, k, of_dims(0), {}, g, b})) == "a width does not divide into heads");
    CHECK(why(of({q, of_dims(8), v, {}, g, b})) == "queries and keys have different sizes");
    CHECK(why(of({q, of_dims(7), v, {}, g, b})) == "queries and keys have different sizes");
    CHECK(why(of({q, of_dims(6, 4), v, {}, g, b})) == "the inputs have different batches or rows");
    for (const int n : {1, 3, 7, 12})
        CHECK(why(of({q, k, v, {}, of_dims(n), b})) == "decay has neither one number for each head nor d_k");
    CHECK(why(of({q, k, v, {}, g, of_dims(3)})) == "beta has neither one number for each head nor one for all");
    CHECK(why(of({q, k, v, tensor(element::f32, {2, 2, 4, 3}), g, b})) ==
          "past_state is not [batches, heads, d_k, d_v]");
    CHECK(why(of({q, k, v, tensor(element::i32, {2, 2, 3, 4}), g, b})) == "past_state is of no type for states");
    CHECK(why(of({q, tensor(element::f16, {2, 5, 6}), v, {}, g, b})) == "the inputs are of different types");
    CHECK(why(of({q, k, {}, {}, g, b})) == "an input is missing");
}

namespace {
// The same heads for ONNX's operator: those that are shared, as often as they are read.
tensor repeated(const tensor& t, std::int64_t size, std::int64_t times) {
    const std::int64_t heads = t.shape()[2] / size;
    tensor y(element::f32, {t.shape()[0], t.shape()[1], heads * size * times});
    float* to = y.as<float>().data();
    for (std::int64_t i = 0; i < t.elements() / size; ++i)
        for (std::int64_t k = 0; k < times; ++k) to = std::copy_n(t.as<float>().data() + i * size, size, to);
    return y;
}
call of_microsoft(std::vector<operand> in, std::int64_t queries, std::int64_t heads, std::int64_t window = 0) {
    return {.inputs = std::move(in),
            .with =
                [=](graph_data& g) {
                    return std::vector{g.make("q_num_heads", queries), g.make("kv_num_heads", heads),
                                       g.make("state_window", window)};
                },
            .outputs = {element::f32, element::f32}};
}
outcome made_by_microsoft(const call& c) {
    const outcome o = run<op::microsoft_linear_attention, device::reference>(c);
    INFO(o.answer.reason << o.detail);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    return o;
}
std::string_view why_not(const call& c) {
    return run<op::microsoft_linear_attention, device::reference>(c).answer.reason;
}
}  // namespace

TEST_CASE("LinearAttention of com.microsoft lets heads of values share those of queries and of keys") {
    const tensor v = random_tensor({2, 5, 12 * 4}, 3), past = random_tensor({2, 12, 3, 4}, 4, -1, 1),
                 g = random_tensor({2, 5, 12}, 5, -1, 0), b = random_tensor({2, 5, 12}, 6, 0, 1);
    for (const std::int64_t queries : {1, 3, 12, 24})
        for (const std::int64_t keys : {1, 4, 12}) {
            CAPTURE(queries, keys);
            const tensor q = random_tensor({2, 5, queries * 3}, 1), k = random_tensor({2, 5, keys * 3}, 2, -.5, .5);
            const outcome y = made_by_microsoft(of_microsoft({q, k, v, past, g, b}, queries, 12));
            const std::int64_t head_count = std::max<std::int64_t>(queries, 12);
            const outcome reference =
                made(of({repeated(q, 3, head_count / queries), repeated(k, 3, 12 / keys), v, past, g, b},
                        {.queries = head_count, .heads = 12}));
            CHECK(same<float>(y[0], reference[0]));
            CHECK(same<float>(y[1], reference[1]));
        }
}
TEST_CASE("LinearAttention of com.microsoft returns the states after each of the last rows") {
    const auto rows_of = [](const tensor& t, std::int64_t rows) {
        tensor y(element::f32, {1, rows, t.shape()[2]});
        std::copy_n(t.as<float>().data(), y.elements(), y.as<float>().data());
        return y;
    };
    const tensor q = random_tensor({1, 4, 6}, 1), k = random_tensor({1, 4, 6}, 2, -.5, .5),
                 v = random_tensor({1, 4, 4}, 3), g = random_tensor({1, 4, 2}, 4, -1, 0),
                 b = random_tensor({1, 4, 2}, 5, 0, 1);
    tensor past = random_tensor({2, 1, 2, 3, 2}, 6), last_state(element::f32, {1, 2, 3, 2});
    std::copy_n(past.as<float>().data() + 12, 12, last_state.as<float>().data());
    const auto up_to = [&](std::int64_t rows, std::vector<operand> state, std::int64_t window) {
        std::vector<operand> in{rows_of(q, rows), rows_of(k, rows), rows_of(v, rows)};
        in.insert(in.end(), state.begin(), state.end());
        in.insert(in.end(), {rows_of(g, rows), rows_of(b, rows)});
        return made_by_microsoft(of_microsoft(in, 2, 2, window));
    };
    for (const std::int64_t rows : {0, 1, 2, 4}) {
        CAPTURE(rows);
        const outcome result = up_to(rows, {past}, 2);
        REQUIRE(result[1].shape() == shape{2, 1, 2, 3, 2});
        CHECK(same<float>(result[0], up_to(rows, {last_state}, 0)[0]));
        for (std::int64_t slot = 0; slot < 2; ++slot) {
            const std::int64_t after = rows - 2 + slot + 1;
            tensor state(element::f32, {1, 2, 3, 2}), expected_state(element::f32, {1, 2, 3, 2});
            std::copy_n(result[1].as<float>().data() + slot * 12, 12, state.as<float>().data());
            std::ranges::fill(expected_state.as<float>(), 0.f);
            if (after >= 1) expected_state = up_to(after, {last_state}, 0)[1];
            CHECK(same<float>(state, expected_state));
        }
    }
}
TEST_CASE("LinearAttention of com.microsoft refuses heads and windows that do not fit") {
    const auto of_dims = [](std::int64_t n) { return tensor(element::f32, {2, 5, n}); };
    const tensor q = of_dims(6), k = of_dims(6), v = of_dims(8), g = of_dims(4), b = of_dims(1);
    for (const auto& [queries, heads] : {std::pair{4, 0}, {3, 4}, {0, 2}, {-2, 2}, {2, -2}})
        CHECK(why_not(of_microsoft({q, k, v, {}, g, b}, queries, heads)) ==
              "q_num_heads and kv_num_heads must be positive, and one a multiple of the other");
    for (const int keys : {0, 5, 9, 15, 24})
        CHECK(why_not(of_microsoft({q, of_dims(keys), v, {}, g, b}, 2, 4)) == "queries and keys have different sizes");
    CHECK(why_not(of_microsoft({q, k, v, {}, g, b}, 2, 4, 9)) == "state_window must be 0 to 8");
    CHECK(why_not(of_microsoft({q, k, v, {}, g, b}, 2, 4, -1)) == "state_window must be 0 to 8");
    CHECK(why_not(of_microsoft({q, k, v, tensor(element::f32, {2, 4, 3, 2}), g, b}, 2, 4, 2)) ==
          "past_state is not [state_window, batches, heads, d_k, d_v]");
    CHECK(why_not(of_microsoft({q, k, v, tensor(element::f32, {2, 2, 4, 3, 2}), g, b}, 2, 4)) ==
          "past_state is not [batches, heads, d_k, d_v]");
}
