// NonMaxSuppression (since 10): per batch and class the boxes with the highest scores, none of which overlaps a chosen
// one by more than iou_threshold (intersection / union). Rows of the output: batch, class, box; by falling score, equal
// scores by rising index.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/on_device.hpp>
#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace op {
struct non_max_suppression : standard {
    static constexpr std::string_view onnx_name = "NonMaxSuppression";
    static constexpr version_range versions{10, 11};
    static constexpr auto elements = each_type<float>;
    static constexpr int required_inputs = 2;
    static constexpr bool data_dependent = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape boxes = n.input(0).dims, scores = n.input(1).dims;
        const auto differ = [](std::int64_t a, std::int64_t b) { return a >= 0 && b >= 0 && a != b; };
        if ((boxes.rank >= 0 && boxes.rank != 3) || (scores.rank >= 0 && scores.rank != 3))
            return no("boxes and scores have three dimensions");
        if (boxes.rank == 3 && differ(boxes[2], 4)) return no("a box has four coordinates");
        if (boxes.rank == 3 && scores.rank == 3 && (differ(boxes[0], scores[0]) || differ(boxes[1], scores[2])))
            return no("boxes and scores differ in batches or boxes");
        constexpr element kinds[] = {element::f32, element::f32, element::i64, element::f32, element::f32};
        for (int k = 0; k < n.input_count() && k < 5; ++k)
            if (n.has_input(k) && n.input(k).type != kinds[k])
                return no("an input is not of its type: float, the limit int64");
        for (int k = 2; k < n.input_count(); ++k)
            if (n.has_input(k) && n.input(k).dims.known() && n.input(k).dims.elements() > 1)
                return no("a limit or threshold is one number");
        if (boxes.rank == 3 && (double(boxes[0]) * double(boxes[1]) >= 0x1p40 || boxes[1] >= std::int64_t(1) << 31))
            return no("too many boxes");
        if (scores.rank == 3 && double(scores[0]) * double(scores[1]) * double(scores[2]) >= 0x1p40)
            return no("too many scores");
        y[0] = {-1, 3};
        return yes();
    }
    static constexpr element output_type(const node_view&, int) { return element::i64; }
    static constexpr void bounds(const node_view& n, std::span<shape> y) {
        const auto limit = n.has_input(2) ? n.input_integers(2) : std::span<const std::int64_t>{};
        if (!limit || (n.has_input(2) && limit->size() != 1)) return;
        const shape& scores = n.input(1).dims;
        const std::int64_t per_class = limit->empty() ? 0 : std::clamp<std::int64_t>((*limit)[0], 0, scores[2]);
        y[0] = {scores[0] * scores[1] * per_class, 3};
    }
};
}  // namespace op

namespace suppression {
// Greater keys are chosen first: the score above, the complement of the index below.
INLAY_ON_DEVICE inline std::uint64_t key_of(float score, std::int64_t i) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(
        score == score ? score + 0.f : -std::numeric_limits<float>::infinity());  // NaN comes last, -0 equals 0
    const std::uint32_t order = bits >> 31 ? ~bits : bits | 0x80000000u;
    return std::uint64_t(order) << 32 | std::uint32_t(~std::uint32_t(i));
}
constexpr std::int64_t index_of(std::uint64_t key) { return std::uint32_t(~std::uint32_t(key)); }

inline constexpr std::int64_t group = 16;  // chosen boxes that one test compares at once
struct corner_list {                       // of boxes: five rows of `stride` numbers
    float* data;
    std::int64_t stride;
    constexpr float* row(int r) const { return data + r * stride; }
};
INLAY_ON_DEVICE inline void set_corners(const corner_list& c, std::int64_t i, const float* b, bool centred) noexcept {
    float x1, x2, y1, y2;
    if (centred) {
        const float w = b[2] / 2, h = b[3] / 2;
        x1 = b[0] - w;
        x2 = b[0] + w;
        y1 = b[1] - h;
        y2 = b[1] + h;
    } else {
        y1 = std::min(b[0], b[2]);
        y2 = std::max(b[0], b[2]);
        x1 = std::min(b[1], b[3]);
        x2 = std::max(b[1], b[3]);
    }
    c.row(0)[i] = x1;
    c.row(1)[i] = x2;
    c.row(2)[i] = y1;
    c.row(3)[i] = y2;
    c.row(4)[i] = (x2 - x1) * (y2 - y1);
}
// Whether box i of `boxes` overlaps one of the first `count` of `selection`, whose rows are filled up to whole groups.
inline bool overlaps(const corner_list& boxes, std::int64_t i, const corner_list& selection, std::int64_t count,
                     float threshold) noexcept {
    const float x1 = boxes.row(0)[i], x2 = boxes.row(1)[i], y1 = boxes.row(2)[i], y2 = boxes.row(3)[i],
                area = boxes.row(4)[i];
    if (!(area > 0)) return false;
    for (std::int64_t first = 0; first < count; first += group) {
        int hit = 0;
        for (std::int64_t k = first; k < first + group; ++k) {
            const float w = std::min(x2, selection.row(1)[k]) - std::max(x1, selection.row(0)[k]),
                        h = std::min(y2, selection.row(3)[k]) - std::max(y1, selection.row(2)[k]);
            const float other_area = selection.row(4)[k], common = w * h, either = area + other_area - common;
            hit |= (w > 0) & (h > 0) & (common > 0) & (other_area > 0) & (either > 0) & (common / either > threshold);
        }
        if (hit) return true;
    }
    return false;
}

struct params {
    std::int64_t batches, boxes, classes, most;  // most: boxes chosen per class, as far as known
    bool centred, limited, overlapping, scored;  // the last three: which of the optional inputs are given
};
constexpr std::int64_t rounded_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }
// Scratch: corners of all boxes, counts and chosen indices per batch and class; then per thread keys and chosen
// corners.
struct places {
    std::int64_t corners, counts, selected_indices, threads, per_thread, keys_bytes;
    constexpr places(const params& p) {
        corners = 0;
        counts = rounded_up(p.batches * p.boxes * 5 * 4, 64);
        selected_indices = counts + rounded_up(p.batches * p.classes * 8, 64);
        threads = selected_indices + rounded_up(p.batches * p.classes * p.most * 4, 64);
        keys_bytes = rounded_up(p.boxes * 8, 64);
        per_thread = keys_bytes + rounded_up(p.most, group) * 5 * 4;
    }
};
// What is chosen of each list: of one batch and class.
struct selection {
    const params& p;
    const float* scores;
    std::int64_t limit;
    float threshold, least;
    corner_list box_corners;
    std::int64_t* counts;
    std::int32_t* selected_indices;

    // The keys of a list's candidates; returns how many there are.
    std::int64_t list_keys(std::int64_t list, std::uint64_t* keys) const noexcept {
        const float* list_scores = scores + list * p.boxes;
        std::int64_t candidates = 0;
        for (std::int64_t first = 0; first < p.boxes; first += group) {
            const std::int64_t end = std::min(first + group, p.boxes);
            int any = !p.scored;
            for (std::int64_t i = first; i < end; ++i) any |= list_scores[i] > least;
            if (any)
                for (std::int64_t i = first; i < end; ++i) {
                    keys[candidates] = key_of(list_scores[i], i);
                    candidates += !p.scored || list_scores[i] > least;
                }
        }
        return candidates;
    }
    // corners: space for those of the chosen boxes.
    void choose(std::int64_t list, std::uint64_t* keys, const corner_list& corners) const noexcept {
        const std::int64_t first_box = list / p.classes * p.boxes, candidates = list_keys(list, keys);
        std::int64_t count = 0;
        // Sorted piece by piece, as most lists are full long before their candidates end.
        for (std::int64_t begin = 0, piece = 256; begin < candidates && count < limit; piece *= 4) {
            const std::int64_t end = std::min(begin + piece, candidates);
            if (end < candidates) std::nth_element(keys + begin, keys + end, keys + candidates, std::greater<>{});
            std::sort(keys + begin, keys + end, std::greater<>{});
            for (; begin < end && count < limit; ++begin) {
                const std::int64_t i = index_of(keys[begin]), box = first_box + i;
                if (overlaps(box_corners, box, corners, count, threshold)) continue;
                if (count % group == 0)
                    for (int r = 0; r < 5; ++r) std::fill_n(corners.row(r) + count, group, 0.f);
                for (int r = 0; r < 5; ++r) corners.row(r)[count] = box_corners.row(r)[box];
                selected_indices[list * p.most + count++] = std::int32_t(i);
            }
            begin = end;
        }
        counts[list] = count;
    }
};
}  // namespace suppression

template <> struct kernel<op::non_max_suppression, device::reference, types<float>> : simple_kernel {
    using params = suppression::params;
    static constexpr params prepare(const node_view& n) {
        const shape boxes = n.input(0).dims, scores = n.input(1).dims;
        const auto present = [&](int k) { return n.has_input(k) && n.input(k).dims.elements() == 1; };
        params p{boxes[0],   boxes[1],   scores[1], present(2) ? boxes[1] : 0, n.integer("center_point_box", 0) != 0,
                 present(2), present(3), present(4)};
        if (const auto limit = present(2) ? n.input_integers(2) : std::nullopt)
            p.most = std::clamp(limit->front(), std::int64_t(0), p.most);
        return p;
    }
    static constexpr verdict supports(const node_view& n) {
        const auto centred = n.integer("center_point_box", 0);
        return centred == 0 || centred == 1 ? yes() : no("center_point_box is neither 0 nor 1");
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        const suppression::places at(p);
        return {0, at.threads + at.per_thread * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using namespace suppression;
        const places at(p);
        const selection s{p,
                          a.in<float>(1),
                          p.limited ? std::clamp(a.in<std::int64_t>(2)[0], std::int64_t(0), p.most) : 0,
                          p.overlapping ? a.in<float>(3)[0] : 0.f,
                          p.scored ? a.in<float>(4)[0] : 0.f,
                          {reinterpret_cast<float*>(c.scratch + at.corners), p.batches * p.boxes},
                          reinterpret_cast<std::int64_t*>(c.scratch + at.counts),
                          reinterpret_cast<std::int32_t*>(c.scratch + at.selected_indices)};
        if (s.limit > 0) {
            c.split(p.batches * p.boxes, 4096, [&](std::int64_t first, std::int64_t end, int) noexcept {
                for (std::int64_t i = first; i < end; ++i)
                    set_corners(s.box_corners, i, a.in<float>(0) + 4 * i, p.centred);
            });
            c.split(p.batches * p.classes, 1, [&](std::int64_t first, std::int64_t end, int part) noexcept {
                std::byte* scratch = c.scratch + at.threads + at.per_thread * part;
                const corner_list corners{reinterpret_cast<float*>(scratch + at.keys_bytes), rounded_up(p.most, group)};
                for (std::int64_t list = first; list < end && !c.stopped(); ++list)
                    s.choose(list, reinterpret_cast<std::uint64_t*>(scratch), corners);
            });
            if (c.stopped()) return c.fail("", status::stopped);
        } else
            std::fill_n(s.counts, p.batches * p.classes, std::int64_t(0));

        std::int64_t total = 0;
        for (std::int64_t list = 0; list < p.batches * p.classes; ++list) total += s.counts[list];
        auto* y = c.output<std::int64_t>(0, {total, 3});
        if (!y && total > 0) return c.fail("no memory for the chosen boxes", status::out_of_memory);
        for (std::int64_t list = 0; list < p.batches * p.classes; ++list)
            for (std::int64_t k = 0; k < s.counts[list]; ++k, y += 3) {
                y[0] = list / p.classes;
                y[1] = list % p.classes;
                y[2] = s.selected_indices[list * p.most + k];
            }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
