// Memory: lifetimes over the schedule, aliases for kernels that work in place or only rename bytes, and offsets by
// greedy placement over intersecting lifetimes (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference", 2020): by size and, where that leaves gaps, by length of life or by start.
#pragma once
#include "growths.hpp"
#include "pairs.hpp"
#include "placed_blocks.hpp"
#include "slices.hpp"

namespace inlay {
inline namespace v1 {
constexpr std::int64_t padded_bytes(std::int64_t bytes) {  // at most too_large
    return bytes > too_large - 63 ? too_large : (bytes + 63) / 64 * 64;
}

struct plan : schedule {
    assignment assigned;
    std::vector<std::int64_t> offsets;      // per value and copy, in the arena of its space; -1: not in an arena
    std::vector<int> roots;                 // the value or copy whose bytes it shares: itself, if none
    std::vector<std::int64_t> pitches;      // per argument: elements from one pixel to the next in slices, those of the
                                            // root; from one matrix to the next in a KV cache with capacity; else 0;
                                            // below 0, the same negated: of float32 kept as bf16
    std::vector<std::int64_t> constants;    // per step: where embedded models keep what bind() packs
    std::vector<std::int64_t> arena_bytes;  // per space
    std::vector<std::int64_t>
        scratch_at;  // per space: where the scratch of its kernels begins in its arena; the host's lies apart
    std::int64_t constant_bytes = 0, scratch_bytes = 0;
    std::int64_t live_bytes = 0;  // the largest set of values alive at once, per space and added up: no plan needs less
    std::vector<verdict> growths;  // of the graph's: past and present are one memory of the caller's, or why not;
                                   // detail: the unit that needs another
    std::vector<char> pairs;       // per value and copy: kept as bf16 though float32 in the graph
    std::vector<char> outside;     // per value: it, and what shares its bytes, is in such a memory
    int aliased = 0, sliced = 0;
    constexpr std::int64_t arena_total() const {
        std::int64_t sum = 0;
        for (std::int64_t b : arena_bytes) sum += b;
        return sum;
    }
};

// Not in an arena: constants, strings and objects (which are constructed), values of data-dependent size.
constexpr bool in_arena(const value& v) {
    return !v.is_constant() && v.dims.known() && v.type != element::string && v.type != element::object;
}

template <provider_list L> class memory_planner {
    const graph_view& g_;
    const L& list_;
    plan& p_;
    int threads_, graph_values_, value_count_, forever_;
    bool fixed_;
    std::vector<int> first_steps_, last_steps_;  // of each root: the steps between which its bytes hold a value
    std::vector<char> sliced_;                   // is a slice, or has some
    std::vector<std::int64_t> begins_;           // of each slice, in bytes, in its root

    constexpr const value& record(int id) const {
        while (id >= graph_values_) id = p_.copies[id - graph_values_].source;
        return g_.values[id];
    }
    constexpr std::int64_t exact_bytes(int id) const {
        return bytes_of(p_.pairs[id] ? element::bf16 : record(id).type, record(id).dims.elements());
    }
    constexpr std::int64_t bytes(int id) const { return padded_bytes(exact_bytes(id)); }
    constexpr void find_lifetimes() {
        first_steps_.assign(value_count_, forever_);
        last_steps_.assign(value_count_, -1);
        for (int t = 0; t < forever_; ++t) {
            for (int id : p_.list(p_.steps[t].inputs))
                if (id >= 0) last_steps_[id] = t;
            for (int id : p_.list(p_.steps[t].outputs))
                if (id >= 0) {
                    first_steps_[id] = t;
                    last_steps_[id] = std::max(last_steps_[id], t);
                }
        }
        for (int id : p_.outputs) last_steps_[id] = forever_;
        for (int id : g_.inputs) {
            first_steps_[id] = -1;
            last_steps_[id] = forever_;
        }  // a run may be repeated with the same inputs
    }
    constexpr void place_slices() {
        sliced_.assign(value_count_, 0);
        begins_.assign(value_count_, 0);
        p_.pitches.assign(p_.arguments.size(), 0);
        if (!fixed_) return;
        const auto slices = slicer(g_, p_, list_).run();
        for (int id = 0; id < value_count_; ++id) {
            int& root = p_.roots[id];
            std::int64_t channel = 0;
            for (; slices[root].whole != root; root = slices[root].whole) channel += slices[root].channel;
            if (root == id) continue;
            begins_[id] = channel * bits_of(record(id).type) / 8;
            sliced_[id] = sliced_[root] = 1;
            first_steps_[root] = std::min(first_steps_[root], first_steps_[id]);
            last_steps_[root] = std::max(last_steps_[root], last_steps_[id]);
            ++p_.sliced;
        }
        for (std::size_t k = 0; k < p_.pitches.size(); ++k)
            if (const int id = p_.arguments[k]; id >= 0 && p_.roots[id] != id)
                p_.pitches[k] = record(p_.roots[id]).dims[1];
    }
    constexpr void place_growths() {
        p_.outside.assign(value_count_, 0);
        for (const growth& w : g_.growths) {
            const shape& past = g_.values[w.past].dims;
            const bool apart = w.room > 0 && past.known() && past.elements(0, w.axis) != 1;
            p_.growths.push_back(can_grow(g_, p_, list_, w, apart));
            if (!p_.growths.back()) continue;
            for (int id : {w.past, w.present}) {
                p_.outside[id] = 1;
                sliced_[id] = apart;
                for (std::size_t k = 0; apart && k < p_.arguments.size(); ++k)
                    if (p_.arguments[k] == id) p_.pitches[k] = w.room * past.elements(w.axis + 1);
            }
        }
    }
    constexpr void place_pairs() {
        p_.pairs = find_pairs(g_, p_, list_, p_.roots, p_.outside);
        for (int id = 0; id < value_count_; ++id)
            if (p_.pairs[id]) begins_[id] /= 2;
        for (std::size_t k = 0; k < p_.pitches.size(); ++k)
            if (const int id = p_.arguments[k]; id >= 0 && p_.pairs[id])
                p_.pitches[k] = -(p_.pitches[k] ? p_.pitches[k] : record(id).dims[1]);
    }
    // Element i of the one is where element i of the other is. Layout tags do not decide it: the last axis of
    // channels-last is another one where the rank or the axes differ.
    constexpr bool same_order(int in_argument, int out_argument) const {
        const auto dims = [&](int k) -> const shape& { return record(p_.arguments[k]).dims; };
        const auto plain = [&](int k) { return p_.layouts[k] == layout::plain || layouts_coincide(dims(k)); };
        return (plain(in_argument) && plain(out_argument)) ||
               (p_.layouts[in_argument] == p_.layouts[out_argument] && dims(in_argument) == dims(out_argument));
    }
    constexpr void share(int t, const entry& e) {
        const step& s = p_.steps[t];
        const int in = s.inputs.count ? p_.arguments[s.inputs.first] : -1,
                  out = s.outputs.count ? p_.arguments[s.outputs.first] : -1;
        if ((e.shares != reuse::in_place && e.shares != reuse::view) || in < 0 || out < 0 || !in_arena(record(in)) ||
            !in_arena(record(out)) || exact_bytes(in) != exact_bytes(out))
            return;
        // As many bytes, but of other elements: what is written early is read late.
        if (e.shares == reuse::in_place && record(in).dims.elements() != record(out).dims.elements()) return;
        const int root = p_.roots[in];
        if ((sliced_[in] && (root != in || p_.outside[in])) || sliced_[out]) return;
        if (!same_order(s.inputs.first, s.outputs.first) || p_.value_spaces[in] != p_.value_spaces[out] ||
            (e.shares == reuse::in_place && last_steps_[root] != t))
            return;
        if (e.shares == reuse::in_place)  // no other argument may read these bytes in this step
            for (int k = 1; k < s.inputs.count; ++k)
                if (const int argument = p_.arguments[s.inputs.first + k]; argument >= 0 && p_.roots[argument] == root)
                    return;
        p_.roots[out] = root;
        last_steps_[root] = std::max(last_steps_[root], last_steps_[out]);
        ++p_.aliased;
    }
    // Where `size` bytes fit best among the blocks that live then: after them, if nowhere else or if those are many.
    static constexpr std::int64_t tightest_gap(placed_blocks& placed, std::int64_t size, int first, int last_step) {
        std::int64_t offset = 0, best = -1, best_gap = 0;
        const auto living = placed.living(first, last_step);
        if (!living) return placed.end(first, last_step);
        for (int k : *living) {
            const placed_block& b = placed[k];
            const std::int64_t gap = b.offset - offset;
            if (gap >= size && (best < 0 || gap < best_gap)) {
                best = offset;
                best_gap = gap;
            }
            offset = std::max(offset, b.offset + b.size);
        }
        return best < 0 ? offset : best;
    }
    // Offsets for the values in this order, each in the tightest gap among those that live at the same time; returns
    // the end.
    constexpr std::int64_t place_in_order(std::span<const int> order) {
        placed_blocks placed(forever_ + 2);  // step -1 is at 0
        std::int64_t end = 0;
        for (int id : order) {
            const std::int64_t size = bytes(id);
            const int first = first_steps_[id] + 1, last_step = last_steps_[id] + 1;
            const std::int64_t filled = placed.filled_until(first, last_step);
            const std::int64_t at = filled >= 0 ? filled : tightest_gap(placed, size, first, last_step);
            p_.offsets[id] = at;
            end = std::max(end, at + size);
            placed.add({at, size, first, last_step});
        }
        return end;
    }
    constexpr void place(int space) {
        std::vector<int> order;
        for (int id = 0; id < value_count_; ++id)
            if (p_.roots[id] == id && first_steps_[id] < forever_ && in_arena(record(id)) &&
                p_.value_spaces[id] == space && !p_.outside[id])
                order.push_back(id);
        const std::int64_t least = live_bytes(order);
        const auto sorted = [&](auto key) {
            std::sort(order.begin(), order.end(),
                      [&](int a, int b) { return std::pair(key(a), a) < std::pair(key(b), b); });
            return place_in_order(order);
        };
        const auto by_size = [&](int id) { return std::pair(-bytes(id), std::int64_t(first_steps_[id])); };
        const auto by_life = [&](int id) {
            return std::pair(std::int64_t(first_steps_[id] - last_steps_[id]), -bytes(id));
        };
        const auto by_start = [&](int id) { return std::pair(std::int64_t(first_steps_[id]), -bytes(id)); };
        std::int64_t end = sorted(by_size);
        if (end > least) {  // another order may fit better; the best one is laid last
            const std::int64_t life = sorted(by_life), start = sorted(by_start);
            if (life < std::min(end, start))
                end = sorted(by_life);
            else if (end <= start)
                end = sorted(by_size);
            else
                end = start;
        }
        p_.arena_bytes.push_back(end);
        p_.live_bytes += least;
    }
    // The largest sum of what lives at once.
    constexpr std::int64_t live_bytes(std::span<const int> ids) const {
        std::vector<std::int64_t> change(std::size_t(forever_) + 3, 0);  // step -1 is at 0
        for (int id : ids) {
            change[first_steps_[id] + 1] += bytes(id);
            change[last_steps_[id] + 2] -= bytes(id);
        }
        std::int64_t now = 0, most = 0;
        for (std::int64_t c : change) {
            now += c;
            most = std::max(most, now);
        }
        return most;
    }

  public:
    constexpr memory_planner(const graph_view& g, const L& list, plan& p, int threads, bool fixed)
        : g_(g),
          list_(list),
          p_(p),
          threads_(threads),
          graph_values_(int(g.values.size())),
          value_count_(graph_values_ + int(p.copies.size())),
          forever_(int(p.steps.size())),
          fixed_(fixed) {}
    constexpr void run() {
        p_.roots.assign(value_count_, 0);
        for (int id = 0; id < value_count_; ++id) p_.roots[id] = id;
        find_lifetimes();
        place_slices();
        place_growths();
        place_pairs();
        int spaces = 1;
        for (int i = 0; i < list_.size(); ++i) spaces = std::max(spaces, list_.view(i).space + 1);
        std::vector<std::int64_t> scratch(spaces, 0);
        for (int t = 0; t < forever_; ++t) {
            const step& s = p_.steps[t];
            bytes_needed need{};
            int space = 0;
            if (s.unit >= 0 && s.kernel >= 0) {
                const provider_view v = list_.view(s.provider);
                const entry& e = v.kernels[s.kernel];
                share(t, e);
                space = v.space;
                need = e.footprint(node_view{g_, g_.unit(s.unit), p_.layouts.data() + s.inputs.first,
                                             std::span(p_.pitches).subspan(std::size_t(s.inputs.first))},
                                   threads_);
            }
            p_.constants.push_back(p_.constant_bytes);
            p_.constant_bytes += padded_bytes(need.constant);
            scratch[space] = std::max(scratch[space], padded_bytes(need.scratch));
        }
        p_.scratch_bytes = scratch[0];
        p_.offsets.assign(value_count_, -1);
        for (int space = 0; space < spaces; ++space) {
            place(space);
            p_.scratch_at.push_back(p_.arena_bytes[space]);
            if (space > 0) p_.arena_bytes[space] += scratch[space];
        }
        for (int id = 0; id < value_count_; ++id) {
            p_.offsets[id] = p_.offsets[p_.roots[id]] + begins_[id];
            p_.outside[id] = p_.outside[p_.roots[id]];
        }
    }
};

// The whole decision, at load time and in the compiler alike. `threads`: of the executor, for scratch.
// `fixed`: all shapes are those of every run, so that slices stay where they are.
template <provider_list L>
constexpr plan make_plan(const graph_view& g, const L& list, int threads, bool fixed = true) {
    plan p;
    p.assigned = partition(g, list);
    static_cast<schedule&>(p) = make_schedule(g, p.assigned, list);
    memory_planner<L>(g, list, p, threads, fixed).run();
    return p;
}
}  // namespace v1
}  // namespace inlay
