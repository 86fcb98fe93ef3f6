// TreeEnsemble (since 5), TreeEnsembleClassifier and TreeEnsembleRegressor (since 1): every tree routes a row of
// features to one of its leaves, and the leaves vote for targets. Scores are sums, means, smallest or largest votes,
// plus base_values, and then transformed.
//
// As ONNX Runtime does, a classifier of two classes all of whose votes are for the first one derives two scores from
// the one: 1 - s and s where no vote is negative, else -s and s; the label is the second class where s > 0.5, else s >
// 0. LOGISTIC and the two kinds of softmax leave single scores as they are.
#pragma once
#include <inlay/support/class_labels.hpp>
#include <inlay/support/tree_forest.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct trees : standard {
    static constexpr std::string_view domain = "ai.onnx.ml";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = feature_types;
    static constexpr verdict scores(const node_view& n, std::int64_t targets, shape& y) noexcept {
        const shape& x = n.input(0).dims;
        if (targets < 1 || targets > most_targets) return no("the number of targets or classes is out of range");
        if (const verdict fits = feature_rows::check(x); !fits) return fits;
        y = {feature_rows::rows_of(x), targets};
        return countable(y) ? yes() : no("the output is too large");
    }
};
struct tree_ensemble : trees {
    static constexpr std::string_view onnx_name = "TreeEnsemble";
    static constexpr version_range versions{5, 28};
    static constexpr auto elements = each_type<float, double, float16>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const auto transform = n.integer("post_transform", 0); transform < 0 || transform > 4)
            return no("no such post_transform");
        if (const auto aggregate = n.integer("aggregate_function", 1); aggregate < 0 || aggregate > 3)
            return no("no such aggregate_function");
        return scores(n, n.integer("n_targets", 1), y[0]);
    }
};
struct tree_ensemble_regressor : trees {
    static constexpr std::string_view onnx_name = "TreeEnsembleRegressor";
    static constexpr element output_type(const node_view&, int) { return element::f32; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (post_of(n.text("post_transform", "NONE")) < 0) return no("no such post_transform");
        if (aggregate_of(n.text("aggregate_function", "SUM")) < 0) return no("no such aggregate_function");
        return scores(n, n.integer("n_targets", 1), y[0]);
    }
};
struct tree_ensemble_classifier : trees {
    static constexpr std::string_view onnx_name = "TreeEnsembleClassifier";
    static constexpr element output_type(const node_view& n, int k) {
        return k == 0 ? class_labels::type(n) : element::f32;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (post_of(n.text("post_transform", "NONE")) < 0) return no("no such post_transform");
        if (const verdict named = class_labels::check(n, "classlabels_int64s"); !named) return named;
        if (n.output_count() < 1 || n.output_count() > 2) return no("a classifier has labels and scores");
        shape dims;
        const verdict fits = scores(n, class_labels::count(n, "classlabels_int64s"), dims);
        if (!fits) return fits;
        y[0] = {dims[0]};
        if (n.output_count() > 1) y[1] = dims;
        return fits;
    }
};
}  // namespace op

namespace tree_building {
// The trees of TreeEnsembleRegressor and Classifier: nodes and votes name tree and node. Empty, or what is wrong.
template <class X> class listed {
    using forest = tree_forest<X>;
    struct name {
        std::int64_t tree, node;
        std::int32_t at;
        friend bool operator<(const name& a, const name& b) {
            return std::pair(a.tree, a.node) < std::pair(b.tree, b.node);
        }
    };
    const node_view& n_;
    forest& f_;
    std::vector<name> names_;
    std::int32_t find(std::int64_t tree, std::int64_t node) const {  // -1: no such
        const name key{tree, node, 0};
        const auto at = std::lower_bound(names_.begin(), names_.end(), key);
        return at == names_.end() || key < *at ? -1 : at->at;
    }
    std::string_view nodes() {
        const auto trees = n_.integers("nodes_treeids"), ids = n_.integers("nodes_nodeids"),
                   features = n_.integers("nodes_featureids"), yes = n_.integers("nodes_truenodeids"),
                   no = n_.integers("nodes_falsenodeids"), missing = n_.integers("nodes_missing_value_tracks_true");
        const auto modes = n_.texts("nodes_modes");
        const std::vector<double> values = real_list(n_, "nodes_values", "nodes_values_as_tensor");
        const std::size_t count = trees.size();
        if (count == 0) return "the model has no trees";
        for (std::size_t size : {ids.size(), features.size(), yes.size(), no.size(), modes.size(), values.size()})
            if (size != count) return "the lists of nodes differ in length";
        if (!missing.empty() && missing.size() != count) return "the lists of nodes differ in length";
        for (std::size_t i = 0; i < count; ++i) names_.push_back({trees[i], ids[i], std::int32_t(i)});
        std::sort(names_.begin(), names_.end());
        if (std::adjacent_find(names_.begin(), names_.end(), [](auto& a, auto& b) { return !(a < b); }) != names_.end())
            return "two nodes of a tree have one name";
        f_.nodes.resize(count);
        std::vector<char> follows(count);
        for (std::size_t i = 0; i < count; ++i) {
            auto& to = f_.nodes[i];
            const int mode = branch_of(modes[i]);
            if (mode < 0) return "a node has an unknown mode";
            to.mode = branch(mode);
            if (to.mode == branch::leaf) continue;
            if (features[i] < 0 || features[i] > std::numeric_limits<std::int32_t>::max())
                return "a node reads a feature that is out of range";
            to.feature = std::int32_t(features[i]);
            to.threshold = static_cast<X>(values[i]);
            to.missing_is_yes = !missing.empty() && missing[i] != 0;
            to.yes = find(trees[i], yes[i]);
            to.no = find(trees[i], no[i]);
            if (to.yes < 0 || to.no < 0) return "a node is followed by one that is not there";
            follows[std::size_t(to.yes)] = follows[std::size_t(to.no)] = true;
            f_.features = std::max(f_.features, features[i] + 1);
        }
        return roots(follows);
    }
    // Of each tree the first node that follows no other.
    std::string_view roots(const std::vector<char>& follows) {
        for (std::size_t i = 0; i < names_.size();) {
            std::int32_t root = -1;
            for (const std::int64_t tree = names_[i].tree; i < names_.size() && names_[i].tree == tree; ++i)
                if (const std::int32_t at = names_[i].at; !follows[std::size_t(at)] && (root < 0 || at < root))
                    root = at;
            if (root < 0) return "a tree has no root";
            f_.roots.push_back(root);
        }
        std::sort(f_.roots.begin(), f_.roots.end());
        return {};
    }
    std::string_view votes(bool classes, std::int64_t targets) {
        const auto trees = n_.integers(classes ? "class_treeids" : "target_treeids"),
                   ids = n_.integers(classes ? "class_nodeids" : "target_nodeids"),
                   to = n_.integers(classes ? "class_ids" : "target_ids");
        const std::vector<double> weights = classes ? real_list(n_, "class_weights", "class_weights_as_tensor")
                                                    : real_list(n_, "target_weights", "target_weights_as_tensor");
        if (ids.size() != trees.size() || to.size() != trees.size() || weights.size() != trees.size())
            return "the lists of votes differ in length";
        std::vector<std::pair<std::int32_t, std::size_t>> order;  // leaf, vote
        for (std::size_t i = 0; i < trees.size(); ++i) {
            const std::int32_t leaf = find(trees[i], ids[i]);
            if (leaf < 0) return "a vote is of a node that is not there";
            if (to[i] < 0 || to[i] >= targets) return "a vote is for a target or class that is out of range";
            if (f_.nodes[std::size_t(leaf)].mode == branch::leaf) order.emplace_back(leaf, i);
        }
        std::sort(order.begin(), order.end());
        for (const auto& [leaf, i] : order) {
            auto& node = f_.nodes[std::size_t(leaf)];
            if (node.no++ == 0) node.yes = std::int32_t(f_.votes.size());
            f_.votes.push_back({std::int32_t(to[i]), weights[i]});
        }
        return {};
    }

  public:
    listed(const node_view& n, forest& f) : n_(n), f_(f) {}
    std::string_view build(bool classes, std::int64_t targets) {
        std::string_view wrong = nodes();
        if (wrong.empty()) wrong = votes(classes, targets);
        if (wrong.empty() && !f_.ends()) wrong = "a tree comes back to one of its nodes";
        return wrong;
    }
};

// The trees of TreeEnsemble: inner nodes and leaves are lists of their own.
template <class X> class numbered {
    using forest = tree_forest<X>;
    const node_view& n_;
    forest& f_;
    std::vector<double> tensor(std::string_view name) const { return real_list(n_, "", name); }
    std::string_view leaves(std::size_t inner, std::int64_t targets) {
        const auto to = n_.integers("leaf_targetids");
        const std::vector<double> weights = tensor("leaf_weights");
        if (to.size() != weights.size()) return "the lists of leaves differ in length";
        for (std::size_t i = 0; i < to.size(); ++i) {
            if (to[i] < 0 || to[i] >= targets) return "a vote is for a target or class that is out of range";
            f_.nodes[inner + i].yes = std::int32_t(i);
            f_.nodes[inner + i].no = 1;
            f_.votes.push_back({std::int32_t(to[i]), weights[i]});
        }
        return {};
    }
    // Sets are listed in the order of the nodes that use them, each up to a NaN.
    std::string_view sets() {
        const std::vector<double> listed = tensor("membership_values");
        std::size_t at = 0;
        for (auto& node : f_.nodes) {
            if (node.mode != branch::member) continue;
            if (at >= listed.size()) return "a node has no set of members";
            node.set = std::int32_t(f_.sets.size());
            range set{int(f_.members.size()), 0};
            for (; at < listed.size() && listed[at] == listed[at]; ++at, ++set.count)
                f_.members.push_back(static_cast<X>(listed[at]));
            ++at;
            f_.sets.push_back(set);
        }
        return {};
    }
    std::string_view inner() {
        const auto features = n_.integers("nodes_featureids"), yes = n_.integers("nodes_truenodeids"),
                   no = n_.integers("nodes_falsenodeids"), yes_is_leaf = n_.integers("nodes_trueleafs"),
                   no_is_leaf = n_.integers("nodes_falseleafs"),
                   missing = n_.integers("nodes_missing_value_tracks_true");
        const std::vector<double> modes = tensor("nodes_modes"), splits = tensor("nodes_splits");
        const std::size_t count = features.size(), leaves = f_.nodes.size() - count;
        for (std::size_t size :
             {yes.size(), no.size(), yes_is_leaf.size(), no_is_leaf.size(), modes.size(), splits.size()})
            if (size != count) return "the lists of nodes differ in length";
        if (!missing.empty() && missing.size() != count) return "the lists of nodes differ in length";
        const auto next = [&](std::int64_t id, std::int64_t leaf) {
            return id < 0 || id >= std::int64_t(leaf ? leaves : count)
                       ? -1
                       : std::int32_t(leaf ? id + std::int64_t(count) : id);
        };
        for (std::size_t i = 0; i < count; ++i) {
            auto& to = f_.nodes[i];
            if (!(modes[i] >= 0 && modes[i] <= int(branch::member))) return "a node has an unknown mode";
            to.mode = branch(int(modes[i]));
            if (features[i] < 0 || features[i] > std::numeric_limits<std::int32_t>::max())
                return "a node reads a feature that is out of range";
            to.feature = std::int32_t(features[i]);
            to.threshold = static_cast<X>(splits[i]);
            to.missing_is_yes = !missing.empty() && missing[i] != 0;
            to.yes = next(yes[i], yes_is_leaf[i]);
            to.no = next(no[i], no_is_leaf[i]);
            if (to.yes < 0 || to.no < 0) return "a node is followed by one that is not there";
            f_.features = std::max(f_.features, features[i] + 1);
        }
        return {};
    }

  public:
    numbered(const node_view& n, forest& f) : n_(n), f_(f) {}
    std::string_view build(std::int64_t targets) {
        const std::size_t count = n_.integers("nodes_featureids").size(),
                          leaf_count = n_.integers("leaf_targetids").size();
        if (count + leaf_count > std::size_t(std::numeric_limits<std::int32_t>::max())) return "too many nodes";
        f_.nodes.resize(count + leaf_count);
        std::string_view wrong = inner();
        if (wrong.empty()) wrong = leaves(count, targets);
        if (wrong.empty()) wrong = sets();
        if (!wrong.empty()) return wrong;
        const auto roots = n_.integers("tree_roots");
        if (roots.empty()) return "the model has no trees";
        for (std::int64_t root : roots) {
            if (root < 0 || root >= std::int64_t(count)) return "a root is not there";
            f_.roots.push_back(std::int32_t(root));
        }
        return f_.ends() ? "" : "a tree comes back to one of its nodes";
    }
};
}  // namespace tree_building

// Features are compared as float32 where they are float32; else as double, which holds the other types.
template <class T>
using compared_feature = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, float16>, float, double>;

// Forest: tree_forest, or a faster traversal.
template <class T, class Forest> struct tree_kernel : simple_kernel {
    struct params {
        node_pointer node;
        feature_rows x;
        std::int64_t targets;
        aggregate aggregation;
        post after;
        bool has_scores;
    };
    struct state {
        Forest trees;
        std::vector<double> base;
    };
    static constexpr std::int64_t block(const params& p) {  // rows that descend a tree before the next tree
        return std::clamp<std::int64_t>(Forest::most_rows * 32 / p.targets, 1,
                                        std::clamp<std::int64_t>(p.x.rows, 1, Forest::most_rows));
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, threads * p.targets * (block(p) * std::int64_t(sizeof(tree_score)) + std::int64_t(sizeof(double)))};
    }
    // The scores of rows [first, end): visit(row, scores), with base values and divided by the trees for their mean.
    template <class F>
    static void score(const params& p, const state& s, const T* x, std::int64_t first, std::int64_t end,
                      std::byte* scratch, F visit) noexcept {
        auto* scores = reinterpret_cast<tree_score*>(scratch);
        const double trees = p.aggregation == aggregate::average ? double(s.trees.roots.size()) : 1;
        const bool sums = p.aggregation == aggregate::average || p.aggregation == aggregate::sum;
        for (std::int64_t from = first; from < end; from += block(p)) {
            const std::int64_t rows = std::min(block(p), end - from);
            std::fill_n(scores, rows * p.targets, tree_score{});
            s.trees.walk(x + from * p.x.features, p.x.features, rows,
                         [&](std::int64_t r, std::int32_t votes, std::int32_t count) {
                             for (std::int32_t v = votes; v < votes + count; ++v) {
                                 const auto& vote = s.trees.votes[std::size_t(v)];
                                 tree_score& score = scores[r * p.targets + vote.target];
                                 if (sums)
                                     score = {score.value + vote.weight, true};
                                 else
                                     score.add(p.aggregation, vote.weight);
                             }
                         });
            for (std::int64_t r = 0; r < rows; ++r) {
                tree_score* row_scores = scores + r * p.targets;
                for (std::int64_t t = 0; t < p.targets; ++t) row_scores[t].value /= trees;
                visit(from + r, row_scores);
            }
        }
    }
    // score() over the session's threads: visit(row, scores, space for a double per target).
    template <class F>
    static status score_all(const params& p, const state& s, const arguments& a, context& c, F visit) noexcept {
        if (s.trees.features > p.x.features) return c.fail("the trees read more features than the input has");
        const std::int64_t room = footprint(p, {}, 1).scratch;
        const std::int64_t grain = 1 + 2048 / std::int64_t(s.trees.roots.size());
        c.split(p.x.rows, grain, [&](std::int64_t first, std::int64_t end, int part) noexcept {
            std::byte* scratch = c.scratch + part * room;
            auto* z = reinterpret_cast<double*>(scratch + p.targets * block(p) * std::int64_t(sizeof(tree_score)));
            score(p, s, a.in<T>(0), first, end, scratch,
                  [&](std::int64_t row, const tree_score* row_scores) { visit(row, row_scores, z); });
        });
        return status::ok;
    }
};
template <class T, class Y, class Forest> struct tree_values_kernel : tree_kernel<T, Forest> {
    using typename tree_kernel<T, Forest>::params;
    using typename tree_kernel<T, Forest>::state;
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return tree_kernel<T, Forest>::score_all(
            p, s, a, c, [&](std::int64_t row, const tree_score* row_scores, double* z) {
                for (std::int64_t t = 0; t < p.targets; ++t)
                    z[t] = row_scores[t].value + (s.base.empty() ? 0 : s.base[std::size_t(t)]);
                if (p.targets > 1 || p.after == post::probit) apply(p.after, z, p.targets);
                for (std::int64_t t = 0; t < p.targets; ++t)
                    a.out<Y>(0)[row * p.targets + t] = static_cast<Y>(static_cast<accumulator<Y>>(z[t]));
            });
    }
};

template <class T, class Forest> struct tree_ensemble_kernel : tree_values_kernel<T, T, Forest> {
    using typename tree_kernel<T, Forest>::params;
    using typename tree_kernel<T, Forest>::state;
    static constexpr params prepare(const node_view& n) {
        return {node_pointer(n),
                feature_rows::of(n),
                n.integer("n_targets", 1),
                aggregate(n.integer("aggregate_function", 1)),
                post(n.integer("post_transform", 0)),
                true};
    }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        return bind_by([&] {
            const node_view n = p.node.view();
            const auto wrong = tree_building::numbered<compared_feature<T>>(n, s.trees).build(p.targets);
            if (!wrong.empty()) return refused(u, wrong);
            s.trees.pack();
            return status::ok;
        });
    }
};
template <class T>
struct kernel<op::tree_ensemble, device::reference, types<T>>
    : tree_ensemble_kernel<T, tree_forest<compared_feature<T>>> {};

template <class T, class Forest> struct tree_regressor_kernel : tree_values_kernel<T, float, Forest> {
    using typename tree_kernel<T, Forest>::params;
    using typename tree_kernel<T, Forest>::state;
    static constexpr params prepare(const node_view& n) {
        return {node_pointer(n),
                feature_rows::of(n),
                n.integer("n_targets", 1),
                aggregate(aggregate_of(n.text("aggregate_function", "SUM"))),
                post(post_of(n.text("post_transform", "NONE"))),
                true};
    }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        return bind_by([&] {
            const node_view n = p.node.view();
            s.base = real_list(n, "base_values", "base_values_as_tensor");
            if (!s.base.empty() && std::int64_t(s.base.size()) != p.targets)
                return refused(u, "base_values has not one value for each target");
            const auto wrong = tree_building::listed<compared_feature<T>>(n, s.trees).build(false, p.targets);
            if (!wrong.empty()) return refused(u, wrong);
            s.trees.pack();
            return status::ok;
        });
    }
};

template <class T>
struct kernel<op::tree_ensemble_regressor, device::reference, types<T>>
    : tree_regressor_kernel<T, tree_forest<compared_feature<T>>> {};

template <class T, class Forest> struct tree_classifier_kernel : tree_kernel<T, Forest> {
    using typename tree_kernel<T, Forest>::params;
    struct state : tree_kernel<T, Forest>::state {
        class_labels labels;
        int only = -1;  // the class that all votes are for, where it is one of two
        bool no_negative = true;
    };
    static constexpr params prepare(const node_view& n) {
        return {node_pointer(n),
                feature_rows::of(n),
                class_labels::count(n, "classlabels_int64s"),
                aggregate::sum,
                post(post_of(n.text("post_transform", "NONE"))),
                n.has_output(1)};
    }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        return bind_by([&] {
            const node_view n = p.node.view();
            s.labels.read(n, "classlabels_int64s");
            s.base = real_list(n, "base_values", "base_values_as_tensor");
            if (!s.base.empty() && std::int64_t(s.base.size()) != p.targets && !(p.targets == 2 && s.base.size() == 1))
                return refused(u, "base_values has not one value for each class");
            const auto wrong = tree_building::listed<compared_feature<T>>(n, s.trees).build(true, p.targets);
            if (!wrong.empty()) return refused(u, wrong);
            bool votes_for[2] = {};
            for (const auto& vote : s.trees.votes) {
                s.no_negative = s.no_negative && vote.weight >= 0;
                if (p.targets == 2) votes_for[vote.target] = true;
            }
            if (votes_for[0] != votes_for[1]) s.only = votes_for[1];
            s.trees.pack();
            return status::ok;
        });
    }
    // Base values first: they belong to the class that is voted for where there is one value only.
    static void add_base(const params& p, const state& s, double* z) noexcept {
        const int voted = s.only;
        if (std::int64_t(s.base.size()) == p.targets)
            for (std::int64_t t = 0; t < p.targets; ++t) z[t] += voted < 0 || voted == t ? s.base[std::size_t(t)] : 0;
        else if (!s.base.empty())
            z[std::max(voted, 0)] += s.base[0];
    }
    static std::int64_t best(const params& p, const state& s, const tree_score* row_scores, const double* z) noexcept {
        if (s.only >= 0) return z[s.only] > (s.no_negative ? 0.5 : 0);
        std::int64_t at = -1;  // of more than two classes, those without a vote are not eligible
        for (std::int64_t t = 0; t < p.targets; ++t)
            if ((row_scores[t].has_votes || !s.base.empty() || p.targets == 2) && (at < 0 || z[t] > z[at])) at = t;
        return std::max<std::int64_t>(at, 0);
    }
    static void transform(const params& p, const state& s, double* z) noexcept {
        if (p.targets == 1) {
            if (p.after == post::probit) apply(p.after, z, 1);
        } else if (s.only == 0 && s.base.size() < 2) {
            const double x = z[0];
            z[0] = p.after == post::logistic ? logistic(-x) : s.no_negative || p.after == post::probit ? 1 - x : -x;
            z[1] = p.after == post::logistic ? logistic(x) : x;
            if (p.after == post::probit) apply(p.after, z, 2);
        } else
            apply(p.after, z, p.targets);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return tree_kernel<T, Forest>::score_all(p, s, a, c,
                                                 [&](std::int64_t row, const tree_score* row_scores, double* z) {
                                                     for (std::int64_t t = 0; t < p.targets; ++t)
                                                         z[t] = row_scores[t].value;
                                                     add_base(p, s, z);
                                                     if (a.outputs[0])
                                                         s.labels.put(a.outputs[0], row, best(p, s, row_scores, z));
                                                     if (!p.has_scores) return;
                                                     transform(p, s, z);
                                                     std::copy_n(z, p.targets, a.out<float>(1) + row * p.targets);
                                                 });
    }
};
template <class T>
struct kernel<op::tree_ensemble_classifier, device::reference, types<T>>
    : tree_classifier_kernel<T, tree_forest<compared_feature<T>>> {};
}  // namespace v1
}  // namespace inlay
