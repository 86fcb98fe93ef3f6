// Attention on the CPU: for each head and block of rows, scores and results stay in the cache. K is packed once per
// head with the scale in it, V is read in place. Many keys come in blocks, with a running maximum and sum. With
// precision::bfloat16, and where the level multiplies pairs, both products do: V is packed too, and Q and the softened
// scores are rounded.
#pragma once
#include <inlay/cpu/isa/attention_f32.hpp>
#include <inlay/cpu/support/dense.hpp>
#include <inlay/fused/attention.hpp>

namespace inlay {
inline namespace v1 {
template <class Mask> struct kernel<op::attention, device::cpu, types<float, Mask>> : attention_kernel {
    struct params : attention_params {
        static constexpr std::int64_t few = 3;  // rows for which packing K does not pay
        bool bf16 = false;
        constexpr bool rounds(isa::level l) const { return bf16 && gemm_bf16_pairs(l) && rows > few; }
        constexpr std::int64_t key_block() const { return keys <= 384 ? keys : 256; }
        constexpr std::int64_t scores_row() const { return padded_floats(key_block()) + 16; }
        constexpr std::int64_t strips(isa::level l) const { return (rows + gemm_f32_rows(l) - 1) / gemm_f32_rows(l); }
        constexpr std::int64_t blocks(isa::level l) const { return (strips(l) + 4) / 5; }
        constexpr std::int64_t block_start(isa::level l, std::int64_t b) const {
            return std::min(rows, strips(l) * b / std::max<std::int64_t>(1, blocks(l)) * gemm_f32_rows(l));
        }
        constexpr std::int64_t most_rows(isa::level l) const { return std::min(rows, 5 * gemm_f32_rows(l)); }
        constexpr bool packs_v(isa::level l) const {
            return rounds(l) || (gemm_f32_aliases(v.row) && rows > gemm_f32_rows(l));
        }
        constexpr std::int64_t words(isa::level l, std::int64_t k) const {
            return rounds(l) ? (k + 1) / 2 : k;
        }  // of so many elements of a column of K or V
        // Scratch of each part, in floats: K, what is packed of V, the scores of a block, three numbers for each row,
        // rows of Q or of the scores.
        constexpr std::int64_t k_room(isa::level l) const {
            return rows <= few ? 0 : padded_floats(gemm_f32_padded(l, keys) * words(l, size));
        }
        constexpr std::int64_t v_columns(isa::level l) const {
            return gemm_f32_padded(l, packs_v(l) ? value_size : value_size % gemm_f32_width(l));
        }
        constexpr std::int64_t v_room(isa::level l) const { return padded_floats(v_columns(l) * words(l, keys)); }
        constexpr std::int64_t scores_room(isa::level l) const { return most_rows(l) * scores_row(); }
        constexpr std::int64_t q_room(isa::level l) const {
            const bool both = rounds(l);
            return std::max(gemm_f32_scratch(l, {1, 1, size}, q.row, most_rows(l), both),
                            both ? gemm_f32_scratch(l, {1, 1, key_block()}, scores_row(), most_rows(l), both) : 0);
        }
        constexpr std::int64_t room(isa::level l) const {
            return k_room(l) + v_room(l) + scores_room(l) + padded_floats(3 * most_rows(l)) + q_room(l);
        }
    };
    struct state {
        const gemm_f32_table *gemm = nullptr, *bf16 = nullptr;
        const attention_f32_table* table = nullptr;
        isa::level level{};
    };
    static constexpr params prepare(const node_view& n) { return {make(n), n.graph.precision == precision::bfloat16}; }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {0, 4 * threads * p.room(l)};
    }
    static constexpr bool reduced(const params& p) { return p.rounds(isa::level::avx512bf16); }
    static constexpr weight_formats needs(const params& p) { return {true, p.bf16}; }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {&gemm_f32(u.level), nullptr, &attention_f32(u.level), u.level};
        if constexpr (Linked.bf16) s.bf16 = &gemm_bf16(u.level);
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::int64_t blocks = p.blocks(s.level), tasks = p.batches * p.heads * blocks;
        if (p.keys == 0) {
            std::fill_n(a.out<float>(0), p.batches * p.rows * p.heads * p.value_size, 0.f);
            return status::ok;
        }
        const double work =
            double(p.most_rows(s.level)) * double(p.keys) * double(p.size + p.value_size);  // multiplications of a task
        c.split(tasks, std::int64_t(std::max(1., 50'000 / std::max(1., work))),
                [&](std::int64_t first, std::int64_t last, int part) {
                    float* const room = reinterpret_cast<float*>(c.scratch) + part * p.room(s.level);
                    std::int64_t head = -1;  // the one in the part's scratch
                    for (std::int64_t i = first; i < last && !c.stopped(); ++i) {
                        const std::int64_t b = i / blocks / p.heads, h = i / blocks % p.heads;
                        if (head != i / blocks) pack(p, s, a, b, h, room);
                        head = i / blocks;
                        attend(p, s, a, b, h, p.block_start(s.level, i % blocks),
                               p.block_start(s.level, i % blocks + 1), room, c);
                    }
                });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static void pack(const params& p, const state& s, const arguments& a, std::int64_t b, std::int64_t h,
                     float* room) noexcept {
        const float *const k = a.in<float>(1) + p.first(p.k, b, h, 0), *const v =
                                                                           a.in<float>(2) + p.first(p.v, b, h, 0);
        const isa::level l = s.level;
        const gemm_f32_table& gemm = p.rounds(l) ? *s.bf16 : *s.gemm;
        float* const v_room = room + p.k_room(l);
        for (std::int64_t t = 0; t < p.keys; t += p.key_block()) {
            const std::int64_t keys = std::min(p.key_block(), p.keys - t);
            if (p.rows > p.few)
                gemm.pack({k + t * p.k.row, keys, p.k.row, 0, 1, float(p.scale)}, {1, 1, p.size}, 0,
                          gemm_f32_panels(l, keys), room + t * p.words(l, p.size));
            const gemm_f32_source source{v + t * p.v.row, p.value_size, 1, 0, p.v.row};
            float* const to = v_room + p.words(l, t) * p.v_columns(l);
            if (p.packs_v(l))
                gemm.pack(source, {1, 1, keys}, 0, gemm_f32_panels(l, p.value_size), to);
            else
                gemm.pack_tail(source, {1, 1, keys}, to);
        }
    }
    // Rows of Q of one head, and what has been packed of it.
    struct head_rows {
        const params& p;
        const state& s;
        std::int64_t rows;
        const float *q, *k, *v;
        float* y;
        const float *packed_k, *packed_v;
        float *scores, *room;  // room: of copies of Q's rows or of the scores'
        std::int64_t y_row() const { return p.heads * p.value_size; }
        const gemm_f32_table& gemm() const { return p.rounds(s.level) ? *s.bf16 : *s.gemm; }
    };
    // The scores of keys [t, t + keys).
    static void multiply_keys(const head_rows& r, std::int64_t t, std::int64_t keys, context& c) noexcept {
        const params& p = r.p;
        const isa::level l = r.s.level;
        if (p.rows <= p.few) {
            for (std::int64_t i = 0; i < r.rows; ++i)
                r.s.table->dots(r.q + i * p.q.row, r.k + t * p.k.row, p.k.row, keys, p.size, float(p.scale),
                                r.scores + i * p.scores_row());
            return;
        }
        gemm_f32_call call = plain_product(r.q, p.q.row, r.rows, {1, 1, p.size}, {r.packed_k + t * p.words(l, p.size)},
                                           keys, r.scores, p.scores_row());
        call.rounds = p.rounds(l);
        multiply_blocks(r.gemm(), l, call, 0, r.rows, 0, gemm_f32_panels(l, keys), r.room, c);
    }
    // The softened scores of keys [t, t + keys) times their values, added to those of the keys before.
    static void add_values(const head_rows& r, std::int64_t t, std::int64_t keys, context& c) noexcept {
        const params& p = r.p;
        const isa::level l = r.s.level;
        gemm_f32_panels_of_b of_v{r.packed_v + p.words(l, t) * p.v_columns(l)};
        if (!p.packs_v(l)) of_v = {r.v + t * p.v.row, p.v.row, of_v.b};
        gemm_f32_call call =
            plain_product(r.scores, p.scores_row(), r.rows, {1, 1, keys}, of_v, p.value_size, r.y, r.y_row());
        call.add = t > 0 ? r.y : nullptr;
        call.add_row = r.y_row();
        call.rounds = p.rounds(l);
        multiply_blocks(r.gemm(), l, call, 0, r.rows, 0, gemm_f32_panels(l, p.value_size), r.room, c);
    }
    // Rows [row, row_end) of one head.
    static void attend(const params& p, const state& s, const arguments& a, std::int64_t b, std::int64_t h,
                       std::int64_t row, std::int64_t row_end, float* room, context& c) noexcept {
        const isa::level l = s.level;
        const std::int64_t rows = row_end - row, width = p.heads * p.value_size;
        float *const v_room = room + p.k_room(l), *const scores = v_room + p.v_room(l),
                     *const most = scores + p.scores_room(l), *const q_room = most + padded_floats(3 * p.most_rows(l));
        const head_rows head{p,
                             s,
                             rows,
                             a.in<float>(0) + p.first(p.q, b, h, row),
                             a.in<float>(1) + p.first(p.k, b, h, 0),
                             a.in<float>(2) + p.first(p.v, b, h, 0),
                             a.out<float>(0) + (b * p.rows + row) * width + h * p.value_size,
                             room,
                             v_room,
                             scores,
                             q_room};
        attention_f32_rows softened{scores,      p.scores_row(), rows,          0,       nullptr, nullptr,
                                    p.mask.row,  p.mask.column,  float(p.fill), p.fills, true,    most,
                                    most + rows, most + 2 * rows};
        for (std::int64_t t = 0; t < p.keys && !c.stopped(); t += p.key_block()) {
            softened.keys = std::min(p.key_block(), p.keys - t);
            softened.first = t == 0;
            multiply_keys(head, t, softened.keys, c);
            if (p.masked) {
                const std::int64_t at = p.first(p.mask, b, h, row) + t * p.mask.column;
                if constexpr (std::is_same_v<Mask, bool>)
                    softened.truths = a.in<std::uint8_t>(3) + at;
                else
                    softened.add = a.in<float>(3) + at;
            }
            s.table->soften(softened);
            if (t > 0) s.table->scale_rows(head.y, width, rows, p.value_size, softened.shrink);
            add_values(head, t, softened.keys, c);
        }
        s.table->divide_rows(head.y, width, rows, p.value_size, softened.sum);
    }
};
}  // namespace v1
}  // namespace inlay
