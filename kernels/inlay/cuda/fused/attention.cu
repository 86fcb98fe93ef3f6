// Device code of kernels/inlay/cuda/fused/attention.hpp.
#include "attention.hpp"
#include <inlay/cuda/support/rows.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <class T, class Mask> struct attention_operands {
    using mask_number =
        std::conditional_t<std::is_same_v<Mask, bool>, std::uint8_t, T>;  // a caller's true may be any nonzero value
    attention_params p;
    divider blocks, heads;  // blocks: of rows, in a head
    const T *q, *k, *v;
    const mask_number* mask;
    T* y;
    INLAY_ON_DEVICE float masked(float score, std::int64_t at) const {
        if constexpr (std::is_same_v<Mask, bool>)
            return (mask[at] != 0) == p.fills ? float(p.fill) : score;
        else
            return score + widened(mask[at]);
    }
};
// A team per row of Q: the scores of all keys are kept in scratch.
template <int W, class T, class Mask> struct row_body : attention_operands<T, Mask> {
    struct total {
        float most = -std::numeric_limits<float>::infinity(), sum = 0;
        INLAY_ON_DEVICE static total join(total a, total b) {
            return {a.most > b.most ? a.most : b.most, a.sum + b.sum};
        }
    };
    static constexpr int rounds = 2;
    float* scores;
    INLAY_ON_DEVICE total part(int round, std::int64_t row, team t, total before) const {
        const attention_params& p = this->p;
        float* const row_scores = scores + row * p.keys;
        std::int64_t b = row;
        const std::int64_t i = this->blocks.split(b), h = this->heads.split(b);
        const T *const q = this->q + p.first(p.q, b, h, i), *const k = this->k + p.first(p.k, b, h, 0);
        total accumulator = before;
        for (std::int64_t key = t.rank; key < p.keys; key += t.size) {
            if (round == 1) {
                row_scores[key] = std::exp(row_scores[key] - before.most);
                accumulator.sum += row_scores[key];
                continue;
            }
            float dot = 0;
            over_row<W>(k + key * p.k.row, p.size, team{0, 1}, [&](std::int64_t d, const lanes<T, W>& of_k) {
                const auto of_q = load_lanes<W>(q + d);
                for (int e = 0; e < W; ++e) dot += widened(of_q.at[e]) * widened(of_k.at[e]);
            });
            const float score = p.masked
                                    ? this->masked(dot * float(p.scale), p.first(p.mask, b, h, i) + key * p.mask.column)
                                    : dot * float(p.scale);
            row_scores[key] = score;
            if (score > accumulator.most) accumulator.most = score;
        }
        return accumulator;
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t,
                                total reduction) const {  // reads what other threads of the block have written
        const attention_params& p = this->p;
        std::int64_t b = row;
        const std::int64_t i = this->blocks.split(b), h = this->heads.split(b);
        const T* const v = this->v + p.first(p.v, b, h, 0);
        const float* const row_scores = scores + row * p.keys;
        for (std::int64_t d = t.rank; d < p.value_size; d += t.size) {
            float result = 0;
            for (std::int64_t key = 0; key < p.keys; ++key) result += row_scores[key] * widened(v[key * p.v.row + d]);
            this->y[((b * p.rows + i) * p.heads + h) * p.value_size + d] =
                narrowed<T>(p.keys == 0 ? 0 : result / reduction.sum);
        }
    }
};
// Phases: Q; then for each tile of keys: K, scores, V and maxima, exponentials, their matmul with V; then the result.
// Thread (w, lane) has rows w, w + 8, ... and key `lane` of the scores, columns lane, lane + 32, ... of the result.
template <int Size, class T, class Mask> struct attention_body : attention_operands<T, Mask> {
    static constexpr int threads = 256, side = 32, across = threads / side, own_rows = side / across,
                         own_columns = Size / side, per_tile = 5;
    static constexpr int share = side / across;  // keys of a row whose exponentials are one thread's
    struct shared {
        alignas(16) float q[side][Size + 4], kv[side][Size + 4], scores[side][side + 4];
        float most[side], next_most[side], sum[side], shrink[side], maxima[side][across + 1], sums[side][across + 1];
    };
    struct local {
        float values[own_rows][own_columns] = {};
    };
    INLAY_ON_DEVICE int phases(std::int64_t) const { return 2 + per_tile * int((this->p.keys + side - 1) / side); }
    INLAY_ON_DEVICE static void load(float (&to)[side][Size + 4], const T* from, std::int64_t step, std::int64_t rows,
                                     std::int64_t size, int thread) {
        for (int i = thread; i < side * Size; i += threads) {
            const int r = i / Size, d = i % Size;
            to[r][d] = r < rows && d < size ? widened(from[r * step + d]) : 0;
        }
    }
    // A thread's position: the head's batch and number, the block's rows, its place among the threads.
    struct place {
        std::int64_t b, h, first_row, rows;
        int thread;
        INLAY_ON_DEVICE int lane() const { return thread % side; }
        INLAY_ON_DEVICE int warp() const { return thread / side; }
        // Whose maxima and exponentials are this thread's.
        INLAY_ON_DEVICE int row() const { return thread / across; }
        INLAY_ON_DEVICE int part() const { return thread % across; }
    };
    INLAY_ON_DEVICE void operator()(int phase, std::int64_t block, int thread, local& locals, shared& s) const {
        const attention_params& p = this->p;
        std::int64_t b = block;
        const std::int64_t first_row = this->blocks.split(b) * side, h = this->heads.split(b);
        const place at{b, h, first_row, p.rows - first_row, thread};
        if (phase == 0) {
            load(s.q, this->q + p.first(p.q, b, h, first_row), p.q.row, at.rows, p.size, thread);
            if (thread < side) s.most[thread] = -std::numeric_limits<float>::infinity(), s.sum[thread] = 0;
            return;
        }
        if (phase == phases(block) - 1) return store(at, locals, s);
        const std::int64_t first = std::int64_t((phase - 1) / per_tile) * side, keys = p.keys - first;
        switch ((phase - 1) % per_tile) {
            case 0: return load(s.kv, this->k + p.first(p.k, b, h, first), p.k.row, keys, p.size, thread);
            case 1: return make_scores(at, first, keys, s);
            case 2:
                load(s.kv, this->v + p.first(p.v, b, h, first), p.v.row, keys, p.value_size, thread);
                return find_maxima(at, keys, s);
            case 3: return make_powers(at, keys, s);
            default: return add_values(at, locals, s);
        }
    }
    INLAY_ON_DEVICE void make_scores(const place& at, std::int64_t first, std::int64_t keys, shared& s) const {
        const attention_params& p = this->p;
        const int lane = at.lane(), w = at.warp();
        float dot[own_rows] = {};
        for (int d = 0; d < Size; d += 4) {
            const auto of_k = load_lanes<4>(&s.kv[lane][d]);
            for (int j = 0; j < own_rows; ++j) {
                const auto of_q = load_lanes<4>(&s.q[w + j * across][d]);
                for (int e = 0; e < 4; ++e) dot[j] += of_q.at[e] * of_k.at[e];
            }
        }
        for (int j = 0; j < own_rows; ++j) {
            const int r = w + j * across;
            float score = dot[j] * float(p.scale);
            if (p.masked && r < at.rows && lane < keys)
                score =
                    this->masked(score, p.first(p.mask, at.b, at.h, at.first_row + r) + (first + lane) * p.mask.column);
            s.scores[r][lane] = score;
        }
    }
    INLAY_ON_DEVICE static void find_maxima(const place& at, std::int64_t keys, shared& s) {
        float most = -std::numeric_limits<float>::infinity();
        for (int e = 0; e < share; ++e)
            if (const int t = at.part() * share + e; t < keys && s.scores[at.row()][t] > most)
                most = s.scores[at.row()][t];
        s.maxima[at.row()][at.part()] = most;
    }
    INLAY_ON_DEVICE static void make_powers(const place& at, std::int64_t keys, shared& s) {
        const int row = at.row(), part = at.part();
        float most = s.most[row], sum = 0;
        for (int e = 0; e < across; ++e)
            if (s.maxima[row][e] > most) most = s.maxima[row][e];
        // none yet: these keys are ignored, or are all keys
        const bool is_masked = most == -std::numeric_limits<float>::infinity();
        for (int e = 0; e < share; ++e) {
            const int t = part * share + e;
            const float score = s.scores[row][t],
                        x = t < keys && !(is_masked && score == most) ? std::exp(score - most) : 0;
            s.scores[row][t] = x;
            sum += x;
        }
        s.sums[row][part] = sum;
        if (part == 0) s.next_most[row] = most, s.shrink[row] = is_masked ? 1 : std::exp(s.most[row] - most);
    }
    INLAY_ON_DEVICE static void add_values(const place& at, local& locals, shared& s) {
        const int row = at.row(), lane = at.lane(), w = at.warp();
        if (at.part() == 0) {
            float sum = s.sum[row] * s.shrink[row];
            for (int e = 0; e < across; ++e) sum += s.sums[row][e];
            s.sum[row] = sum;
            s.most[row] = s.next_most[row];
        }
        for (int j = 0; j < own_rows; ++j)
            for (int e = 0; e < own_columns; ++e) locals.values[j][e] *= s.shrink[w + j * across];
        for (int t = 0; t < side; t += 4) {
            float of_v[4][own_columns];
            for (int i = 0; i < 4; ++i)
                for (int e = 0; e < own_columns; ++e) of_v[i][e] = s.kv[t + i][lane + e * side];
            for (int j = 0; j < own_rows; ++j) {
                const auto weights = load_lanes<4>(&s.scores[w + j * across][t]);
                for (int i = 0; i < 4; ++i)
                    for (int e = 0; e < own_columns; ++e) locals.values[j][e] += weights.at[i] * of_v[i][e];
            }
        }
    }
    INLAY_ON_DEVICE void store(const place& at, const local& locals, const shared& s) const {
        const attention_params& p = this->p;
        for (int j = 0; j < own_rows; ++j)
            for (int e = 0; e < own_columns; ++e) {
                const int r = at.warp() + j * across, column = at.lane() + e * side;
                if (r < at.rows && column < p.value_size)
                    this->y[((at.b * p.rows + at.first_row + r) * p.heads + at.h) * p.value_size + column] =
                        narrowed<T>(p.keys == 0 ? 0 : locals.values[j][e] / s.sum[r]);
            }
    }
};
}  // namespace
template <class T, class Mask>
status attention_on_cuda<T, Mask>::run(const params& p, const state& s, const arguments& a, context& c) noexcept {
    if constexpr (of_library)
        if (s.library && p.fits_library()) {
            const status result = run_attention(p, *s.library, a.inputs[0], a.inputs[1], a.inputs[2],
                                                p.masked ? a.inputs[3] : nullptr, a.outputs[0], c);
            if (result != status::unsupported) return result;
        }
    const std::int64_t blocks = by_rows(p) ? p.rows : (p.rows + 31) / 32, block_count = p.batches * p.heads * blocks;
    using operands = attention_operands<T, Mask>;
    const operands base{p,
                        divider(blocks),
                        divider(p.heads),
                        a.in<T>(0),
                        a.in<T>(1),
                        a.in<T>(2),
                        p.masked ? a.in<typename operands::mask_number>(3) : nullptr,
                        a.out<T>(0)};
    if (by_rows(p)) {
        bool wide = is_aligned(base.q, base.k);
        for (const auto& o : {p.q, p.k}) wide = wide && (o.batch | o.head | o.row | o.at | p.size) % 4 == 0;
        auto* scores = reinterpret_cast<float*>(c.scratch);
        constexpr std::int64_t long_rows = 1025;  // a block each, whose barriers make the scores visible in it
        return wide ? launch_rows(c, block_count, long_rows, row_body<4, T, Mask>{base, scores})
                    : launch_rows(c, block_count, long_rows, row_body<1, T, Mask>{base, scores});
    }
    const auto start = [&]<int Size>(std::integral_constant<int, Size>) noexcept {
        return launch_blocks(c, block_count, attention_body<Size, T, Mask>{base});
    };
    const std::int64_t size = std::max(p.size, p.value_size);
    return size <= 32   ? start(std::integral_constant<int, 32>{})
           : size <= 64 ? start(std::integral_constant<int, 64>{})
                        : start(std::integral_constant<int, 128>{});
}
template struct attention_on_cuda<float, float>;
template struct attention_on_cuda<float, bool>;
template struct attention_on_cuda<float16, float16>;
template struct attention_on_cuda<float16, bool>;
template struct attention_on_cuda<bfloat16, bfloat16>;
template struct attention_on_cuda<bfloat16, bool>;
}  // namespace v1
}  // namespace inlay
