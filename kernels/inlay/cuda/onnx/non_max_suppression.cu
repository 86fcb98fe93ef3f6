// Device code of kernels/inlay/cuda/onnx/non_max_suppression.hpp.
#include "non_max_suppression.hpp"
#include <inlay/cuda/support/read_back.cuh>

namespace inlay {
inline namespace v1 {
namespace {
using namespace suppression;

struct corners_body {
    corner_list corners;
    const float* boxes;
    bool centred;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const { set_corners(corners, i, boxes + 4 * i, centred); }
};
INLAY_ON_DEVICE bool overlap(const corner_list& corners, std::int64_t i, std::int64_t k,
                             float threshold) {  // as overlaps() says it
    const float area = corners.row(4)[i], other_area = corners.row(4)[k];
    const float w = std::min(corners.row(1)[i], corners.row(1)[k]) - std::max(corners.row(0)[i], corners.row(0)[k]),
                h = std::min(corners.row(3)[i], corners.row(3)[k]) - std::max(corners.row(2)[i], corners.row(2)[k]);
#ifdef __CUDA_ARCH__
    const float common = __fmul_rn(w, h);  // rounded before it is subtracted, as on the host
#else
    const float common = w * h;
#endif
    const float either = area + other_area - common;
    return w > 0 && h > 0 && common > 0 && area > 0 && other_area > 0 && either > 0 && common / either > threshold;
}
// Phases: keys of the candidates; then for each box the best of each of 16 parts, and the best of those, which removes
// others. Key 0: none, or removed.
struct choice_body {
    static constexpr int threads = 256, parts = 16;
    struct shared {
        std::uint64_t best[threads], best_of_part[parts];
    };
    struct local {
        std::int64_t count = 0;
    };
    params p;
    corner_list corners;
    const float *scores, *threshold, *least;  // the last two may be null
    const std::int64_t* limit;
    std::uint64_t* keys;
    std::int32_t* selected_indices;
    std::int64_t* counts;
    INLAY_ON_DEVICE int phases(std::int64_t) const { return 1 + 2 * int(std::clamp(*limit, std::int64_t(0), p.most)); }
    INLAY_ON_DEVICE void operator()(int phase, std::int64_t list, int thread, local& locals, shared& s) const {
        std::uint64_t* const left = keys + list * p.boxes;
        std::uint64_t best = 0, selected_key = 0;
        if (phase % 2 == 1) {
            if (thread >= parts) return;
            for (int t = thread * (threads / parts); t < (thread + 1) * (threads / parts); ++t)
                best = std::max(best, s.best[t]);
            s.best_of_part[thread] = best;
            return;
        }
        const std::int64_t first_box = list / p.classes * p.boxes;
        if (phase > 0) {
            for (int t = 0; t < parts; ++t) selected_key = std::max(selected_key, s.best_of_part[t]);
            if (!selected_key) return;  // from now on `best` is neither written nor needed
            if (thread == 0) selected_indices[list * p.most + locals.count++] = std::int32_t(index_of(selected_key));
        }
        for (std::int64_t i = thread; i < p.boxes; i += threads) {
            if (phase == 0) {
                const float score = scores[list * p.boxes + i];
                left[i] = !least || score > *least ? key_of(score, i) : 0;
            } else if (left[i] &&
                       (left[i] == selected_key || overlap(corners, first_box + i, first_box + index_of(selected_key),
                                                           threshold ? *threshold : 0)))
                left[i] = 0;
            best = std::max(best, left[i]);
        }
        s.best[thread] = best;
        if (thread == 0) counts[list] = locals.count;
    }
};
struct begins_body {  // prefix sums of the counts; few lists, so that one thread is enough
    std::int64_t lists;
    std::int64_t* counts;
    INLAY_ON_DEVICE void operator()(std::int64_t) const {
        std::int64_t sum = 0;
        for (std::int64_t list = 0; list < lists; ++list) {
            const std::int64_t count = counts[list];
            counts[list] = sum;
            sum += count;
        }
        counts[lists] = sum;
    }
};
struct rows_body {
    divider most;
    std::int64_t classes;
    const std::int64_t* begins;
    const std::int32_t* selected_indices;
    std::int64_t* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t list = i;
        const std::int64_t k = most.split(list), row = begins[list] + k;
        if (row >= begins[list + 1]) return;
        y[row * 3] = list / classes;
        y[row * 3 + 1] = list % classes;
        y[row * 3 + 2] = selected_indices[i];
    }
};
}  // namespace

status kernel<op::non_max_suppression, device::cuda, types<float>>::run(const params& p, const state&,
                                                                        const arguments& a, context& c) noexcept {
    const places at(p);
    const std::int64_t lists = p.batches * p.classes;
    const corner_list corners{reinterpret_cast<float*>(c.scratch), p.batches * p.boxes};
    auto* selected_indices = reinterpret_cast<std::int32_t*>(c.scratch + at.selected_indices);
    auto* begins = reinterpret_cast<std::int64_t*>(c.scratch + at.begins);
    std::int64_t total = 0;
    if (p.limited && p.most > 0 && lists > 0) {
        status s = launch(c, p.batches * p.boxes, corners_body{corners, a.in<float>(0), p.centred});
        if (s == status::ok)
            s = launch_blocks(
                c, lists,
                choice_body{p, corners, a.in<float>(1), p.overlapping ? a.in<float>(3) : nullptr,
                            p.scored ? a.in<float>(4) : nullptr, a.in<std::int64_t>(2),
                            reinterpret_cast<std::uint64_t*>(c.scratch + at.keys), selected_indices, begins});
        if (s == status::ok) s = launch(c, 1, begins_body{lists, begins});
        if (s == status::ok) s = read_back(c, begins + lists, total);
        if (s != status::ok) return s;
    }
    auto* y = c.output<std::int64_t>(0, {total, 3});
    if (!y && total > 0) return c.fail("no memory for the chosen boxes", status::out_of_memory);
    return total > 0 ? launch(c, lists * p.most, rows_body{divider(p.most), p.classes, begins, selected_indices, y})
                     : status::ok;
}
}  // namespace v1
}  // namespace inlay
