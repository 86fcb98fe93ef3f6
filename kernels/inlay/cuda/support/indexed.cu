// What the threads of GatherElements, GatherND, ScatterElements, Scatter and ScatterND do.
#include "moving.cuh"
#include "moving.hpp"
#include "sort.cuh"
#include <inlay/cuda/onnx/gather_elements.hpp>
#include <inlay/cuda/onnx/gather_nd.hpp>
#include <inlay/cuda/onnx/scatter_elements.hpp>
#include <inlay/cuda/onnx/scatter_nd.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// Where index i points in the tensor, in elements; -1: nowhere.
struct element_places {
    index_elements coordinates;
    divider dims[max_rank];
    const void* indices;
    element_places(const index_elements& p, const void* at) : coordinates(p), indices(at) {
        for (int a = 0; a < p.dims.rank; ++a) dims[a] = divider(p.dims[a]);
    }
    INLAY_ON_DEVICE std::int64_t operator()(std::int64_t i) const {
        const std::int64_t k = coordinates.index(indices, i);
        if (k < 0 || k >= coordinates.length) return -1;
        std::int64_t sum = k * coordinates.step;
        for (int a = max_rank - 1; a >= 0; --a)
            if (a < coordinates.dims.rank) sum += (a > 0 ? dims[a].split(i) : i) * coordinates.steps[a];
        return sum;
    }
};
struct row_places {
    index_rows coordinates;
    const std::int64_t* indices;
    divider count;
    std::int64_t batch;
    row_places(const index_rows& rows, const void* at, std::int64_t batch_elements = 0)
        : coordinates(rows), indices(static_cast<const std::int64_t*>(at)), count(rows.count), batch(batch_elements) {}
    INLAY_ON_DEVICE std::int64_t operator()(std::int64_t i) const {
        const std::int64_t sum = coordinates.offset(indices, i);
        return sum < 0 ? sum : sum + count(i) * batch;
    }
};

template <int W, class T, class Places> struct look_up_body {
    Places places;
    divider inner;  // in steps of W elements
    const T* x;
    T* y;
    unsigned* faults;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t row = i;
        const std::int64_t e = inner.split(row) * W, from = places(row);
        if (from >= 0) return store_lanes(y + i * W, load_lanes<W>(x + from + e));
        report(faults, fault::index_out_of_range);
        store_lanes(y + i * W, lanes<T, W>{});
    }
};
struct check_rows {  // where slices are empty, indices are checked all the same
    row_places places;
    unsigned* faults;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        if (places(i) < 0) report(faults, fault::index_out_of_range);
    }
};

constexpr std::uint32_t nowhere = ~std::uint32_t(0);
template <class Places> struct place_keys {
    Places places;
    std::uint32_t* keys;
    std::int32_t* order;
    unsigned* faults;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const std::int64_t at = places(i);
        if (at < 0) report(faults, fault::index_out_of_range);
        keys[i] = at < 0 ? nowhere : std::uint32_t(at);
        order[i] = std::int32_t(i);
    }
};
// Updates in the order of their places, those of one place as they came.
struct sorted_updates {
    std::int64_t count;
    const std::uint32_t* places;
    const std::int32_t* order;
};
template <int W, class T> struct set_body {  // the last update of a place counts
    sorted_updates sorted;
    divider inner;  // in steps of W elements
    const T* updates;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t k = i;
        const std::int64_t e = inner.split(k) * W;
        const std::uint32_t at = sorted.places[k];
        if (at == nowhere || (k + 1 < sorted.count && sorted.places[k + 1] == at)) return;
        store_lanes(y + at + e, load_lanes<W>(updates + sorted.order[k] * std::int64_t(inner.by) * W + e));
    }
};
template <class T> struct join_body {  // the thread of a place's first update handles all
    sorted_updates sorted;
    divider inner;
    scatter_reduction reduction;
    const T* updates;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t k = i;
        const std::int64_t e = inner.split(k);
        const std::uint32_t at = sorted.places[k];
        if (at == nowhere || (k > 0 && sorted.places[k - 1] == at)) return;
        T accumulator = y[at + e];
        with_reduction(reduction, [&](auto join) {
            for (; k < sorted.count && sorted.places[k] == at; ++k)
                accumulator = narrowed<T>(
                    join(widened(accumulator), widened(updates[sorted.order[k] * std::int64_t(inner.by) + e])));
        });
        y[at + e] = accumulator;
    }
};
template <class Places> status sort_places(const Places& places, sorted_updates& sorted, context& c) noexcept {
    const sorted_pairs<std::uint32_t> at{sorted.count};
    std::uint32_t* keys[] = {at.keys_in(c.scratch, 0), at.keys_in(c.scratch, 1)};
    std::int32_t* order[] = {at.indices_in(c.scratch, 0), at.indices_in(c.scratch, 1)};
    if (const status s = launch(c, sorted.count, place_keys<Places>{places, keys[0], order[0], c.faults});
        s != status::ok)
        return s;
    const status s = sort_row(c, keys, order, sorted.count);
    sorted.places = keys[0];
    sorted.order = order[0];
    return s;
}
template <class T> struct unit { using type = T; };  // what is loaded and stored
template <int Bits> struct unit<raw<Bits>> { using type = moved<Bits>; };
}  // namespace
template <int Bits>
status gather_elements_on_cuda<Bits>::run(const params& p, const simple_kernel::state&, const arguments& a,
                                          context& c) noexcept {
    using T = moved<Bits>;
    return launch(c, p.dims.elements(),
                  look_up_body<1, T, element_places>{{p, a.inputs[1]}, divider(1), a.in<T>(0), a.out<T>(0), c.faults});
}
template <int Bits>
status gather_nd_on_cuda<Bits>::run(const params& p, const simple_kernel::state&, const arguments& a,
                                    context& c) noexcept {
    using T = moved<Bits>;
    constexpr int w = full_lanes<T>;
    const row_places places(p.rows, a.inputs[1], p.batch);
    const std::int64_t rows = p.batches * p.rows.count, inner = p.rows.inner;
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    if (inner == 0) return launch(c, rows, check_rows{places, c.faults});
    return launch_lanes<w>(c, rows * inner, inner % w == 0 && is_aligned(x, y),
                           [&]<int W>(std::integral_constant<int, W>) {
                               return look_up_body<W, T, row_places>{places, divider(inner / W), x, y, c.faults};
                           });
}
template <class Plain, class T>
status scatter_on_cuda<Plain, T>::run(const params& p, const simple_kernel::state&, const arguments& a,
                                      context& c) noexcept {
    using U = typename unit<T>::type;
    if (const status s = copy_bytes_on_cuda(a.inputs[0], a.outputs[0], p.count * std::int64_t(sizeof(U)), c);
        s != status::ok || p.updates() == 0)
        return s;
    sorted_updates sorted{p.updates(), nullptr, nullptr};
    std::int64_t inner = 1;
    status s;
    if constexpr (requires { p.indices; })
        s = sort_places(element_places(p.indices, a.inputs[1]), sorted, c);
    else {
        inner = p.rows.inner;
        s = sort_places(row_places(p.rows, a.inputs[1]), sorted, c);
    }
    if (s != status::ok) return s;
    const U* updates = a.in<U>(2);
    U* y = a.out<U>(0);
    if constexpr (joinable<T>)
        return launch(c, sorted.count * inner, join_body<T>{sorted, divider(inner), p.reduction, updates, y});
    else {
        constexpr int w = full_lanes<U>;
        return launch_lanes<w>(c, sorted.count * inner, inner % w == 0 && is_aligned(updates, y),
                               [&]<int W>(std::integral_constant<int, W>) {
                                   return set_body<W, U>{sorted, divider(inner / W), updates, y};
                               });
    }
}
#define INLAY_SCATTER(T) \
    template struct scatter_on_cuda<scatter_elements_kernel<T>, T>; \
    template struct scatter_on_cuda<kernel<op::scatter_nd, device::reference, types<T>>, T>;
#define INLAY_INDEXED(Bits) \
    template struct gather_elements_on_cuda<Bits>; \
    template struct gather_nd_on_cuda<Bits>; \
    INLAY_SCATTER(raw<Bits>)
INLAY_INDEXED(8)
INLAY_INDEXED(16)
INLAY_INDEXED(32)
INLAY_INDEXED(64)
INLAY_INDEXED(128)
#undef INLAY_INDEXED
INLAY_SCATTER(float)
INLAY_SCATTER(double)
INLAY_SCATTER(float16)
INLAY_SCATTER(bfloat16)
INLAY_SCATTER(std::int8_t)
INLAY_SCATTER(std::int16_t)
INLAY_SCATTER(std::int32_t)
INLAY_SCATTER(std::int64_t)
INLAY_SCATTER(std::uint8_t)
INLAY_SCATTER(std::uint16_t)
INLAY_SCATTER(std::uint32_t)
INLAY_SCATTER(std::uint64_t)
#undef INLAY_SCATTER
}  // namespace v1
}  // namespace inlay
