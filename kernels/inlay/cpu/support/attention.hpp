// Attention of float32 on the CPU, for the operators that have it: for each head and block of rows, scores and results
// stay in the cache. Keys come in blocks, with a running maximum and sum; blocks that no row sees are skipped. K is
// packed once per head with the scale in it, V is read in place. Few rows, as of a decoder's next token, read both in
// place: all heads that share one of K and V at once. With precision::bfloat16, and where the level has bf16 dot
// products, both matmuls use them: V is packed too, and Q and the softmax results are rounded.
#pragma once
#include "dense.hpp"
#include <inlay/cpu/isa/attention_f32.hpp>
#include <bit>
#include <cmath>

namespace inlay {
inline namespace v1 {
struct attention_core {
    // Row i of head h of batch b begins at b * batch + h * head + i * row.
    struct operand {
        std::int64_t batch = 0, head = 0, row = 0;
        constexpr std::int64_t at(std::int64_t b, std::int64_t h, std::int64_t i) const {
            return b * batch + h * head + i * row;
        }
    };
    struct range {
        std::int64_t begin, end;
    };
    operand q{}, k{}, v{}, y{}, mask{};  // heads of K and V: groups
    std::int64_t mask_column = 0;
    std::int64_t batches = 0, heads = 0, groups = 0, rows = 0, keys = 0, size = 0, value_size = 0;
    double scale = 1, softcap = 0, fill = 0;
    bool fills = false, bf16 = false;
    bool loads = false;   // the hooks produce the rows of Q
    bool sees = false;    // and report which keys a row sees
    bool zeros = false;   // a row that sees no key is 0, not NaN
    bool joins = false;   // K and V are written by the hooks
    bool narrow = false;  // hooks write another type than float32, and a copy in float32
    bool hides = false;  // a key that the mask hides, by a truth value or by -inf, may be anything, as one out of sight

    // A task's rows are those of one head, or one of each head of a group.
    constexpr bool stacked() const { return rows == 1 && heads > groups; }
    constexpr std::int64_t task_rows() const { return stacked() ? heads / groups : rows; }
    constexpr std::int64_t task_heads() const { return stacked() ? groups : heads; }
    constexpr std::int64_t of_row(const operand& o) const { return stacked() ? o.head : o.row; }
    // Rows for which packing K does not pay: more where one head of Q uses it alone.
    constexpr bool in_place() const { return stacked() || rows <= (heads == groups ? 8 : 3); }

    // K and V are written by the hooks, a block before it is read; else all before the first is read.
    constexpr bool fetches(isa::level l) const {
        return joins && in_place() && (stacked() || heads == groups) && blocks(l) == 1;
    }

    // The copies are of a block; else of all.
    constexpr bool by_block(isa::level l) const { return narrow && fetches(l); }
    constexpr std::int64_t block_room(isa::level l) const {
        return by_block(l) ? padded_floats(key_block() * size) + padded_floats(key_block() * value_size) : 0;
    }

    constexpr bool rounds(isa::level l) const { return bf16 && gemm_bf16_pairs(l) && !in_place(); }
    constexpr std::int64_t key_block() const { return keys <= 384 ? keys : 256; }
    constexpr std::int64_t scores_row() const { return padded_floats(key_block()) + 16; }
    // Blocks of rows are of up to five strips, with AMX tiles of four, which form pairs.
    constexpr std::int64_t strip_rows(isa::level l) const { return in_tiles(l) ? 16 : gemm_f32_rows(l); }
    constexpr std::int64_t most_strips(isa::level l) const { return in_tiles(l) ? 4 : 5; }
    constexpr bool in_tiles(isa::level l) const { return rounds(l) && l == isa::level::amx; }
    constexpr std::int64_t strips(isa::level l) const { return (task_rows() + strip_rows(l) - 1) / strip_rows(l); }
    constexpr std::int64_t blocks(isa::level l) const { return (strips(l) + most_strips(l) - 1) / most_strips(l); }
    constexpr std::int64_t block_start(isa::level l, std::int64_t b) const {
        return std::min(task_rows(), strips(l) * b / std::max<std::int64_t>(1, blocks(l)) * strip_rows(l));
    }
    constexpr std::int64_t most_rows(isa::level l) const {
        return std::min(task_rows(), most_strips(l) * strip_rows(l));
    }
    constexpr bool packs_v(isa::level l) const {
        return rounds(l) || (gemm_f32_aliases(v.row) && !in_place() && rows > gemm_f32_rows(l));
    }
    constexpr std::int64_t words(isa::level l, std::int64_t n) const {
        return rounds(l) ? (n + 1) / 2 : n;
    }  // of so many elements of a column of K or V
    constexpr std::int64_t q_row() const { return loads ? padded_floats(size) : of_row(q); }
    // Scratch of each part, in float32 elements: K, the packed V, the scores of a block, five numbers for each row,
    // rows of Q from the hooks, copies of rows of Q or of the scores.
    constexpr std::int64_t k_room(isa::level l) const {
        return in_place() ? 0 : padded_floats(gemm_f32_padded(l, keys) * words(l, size));
    }
    constexpr std::int64_t v_columns(isa::level l) const {
        return gemm_f32_padded(l, packs_v(l) ? value_size : value_size % gemm_f32_width(l));
    }
    constexpr std::int64_t v_room(isa::level l) const {
        return in_place() ? 0 : padded_floats(v_columns(l) * words(l, keys));
    }
    constexpr std::int64_t scores_room(isa::level l) const { return most_rows(l) * scores_row(); }
    constexpr std::int64_t loaded_room(isa::level l) const { return loads ? most_rows(l) * q_row() : 0; }
    constexpr std::int64_t copy_room(isa::level l) const {
        if (in_place()) return 0;
        const bool as_bf16 = rounds(l);
        return std::max(gemm_f32_scratch(l, {1, 1, size}, q_row(), most_rows(l), as_bf16),
                        as_bf16 ? gemm_f32_scratch(l, {1, 1, key_block()}, scores_row(), most_rows(l), as_bf16) : 0);
    }
    constexpr std::int64_t room(isa::level l) const {
        return k_room(l) + v_room(l) + scores_room(l) + padded_floats(5 * most_rows(l)) + loaded_room(l) +
               copy_room(l) + block_room(l);
    }
    constexpr std::int64_t bytes(isa::level l, int threads) const { return 4 * threads * room(l); }
};
struct attention_tables {
    const gemm_f32_table *gemm = nullptr, *bf16 = nullptr;
    const attention_f32_table* attention = nullptr;
    isa::level level{};
    template <weight_formats Linked> static attention_tables of(isa::level l) noexcept {
        attention_tables t{&gemm_f32(l), nullptr, &attention_f32(l), l};
        if constexpr (Linked.bf16) t.bf16 = &gemm_bf16(l);
        return t;
    }
};
// Common to kernels over the core, with params that have it as `core`. Base: their other members.
template <class Base = simple_kernel> struct attention_core_kernel : Base {
    using state = attention_tables;
    template <class P> static constexpr bool reduced(const P& p) { return p.core.rounds(isa::level::avx512bf16); }
    template <class P> static constexpr weight_formats needs(const P& p) { return {true, p.core.bf16}; }
    template <weight_formats Linked = weight_formats{true, true}, class P>
    static status bind(const P&, constants, const setup& u, attention_tables& s) noexcept {
        s = attention_tables::of<Linked>(u.level);
        return status::ok;
    }
};
// Such a kernel over 16 bits, with unconverted keys and values: a bit per input and output. State has `halves`.
template <class Kernel, unsigned Reads, unsigned Writes> struct narrow_attention_kernel : Kernel {
    static constexpr unsigned reads_as_is = Reads, writes_as_is = Writes;
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const typename Kernel::params& p, constants w, const setup& u,
                       typename Kernel::state& s) noexcept {
        const status result = Kernel::template bind<Linked>(p, w, u, s);
        s.halves = &half_f32(u.level);
        return result;
    }
};
struct attention_operands {
    const float *q, *k, *v;
    float* y;
    const float* add = nullptr;  // masks of the core's; at most one of them is not null
    const std::uint8_t* truths = nullptr;
    const float* also = nullptr;  // added besides: also_batch apart, also_row, each key
    std::int64_t also_batch = 0, also_row = 0;
};
// Where hooks put rows [first, ...) of K and V as float32; null: where they put all, or none.
struct attention_block {
    std::array<float*, 2> rows{};
    std::int64_t first = 0;
};
// Further hooks of an operator.
struct attention_hooks {
    attention_core::range seen(std::int64_t, std::int64_t) const noexcept { return {0, 0}; }  // by query i of batch b
    void load(std::int64_t, std::int64_t, std::int64_t, float*) const noexcept {}  // row i of head h of batch b of Q
    void fetch(std::int64_t, std::int64_t, std::int64_t, std::int64_t, const attention_block&) const noexcept {
    }  // rows [from, to) of group g of batch b of K and V
    bool sinks() const noexcept { return false; }
    float sink(std::int64_t) const noexcept { return 0; }  // one more score of head h, without a value
};

template <class Hooks> class attention_of_core {
    using core = attention_core;
    const core& p;
    const attention_tables& s;
    const attention_operands& a;
    const Hooks& hooks;
    context& c;
    const isa::level l = s.level;

    struct task {
        std::int64_t b, h, row, rows;  // h: the first head of those of its rows
        core::range keys;
        const float *q = nullptr, *k = nullptr, *v = nullptr;
        float *y = nullptr, *packed_k = nullptr, *packed_v = nullptr, *scores = nullptr, *most = nullptr,
              *copies = nullptr;
        attention_block block{};
    };
    const gemm_f32_table& gemm() const { return p.rounds(l) ? *s.bf16 : *s.gemm; }
    core::range seen(std::int64_t b, std::int64_t i) const {
        return p.sees ? hooks.seen(b, p.stacked() ? 0 : i) : core::range{0, p.keys};
    }
    std::int64_t group(std::int64_t task_head) const {
        return p.stacked() ? task_head : task_head / (p.heads / p.groups);
    }
    std::int64_t head(const task& t, std::int64_t r) const { return p.stacked() ? t.h + r : t.h; }
    std::int64_t first_block(std::int64_t begin) const { return begin / p.key_block() * p.key_block(); }

    void pack(std::int64_t b, std::int64_t g, float* room) const noexcept {
        if (p.in_place()) return;
        const float *const k = a.k + p.k.at(b, g, 0), *const v = a.v + p.v.at(b, g, 0);
        float* const v_room = room + p.k_room(l);
        const core::range range{seen(b, 0).begin, seen(b, p.rows - 1).end};
        for (std::int64_t t = first_block(range.begin); t < range.end && !c.stopped(); t += p.key_block()) {
            const std::int64_t keys = std::min(p.key_block(), range.end - t);
            gemm().pack({k + t * p.k.row, keys, p.k.row, 0, 1, float(p.scale)}, {1, 1, p.size}, 0,
                        gemm_f32_panels(l, keys), room + t * p.words(l, p.size));
            const gemm_f32_source source{v + t * p.v.row, p.value_size, 1, 0, p.v.row};
            float* const to = v_room + p.words(l, t) * p.v_columns(l);
            if (p.packs_v(l))
                gemm().pack(source, {1, 1, keys}, 0, gemm_f32_panels(l, p.value_size), to);
            else
                gemm().pack_tail(source, {1, 1, keys}, to);
        }
    }
    // Rows of K (0) or V (1) from t on, of the block at t.
    const float* rows_at(const task& k, std::size_t index, std::int64_t t) const {
        if (k.block.rows[index]) return k.block.rows[index];
        return index == 0 ? k.k + t * p.k.row : k.v + t * p.v.row;
    }
    // The scores of keys [t, t + keys).
    void multiply_keys(const task& k, std::int64_t t, std::int64_t keys) const noexcept {
        if (p.in_place())
            return s.attention->dots({k.q, p.q_row(), k.rows}, rows_at(k, 0, t), p.k.row, keys, p.size, float(p.scale),
                                     k.scores, p.scores_row());
        gemm_f32_call call = plain_product(k.q, p.q_row(), k.rows, {1, 1, p.size},
                                           {k.packed_k + t * p.words(l, p.size)}, keys, k.scores, p.scores_row());
        call.rounds = p.rounds(l);
        multiply_blocks(gemm(), l, call, 0, k.rows, 0, gemm_f32_panels(l, keys), k.copies, c);
    }
    // Adds the softmax results of keys [t, t + keys) times their values to those of the keys before.
    void add_values(const task& k, std::int64_t t, std::int64_t keys, std::int64_t packed, bool adds) const noexcept {
        const std::int64_t y_row = p.of_row(p.y);
        if (p.in_place())
            return s.attention->weigh({k.scores, p.scores_row(), k.rows}, rows_at(k, 1, t), p.v.row, keys, p.value_size,
                                      adds, k.y, y_row);
        gemm_f32_panels_of_b of_v{k.packed_v + p.words(l, t) * p.v_columns(l), 0, nullptr, packed};
        if (!p.packs_v(l)) of_v = {k.v + t * p.v.row, p.v.row, of_v.b};
        gemm_f32_call call =
            plain_product(k.scores, p.scores_row(), k.rows, {1, 1, keys}, of_v, p.value_size, k.y, y_row);
        call.add = adds ? k.y : nullptr;
        call.add_row = y_row;
        call.rounds = p.rounds(l);
        multiply_blocks(gemm(), l, call, 0, k.rows, 0, gemm_f32_panels(l, p.value_size), k.copies, c);
    }
    // How many keys of the block at t, of which so many are packed, are multiplied: not those after the last that the
    // rows see, but whole vectors.
    std::int64_t keys_of_block(const task& k, std::int64_t t, std::int64_t packed) const {
        const std::int64_t needed = std::min(packed, k.keys.end - t);
        if (p.in_place()) return needed;
        return std::min(packed, (needed + gemm_f32_width(l) - 1) / gemm_f32_width(l) * gemm_f32_width(l));
    }
    std::int64_t mask_at(const task& k, std::int64_t t) const {
        return (p.stacked() ? p.mask.at(k.b, k.h, 0) : p.mask.at(k.b, k.h, k.row)) + t * p.mask_column;
    }
    // Whether row r of the task sees the key at all.
    bool looks_at(const task& k, std::int64_t r, std::int64_t key) const {
        const core::range of = seen(k.b, k.row + r);
        if (key < of.begin || key >= of.end) return false;
        if (!p.hides) return true;
        const std::int64_t at = mask_at(k, key) + r * p.of_row(p.mask);
        if (a.truths) return (a.truths[at] != 0) != p.fills;
        return !a.add || a.add[at] != -std::numeric_limits<float>::infinity();
    }
    void soften(const task& k, attention_f32_rows& x, std::int64_t t) const noexcept {
        if (p.softcap > 0) s.attention->cap(k.scores, x.row, k.rows, x.keys, float(p.softcap));
        if (a.also)
            s.attention->add(k.scores, x.row, k.rows, x.keys,
                             a.also + k.b * a.also_batch + (p.stacked() ? 0 : k.row * a.also_row) + t,
                             p.stacked() ? 0 : a.also_row);
        const std::int64_t at = mask_at(k, t);
        if (a.truths) x.truths = a.truths + at;
        if (a.add) x.add = a.add + at;
        if (p.sees) {
            auto* const ends = reinterpret_cast<std::int32_t*>(k.most) + 3 * p.most_rows(l);
            for (std::int64_t r = 0; r < k.rows; ++r) {
                const core::range of = seen(k.b, k.row + r);
                ends[r] = std::int32_t(std::clamp<std::int64_t>(of.begin - t, 0, x.keys));
                ends[k.rows + r] = std::int32_t(std::clamp<std::int64_t>(of.end - t, 0, x.keys));
            }
            x.begin = ends;
            x.end = ends + k.rows;
        }
        s.attention->soften(x);
    }
    // Divides by the sums; a sink counts in them.
    void divide(const task& k, const attention_f32_rows& x) const noexcept {
        for (std::int64_t r = 0; r < k.rows; ++r) {
            if (hooks.sinks()) x.sum[r] += std::exp(hooks.sink(head(k, r)) - x.most[r]);
            if (p.zeros && x.sum[r] == 0) x.sum[r] = std::numeric_limits<float>::infinity();
        }
        s.attention->divide_rows(k.y, p.of_row(p.y), k.rows, p.value_size, x.sum);
    }
    void fetch_all() const noexcept {
        c.split(p.batches * p.groups, 1 + 65536 / std::max<std::int64_t>(1, p.keys * (p.size + p.value_size)),
                [&](std::int64_t first, std::int64_t end, int) {
                    for (std::int64_t i = first; i < end && !c.stopped(); ++i)
                        hooks.fetch(i / p.groups, i % p.groups, 0, p.keys, {});
                });
    }
    void fetch(const task& k, std::int64_t& from, std::int64_t to, const attention_block& block = {}) const noexcept {
        if (p.fetches(l) && from < to)
            hooks.fetch(k.b, p.stacked() ? k.h / (p.heads / p.groups) : k.h, from, to, block);
        from = std::max(from, to);
    }
    // As soften() and add_values(), but skips what a row does not see: multiplied by 0 there, it might turn a row into
    // NaN.
    void attend_to_some(const task& k, attention_f32_rows& x, std::int64_t t) const noexcept {
        for (std::int64_t r = 0; r < k.rows; ++r)
            for (std::int64_t j = 0; j < x.keys; ++j)
                if (!looks_at(k, r, t + j)) k.scores[r * x.row + j] = 0;
        soften(k, x, t);
        const float* const values = rows_at(k, 1, t);
        for (std::int64_t r = 0; r < k.rows; ++r) {
            float* const y = k.y + r * p.of_row(p.y);
            for (std::int64_t d = 0; d < p.value_size; ++d) y[d] = x.first ? 0 : y[d] * x.shrink[r];
            for (std::int64_t j = 0; j < x.keys; ++j) {
                if (!looks_at(k, r, t + j)) continue;
                const float *const v = values + j * p.v.row, weight = k.scores[r * x.row + j];
                for (std::int64_t d = 0; d < p.value_size; ++d) y[d] += weight * v[d];
            }
        }
    }
    bool all_finite(const task& k) const noexcept {
        std::uint32_t most = 0;
        for (std::int64_t r = 0; r < k.rows; ++r) {
            const float* const y = k.y + r * p.of_row(p.y);
            for (std::int64_t d = 0; d < p.value_size; ++d)
                most = std::max(most, std::bit_cast<std::uint32_t>(y[d]) & 0x7fffffff);
        }
        return most < 0x7f800000;
    }
    void attend(const task& k, bool to_some) const noexcept {
        const std::int64_t y_row = p.of_row(p.y), m = p.most_rows(l);
        std::int64_t fetched = to_some && !p.by_block(l) ? p.keys : 0;  // the prefetched rows are read again
        if (k.keys.begin >= k.keys.end) {
            for (std::int64_t r = 0; r < k.rows; ++r) std::fill_n(k.y + r * y_row, p.value_size, 0.f);
            return fetch(k, fetched, p.keys);
        }
        attention_f32_rows x{k.scores,      p.scores_row(), k.rows,  0,    nullptr, nullptr, p.of_row(p.mask),
                             p.mask_column, float(p.fill),  p.fills, true, nullptr, nullptr, k.most,
                             k.most + m,    k.most + 2 * m};
        const std::int64_t end = p.sees ? seen(k.b, p.rows - 1).end : p.keys;
        for (std::int64_t t = first_block(k.keys.begin); t < k.keys.end && !c.stopped(); t += p.key_block()) {
            const std::int64_t packed = std::min(p.key_block(), end - t);
            x.keys = keys_of_block(k, t, packed);
            fetch(k, fetched, t + x.keys, {k.block.rows, t});
            multiply_keys(k, t, x.keys);
            if (to_some) {
                attend_to_some(k, x, t);
            } else {
                soften(k, x, t);
                if (!x.first) s.attention->scale_rows(k.y, y_row, k.rows, p.value_size, x.shrink);
                add_values(k, t, p.packs_v(l) ? x.keys : std::min(x.keys, k.keys.end - t), packed, !x.first);
            }
            x.first = false;
        }
        fetch(k, fetched, p.keys);
        divide(k, x);
    }
    void attend_block(std::int64_t b, std::int64_t task_head, std::int64_t block, float* room) const noexcept {
        const std::int64_t row = p.block_start(l, block), rows = p.block_start(l, block + 1) - row,
                           h = p.stacked() ? task_head * (p.heads / p.groups) + row : task_head;
        if (rows < 1) return;
        task k{b, h, p.stacked() ? 0 : row, rows, {seen(b, row).begin, seen(b, row + rows - 1).end}};
        k.packed_k = room;
        k.packed_v = k.packed_k + p.k_room(l);
        k.scores = k.packed_v + p.v_room(l);
        k.most = k.scores + p.scores_room(l);
        float* const loaded = k.most + padded_floats(5 * p.most_rows(l));
        k.copies = loaded + p.loaded_room(l);
        if (p.by_block(l)) {
            float* const rows = k.copies + p.copy_room(l);
            k.block.rows = {rows, rows + padded_floats(p.key_block() * p.size)};
        }
        k.q = p.loads ? loaded : a.q + p.q.at(b, h, k.row);
        for (std::int64_t r = 0; p.loads && r < rows; ++r)
            hooks.load(b, head(k, r), p.stacked() ? 0 : row + r, loaded + r * p.q_row());
        if (!p.by_block(l)) {
            k.k = a.k + p.k.at(b, group(task_head), 0);
            k.v = a.v + p.v.at(b, group(task_head), 0);
        }
        k.y = a.y + p.y.at(b, h, k.row);
        attend(k, false);
        if ((p.sees || p.hides) && !all_finite(k)) attend(k, true);
    }

  public:
    attention_of_core(const core& params, const attention_tables& tables, const attention_operands& operands,
                      const Hooks& more, context& run)
        : p(params), s(tables), a(operands), hooks(more), c(run) {}
    // With bytes() of scratch.
    status run(std::byte* scratch) const noexcept {
        if (p.joins && !p.fetches(l)) fetch_all();
        const std::int64_t blocks = p.blocks(l), tasks = p.batches * p.task_heads() * blocks;
        const double work =
            double(p.most_rows(l)) * double(p.keys) * double(p.size + p.value_size);  // multiplications of a task
        c.split(tasks, std::int64_t(std::max(1., 50'000 / std::max(1., work))),
                [&](std::int64_t first, std::int64_t end, int part) {
                    float* const room = reinterpret_cast<float*>(scratch) + part * p.room(l);
                    std::int64_t packed = -1;  // the head of K and V in the part's scratch
                    for (std::int64_t i = first; i < end && !c.stopped(); ++i) {
                        const std::int64_t b = i / blocks / p.task_heads(), h = i / blocks % p.task_heads(),
                                           of = b * p.groups + group(h);
                        if (packed != of) pack(b, group(h), room);
                        packed = of;
                        attend_block(b, h, i % blocks, room);
                    }
                });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
