// Decision trees, checked and packed for traversal: bind() builds them from unchecked attributes.
#pragma once
#include "model_lists.hpp"
#include "post_transform.hpp"
#include <unordered_map>

namespace inlay {
inline namespace v1 {
enum class branch : std::uint8_t { leq, lt, gte, gt, eq, neq, member, leaf };  // as TreeEnsemble numbers them
enum class aggregate : std::uint8_t { average, sum, minimum, maximum };
constexpr int branch_of(std::string_view mode) {  // -1: no such
    constexpr std::string_view names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                          "BRANCH_EQ",  "BRANCH_NEQ", "",           "LEAF"};
    for (int i = 0; i < 8; ++i)
        if (names[i] == mode && !mode.empty()) return i;
    return -1;
}
constexpr int aggregate_of(std::string_view name) {
    constexpr std::string_view names[] = {"AVERAGE", "SUM", "MIN", "MAX"};
    for (int i = 0; i < 4; ++i)
        if (names[i] == name) return i;
    return -1;
}
inline constexpr std::int64_t most_targets = 1 << 20;

// X: what features are compared as.
template <class X> struct tree_forest {
    struct tree_node {
        X threshold = 0;
        std::int32_t feature = 0;
        std::int32_t yes = 0, no = 0;  // the child nodes; of a leaf its first vote, and how many it has
        std::int32_t set = 0;          // of `member`
        branch mode = branch::leaf;
        bool missing_is_yes = false;
    };
    struct vote {
        std::int32_t target;
        double weight;
    };
    static constexpr std::int64_t most_rows = 32;  // that descend a tree before the next tree
    std::vector<tree_node> nodes;
    std::vector<std::int32_t> roots;
    std::vector<vote> votes;
    std::vector<X> members;
    std::vector<range> sets;
    std::int64_t features = 0;  // as many as the trees read

    bool goes_yes(const tree_node& n, X x) const noexcept {
        const auto holds = [&] {
            switch (n.mode) {
                case branch::leq: return x <= n.threshold;
                case branch::lt: return x < n.threshold;
                case branch::gte: return x >= n.threshold;
                case branch::gt: return x > n.threshold;
                case branch::eq: return x == n.threshold;
                case branch::neq: return x != n.threshold;
                default: break;
            }
            const range r = sets[std::size_t(n.set)];
            const auto first = members.begin() + r.first;
            return std::find(first, first + r.count, x) != first + r.count;
        };
        return holds() || (n.missing_is_yes && x != x);
    }
    template <class T> const tree_node& leaf(std::int32_t root, const T* x) const noexcept {
        const tree_node* n = &nodes[std::size_t(root)];
        while (n->mode != branch::leaf)
            n = &nodes[std::size_t(goes_yes(*n, static_cast<X>(x[n->feature])) ? n->yes : n->no)];
        return *n;
    }
    // visit(row, first vote, votes) of the leaf that each row reaches, tree by tree.
    template <class T, class F> void walk(const T* x, std::int64_t stride, std::int64_t rows, F visit) const noexcept {
        for (const std::int32_t root : roots)
            for (std::int64_t r = 0; r < rows; ++r) {
                const tree_node& end = leaf(root, x + r * stride);
                visit(r, end.yes, end.no);
            }
    }
    void pack() {}  // after the last change
    // No node may lead back to itself; nodes that several others lead to are fine.
    bool ends() const {
        enum : char { unknown, on_the_way, ending };
        std::vector<char> state(nodes.size());
        std::vector<std::pair<std::int32_t, int>> way;  // nodes, and how many of their branches were followed
        const auto enter = [&](std::int32_t at) {
            state[std::size_t(at)] = on_the_way;
            way.emplace_back(at, 0);
        };
        for (std::size_t first = 0; first < nodes.size(); ++first) {
            if (state[first] == unknown) enter(std::int32_t(first));
            while (!way.empty()) {
                auto& [at, children] = way.back();
                const tree_node& n = nodes[std::size_t(at)];
                if (n.mode == branch::leaf || children == 2) {
                    state[std::size_t(at)] = ending;
                    way.pop_back();
                    continue;
                }
                const std::int32_t next = children++ ? n.no : n.yes;
                if (state[std::size_t(next)] == on_the_way) return false;
                if (state[std::size_t(next)] == unknown) enter(next);
            }
        }
        return true;
    }
};

// The score of each target from the votes of all trees.
struct tree_score {
    double value = 0;
    bool has_votes = false;
    void add(aggregate function, double weight) noexcept {
        if (!has_votes)
            value = weight;
        else
            value = function == aggregate::minimum   ? std::min(value, weight)
                    : function == aggregate::maximum ? std::max(value, weight)
                                                     : value + weight;
        has_votes = true;
    }
};
}  // namespace v1
}  // namespace inlay
