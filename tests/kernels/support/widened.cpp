// Mirrors kernels/inlay/cpu/support/widened.hpp: kernels of fp16 and bf16 are those of float32 on the same numbers,
// rounded once; and the reference kernels' results.
#include "../elementwise.hpp"
#include <inlay/cpu/fused/attention.hpp>
#include <inlay/cpu/fused/joined_matmul.hpp>
#include <inlay/cpu/fused/scaled_conv.hpp>
#include <inlay/cpu/fused/tile_program.hpp>
#include <inlay/cpu/onnx/batch_normalization.hpp>
#include <inlay/cpu/onnx/binary.hpp>
#include <inlay/cpu/onnx/cast.hpp>
#include <inlay/cpu/onnx/clip.hpp>
#include <inlay/cpu/onnx/conv.hpp>
#include <inlay/cpu/onnx/conv_transpose.hpp>
#include <inlay/cpu/onnx/gemm.hpp>
#include <inlay/cpu/onnx/group_normalization.hpp>
#include <inlay/cpu/onnx/gru.hpp>
#include <inlay/cpu/onnx/layer_normalization.hpp>
#include <inlay/cpu/onnx/lrn.hpp>
#include <inlay/cpu/onnx/lstm.hpp>
#include <inlay/cpu/onnx/matmul.hpp>
#include <inlay/cpu/onnx/pool.hpp>
#include <inlay/cpu/onnx/pow.hpp>
#include <inlay/cpu/onnx/reduce.hpp>
#include <inlay/cpu/onnx/resize.hpp>
#include <inlay/cpu/onnx/rms_normalization.hpp>
#include <inlay/cpu/onnx/softmax.hpp>
#include <inlay/cpu/onnx/sum.hpp>
#include <inlay/cpu/onnx/unary.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
template <class T> constexpr double unit = std::is_same_v<T, float16> ? 1e-3 : 8e-3;  // in the last place of 1

template <class To, class From> tensor converted(const tensor& t) {
    if (!t || t.type() != element_of<From>) return t;
    tensor y(element_of<To>, t.shape());
    for (std::int64_t i = 0; i < t.elements(); ++i)
        y.as<To>()[std::size_t(i)] = To(float(t.as<From>()[std::size_t(i)]));
    return y;
}
template <class T> call as_floats(call c) {
    for (operand& o : c.inputs) o.value = converted<float, T>(o.value);
    for (element& e : c.outputs)
        if (e == element_of<T>) e = element::f32;
    if (std::is_same_v<T, bfloat16>) c.precision = precision::bfloat16;  // of such numbers it is exact
    return c;
}
// At every level, in both layouts, with one thread and with three: to the bit the float32 kernel, rounded; and the
// reference kernel's, if there is one and `tolerance` is given.
template <class Op, class T> void agrees(call c, double tolerance = unit<T>) {
    CAPTURE(Op::onnx_name, name_of(element_of<T>));
    tensor plain;
    if constexpr (kernel_count<Op, device::reference>() > 0)
        if (tolerance > 0) plain = on_reference<Op>(c);
    for (isa::level level : isa::linked)
        for (layout in : {layout::plain, layout::channels_last})
            for (int threads : {1, 3}) {
                if (!isa::available(level)) continue;
                CAPTURE(isa::name_of(level), int(in), threads);
                c.level = level;
                c.in = in;
                c.threads = threads;
                const outcome half = run<Op, device::cpu>(c), full = run<Op, device::cpu>(as_floats<T>(c));
                INFO(half.answer.reason << half.detail);
                REQUIRE(half.answer);
                REQUIRE(half.code == status::ok);
                REQUIRE(full.code == status::ok);
                for (std::size_t k = 0; k < half.outputs.size(); ++k) {
                    if (!half[k]) continue;
                    if (half[k].type() == element_of<T>)
                        CHECK(same<T>(half[k], converted<T, float>(full[k])));
                    else
                        CHECK(same<float>(half[k], full[k]));
                }
                if (plain) CHECK(same<T>(half[0], plain, tolerance));
            }
}
using list_of_attributes = std::vector<attribute>;
attributes with(auto... pairs) {
    return [=](graph_data& g) {
        list_of_attributes entries;
        const auto add = [&](const auto& p) {
            if constexpr (requires {
                              p.second.data();
                              p.second.substr(0);
                          })
                entries.push_back(g.make(p.first, std::string_view(p.second)));
            else if constexpr (requires { p.second.data(); })
                entries.push_back(g.make(p.first, std::span<const std::int64_t>(p.second)));
            else
                entries.push_back(g.make(p.first, p.second));
        };
        (add(pairs), ...);
        return entries;
    };
}
using text = std::pair<const char*, std::string_view>;
using number = std::pair<const char*, double>;
using integer = std::pair<const char*, std::int64_t>;
using integers = std::pair<const char*, std::vector<std::int64_t>>;
template <class T> tensor unusual(std::int64_t n) {  // numbers of every kind
    tensor x = random_tensor<T>({n}, unsigned(n));
    const float values[] = {quiet_nan, infinity, -infinity, -0.f, 0.f, 6e-8f, -3e-5f, 60000.f, -65504.f, 1e-40f};
    for (std::int64_t i = 0; i < n; i += 3)
        x.as<T>()[std::size_t(i)] = T(values[std::size_t(i) / 3 % std::size(values)]);
    return x;
}
template <class T> operand weight(const shape& dims, unsigned seed, double most = 1) {
    return operand::weight(random_tensor<T>(dims, seed, -most, most));
}
}  // namespace

TEMPLATE_TEST_CASE("Functions of one element in 16 bits, of NaN, infinities, subnormals and every tail", "", float16,
                   bfloat16) {
    using T = TestType;
    for (std::int64_t n : {0, 1, 2, 7, 15, 16, 17, 33, 67, 40001}) {
        const call c{{unusual<T>(n)}};
        agrees<op::relu, T>(c);
        agrees<op::sigmoid, T>(c);
        agrees<op::tanh, T>(c);
        agrees<op::erf, T>(c);
        agrees<op::sqrt, T>(c);
        agrees<op::hard_sigmoid, T>(c);
        agrees<op::hard_swish, T>(c);
        agrees<op::exp, T>(c);
        agrees<op::log, T>(c);
        agrees<op::neg, T>(c);
        agrees<op::abs, T>(c);
        agrees<op::reciprocal, T>(c);
        agrees<op::leaky_relu, T>(c);
        agrees<op::elu, T>(c);
        agrees<op::selu, T>(c);
        agrees<op::clip, T>({{unusual<T>(n), list<T>({-1}).reshaped({}), list<T>({2}).reshaped({})}});
        CHECK(same<T>(run<op::clip, device::cpu>(c)[0],
                      on_reference<op::clip>(c)));  // the greatest number is the type's own
        CHECK(same<T>(run<op::clip, device::cpu>({.inputs = c.inputs, .version = 6})[0],
                      on_reference<op::clip>({.inputs = c.inputs, .version = 6})));
        agrees<op::tile_program, T>({{unusual<T>(n), list<T>({3}).reshaped({})}, [](graph_data& g) {
                                         const std::string_view names[] = {"Mul", "Tanh", "Add"};
                                         const std::int64_t operands[] = {0, 1, 2, -1, 3, 0};
                                         const double numbers[6] = {};
                                         return std::vector{
                                             g.make("operators", std::span<const std::string_view>(names)),
                                             g.make("operands", std::span<const std::int64_t>(operands)),
                                             g.make("numbers", std::span<const double>(numbers))};
                                     }});
    }
}
TEMPLATE_TEST_CASE("Functions of several elements in 16 bits, broadcast", "", float16, bfloat16) {
    using T = TestType;
    const tensor a = random_tensor<T>({2, 3, 5, 7}, 1), b = random_tensor<T>({2, 3, 5, 7}, 2),
                 row = random_tensor<T>({7}, 3), empty(element_of<T>, {0, 3, 5, 7});
    for (const call& c :
         {call{{a, b}}, call{{a, row}}, call{{row, a}}, call{{a, operand::weight(row)}}, call{{empty, row}}}) {
        agrees<op::add, T>(c);
        agrees<op::sub, T>(c);
        agrees<op::mul, T>(c);
        agrees<op::div, T>(c);
        agrees<op::sum, T>(c);
        agrees<op::max, T>(c);
        agrees<op::min, T>(c);
    }
    agrees<op::prelu, T>({{a, row}});
    agrees<op::add, T>({{a, a}});
    agrees<op::pow, T>({{a, list<T>({2})}});
    agrees<op::pow, T>({{random_tensor<T>({3, 50}, 4, 0.5, 2), random_tensor<T>({50}, 5, -2, 2)}});
    std::vector<operand> many(17, operand(a));
    CHECK(run<op::sum, device::cpu>({many}).answer.reason == "it has more inputs or outputs than are widened");
}
TEMPLATE_TEST_CASE("Pools, reductions and normalisations in 16 bits", "", float16, bfloat16) {
    using T = TestType;
    const tensor x = random_tensor<T>({2, 6, 9, 11}, 1), empty(element_of<T>, {0, 6, 9, 11});
    for (const tensor& t : {x, empty}) {
        const call pool{
            {t}, with(integers{"kernel_shape", {3, 3}}, integers{"strides", {2, 2}}, integers{"pads", {1, 1, 1, 1}})};
        agrees<op::max_pool, T>(pool);
        agrees<op::average_pool, T>(pool);
        agrees<op::global_average_pool, T>({{t}});
        agrees<op::softmax, T>({{t}, with(integer{"axis", 1})});
        agrees<op::softmax, T>({{t}});
        agrees<op::log_softmax, T>({{t}});
        agrees<op::reduce_mean, T>({{t, tensor({1}, {std::int64_t(3)})}});
        agrees<op::reduce_sum, T>({{t, tensor({1}, {std::int64_t(1)})}}, 5 * unit<T>);
        agrees<op::lrn, T>({{t}, with(integer{"size", 5})});
        agrees<op::instance_normalization, T>({{t, weight<T>({6}, 2), weight<T>({6}, 3)}});
        agrees<op::group_normalization, T>(
            {{t, weight<T>({6}, 2), random_tensor<T>({6}, 3)}, with(integer{"num_groups", 3})});
        for (element e : {element_of<T>, element::f32}) {
            const auto per_channel = [&](unsigned seed) {
                return operand::weight(e == element::f32 ? random_tensor({6}, seed, 0.5, 2)
                                                         : random_tensor<T>({6}, seed, 0.5, 2));
            };
            agrees<op::batch_normalization, T>({{t, per_channel(2), per_channel(3), per_channel(4), per_channel(5)}});
        }
        agrees<op::resize, T>(
            {{t, operand{}, operand::weight(list<float>({1, 1, 2, 2}))}, with(text{"mode", "nearest"})});
        agrees<op::resize, T>(
            {{t, operand{}, operand::weight(list<float>({1, 1, 1.5, 2}))}, with(text{"mode", "linear"})});
    }
    agrees<op::layer_normalization, T>({{random_tensor<T>({5, 67}, 6), weight<T>({67}, 7), weight<T>({67}, 8)}});
    agrees<op::layer_normalization, T>({.inputs = {random_tensor<T>({5, 67}, 6), weight<T>({67}, 7)},
                                        .outputs = {element_of<T>, element::f32, element::f32}});
    agrees<op::rms_normalization, T>({{random_tensor<T>({5, 67}, 6), weight<T>({67}, 7)}});
}
TEMPLATE_TEST_CASE("Convolutions in 16 bits", "", float16, bfloat16) {
    using T = TestType;
    const auto conv = [](const shape& x, const shape& w, std::int64_t group, std::int64_t stride, std::int64_t pad) {
        const std::int64_t spatial = x.rank - 2;
        call c{
            {random_tensor<T>(x, 1, -1, 1), weight<T>(w, 2, 0.5), weight<T>({w[0]}, 3)},
            with(integer{"group", group}, integers{"strides", std::vector<std::int64_t>(std::size_t(spatial), stride)},
                 integers{"pads", std::vector<std::int64_t>(std::size_t(2 * spatial), pad)})};
        agrees<op::conv, T>(c);
    };
    conv({1, 3, 20, 21}, {16, 3, 7, 7}, 1, 2, 3);    // planes of a first layer
    conv({2, 8, 9, 10}, {33, 8, 1, 1}, 1, 1, 0);     // a matmul
    conv({1, 32, 14, 14}, {32, 32, 3, 3}, 1, 1, 1);  // Winograd's
    conv({1, 12, 9, 9}, {12, 1, 3, 3}, 12, 1, 1);    // depthwise
    conv({1, 12, 9, 9}, {18, 4, 3, 3}, 3, 2, 1);
    conv({1, 5, 30}, {7, 5, 3}, 1, 1, 1);
    conv({1, 4, 5, 6, 7}, {6, 4, 3, 3, 3}, 1, 1, 1);
    conv({0, 8, 9, 10}, {33, 8, 1, 1}, 1, 1, 0);
    const tensor x = random_tensor<T>({2, 8, 9, 10}, 1, -1, 1), z = random_tensor<T>({2, 16, 9, 10}, 4);
    for (std::string_view activation : {"", "Relu", "Silu"}) {
        agrees<op::fused_conv, T>(
            {{x, weight<T>({16, 8, 1, 1}, 2), weight<T>({16}, 3), z}, with(text{"activation", activation})});
        agrees<op::fused_conv, T>({{x, weight<T>({16, 8, 1, 1}, 2)}, with(text{"activation", activation})});
    }
    if (std::is_same_v<T, float16>)
        agrees<op::scaled_conv, T>(
            {{x, weight<T>({16, 8, 1, 1}, 2), weight<T>({16}, 3), z, random_tensor<T>({2, 8, 1, 1}, 5)},
             with(text{"activation", ""})});
    agrees<op::conv_transpose, T>(
        {{x, weight<T>({8, 6, 3, 3}, 6), weight<T>({6}, 7)}, with(integers{"strides", {2, 2}})}, 5 * unit<T>);
}
TEMPLATE_TEST_CASE("Products in 16 bits", "", float16, bfloat16) {
    using T = TestType;
    const tensor a = random_tensor<T>({2, 17, 35}, 1, -1, 1), matrix = random_tensor<T>({17, 35}, 1, -1, 1),
                 b = random_tensor<T>({35, 40}, 2, -1, 1), heads = random_tensor<T>({2, 35, 40}, 3, -1, 1);
    for (const operand& o : {operand(b), operand::weight(b), operand(heads), operand::weight(heads)}) {
        agrees<op::matmul, T>({{a, o}}, 2 * unit<T>);
        agrees<op::fused_matmul, T>(
            {{a, o, weight<T>({40}, 4), random_tensor<T>({2, 17, 40}, 5)}, with(text{"activation", "Silu"})},
            2 * unit<T>);
    }
    for (const operand& o : {operand(b), operand::weight(b)}) {
        agrees<op::gemm, T>({{matrix, o, weight<T>({40}, 6)}}, 2 * unit<T>);
        agrees<op::gemm, T>({{matrix, o, random_tensor<T>({17, 1}, 6)}, with(number{"alpha", 0.5}, number{"beta", 2})},
                            2 * unit<T>);
        agrees<op::fused_gemm, T>({{matrix, o, weight<T>({40}, 6)}, with(text{"activation", "Relu"})});
    }
    call joined{{a, operand::weight(b), weight<T>({40}, 7), weight<T>({35, 3}, 8), operand{}}};
    joined.outputs = {element_of<T>, element_of<T>};
    agrees<op::joined_matmul, T>(joined, 2 * unit<T>);
    agrees<op::matmul, T>({{tensor(element_of<T>, {0, 35}), operand::weight(b)}});
    agrees<op::matmul, T>({{tensor(element_of<T>, {3, 0}), operand::weight(tensor(element_of<T>, {0, 4}))}});
    const auto heads_of =
        with(integer{"heads", 2}, integer{"size", 8}, integer{"value_size", 8}, number{"scale", 0.35});
    const tensor q = random_tensor<T>({1, 9, 16}, 9, -1, 1), k = random_tensor<T>({1, 13, 16}, 10, -1, 1),
                 v = random_tensor<T>({1, 13, 16}, 11, -1, 1);
    tensor truths(element::boolean, {9, 13});
    for (std::int64_t i = 0; i < truths.elements(); ++i) static_cast<bool*>(truths.data())[i] = i % 3 != 0;
    const double tolerance =
        std::is_same_v<T, float16> ? 1e-3 : 1.6e-2;  // softmax is rounded to bf16, for its dot products
    agrees<op::attention, T>({{q, k, v}, heads_of}, tolerance);
    agrees<op::attention, T>({{q, k, v, random_tensor<T>({9, 13}, 12)}, heads_of}, tolerance);
    agrees<op::attention, T>(
        {{q, k, v, truths},
         with(integer{"heads", 2}, integer{"size", 8}, integer{"value_size", 8}, number{"fill", -1e4})},
        tolerance);
}
TEMPLATE_TEST_CASE("LSTM and GRU in 16 bits", "", float16, bfloat16) {
    using T = TestType;
    const std::int64_t steps = 6, batch = 3, input = 9, hidden = 20;
    const auto inputs = [&](std::int64_t gates) {
        return std::vector<operand>{random_tensor<T>({steps, batch, input}, 1, -1, 1),
                                    weight<T>({2, gates * hidden, input}, 2),
                                    weight<T>({2, gates * hidden, hidden}, 3, 0.3),
                                    weight<T>({2, 2 * gates * hidden}, 4),
                                    operand(tensor({3}, {6, 4, 1})),
                                    random_tensor<T>({2, batch, hidden}, 5, -1, 1)};
    };
    const auto bidirectional = with(integer{"hidden_size", 20}, text{"direction", "bidirectional"});
    agrees<op::gru, T>({.inputs = inputs(3), .with = bidirectional, .outputs = {element_of<T>, element_of<T>}},
                       5 * unit<T>);
    call lstm{.inputs = inputs(4), .with = bidirectional, .outputs = {element_of<T>, element_of<T>, element_of<T>}};
    lstm.inputs.push_back(random_tensor<T>({2, batch, hidden}, 6, -1, 1));
    agrees<op::lstm, T>(lstm, 5 * unit<T>);
}
TEST_CASE(
    "Products of bfloat16 are computed as such, and lose nothing by it; those of float16 and strict ones are floats") {
    const auto params = [](const tensor& a, const tensor& b, precision p) {
        graph_data g;
        const int x = g.add_value("", a.type(), a.shape()), w = g.add_constant("", b),
                  y = g.add_value("", a.type(), {3, 4});
        g.add_node("", "MatMul", 13, "", {}, std::vector{x, w}, std::vector{y});
        graph_view v = g.view();
        v.precision = p;
        const node_view n{v, v.nodes[0]};
        using K = kernel<op::matmul, device::cpu, types<float16>>;
        static_assert(std::is_same_v<K::params, kernel<op::matmul, device::cpu, types<bfloat16>>::params>);
        const K::params settings = K::prepare(n);
        return std::pair(settings.base.bf16, K::reduced(settings));
    };
    const tensor half = random_tensor<float16>({3, 5}, 1), brain = random_tensor<bfloat16>({3, 5}, 1),
                 half_w = random_tensor<float16>({5, 4}, 2), brain_w = random_tensor<bfloat16>({5, 4}, 2);
    CHECK(params(half, half_w, precision::standard) == std::pair(false, false));
    CHECK(params(half, half_w, precision::bfloat16) == std::pair(true, true));
    CHECK(params(brain, brain_w, precision::standard) == std::pair(true, false));
    CHECK(params(brain, brain_w, precision::bfloat16) == std::pair(true, false));
    CHECK(params(brain, brain_w, precision::strict) == std::pair(false, false));
}
