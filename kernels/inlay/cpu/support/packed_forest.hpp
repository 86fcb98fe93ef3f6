// Decision trees for fast traversal: nodes are small, both children of a node are neighbours, and several rows, or
// several trees of one row, descend together, without branches that would be mispredicted.
#pragma once
#include <inlay/support/tree_forest.hpp>

namespace inlay {
inline namespace v1 {
template <class X> class packed_forest : public tree_forest<X> {
    using plain = tree_forest<X>;
    using plain_node = typename plain::tree_node;
    struct node {
        X threshold;
        std::int32_t feature;
        std::int32_t first;  // the child where x is less; else the one after it. Of a leaf itself
        std::int32_t step;   // 1, of a leaf 0
    };
    static constexpr int together = 16;
    std::vector<node> packed_;
    std::vector<range> leaves_;  // votes, by packed node
    std::vector<std::int32_t> packed_roots_;
    std::vector<char> missing_first_;  // by packed node: NaN goes to the first child too
    bool misses_ = false;              // some node has that
    bool less_ = false;                // x < threshold, not x <= threshold

    // x >= t and x > t are x < t and x <= t with the children exchanged. Where a forest has both of these, x < t
    // becomes x <= the number below t, if that is a normal one: others may be flushed.
    bool as_less(const plain_node& from, node& to, bool& exchanged) const {
        to.threshold = from.threshold;
        exchanged = from.mode == branch::gte || from.mode == branch::gt;
        if (from.mode > branch::gt || from.threshold != from.threshold) return false;
        if (less_ || from.mode == branch::leq || from.mode == branch::gt) return true;
        to.threshold = std::nextafter(from.threshold, -std::numeric_limits<X>::infinity());
        return from.threshold > -std::numeric_limits<X>::infinity() && std::isnormal(to.threshold);
    }
    bool pack_tree(std::int32_t root, std::vector<char>& packed) {
        std::vector<std::pair<std::int32_t, std::int32_t>> open{{root, std::int32_t(packed_.size())}};
        packed_roots_.push_back(open[0].second);
        resize(packed_.size() + 1);
        for (std::size_t i = 0; i < open.size(); ++i) {
            const auto [from, at] = open[i];
            const plain_node& n = this->nodes[std::size_t(from)];
            if (packed[std::size_t(from)]++) return false;  // one that several nodes lead to
            if (n.mode == branch::leaf) {
                packed_[std::size_t(at)] = {0, 0, at, 0};
                leaves_[std::size_t(at)] = {n.yes, n.no};
                continue;
            }
            bool exchanged = false;
            node to{0, n.feature, std::int32_t(packed_.size()), 1};
            if (!as_less(n, to, exchanged)) return false;
            packed_[std::size_t(at)] = to;
            missing_first_[std::size_t(at)] = n.missing_is_yes != exchanged;
            misses_ = misses_ || n.missing_is_yes != exchanged;
            resize(packed_.size() + 2);
            open.emplace_back(exchanged ? n.no : n.yes, to.first);
            open.emplace_back(exchanged ? n.yes : n.no, to.first + 1);
        }
        return true;
    }
    void resize(std::size_t count) {
        packed_.resize(count);
        leaves_.resize(count);
        missing_first_.resize(count);
    }
    // Each of the first `count` goes to its leaf.
    template <bool Misses, bool Less, class T>
    void descend(std::int32_t* at, const T* const* x, int count) const noexcept {
        const node* nodes = packed_.data();
        for (std::int32_t on_the_way = 1; on_the_way;) {
            on_the_way = 0;
            for (int k = 0; k < count; ++k) {
                const node& n = nodes[at[k]];
                const X value = static_cast<X>(x[k][n.feature]);
                bool first = Less ? value < n.threshold : value <= n.threshold;
                if constexpr (Misses) first = first | ((value != value) & bool(missing_first_[std::size_t(at[k])]));
                at[k] = n.first + (n.step & -std::int32_t(!first));
                on_the_way |= n.step;
            }
        }
    }
    template <class T> void descend(std::int32_t* at, const T* const* x, int count) const noexcept {
        const auto by = [&]<bool Misses, bool Less>() {
            count == together ? descend<Misses, Less>(at, x, together) : descend<Misses, Less>(at, x, count);
        };
        if (misses_)
            less_ ? by.template operator()<true, true>() : by.template operator()<true, false>();
        else
            less_ ? by.template operator()<false, true>() : by.template operator()<false, false>();
    }

  public:
    static constexpr std::int64_t most_rows = 512;
    void pack() {
        std::vector<char> packed(this->nodes.size());
        const auto has_no = [&](branch a, branch b) {
            return std::none_of(this->nodes.begin(), this->nodes.end(),
                                [&](const plain_node& n) { return n.mode == a || n.mode == b; });
        };
        less_ = has_no(branch::leq, branch::gt);
        const bool fits = std::all_of(this->roots.begin(), this->roots.end(),
                                      [&](std::int32_t root) { return pack_tree(root, packed); });
        if (fits)
            std::vector<plain_node>().swap(this->nodes);
        else
            resize(0);
    }
    template <class T, class F> void walk(const T* x, std::int64_t stride, std::int64_t rows, F visit) const noexcept {
        if (packed_.empty()) return plain::walk(x, stride, rows, visit);
        const auto ends = [&](std::int64_t row, std::int32_t at) {
            visit(row, leaves_[std::size_t(at)].first, leaves_[std::size_t(at)].count);
        };
        if (stride == 0) {  // nothing to read: such trees are leaves
            for (const std::int32_t root : packed_roots_)
                for (std::int64_t r = 0; r < rows; ++r) ends(r, root);
            return;
        }
        std::int32_t at[together];
        const T* places[together];
        const std::int64_t trees = std::int64_t(packed_roots_.size());
        if (rows < together) {  // several trees of one row
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t from = 0; from < trees; from += together) {
                    const int count = int(std::min<std::int64_t>(together, trees - from));
                    std::copy_n(packed_roots_.data() + from, count, at);
                    std::fill_n(places, count, x + r * stride);
                    descend(at, places, count);
                    for (int k = 0; k < count; ++k) ends(r, at[k]);
                }
            return;
        }
        for (const std::int32_t root : packed_roots_)
            for (std::int64_t from = 0; from < rows; from += together) {
                const int count = int(std::min<std::int64_t>(together, rows - from));
                std::fill_n(at, count, root);
                for (int k = 0; k < count; ++k) places[k] = x + (from + k) * stride;
                descend(at, places, count);
                for (int k = 0; k < count; ++k) ends(from + k, at[k]);
            }
    }
};
}  // namespace v1
}  // namespace inlay
