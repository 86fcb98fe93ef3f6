// Device memory of a session, over regions that the test counts.
#include "../../models.hpp"
#include "provider/cuda/arena.hpp"
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct trace_of_regions {
    std::vector<std::size_t> sizes;
    std::size_t out = 0, room = SIZE_MAX;  // regions that are not given back; bytes that the device has
};
class fake_device final : public region_source {
    trace_of_regions& t_;
    std::map<void*, std::size_t> sizes_;

  public:
    explicit fake_device(trace_of_regions& t) : t_(t) {}
    void* take(std::size_t bytes) noexcept override {
        if (bytes > t_.room) return nullptr;
        void* const p = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
        t_.sizes.push_back(bytes);
        t_.room -= bytes;
        ++t_.out;
        sizes_[p] = bytes;
        return p;
    }
    void give_back(void* p) noexcept override {
        t_.room += sizes_[p];
        --t_.out;
        std::free(p);
    }
};
std::unique_ptr<cuda_arena> arena_of(trace_of_regions& t, std::size_t limit, arena_extend s) {
    return std::make_unique<cuda_arena>(std::make_unique<fake_device>(t), limit, s);
}
constexpr std::size_t mib = std::size_t(1) << 20;
}  // namespace

TEST_CASE("kSameAsRequested takes what is requested, kNextPowerOfTwo twice as much each time", "[cuda]") {
    trace_of_regions same, twice;
    {
        const auto a = arena_of(same, SIZE_MAX, arena_extend::kSameAsRequested),
                   b = arena_of(twice, SIZE_MAX, arena_extend::kNextPowerOfTwo);
        for (std::size_t bytes : {1000u, 300000u, 900000u, 2500000u, 9000000u}) {
            CHECK(a->allocate(bytes));
            CHECK(b->allocate(bytes));
        }
        CHECK(same.sizes == std::vector<std::size_t>{1024, 300032, 900096, 2500096, 9000192});
        CHECK(twice.sizes ==
              std::vector<std::size_t>{1 * mib, 2 * mib, 4 * mib,
                                       16 * mib});  // the first two share a region; the fourth finds 2.5 MB nowhere
        CHECK(a->used() == a->reserved());
        CHECK(b->reserved() == 23 * mib);
    }
    CHECK(same.out == 0);  // all of it goes back
    CHECK(twice.out == 0);
}
TEST_CASE("What was released is used again, its neighbours joined, before the arena grows", "[cuda]") {
    trace_of_regions t;
    const auto a = arena_of(t, SIZE_MAX, arena_extend::kNextPowerOfTwo);
    void *x = a->allocate(200 * 1024), *y = a->allocate(300 * 1024), *z = a->allocate(400 * 1024);
    CHECK(t.sizes.size() == 1);
    a->release(y);
    CHECK(a->allocate(250 * 1024) == y);
    a->release(x);
    a->release(y);
    CHECK(a->allocate(500 * 1024) == x);  // both
    a->release(z);
    a->release(x);
    CHECK(a->used() == 0);
    CHECK(a->allocate(mib) == x);  // the whole region
    CHECK(t.sizes.size() == 1);
}
TEST_CASE("The limit holds for what the driver gave, and its error names the request, use and limit", "[cuda]") {
    trace_of_regions t;
    const auto a = arena_of(t, 3 * mib, arena_extend::kNextPowerOfTwo);
    void* const x = a->allocate(1 * mib);
    REQUIRE(x);
    CHECK(a->allocate(mib + mib / 2));  // the next power would be 2 MiB, and is
    CHECK(a->reserved() == 3 * mib);
    CHECK(a->allocate(mib) == nullptr);
    const error e = a->refused(mib);
    CHECK(e.code == error_code::out_of_memory_limit);
    CHECK(has_text(e.text, "requested 1048576 bytes"));
    CHECK(has_text(e.text, "used 2621440 of 3145728 reserved"));
    CHECK(has_text(e.text, "limit 3145728"));
    a->release(x);
    CHECK(a->allocate(mib) == x);  // the arena goes on
}
TEST_CASE("Near the limit a region is cut down to what is left", "[cuda]") {
    trace_of_regions t;
    const auto a = arena_of(t, 2 * mib + 4096, arena_extend::kNextPowerOfTwo);
    CHECK(a->allocate(1 * mib));
    CHECK(a->allocate(1 * mib));
    CHECK(t.sizes == std::vector<std::size_t>{1 * mib, 1 * mib + 4096});
}
TEST_CASE("A device that has no more is out_of_memory, after the request alone was tried", "[cuda]") {
    trace_of_regions t;
    t.room = 2 * mib;
    const auto a = arena_of(t, SIZE_MAX, arena_extend::kNextPowerOfTwo);
    CHECK(a->allocate(700 * 1024));
    CHECK(a->allocate(900 * 1024));  // 2 MiB would be next
    CHECK(t.sizes == std::vector<std::size_t>{1 * mib, 900 * 1024});
    CHECK(a->allocate(mib) == nullptr);
    CHECK(a->refused(mib).code == error_code::out_of_memory);
    CHECK(has_text(a->refused(mib).text, "limit none"));
    CHECK(a->allocate(SIZE_MAX) == nullptr);
}
TEST_CASE("Random sizes in random order never overlap, and are all found again", "[cuda]") {
    trace_of_regions t;
    const auto a = arena_of(t, SIZE_MAX, arena_extend::kNextPowerOfTwo);
    std::mt19937 random(4);
    std::map<std::byte*, std::size_t> live;
    for (int i = 0; i < 3000; ++i) {
        if (live.size() < 40 || random() % 2) {
            const std::size_t bytes = 1 + random() % 100000;
            auto* const p = static_cast<std::byte*>(a->allocate(bytes));
            REQUIRE(p);
            REQUIRE(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
            const auto next = live.lower_bound(p);
            REQUIRE((next == live.end() || p + bytes <= next->first));
            REQUIRE((next == live.begin() || std::prev(next)->first + std::prev(next)->second <= p));
            live[p] = bytes;
        } else {
            const auto victim = std::next(live.begin(), long(random() % live.size()));
            a->release(victim->first);
            live.erase(victim);
        }
    }
    for (const auto& [p, bytes] : live) a->release(p);
    CHECK(a->used() == 0);
}
