// fuse_attention: splitting Q, K and V into heads, Q K' with scale and mask, Softmax, its MatMul with V and joining the
// heads, offered as inlay.Attention (kernels/inlay/fused/attention.hpp) over the projections in their own layout.
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
class matcher {
    rewriter& r_;
    const bool unpacks_;  // also looks through a Split of one projection that holds Q, K and V
    std::vector<int> nodes_{};
    double scale_ = 1;

    struct heads {  // where the heads of an operand are: see `q_at` of inlay.Attention
        int value = -1;
        std::int64_t at = -1;
    };

    const node& at(int i) const { return r_.g.nodes[std::size_t(i)]; }
    const shape& dims(int v) const { return dims_of(r_, v); }
    // The node that produces v, if it is an `op` and only `user` reads v.
    int inner(int v, std::string_view op, int user) const {
        const int i = v < 0 ? -1 : r_.maker(v);
        return i >= 0 && is(at(i), op) && only_user(r_, v) == user ? i : -1;
    }
    bool permutes(int i, std::initializer_list<std::int64_t> order) const {
        const attribute* a = r_.find(at(i), "perm");
        return a && a->kind == attribute_kind::integers && a->list.count == int(order.size()) &&
               std::equal(order.begin(), order.end(), r_.g.integers.begin() + a->list.first);
    }
    // A Reshape that keeps the first two axes: then the elements of the others form one axis.
    bool keeps_two_axes(int i) const {
        const shape &x = dims(r_.input(at(i), 0)), &y = dims(r_.output(at(i)));
        if (x.rank < 3 || y.rank < 3) return false;
        std::int64_t of_x = 1, of_y = 1;
        for (int k = 2; k < x.rank; ++k) {
            if (x[k] < 1) return false;
            of_x *= x[k];
        }
        for (int k = 2; k < y.rank; ++k) {
            if (y[k] < 1) return false;
            of_y *= y[k];
        }
        return of_x == of_y && ((x[0] != -1 && x[0] == y[0]) || (x[1] != -1 && x[1] == y[1]));
    }
    int take(int i) {
        nodes_.push_back(i);
        return i;
    }

    // Numbers that multiply v on its way to `user`.
    int unscaled(int v, int& user) {
        while (v >= 0 && r_.maker(v) >= 0 && only_user(r_, v) == user) {
            const node& n = at(r_.maker(v));
            const int x = is(n, "Mul") || is(n, "Div") ? r_.input(n, number(r_, r_.input(n, 0)) ? 1 : 0) : -1;
            const auto f = x < 0 ? std::nullopt : factor(r_, n, x);
            if (!f) break;
            scale_ *= *f;
            user = take(r_.maker(v));
            v = x;
        }
        return v;
    }
    // Where the heads of v come from, which is [batch, heads, rows, size].
    heads found(int v, int user) {
        if (v < 0 || dims(v).rank != 4) return {};
        if (const int moved = inner(v, "Transpose", user); moved >= 0 && permutes(moved, {0, 2, 1, 3})) {
            take(moved);
            const int x = r_.input(at(moved), 0);
            if (const int split = inner(x, "Reshape", moved); split >= 0 && keeps_two_axes(split))
                return {r_.input(at(take(split)), 0), 0};
            return {x, 0};
        }
        if (unpacks_)
            if (const heads h = of_packed(v, user); h.value >= 0) return h;
        return {v, -1};
    }
    // One of the parts of [batch, rows, parts * heads * size], split by Reshape and Transpose, then by Split and
    // Squeeze, or by Gather.
    heads of_packed(int v, int user) {
        std::vector<int> way;
        int whole = -1;
        std::int64_t index = 0;
        if (const int squeeze = inner(v, "Squeeze", user); squeeze >= 0) {
            const int part = r_.input(at(squeeze), 0), split = inner(part, "Split", squeeze);
            if (split < 0 || r_.integer(at(split), "axis", 0) != 0) return {};
            for (int k = 0;; ++k) {  // parts of one element each
                const int slice = r_.output(at(split), k);
                if (slice < 0 || dims(slice).rank != 5 || dims(slice)[0] != 1) return {};
                if (slice == part) {
                    index = k;
                    break;
                }
            }
            for (int k = 0; k < 4; ++k)
                if (dims(v)[k] == -1 || dims(v)[k] != dims(part)[k + 1]) return {};
            whole = r_.input(at(split), 0);
            way = {squeeze, split};
        } else if (const int gather = inner(v, "Gather", user); gather >= 0) {
            const value* i = r_.input_value(at(gather), 1);
            if (r_.integer(at(gather), "axis", 0) != 0 || !i || i->kind != contents::integers || i->dims.rank != 0)
                return {};
            whole = r_.input(at(gather), 0);
            index = r_.g.integers[std::size_t(i->list.first)];
            way = {gather};
        }
        const int moved = whole < 0 ? -1 : r_.maker(whole),
                  reshape = moved < 0 ? -1 : inner(r_.input(at(moved), 0), "Reshape", moved);
        if (reshape < 0 || !is(at(moved), "Transpose") || !permutes(moved, {2, 0, 3, 1, 4}) ||
            !keeps_two_axes(reshape) || dims(v)[1] < 1 || dims(v)[3] < 1)
            return {};
        if (index < 0) index += dims(r_.output(at(reshape)))[2];
        for (int i : way) take(i);
        take(moved);
        return {r_.input(at(take(reshape)), 0), index * dims(v)[1] * dims(v)[3]};
    }
    // No results of these nodes are used elsewhere, except `output`.
    bool is_closed(int output) const {
        for (int i : nodes_)
            for (int k = 0; k < at(i).outputs.count; ++k) {
                const int y = r_.output(at(i), k);
                if (y < 0 || y == output) continue;
                if (r_.is_output(y) || !std::all_of(r_.users(y).begin(), r_.users(y).end(), [&](int u) {
                        return std::binary_search(nodes_.begin(), nodes_.end(), u);
                    }))
                    return false;
            }
        return true;
    }

    // The mask applied to the scores before Softmax, and the scores without it, as `user` reads them.
    struct masked_scores {
        int x, user, mask = -1;
        double fill = 0;
        bool fills = false;  // where the mask is 1, else where it is 0
    };
    std::optional<masked_scores> mask_of(int x, int user) {
        masked_scores m{x, user};
        if (const int i = inner(x, "Where", user); i >= 0) {
            m.fills = number(r_, r_.input(at(i), 1)).has_value();
            const auto f = number(r_, r_.input(at(i), m.fills ? 1 : 2));
            if (!f) return {};
            m.mask = r_.input(at(i), 0);
            m.fill = *f;
            m.x = r_.input(at(m.user = take(i)), m.fills ? 2 : 1);
        } else if (const int i = inner(x, "Add", user); i >= 0 && at(i).version >= 7) {
            int chain = -1;
            for (int k : {0, 1}) {
                matcher trial(*this);
                int reader = i;
                const int product = trial.unscaled(r_.input(at(i), k), reader);
                if (trial.inner(product, "MatMul", reader) >= 0) chain = k;
            }
            if (chain < 0) return {};
            m.mask = r_.input(at(i), 1 - chain);
            m.x = r_.input(at(m.user = take(i)), chain);
        }
        return m;
    }
    heads transposed_heads(int product) {  // of K, which the MatMul of the scores reads transposed
        int user = product;
        int k_heads = unscaled(r_.input(at(product), 1), user);
        const int moved = inner(k_heads, "Transpose", user);
        if (moved >= 0 && permutes(moved, {0, 1, 3, 2})) {
            user = take(moved);
            k_heads = unscaled(r_.input(at(moved), 0), user);
            return found(k_heads, user);
        }
        if (moved < 0 || !permutes(moved, {0, 2, 3, 1})) return {};
        const int split = inner(r_.input(at(take(moved)), 0), "Reshape", moved);
        if (split < 0 || !keeps_two_axes(split)) return {r_.input(at(moved), 0), 0};
        return {r_.input(at(take(split)), 0), 0};
    }

  public:
    matcher(rewriter& r, bool unpacks) : r_(r), unpacks_(unpacks) {}

    std::optional<candidate> match(int softmax) {
        const node& n = at(softmax);
        const int scores = r_.input(n, 0), weights = r_.output(n);
        if (!is_float(r_, scores) || weights < 0 || dims(scores).rank != 4) return {};
        if (const std::int64_t axis = r_.integer(n, "axis", n.version < 13 ? 1 : -1); axis != -1 && axis != 3)
            return {};
        // Backwards to Q and K.
        const auto masked = mask_of(scores, take(softmax));
        if (!masked || (masked->mask >= 0 && dims(masked->mask).rank > 4)) return {};
        int user = masked->user;
        const int x = unscaled(masked->x, user);
        const int first = inner(x, "MatMul", user);
        if (first < 0 || dims(x).rank != 4) return {};
        take(first);
        user = first;
        const int q_heads = unscaled(r_.input(at(first), 0), user);
        const heads q = found(q_heads, user);
        const heads k = transposed_heads(first);
        // Forwards to V and the joined heads.
        const int second = only_user(r_, weights);
        if (q.value < 0 || k.value < 0 || second < 0 || !is(at(second), "MatMul") || r_.input(at(second), 0) != weights)
            return {};
        const heads v = found(r_.input(at(second), 1), take(second));
        const int moved = only_user(r_, r_.output(at(second))),
                  reshape = moved < 0 ? -1 : only_user(r_, r_.output(at(moved)));
        if (v.value < 0 || reshape < 0 || !is(at(moved), "Transpose") || !permutes(moved, {0, 2, 1, 3}) ||
            !is(at(reshape), "Reshape") || !keeps_two_axes(reshape))
            return {};
        take(moved);
        take(reshape);
        const int y = r_.output(at(reshape));
        const shape &q_dims = dims(q_heads), &result_dims = dims(r_.output(at(moved)));
        if (q_dims.rank != 4 || q_dims[1] < 1 || q_dims[3] < 1 || result_dims.rank != 4 ||
            result_dims[2] != q_dims[1] || result_dims[3] < 1 || dims(y).rank != 3)
            return {};
        std::sort(nodes_.begin(), nodes_.end());
        nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
        if (!is_closed(y)) return {};
        candidate c{nodes_, {q.value, k.value, v.value}, y, {}};
        if (masked->mask >= 0) c.inputs.push_back(masked->mask);
        graph_data& g = r_.g;
        c.attributes = {
            g.make("heads", q_dims[1]), g.make("size", q_dims[3]),    g.make("value_size", result_dims[3]),
            g.make("q_at", q.at),       g.make("k_at", k.at),         g.make("v_at", v.at),
            g.make("scale", scale_),    g.make("fill", masked->fill), g.make("fills", std::int64_t(masked->fills))};
        return c;
    }
};
}  // namespace

int fuse_attention(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (!is(g.nodes[i], "Softmax")) continue;
        auto c = matcher(r, true).match(int(i));
        if (!c) c = matcher(r, false).match(int(i));
        if (c) candidates.push_back(std::move(*c));
    }
    add_all(r, "inlay", "Attention", 1, candidates);
    return int(candidates.size());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay
