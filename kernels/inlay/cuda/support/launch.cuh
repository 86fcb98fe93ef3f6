// How CUDA kernels are written and started. A kernel is a body: a trivially copyable functor. nvcc launches it on
// context::stream; every other compiler runs the same body on the host, over the same grid and blocks, so that tests
// without a GPU check what threads compute and where they read and write.
//
//   launch(c, count, body)           body(i) for 0 <= i < count, in no order
//   launch_rows(c, rows, n, body)    a team per row of about n elements: a warp, or a block. Each thread reduces its
//                                    share, the team joins the totals, once per round; then each thread finishes
//   launch_blocks(c, blocks, body)   blocks of threads with shared memory, in phases between barriers
#pragma once
#include <inlay/sdk/kernel.hpp>
#include <inlay/support/fault.hpp>
#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace inlay {
inline namespace v1 {
// Memory-bound kernels move 16 bytes at a time where addresses and lengths allow.
template <class T, int N> struct alignas(N * sizeof(T)) lanes { T at[N]; };
template <class... T> inline constexpr int full_lanes = 16 / int(std::max({sizeof(T)...}));
#ifdef __CUDACC__  // the types that nvcc loads and stores by one instruction; structs are split
template <int Bytes> struct one_access { using type = unsigned char; };
template <> struct one_access<2> { using type = unsigned short; };
template <> struct one_access<4> { using type = unsigned; };
template <> struct one_access<8> { using type = ::uint2; };
template <> struct one_access<16> { using type = ::uint4; };
#endif
template <int N, class T> INLAY_ON_DEVICE lanes<T, N> load_lanes(const T* p) {
    lanes<T, N> v;
#ifdef __CUDA_ARCH__
    using word = typename one_access<int(N * sizeof(T))>::type;
    static_assert(sizeof(word) == sizeof v);
    const word whole = *reinterpret_cast<const word*>(p);
    std::memcpy(&v, &whole, sizeof v);
#else
    std::memcpy(&v, p, sizeof v);
#endif
    return v;
}
template <class T, int N> INLAY_ON_DEVICE void store_lanes(T* p, const lanes<T, N>& v) {
#ifdef __CUDA_ARCH__
    using word = typename one_access<int(N * sizeof(T))>::type;
    static_assert(sizeof(word) == sizeof v);
    word whole;
    std::memcpy(&whole, &v, sizeof v);
    *reinterpret_cast<word*>(p) = whole;
#else
    std::memcpy(p, &v, sizeof v);
#endif
}
template <int W, class T> INLAY_ON_DEVICE lanes<T, W> operand_lanes(const T* x, bool side_by_side) {
    if (side_by_side) return load_lanes<W>(x);
    lanes<T, W> v;
    for (int k = 0; k < W; ++k) v.at[k] = *x;
    return v;
}
template <class... T> bool is_aligned(const T*... p) {
    return ((reinterpret_cast<std::uintptr_t>(p) % 16 == 0) && ...);
}

// The type that T is calculated in, and the conversions, which are single instructions of the device for fp16 and bf16.
template <class T> using computed = std::conditional_t<is_small_float<T>, float, T>;
template <class T> INLAY_ON_DEVICE computed<T> widened(T x) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float16>) return __half2float(__ushort_as_half(x.bits));
#endif
    return static_cast<computed<T>>(x);
}
template <class T> INLAY_ON_DEVICE T narrowed(computed<T> x) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float16>)
        return T::of_bits(__half_as_ushort(__float2half_rn(x)));
    else if constexpr (std::is_same_v<T, bfloat16>)
        return T::of_bits(__bfloat16_as_ushort(__float2bfloat16_rn(x)));
    else
#endif
        return static_cast<T>(x);
}

// f(T()) for the floating-point type that a kernel was prepared for.
template <class F> status for_float_type(element type, F f) noexcept {
    switch (type) {
        case element::f32: return f(float());
        case element::f16: return f(float16());
        case element::bf16: return f(bfloat16());
        default: return status::unsupported;
    }
}

// Division by a number that is known before the launch: a multiplication for dividends below 2^31.
struct divider {
    std::uint64_t by = 1;
    std::uint32_t multiplier = std::uint32_t(1) << 31, shift = 31;
    constexpr divider() = default;
    constexpr explicit divider(std::int64_t d) : by(d < 1 ? 1 : std::uint64_t(d)) {
        if (by >> 31) {
            multiplier = 0;
            return;
        }
        std::uint32_t bits = 0;
        while ((std::uint64_t(1) << bits) < by) ++bits;
        shift = 31 + bits;
        multiplier = std::uint32_t(((std::uint64_t(1) << shift) + by - 1) / by);
    }
    constexpr std::int64_t operator()(std::int64_t n) const {
        return std::int64_t(std::uint64_t(n) >> 31 ? std::uint64_t(n) / by
                                                   : std::uint64_t(std::uint32_t(n)) * multiplier >> shift);
    }
    // The quotient into n; returns the remainder.
    constexpr std::int64_t split(std::int64_t& n) const {
        const std::int64_t q = (*this)(n), r = n - q * std::int64_t(by);
        n = q;
        return r;
    }
};

// The threads that share a row.
struct team {
    int rank, size;
};
inline constexpr int warp_threads = 32, block_threads = 256;

#ifdef __CUDACC__
namespace launching {
inline status done(context& c) noexcept {
    const cudaError_t e = cudaGetLastError();
    return e == cudaSuccess ? status::ok : c.fail(cudaGetErrorString(e), status::failed);
}
inline unsigned grid(std::int64_t blocks) { return unsigned(std::min<std::int64_t>(blocks, 1 << 20)); }

template <class Body> __global__ void __launch_bounds__(block_threads) elements(Body body, std::int64_t count) {
    for (std::int64_t i = blockIdx.x * std::int64_t(block_threads) + threadIdx.x; i < count;
         i += gridDim.x * std::int64_t(block_threads))
        body(i);
}

template <class T> __device__ T from_lane(const T& x, int distance) {
    static_assert(sizeof(T) % 4 == 0);
    std::uint32_t words[sizeof(T) / 4];
    std::memcpy(words, &x, sizeof x);
    for (auto& w : words) w = __shfl_xor_sync(~0u, w, distance);
    T y;
    std::memcpy(&y, words, sizeof y);
    return y;
}
template <int Size, class T> __device__ T join_all(T x) {
    for (int distance = warp_threads / 2; distance > 0; distance /= 2) x = T::join(x, from_lane(x, distance));
    if constexpr (Size > warp_threads) {
        constexpr int warps = Size / warp_threads;
        __shared__ lanes<unsigned char, 16> room[(sizeof(T) * warps + 15) / 16];
        T* const partials = reinterpret_cast<T*>(room);
        if (threadIdx.x % warp_threads == 0) partials[threadIdx.x / warp_threads] = x;
        __syncthreads();
        x = partials[0];
        for (int w = 1; w < warps; ++w) x = T::join(x, partials[w]);
        __syncthreads();
    }
    return x;
}
template <int Size, class Body> __global__ void __launch_bounds__(block_threads) teams(Body body, std::int64_t rows) {
    constexpr int together = block_threads / Size;
    const team t{int(threadIdx.x % Size), Size};
    for (std::int64_t row = blockIdx.x * std::int64_t(together) + threadIdx.x / Size; row < rows;
         row += gridDim.x * std::int64_t(together)) {
        typename Body::total accumulator{};
#pragma unroll
        for (int round = 0; round < Body::rounds; ++round)
            accumulator = join_all<Size>(body.part(round, row, t, accumulator));
        body.finish(row, t, accumulator);
    }
}

template <class Body> __global__ void __launch_bounds__(Body::threads) blocks(Body body, std::int64_t count) {
    __shared__ typename Body::shared room;
    for (std::int64_t block = blockIdx.x; block < count; block += gridDim.x) {
        typename Body::local locals{};
        const int phases = body.phases(block);
        for (int phase = 0; phase < phases; ++phase) {
            body(phase, block, int(threadIdx.x), locals, room);
            __syncthreads();
        }
    }
}
}  // namespace launching
#endif

template <class Body> status launch([[maybe_unused]] context& c, std::int64_t count, const Body& body) noexcept {
    static_assert(std::is_trivially_copyable_v<Body>);
    if (count <= 0) return status::ok;
#ifdef __CUDACC__
    launching::elements<<<launching::grid((count + block_threads - 1) / block_threads), block_threads, 0,
                          static_cast<cudaStream_t>(c.stream)>>>(body, count);
    return launching::done(c);
#else
    for (std::int64_t i = count; i-- > 0;) body(i);  // backwards: nothing may depend on the order
    return status::ok;
#endif
}
// The body for W elements a thread, created by `make(lanes of W)`: full lanes where `whole` says that sizes and
// addresses allow.
template <int W, class Make> status launch_lanes(context& c, std::int64_t count, bool whole, Make make) noexcept {
    if (whole) return launch(c, count / W, make(std::integral_constant<int, W>{}));
    return launch(c, count, make(std::integral_constant<int, 1>{}));
}

// Body: rounds; total, with `static total join(a, b)` that gives the same for (b, a); part(round, row, team, total of
// the round before) -> total; finish(row, team, last total).
template <class Body>
status launch_rows([[maybe_unused]] context& c, std::int64_t rows, std::int64_t length, const Body& body) noexcept {
    static_assert(std::is_trivially_copyable_v<Body>);
    if (rows <= 0) return status::ok;
    const bool alone = length <= 1024;
#ifdef __CUDACC__
    constexpr int together = block_threads / warp_threads;
    const auto stream = static_cast<cudaStream_t>(c.stream);
    if (alone)
        launching::teams<warp_threads>
            <<<launching::grid((rows + together - 1) / together), block_threads, 0, stream>>>(body, rows);
    else
        launching::teams<block_threads><<<launching::grid(rows), block_threads, 0, stream>>>(body, rows);
    return launching::done(c);
#else
    using total = typename Body::total;
    const int size = alone ? warp_threads : block_threads;
    for (std::int64_t row = rows; row-- > 0;) {
        total accumulator{}, of[block_threads], next[block_threads];
        for (int round = 0; round < Body::rounds; ++round) {
            for (int t = 0; t < size; ++t) of[t] = body.part(round, row, team{t, size}, accumulator);
            for (int distance = warp_threads / 2; distance > 0; distance /= 2) {
                for (int t = 0; t < size; ++t) next[t] = total::join(of[t], of[t ^ distance]);
                std::copy_n(next, size, of);
            }
            accumulator = of[0];
            for (int t = warp_threads; t < size; t += warp_threads) accumulator = total::join(accumulator, of[t]);
        }
        for (int t = size; t-- > 0;) body.finish(row, team{t, size}, accumulator);
    }
    return status::ok;
#endif
}

// Body: threads; shared; local, of one thread from phase to phase; phases(block) -> int; body(phase, block, thread,
// local&, shared&).
template <class Body>
status launch_blocks([[maybe_unused]] context& c, std::int64_t blocks, const Body& body) noexcept {
    static_assert(std::is_trivially_copyable_v<Body> && sizeof(typename Body::shared) <= 48 * 1024);
    if (blocks <= 0) return status::ok;
#ifdef __CUDACC__
    launching::blocks<<<launching::grid(blocks), Body::threads, 0, static_cast<cudaStream_t>(c.stream)>>>(body, blocks);
    return launching::done(c);
#else
    struct block {
        typename Body::shared shared;
        typename Body::local thread_locals[Body::threads];
    };
    const auto room = std::make_unique<block>();
    for (std::int64_t b = blocks; b-- > 0;) {
        std::memset(static_cast<void*>(&room->shared), 0xff, sizeof room->shared);  // NaN: unwritten elements show
        for (auto& locals : room->thread_locals) locals = {};
        for (int phase = 0; phase < body.phases(b); ++phase)
            for (int t = Body::threads; t-- > 0;) body(phase, b, t, room->thread_locals[t], room->shared);
    }
    return status::ok;
#endif
}
}  // namespace v1
}  // namespace inlay
