// Matmul by a kernel of our own, in the place of a library's: tiles of 64 x 64 results, a block each, and
// 4 x 4 of them a thread's, over steps of 16 in shared memory; sums are floats, and all that follows is done with them.
// Limit: the device's rate of multiplications without matrix units.
#include "upload.hpp"
#include <inlay/cuda/support/launch.cuh>
#include <inlay/cuda/support/product.hpp>

namespace inlay {
inline namespace v1 {
namespace {
template <class T> struct product_body {
    static constexpr int threads = 256, side = 64, depth = 16, results = 4, loads = side * depth / threads;
    struct shared {
        float a[depth][side], b[depth][side];
    };
    struct local {
        float sum[results][results];
    };
    product_shape p;
    const T *a, *b, *c, *bias;
    T* d;
    finishing rest;
    divider tiles_m, tiles_n;
    struct place {
        std::int64_t batch, row, column;
    };
    INLAY_ON_DEVICE place first_of(std::int64_t block) const {
        std::int64_t batch = block;
        const std::int64_t column = tiles_n.split(batch), row = tiles_m.split(batch);
        return {batch, row * side, column * side};
    }
    INLAY_ON_DEVICE std::int64_t steps() const { return (p.k + depth - 1) / depth; }
    INLAY_ON_DEVICE int phases(std::int64_t) const { return int(2 * steps()); }
    INLAY_ON_DEVICE static float given(bool in_range, const T* from, std::int64_t at) {
        return in_range ? float(widened(from[at])) : 0;
    }
    INLAY_ON_DEVICE void load(const place& at, std::int64_t first, int thread, shared& room) const {
        for (int l = 0; l < loads; ++l) {  // neighbours read what lies side by side
            const int e = thread + l * threads, along = e % depth, across = e / depth;
            const int ka = p.trans_a ? e / side : along, ma = p.trans_a ? e % side : across;
            const int kb = p.trans_b ? along : e / side, nb = p.trans_b ? across : e % side;
            const std::int64_t row = at.row + ma, column = at.column + nb;
            const T* const from_a = a + at.batch * p.a_step;
            const T* const from_b = b + at.batch * p.b_step;
            const std::int64_t at_a = p.trans_a ? (first + ka) * p.a_row + row : row * p.a_row + first + ka;
            const std::int64_t at_b = p.trans_b ? column * p.b_row + first + kb : (first + kb) * p.b_row + column;
            room.a[ka][ma] = given(row < p.m && first + ka < p.k, from_a, at_a);
            room.b[kb][nb] = given(column < p.n && first + kb < p.k, from_b, at_b);
        }
    }
    INLAY_ON_DEVICE void finish(const place& at, std::int64_t row, std::int64_t column, float sum) const {
        const std::int64_t to = at.batch * p.d_step + row * p.d_row + column, line = at.batch * p.m + row;
        float y = p.alpha * sum;
        if (c) y += p.beta * widened(c[to]);
        if (bias) y += widened(bias[column]);
        if (rest.c) y += rest.beta * widened(static_cast<const T*>(rest.c)[line * rest.c_row + column * rest.c_column]);
        if (rest.addend) y += widened(static_cast<const T*>(rest.addend)[line * p.n + column]);
        d[to] = narrowed<T>(p.activation(y));
    }
    INLAY_ON_DEVICE void operator()(int phase, std::int64_t block, int thread, local& registers, shared& room) const {
        const place at = first_of(block);
        if (phase % 2 == 0) return load(at, std::int64_t(phase / 2) * depth, thread, room);
        const int row = thread / (side / results) * results, column = thread % (side / results) * results;
        for (int k = 0; k < depth; ++k)
            for (int i = 0; i < results; ++i)
                for (int j = 0; j < results; ++j) registers.sum[i][j] += room.a[k][row + i] * room.b[k][column + j];
        if (phase + 1 < phases(block)) return;
        for (int i = 0; i < results; ++i)
            for (int j = 0; j < results; ++j)
                if (at.row + row + i < p.m && at.column + column + j < p.n)
                    finish(at, at.row + row + i, at.column + column + j, registers.sum[i][j]);
    }
};
}  // namespace

status bound_product::bind(const product_shape& p, const void* b, std::int64_t elements, const setup& u) noexcept try {
    if (!b) return status::ok;
    const auto weights = std::make_shared<const tensor>(upload(tensor::borrow(p.type, {elements}, b)));
    b_ = std::shared_ptr<const void>(weights, weights->data());
    return status::ok;
} catch (const error& e) {
    if (u.failure) *u.failure = e;
    return status::out_of_memory;
} catch (...) {
    return status::out_of_memory;
}

status bound_product::run(const product_shape& p, const void* a, const void* b, std::int64_t first, const void* c,
                          const void* bias, void* d, context& x, const finishing& rest, std::size_t) const noexcept {
    return for_float_type(p.type, [&]<class T>(T) noexcept {
        using body = product_body<T>;
        const auto of = [](const void* from) { return static_cast<const T*>(from); };
        const std::int64_t tiles_m = (p.m + body::side - 1) / body::side, tiles_n = (p.n + body::side - 1) / body::side;
        return launch_blocks(x, p.batches * tiles_m * tiles_n,
                             body{p, of(a), of(b_ ? b_.get() : b) + first, of(c), of(bias), static_cast<T*>(d), rest,
                                  divider(tiles_m), divider(tiles_n)});
    });
}
}  // namespace v1
}  // namespace inlay
