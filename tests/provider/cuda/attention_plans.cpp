// cuDNN plans attention for a device that is only described. It looks for the driver's library before it plans; the
// stub that comes with CUDA will do.
#include "described_device.hpp"
#include <dlfcn.h>
using namespace inlay;
using namespace inlay::testing;

namespace {
// Over projections side by side, as [batch, rows, columns], or with heads first.
attention_on_cuda_params attention(element type, std::int64_t rows, std::int64_t keys, std::int64_t size,
                                   bool heads_first = false) {
    constexpr std::int64_t heads = 12;
    attention_on_cuda_params p;
    p.type = type;
    p.batches = 2, p.heads = heads, p.rows = rows, p.keys = keys, p.size = p.value_size = size;
    const auto lie = [&](std::int64_t n) {
        return heads_first ? attention_params::operand{heads * n * size, n * size, size}
                           : attention_params::operand{heads * n * size, size, heads * size};
    };
    p.q = lie(rows), p.k = p.v = lie(keys);
    return p;
}
attention_on_cuda_params masked(attention_on_cuda_params p, std::int64_t batch, std::int64_t head, std::int64_t row) {
    p.masked = true;
    p.mask = {batch, head, row, 1};
    return p;
}
void need_driver_library() {
    static const bool is_installed = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!is_installed) SKIP("cuDNN plans no attention without libcuda.so.1");
}
std::size_t ways(const described_device& d, const attention_on_cuda_params& p) {
    dnn_operations g;
    REQUIRE(describe_attention(d.target(), p, g));
    return attention_ways(d.target(), cuda{}, g, p.type).size();
}
}  // namespace

TEST_CASE("cuDNN has ways to calculate attention in 16 bits, for either layout of the heads", "[cuda]") {
    const described_device d;
    need_driver_library();
    for (const element type : {element::f16, element::bf16})
        for (const bool heads_first : {false, true}) {
            for (const std::int64_t size : {8, 32, 40, 64, 72, 128, 256}) {
                CAPTURE(name_of(type), heads_first, size);
                CHECK(ways(d, attention(type, 128, 128, size, heads_first)) > 0);
            }
            CHECK(ways(d, attention(type, 128, 128, 36, heads_first)) == 0);  // so that it does say no
            for (const std::int64_t rows : {5, 7, 128, 197, 384})
                for (const std::int64_t keys : {1, 7, 197, 384}) {
                    CAPTURE(name_of(type), heads_first, rows, keys);
                    CHECK(ways(d, attention(type, rows, keys, 64, heads_first)) > 0);
                }
            attention_on_cuda_params wider = attention(type, 77, 300, 64, heads_first);
            wider.value_size = 128;
            wider.v = attention(type, 77, 300, 128, heads_first).v;
            CHECK(ways(d, wider) > 0);
        }
}
TEST_CASE("cuDNN has ways to add a mask, however it repeats", "[cuda]") {
    const described_device d;
    need_driver_library();
    for (const element type : {element::f16, element::bf16})
        for (const std::int64_t n : {7, 128, 197}) {
            const auto p = attention(type, n, n, 64);
            CAPTURE(name_of(type), n);
            CHECK(ways(d, masked(p, 12 * n * n, n * n, n)) > 0);
            CHECK(ways(d, masked(p, 0, n * n, n)) > 0);
            CHECK(ways(d, masked(p, n * n, 0, n)) > 0);
            CHECK(ways(d, masked(p, n, 0, 0)) > 0);  // what is to be left out of each sample
            CHECK(ways(d, masked(p, 0, 0, n)) > 0);
            CHECK(ways(d, masked(p, 0, 0, 0)) > 0);
        }
}
TEST_CASE("cuDNN is not called for attention whose steps it would read wrongly, nor for a few rows", "[cuda]") {
    const auto p = attention(element::f16, 128, 128, 64);
    REQUIRE(p.fits_library());
    const auto with = [&](auto change) {
        auto q = p;
        change(q);
        return q.fits_library();
    };
    CHECK(!attention(element::f16, 128, 128, 36).fits_library());
    CHECK(!attention(element::f16, 128, 128, 264).fits_library());
    CHECK(!attention(element::f16, 4, 128, 64).fits_library());
    CHECK(!attention(element::f16, 128, 0, 64).fits_library());
    CHECK(!with([](auto& q) { q.k.row += 4; }));
    CHECK(!with([](auto& q) { q.v.at = 12; }));
    CHECK(!with([](auto& q) { q.q.batch += 1; }));
    CHECK(with([](auto& q) {
        q.k.at = 768;
        q.k.row = 3 * 768;
    }));  // a part of one projection
    CHECK(masked(p, 0, 0, 128).fits_library());
    CHECK(!with([](auto& q) {
        q = masked(q, 0, 0, 1);
        q.mask.column = 0;
    }));
}
TEST_CASE("Plans of attention are kept apart by shape, type and mask, not by scale", "[cuda]") {
    const plan_cache cache("folder", "H100, cuDNN 9");
    const auto p = attention(element::f16, 128, 128, 64);
    const std::string key = cache.key(cuda{}, p);
    CHECK(key != cache.key(cuda{}, attention(element::bf16, 128, 128, 64)));
    CHECK(key != cache.key(cuda{}, attention(element::f16, 128, 128, 64, true)));
    CHECK(key != cache.key(cuda{}, attention(element::f16, 128, 129, 64)));
    CHECK(key != cache.key(cuda{}, masked(p, 0, 0, 128)));
    CHECK(cache.key(cuda{}, masked(p, 0, 0, 0)) != cache.key(cuda{}, masked(p, 0, 0, 128)));
    auto scaled = p;
    scaled.scale = 0.125;
    CHECK(key == cache.key(cuda{}, scaled));
}
