#include "../../catch.hpp"
#include "../elementwise.hpp"
#include <inlay/cpu/ml/tree_ensemble.hpp>
#include <on_test_devices/ml/tree_ensemble.hpp>
#include <random>
using namespace inlay;
using namespace inlay::testing;
using elementwise::list;
using elementwise::quiet_nan;
using elementwise::same;

namespace {
using ints = std::vector<std::int64_t>;
using reals = std::vector<double>;
using texts = std::vector<std::string_view>;
struct votes {  // of nodes of tree 0
    ints nodes, targets;
    reals weights;
};
// The model of one tree: a node that compares feature 0 with 0 by `mode`, and two leaves. `change` may spoil it.
struct model {
    bool classes = false;
    votes leaves{};
    std::string_view post = "NONE", mode = "BRANCH_LEQ", aggregate = "SUM";
    reals base{};
    ints labels{5, 6}, yes{1, 0, 0}, no{2, 0, 0}, features{0, 0, 0}, missing{0, 0, 0}, ids{0, 1, 2};
    reals values{0, 0, 0};
    std::int64_t targets = 1;

    attributes make() const {
        return [m = *this](graph_data& g) {
            const auto attribute_of = [&](std::string_view name, const ints& x) {
                return g.make(name, std::span<const std::int64_t>(x));
            };
            const auto real = [&](std::string_view name, const reals& x) {
                return g.make(name, std::span<const double>(x));
            };
            const texts modes{m.mode, "LEAF", "LEAF"};
            const std::string p = m.classes ? "class" : "target";
            std::vector list{attribute_of("nodes_treeids", ints(3)),
                             attribute_of("nodes_nodeids", m.ids),
                             attribute_of("nodes_featureids", m.features),
                             attribute_of("nodes_truenodeids", m.yes),
                             attribute_of("nodes_falsenodeids", m.no),
                             attribute_of("nodes_missing_value_tracks_true", m.missing),
                             real("nodes_values", m.values),
                             g.make("nodes_modes", std::span<const std::string_view>(modes)),
                             attribute_of(p + "_treeids", ints(m.leaves.nodes.size())),
                             attribute_of(p + "_nodeids", m.leaves.nodes),
                             attribute_of(p + "_ids", m.leaves.targets),
                             real(p + "_weights", m.leaves.weights),
                             g.make("post_transform", m.post)};
            if (!m.base.empty()) list.push_back(real("base_values", m.base));
            if (m.classes)
                list.push_back(attribute_of("classlabels_int64s", m.labels));
            else {
                list.push_back(g.make("n_targets", m.targets));
                list.push_back(g.make("aggregate_function", m.aggregate));
            }
            return list;
        };
    }
};
const tensor samples({2, 1}, {-1.f, 1.f});
outcome regressed(const model& m, const tensor& x = samples) {
    return run<op::tree_ensemble_regressor, device::reference>({{x}, m.make(), 0, {element::f32}});
}
outcome classified(const model& m, const tensor& x = samples) {
    return run<op::tree_ensemble_classifier, device::reference>({{x}, m.make(), 0, {element::i64, element::f32}});
}
void expect(const model& m, ints labels, std::vector<float> scores) {
    const outcome y = classified(m);
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.answer);
    REQUIRE(y.code == status::ok);
    CHECK(same<std::int64_t>(y[0], tensor({2}, labels)));
    CHECK(same<float>(y[1], tensor({2, std::int64_t(scores.size()) / 2}, scores), 1e-5));
}
const model one_target{.leaves = {{1, 2}, {0, 0}, {0.25, 0.75}}};
}  // namespace

TEMPLATE_TEST_CASE("A tree leads rows of every type to its leaves", "", float, double, std::int64_t, std::int32_t) {
    const tensor x = list<TestType>({-1, 0, 1}).reshaped({3, 1});
    const auto with = [&](std::string_view mode) {
        model m = one_target;
        m.mode = mode;
        return regressed(m, x);
    };
    constexpr float l = 0.25f, r = 0.75f;
    CHECK(same<float>(with("BRANCH_LEQ")[0], tensor({3, 1}, {l, l, r})));
    CHECK(same<float>(with("BRANCH_LT")[0], tensor({3, 1}, {l, r, r})));
    CHECK(same<float>(with("BRANCH_GTE")[0], tensor({3, 1}, {r, l, l})));
    CHECK(same<float>(with("BRANCH_GT")[0], tensor({3, 1}, {r, r, l})));
    CHECK(same<float>(with("BRANCH_EQ")[0], tensor({3, 1}, {r, l, r})));
    CHECK(same<float>(with("BRANCH_NEQ")[0], tensor({3, 1}, {l, r, l})));
}
TEST_CASE("NaN is no less than anything, unless missing values follow the branch") {
    const tensor x({1, 1}, {quiet_nan});
    model m = one_target;
    CHECK(regressed(m, x)[0].as<float>()[0] == 0.75f);
    m.missing = {1, 0, 0};
    CHECK(regressed(m, x)[0].as<float>()[0] == 0.25f);
}
TEST_CASE("Regression: several targets, base values, transforms, an empty batch and one row") {
    model m{.leaves = {{1, 1, 2}, {0, 1, 0}, {0.3, 0.1, 0.8}}, .base = {0.1, 0.2}, .targets = 2};
    CHECK(same<float>(regressed(m)[0], tensor({2, 2}, {0.4f, 0.3f, 0.9f, 0.2f}), 1e-6));
    m.base = {};
    m.post = "SOFTMAX";
    CHECK(same<float>(regressed(m)[0], tensor({2, 2}, {0.549834f, 0.450166f, 0.6899745f, 0.3100255f}), 1e-6));
    m.post = "SOFTMAX_ZERO";
    CHECK(same<float>(regressed(m)[0], tensor({2, 2}, {0.549834f, 0.450166f, 1.f, 0.f}), 1e-6));
    m.post = "LOGISTIC";
    CHECK(same<float>(regressed(m)[0], tensor({2, 2}, {0.5744425f, 0.5249792f, 0.6899745f, 0.5f}), 1e-6));
    m = one_target;
    m.post = "PROBIT";  // the quantiles of a quarter and three quarters
    CHECK(same<float>(regressed(m)[0], tensor({2, 1}, {-0.67449f, 0.67449f}), 5e-3));
    m.post = "NONE";
    CHECK(regressed(m, tensor(element::f32, {0, 1}))[0].shape() == shape{0, 1});
    CHECK(regressed(m, tensor({1}, {2.f}))[0].shape() == shape{1, 1});
}
// Expected: what ONNX Runtime gives.
TEST_CASE("Two classes, all votes for the first: one score becomes two") {
    model m{.classes = true, .leaves = {{1, 2}, {0, 0}, {0.3, 0.8}}};
    expect(m, {5, 6}, {0.7f, 0.3f, 0.2f, 0.8f});
    m.post = "LOGISTIC";
    expect(m, {5, 6}, {0.4255575f, 0.5744425f, 0.3100255f, 0.6899745f});
    m.base = {0.1};
    expect(m, {5, 6}, {0.4013123f, 0.5986877f, 0.2890505f, 0.7109495f});
    m = {.classes = true, .leaves = {{1, 2}, {0, 0}, {-0.3, 0.8}}};
    expect(m, {5, 6}, {0.3f, -0.3f, -0.8f, 0.8f});
    m.post = "LOGISTIC";
    expect(m, {5, 6}, {0.5744425f, 0.4255575f, 0.3100255f, 0.6899745f});
}
TEST_CASE("Two classes, all votes for the second") {
    model m{.classes = true, .leaves = {{1, 2}, {1, 1}, {0.3, 0.8}}};
    expect(m, {5, 6}, {0.f, 0.3f, 0.f, 0.8f});
    m.post = "SOFTMAX";
    expect(m, {5, 6}, {0.4255575f, 0.5744425f, 0.3100255f, 0.6899745f});
}
TEST_CASE("Votes for several classes: the most voted for wins") {
    model m{.classes = true, .leaves = {{1, 1, 2, 2}, {0, 1, 0, 1}, {0.3, 0.7, 0.8, 0.2}}};
    expect(m, {6, 5}, {0.3f, 0.7f, 0.8f, 0.2f});
    m = {.classes = true, .leaves = {{1, 2, 2}, {0, 1, 2}, {0.3, 0.2, -0.7}}, .labels = {5, 6, 7}};
    expect(m, {5, 6}, {0.3f, 0.f, 0.f, 0.f, 0.2f, -0.7f});
    m.post = "SOFTMAX_ZERO";
    expect(m, {5, 6}, {1.f, 0.f, 0.f, 0.f, 0.7109495f, 0.2890505f});
    m.post = "SOFTMAX";
    m.base = {0.1, 0.2, 0.3};
    expect(m, {5, 6}, {0.3671654f, 0.3006096f, 0.332225f, 0.3382504f, 0.4565903f, 0.2051593f});
    m = {.classes = true, .leaves = {{1, 2}, {0, 0}, {0.3, 0.8}}, .labels = {5}};
    expect(m, {5, 5}, {0.3f, 0.8f});
}
TEST_CASE(
    "Of two classes, one that no leaf votes for has the score 0") {  // as ONNX Runtime and ONNX's evaluator have it
    expect({.classes = true, .leaves = {{1, 2}, {1, 0}, {-1.5, -0.5}}}, {5, 6}, {0, -1.5f, -0.5f, 0});
    expect({.classes = true, .leaves = {{1, 2}, {1, 0}, {1.5, 0.5}}}, {6, 5}, {0, 1.5f, 0.5f, 0});
}
namespace {
// Trees of random shapes over five features, whose nodes have some of `modes`.
struct random_trees {
    std::vector<std::string_view> modes;
    bool classes = false, missing = false;
    unsigned seed = 1;
    ints trees{}, ids{}, features{}, yes{}, no{}, tracks{}, vote_trees{}, vote_nodes{}, vote_ids{};
    texts kinds{};
    reals values{}, weights{};
    std::mt19937 bits{};
    std::int64_t next = 0;

    std::int64_t grow(std::int64_t tree, int level) {
        const std::size_t at = ids.size();
        const std::int64_t id = next++;
        const bool leaf = level == 0 || bits() % 6 == 0;
        trees.push_back(tree), ids.push_back(id), yes.push_back(0), no.push_back(0);
        features.push_back(std::int64_t(bits() % 5)), tracks.push_back(missing && bits() % 2);
        values.push_back(double(int(bits() % 9) - 4) / 2),
            kinds.push_back(leaf ? "LEAF" : modes[bits() % modes.size()]);
        if (leaf) {
            vote_trees.push_back(tree), vote_nodes.push_back(id), vote_ids.push_back(std::int64_t(bits() % 3));
            weights.push_back(double(int(bits() % 64) - 20) / 16);
            return id;
        }
        const std::int64_t first = grow(tree, level - 1), second = grow(tree, level - 1);
        return yes[at] = first, no[at] = second, id;
    }
    attributes make() {
        bits.seed(seed);
        for (int t = 0; t < 21; ++t) next = 0, grow(t, 1 + t % 7);
        return [m = *this](graph_data& g) {
            const auto attribute_of = [&](std::string_view name, const ints& x) { return g.make(name, std::span(x)); };
            const std::string p = m.classes ? "class" : "target";
            std::vector list{attribute_of("nodes_treeids", m.trees),
                             attribute_of("nodes_nodeids", m.ids),
                             attribute_of("nodes_featureids", m.features),
                             attribute_of("nodes_truenodeids", m.yes),
                             attribute_of("nodes_falsenodeids", m.no),
                             attribute_of("nodes_missing_value_tracks_true", m.tracks),
                             g.make("nodes_values", std::span<const double>(m.values)),
                             g.make("nodes_modes", std::span<const std::string_view>(m.kinds)),
                             attribute_of(p + "_treeids", m.vote_trees),
                             attribute_of(p + "_nodeids", m.vote_nodes),
                             attribute_of(p + "_ids", m.vote_ids),
                             g.make(p + "_weights", std::span<const double>(m.weights))};
            list.push_back(m.classes ? attribute_of("classlabels_int64s", {5, 6, 7})
                                     : g.make("n_targets", std::int64_t(3)));
            return list;
        };
    }
};
template <class T> tensor random_rows(std::int64_t rows) {
    std::mt19937 bits(7);
    std::vector<T> x;
    for (std::int64_t i = 0; i < rows * 5; ++i)
        x.push_back(bits() % 11 == 0 ? std::numeric_limits<T>::quiet_NaN() : T(int(bits() % 13) - 6) / 2);
    return tensor({rows, 5}, x);
}
}  // namespace
TEMPLATE_TEST_CASE("Packed trees lead rows where plain ones do: every comparison, NaN, few rows and many", "", float,
                   double) {
    const std::vector<std::vector<std::string_view>> kinds{{"BRANCH_LEQ"},
                                                           {"BRANCH_LT"},
                                                           {"BRANCH_GTE"},
                                                           {"BRANCH_GT"},
                                                           {"BRANCH_LEQ", "BRANCH_GT"},
                                                           {"BRANCH_LT", "BRANCH_GTE"},
                                                           {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"}};
    for (const auto& modes : kinds)
        for (const bool missing : {false, true})
            for (const std::int64_t rows : {0, 1, 15, 16, 17, 600}) {
                CAPTURE(modes[0], modes.size(), missing, rows);
                const tensor x = random_rows<TestType>(rows);
                const auto regress = random_trees{.modes = modes, .missing = missing}.make();
                const auto plain =
                               run<op::tree_ensemble_regressor, device::reference>({{x}, regress, 0, {element::f32}}),
                           fast = run<op::tree_ensemble_regressor, device::cpu>({{x}, regress, 0, {element::f32}});
                REQUIRE(fast.code == status::ok);
                CHECK(same<float>(fast[0], plain[0]));
                const auto classify =
                    random_trees{.modes = modes, .classes = true, .missing = missing, .seed = 2}.make();
                const auto labels = run<op::tree_ensemble_classifier, device::reference>(
                               {{x}, classify, 0, {element::i64, element::f32}}),
                           packed = run<op::tree_ensemble_classifier, device::cpu>(
                               {{x}, classify, 0, {element::i64, element::f32}});
                CHECK(same<std::int64_t>(packed[0], labels[0]));
                CHECK(same<float>(packed[1], labels[1]));
            }
}
TEST_CASE(
    "Packed trees leave comparisons by equality to the reference kernel, and walk plainly where nodes are shared") {
    const auto declined = run<op::tree_ensemble_regressor, device::cpu>(
        {{random_rows<float>(3)}, random_trees{.modes = {"BRANCH_EQ"}}.make(), 0, {element::f32}});
    CHECK(!declined.answer);
    model shared{.leaves = {{1}, {0}, {0.5}}};
    shared.no = {1, 0, 0};
    const outcome y = run<op::tree_ensemble_regressor, device::cpu>({{samples}, shared.make(), 0, {element::f32}});
    REQUIRE(y.code == status::ok);
    CHECK(same<float>(y[0], tensor({2, 1}, {0.5f, 0.5f})));
}
TEST_CASE("Trees that do not hold together are refused") {
    const auto is_refused = [](auto change) {
        model m = one_target;
        change(m);
        const outcome y = regressed(m);
        return !y.answer || y.code == status::invalid_value;
    };
    CHECK(is_refused([](model& m) { m.yes[0] = 7; }));
    CHECK(is_refused([](model& m) { m.yes[0] = 0; }));
    CHECK(is_refused([](model& m) { m.features[0] = -1; }));
    CHECK(is_refused([](model& m) { m.features[0] = 1; }));
    CHECK(is_refused([](model& m) { m.features[0] = std::int64_t(1) << 40; }));
    CHECK(is_refused([](model& m) { m.mode = "BRANCH"; }));
    CHECK(is_refused([](model& m) { m.mode = ""; }));
    CHECK(is_refused([](model& m) { m.ids = {0, 1, 1}; }));
    CHECK(is_refused([](model& m) { m.values.pop_back(); }));
    CHECK(is_refused([](model& m) { m.missing.pop_back(); }));
    CHECK(is_refused([](model& m) { m.leaves.nodes[0] = 9; }));
    CHECK(is_refused([](model& m) { m.leaves.targets[0] = 1; }));
    CHECK(is_refused([](model& m) { m.leaves.targets[0] = -1; }));
    CHECK(is_refused([](model& m) { m.leaves.weights.pop_back(); }));
    CHECK(is_refused([](model& m) { m.base = {1, 2}; }));
    CHECK(is_refused([](model& m) { m.targets = 0; }));
    CHECK(is_refused([](model& m) { m.targets = std::int64_t(1) << 60; }));
    CHECK(is_refused([](model& m) { m.post = "TANH"; }));
    CHECK(is_refused([](model& m) { m.aggregate = "MEDIAN"; }));
    CHECK(!is_refused([](model&) {}));
    CHECK(regressed(one_target, tensor({1, 1, 1}, {1.f})).answer.reason ==
          "the input is neither rows of features nor one row");
}

namespace {
// TreeEnsemble: node 0 tests feature 0 <= 2, then node 1 feature 1 in {1, 4}, node 2 feature 1 < 0.
template <class T> attributes numbered(ints yes = {1, 0, 2}, std::int64_t aggregate = 1) {
    return [=](graph_data& g) {
        const auto attribute_of = [&](std::string_view name, const ints& x) {
            return g.make(name, std::span<const std::int64_t>(x));
        };
        const auto real = [&](std::string_view name, const tensor& t) { return g.make(name, t); };
        return std::vector{attribute_of("tree_roots", {0, 0}),
                           attribute_of("nodes_featureids", {0, 1, 1}),
                           attribute_of("nodes_truenodeids", yes),
                           attribute_of("nodes_trueleafs", {0, 1, 1}),
                           attribute_of("nodes_falsenodeids", {2, 1, 3}),
                           attribute_of("nodes_falseleafs", {0, 1, 1}),
                           real("nodes_splits", list<T>({2, 0, 0})),
                           real("nodes_modes", tensor({3}, {std::uint8_t(0), std::uint8_t(6), std::uint8_t(1)})),
                           real("membership_values", list<T>({1, 4, quiet_nan})),
                           real("leaf_weights", list<T>({1, 10, 100, 1000})),
                           attribute_of("leaf_targetids", {0, 1, 0, 1}),
                           g.make("n_targets", std::int64_t(2)),
                           g.make("aggregate_function", aggregate)};
    };
}
}  // namespace
TEMPLATE_TEST_CASE("TreeEnsemble with sets, leaves of their own and each way to put votes together", "", float, double,
                   float16) {
    const tensor x = list<TestType>({1, 4, 2, 3, 3, -1, 3, 0}).reshaped({4, 2});
    const tensor sums = list<TestType>({2, 0, 0, 20, 200, 0, 0, 2000}).reshaped({4, 2}),
                 average = list<TestType>({1, 0, 0, 10, 100, 0, 0, 1000}).reshaped({4, 2});
    CHECK(same<TestType>(on_reference<op::tree_ensemble>({{x}, numbered<TestType>()}), sums));
    for (std::int64_t aggregate : {0, 2, 3})
        CHECK(
            same<TestType>(on_reference<op::tree_ensemble>({{x}, numbered<TestType>({1, 0, 2}, aggregate)}), average));
}
TEST_CASE("TreeEnsemble refuses cycles, and leaves that are not there") {
    const tensor x({1, 2}, {1.f, 2.f});
    for (const ints& yes : {ints{0, 0, 2}, ints{1, 4, 2}, ints{1, 0, -1}, ints{1, 0}})
        CHECK(run<op::tree_ensemble, device::reference>({{x}, numbered<float>(yes)}).code == status::invalid_value);
    CHECK(run<op::tree_ensemble, device::reference>({{x}}).code == status::invalid_value);
}
TEST_CASE("Many rows in several parts, and trees in tensors of doubles") {
    tensor x(element::f64, {5000, 1});
    for (int i = 0; i < 5000; ++i) x.as<double>()[std::size_t(i)] = i % 7 - 3;
    const auto with = [](graph_data& g) {
        auto list = one_target.make()(g);
        std::erase_if(list, [](const attribute& a) { return a.name == "nodes_values" || a.name == "target_weights"; });
        list.push_back(g.make("nodes_values_as_tensor", tensor({3}, {0.5, 0., 0.})));
        list.push_back(g.make("target_weights_as_tensor", tensor({2}, {1., 2.})));
        return list;
    };
    call c{{x}, with, 0, {element::f32}};
    c.threads = 3;
    const outcome y = run<op::tree_ensemble_regressor, device::reference>(c);
    REQUIRE(y.code == status::ok);
    bool right = true;
    for (int i = 0; i < 5000; ++i) right = right && y[0].as<float>()[std::size_t(i)] == (i % 7 <= 3 ? 1.f : 2.f);
    CHECK(right);
}
