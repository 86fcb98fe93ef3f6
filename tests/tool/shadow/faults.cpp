// A shadow run finds the node whose kernel is wrong: faults of one lane, one tail or one rounding, in a kernel of one
// node.
#include "../../models.hpp"
#include "tool/minimal_model.hpp"
#include <inlay/cpu/onnx/conv.hpp>
#include <inlay/onnx/binary.hpp>
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/gemm.hpp>
#include <inlay/onnx/matmul.hpp>
#include <inlay/onnx/pool.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/softmax.hpp>
#include <inlay/onnx/unary.hpp>
#include <inlay/shadow.hpp>
using namespace inlay;
using namespace inlay::testing;
namespace fs = std::filesystem;

namespace inlay::testing {
enum class fault_kind { lane, tail, rounding, infinity };
struct fault {
    std::uint64_t node = 0;  // operator_key("", the name of its first output)
    fault_kind kind = fault_kind::lane;
    std::int64_t lane = 0;
};
inline fault planted;

inline void spoil(float* y, std::int64_t count) {
    switch (planted.kind) {
        case fault_kind::lane:
            for (std::int64_t i = planted.lane; i < count; i += 8) y[i] += 0.01f * (1 + std::abs(y[i]));
            break;
        case fault_kind::tail: y[count - 1] += 0.25f + std::abs(y[count - 1]); break;
        case fault_kind::rounding:
            for (std::int64_t i = 0; i < count; ++i)
                y[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(y[i]) & 0xffff0000u);  // to bfloat16, down
            break;
        case fault_kind::infinity: y[count / 2] = std::numeric_limits<float>::infinity(); break;
    }
}
// Kernels as another device has them, but for the planted fault.
template <class Device> struct faulty { static constexpr std::string_view name = "faulty"; };
template <class K> struct faulty_kernel : K {
    struct params {
        typename K::params right;
        std::uint64_t node;
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) {
        return {K::prepare(n), operator_key("", n.output(0).name), n.output(0).dims.elements()};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return K::footprint(p.right, l, threads);
    }
    static status bind(const params& p, constants w, const setup& u, typename K::state& s) noexcept {
        return K::bind(p.right, w, u, s);
    }
    static status run(const params& p, const typename K::state& s, const arguments& a, context& c) noexcept {
        const status result = K::run(p.right, s, a, c);
        if (p.node == planted.node) spoil(a.out<float>(0), p.count);
        return result;
    }
};
}  // namespace inlay::testing
namespace inlay {
inline namespace v1 {
template <class Op, class Device>
requires(sizeof(kernel<Op, Device, types<float>>) > 0) struct kernel<Op, testing::faulty<Device>, types<float>>
    : testing::faulty_kernel<kernel<Op, Device, types<float>>> {
};
template <class Device>
struct kernel<op::dropout, testing::faulty<Device>, types<raw<32>>>
    : testing::faulty_kernel<kernel<op::dropout, Device, types<raw<32>>>> {};
}  // namespace v1
}  // namespace inlay

namespace {
struct broken {
    static constexpr std::string_view name = "BrokenExecutionProvider";
    static constexpr auto devices = hana::tuple_t<faulty<device::reference>>;
    static constexpr auto kernels = hana::tuple_t<op::conv, op::relu, op::max_pool, op::gemm, op::softmax, op::matmul,
                                                  op::add, op::mul, op::div, op::erf, op::sqrt, op::dropout>;
};
struct broken_fusion {
    static constexpr std::string_view name = "BrokenFusionExecutionProvider";
    static constexpr auto devices = hana::tuple_t<faulty<device::cpu>>;
    static constexpr auto kernels = hana::tuple_t<op::fused_conv>;
};
tool::values random_inputs(const model& m, std::uint64_t seed) {
    tool::input_arguments in;
    in.random = true;
    in.seed = seed;
    return tool::gather_inputs(in, m, true);
}
template <class... P> std::vector<provider_handle> providers_of(const P&... p) { return {make_handle(p)...}; }
template <class P>
tool::shadow_result shadow_of(const model& m, const P& p, const tool::values& inputs,
                              const tool::shadow_options& o = {}) {
    return tool::run_shadow(
        [&] {
            return watched_session(m, providers_of(p, cpu{.threads = 1}), {.log_severity_level = int(severity::error)});
        },
        [&](const model& a) { return tool::computed_side(a, m, providers_of(reference{}), {}, inputs); }, inputs, o);
}
// How a run ends of a session with a shadow run of the same steps.
error end_beside_shadow(const model& m, const tool::values& inputs) {
    const session s{m, session_options{.log_severity_level = int(severity::fatal)}, shadow{broken{}, reference{}},
                    cpu{.threads = 1}};
    return raised([&] { s.run(tool::feeds_of(m.inputs(), inputs)); });
}
const char* const digits = DIGITS;
const char* const layer =
    R"(<ir_version: 8, opset_import: ["" : 17]> layer (float[3,5,8] x, float[8,8] wq, float[8,8] wk, float[8,8] wv, float[8,16] w1, float[16,8] w2, float[8] b, float[16] b1) => (float[3,5,8] y) {
    to4 = Constant<value_ints = [0, 0, 2, 4]>() to3 = Constant<value_ints = [0, 0, 8]>() half = Constant<value_float = 0.5>() one = Constant<value_float = 1.0>()
    q0 = MatMul(x, wq) q1 = Add(q0, b) q2 = Reshape(q1, to4) q = Transpose<perm = [0, 2, 1, 3]>(q2)
    k0 = MatMul(x, wk) k2 = Reshape(k0, to4) k = Transpose<perm = [0, 2, 3, 1]>(k2)
    v0 = MatMul(x, wv) v2 = Reshape(v0, to4) v = Transpose<perm = [0, 2, 1, 3]>(v2)
    s0 = MatMul(q, k) s1 = Mul(s0, half) p = Softmax(s1) o0 = MatMul(p, v) o1 = Transpose<perm = [0, 2, 1, 3]>(o0) o = Reshape(o1, to3)
    a = Add(o, x) f0 = MatMul(a, w1) f1 = Add(f0, b1) g1 = Erf(f1) g2 = Add(g1, one) g3 = Mul(f1, g2) h0 = MatMul(g3, w2) h1 = Add(h0, b) y = Add(h1, a)
})";
}  // namespace

TEST_CASE("Twenty seeded faults of kernels are each located at their node, by the tool and by a session's shadow run",
          "[shadow]") {
    const model first{digits}, second = model_of(layer);
    const std::vector<std::string> nodes[] = {
        {"edges", "edges.relu", "strokes", "strokes.relu", "pooled", "hidden", "hidden.relu", "logits", "scores"},
        {"q0", "q1", "k0", "v0", "s0", "s1", "p", "o0", "a", "f0", "f1", "g1", "g2", "g3", "h0", "h1", "y"}};
    int located = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 bits(seed);
        const model& m = seed % 2 ? second : first;
        const std::vector<std::string>& names = nodes[seed % 2];
        const std::string& node = names[bits() % names.size()];
        planted = {operator_key("", node), fault_kind(bits() % 4), std::int64_t(bits() % 8)};
        CAPTURE(seed, node, int(planted.kind));
        const tool::values inputs = random_inputs(m, seed);
        const tool::shadow_result r = shadow_of(m, broken{}, inputs);
        REQUIRE(r.difference);
        REQUIRE(r.difference->step.nodes.size() == 1);
        CHECK(r.difference->step.nodes.front().output == node);
        CHECK(r.difference->numbers);
        const error e = end_beside_shadow(m, inputs);
        const std::string place =
            "node " + tool::describe(r.difference->step.nodes.front()) + " on BrokenExecutionProvider";
        CAPTURE(e.text, place);
        CHECK(e.code == error_code::invalid_value);
        CHECK(has_text(e.text, place));
        located += r.difference->step.nodes.front().output == node && has_text(e.text, place);
    }
    CHECK(located == 20);
}
TEST_CASE("A shadow run without a fault agrees on every value", "[shadow]") {
    planted = {};
    for (const model& m : {model(digits), model_of(layer)}) {
        const tool::shadow_result r = shadow_of(m, broken{}, random_inputs(m, 1));
        INFO((r.difference ? r.difference->words : ""));
        CHECK(!r.difference);
        CHECK(r.compared >= r.steps);
        CHECK(r.left_out.empty());
        CHECK(r.outputs.size() == 1);
        CHECK(r.largest.absolute < 1e-5);
        CHECK(end_beside_shadow(m, random_inputs(m, 1)).code == error_code::unsupported_model);  // nothing was raised
    }
}
TEST_CASE("A fault of a fused kernel is located within the nodes that it stands for", "[shadow]") {
    model m{digits};
    planted = {};
    for (const node& n : m.view().fused)
        if (n.op == "FusedConv" && !planted.node)
            planted.node = operator_key("", m.view().values[std::size_t(m.view().list(n.outputs)[0])].name);
    REQUIRE(planted.node);
    const tool::shadow_result r = shadow_of(m, broken_fusion{}, random_inputs(m, 1));
    REQUIRE(r.difference);
    REQUIRE(r.difference->step.nodes.size() == 2);
    CHECK(r.difference->step.nodes[0].op == "Conv-11");
    CHECK(r.difference->step.nodes[1].op == "Relu-14");
    CHECK(r.difference->step.kind == "FusedConv");
}
TEST_CASE("A shadow run that keeps one step's values at a time finds the same", "[shadow]") {
    const model first{digits}, second = model_of(layer);
    for (const auto& [m, node] : {std::pair(first, "logits"), std::pair(second, "g2"), std::pair(second, "")}) {
        planted = {operator_key("", node), fault_kind::tail, 0};
        const tool::values inputs = random_inputs(m, 2);
        const tool::shadow_result at_once = shadow_of(m, broken{}, inputs),
                                  by_step = shadow_of(m, broken{}, inputs, {.window = 1});
        CHECK(at_once.compared == by_step.compared);
        CHECK(at_once.difference.has_value() == by_step.difference.has_value());
        if (!at_once.difference) continue;
        REQUIRE(by_step.difference);
        CHECK(at_once.difference->words == by_step.difference->words);
        CHECK(by_step.difference->step.nodes.front().output == node);
    }
}
TEST_CASE("Of a node that may differ from run to run no difference is reported, but that it was left out", "[shadow]") {
    model_options as_it_is;
    as_it_is.optimize = false;
    const model m = model_of(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) {
        d = Dropout(x) y = Erf(d) })",
                             as_it_is);
    planted = {operator_key("", "d"), fault_kind::tail, 0};
    const tool::shadow_result r = shadow_of(m, broken{}, random_inputs(m, 1));
    CHECK(!r.difference);
    CHECK(r.compared == 1);
    REQUIRE(r.left_out.size() == 1);
    CHECK(has_text(r.left_out[0], "`d`: its node makes other results from run to run"));
}
TEST_CASE("What differs is written as a model of one node, which differs alone", "[shadow]") {
    const model m{digits};
    planted = {operator_key("", "hidden"), fault_kind::tail, 0};
    const tool::shadow_result r = shadow_of(m, broken{}, random_inputs(m, 1));
    REQUIRE(r.difference);
    std::vector<std::string> available;
    for (const auto& [name, v] : r.difference->inputs) available.push_back(name);
    model_options as_it_is;
    as_it_is.optimize = false;
    const tool::minimal_model part =
        tool::find_minimal(model(digits, as_it_is), r.difference->name, available, r.difference->from_shapes);
    REQUIRE(part.nodes.size() == 1);
    CHECK(part.nodes[0].name == "dense1");
    const fs::path folder = fs::temp_directory_path() / "inlay_shadow_test";
    tool::write_minimal(folder, digits, part, *r.difference);
    const model alone{folder / "model.onnx"};
    CHECK(alone.graph().nodes.size() == 1);
    const auto inputs = tool::read_folder(folder, "input", alone.inputs()),
               expected = tool::read_folder(folder, "output", alone.outputs());
    const auto actual = floats(inlay::session(alone, reference{}).run(tool::feeds_of(alone.inputs(), inputs))[0]);
    CHECK(actual == floats(*expected[0]->as_tensor()));
    CHECK(shadow_of(alone, broken{}, inputs).difference);
    fs::remove_all(folder);
}
