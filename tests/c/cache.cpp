// Caches of decoders.
#include "owned.hpp"
using namespace inlay::testing;

namespace {
struct decoder {
    session s;
    cache c;
    std::vector<float> row = std::vector<float>(4);
    explicit decoder(const options& o = {}) : s(session_of("decoder", o)) { good(inlay_session_make_cache(s, 3, &c)); }
    // One row more; all outputs that are not the cache's.
    inlay_failure* step(float first, inlay_any_value** y) {
        row[0] = first;
        const value x = tensor_of(INLAY_TYPE_FLOAT, {1, 1, 4}, row);
        const char* const name = "x";
        inlay_any_value* const in = x;
        return inlay_session_run(s, &name, &in, 1, nullptr, y, 1, c, nullptr);
    }
};
}  // namespace

TEST_CASE("A cache in C keeps what a decoder gives back, up to its room", "[c]") {
    decoder d;
    CHECK(inlay_cache_room(d.c) == 3);
    for (int k = 1; k <= 3; ++k) {
        value y;
        good(d.step(float(k), &y));
        CHECK(inlay_cache_rows(d.c) == k);
        CHECK(elements<float>(y)[std::size_t(4 * (k - 1))] == float(-k));
    }
    inlay_any_value* no_value = nullptr;
    bad(d.step(4, &no_value), INLAY_FAILURE_LIMIT_EXCEEDED, "room for 3 rows");
    CHECK(no_value == nullptr);
    value past;
    good(inlay_cache_past(d.c, "past", &past));
    CHECK(elements<float>(past)[8] == 3);
    good(inlay_cache_keep(d.c, 1));
    CHECK(inlay_cache_rows(d.c) == 1);
    bad(inlay_cache_keep(d.c, 2), INLAY_FAILURE_INVALID_ARGUMENT, "cannot keep 2");
    text pairs;
    good(inlay_cache_pairs(d.c, &pairs));
    CHECK(std::string(pairs).starts_with(R"([{"past":"past","present":"present","in_place":)"));
    const char* const name = "past";
    inlay_any_value* const rows = past;
    good(inlay_cache_assign(d.c, &name, &rows, 1));
    CHECK(inlay_cache_rows(d.c) == 3);
    bad(inlay_cache_assign(d.c, &name, &rows, 0), INLAY_FAILURE_INVALID_ARGUMENT, "past");
    bad(inlay_cache_past(d.c, "x", &no_value), INLAY_FAILURE_NOT_FOUND, "x");
}
TEST_CASE("A cache in C that a run is using is a failure, also for the log callback of that run", "[c]") {
    struct observer {
        decoder* d = nullptr;
        int lines = 0;
    } o;
    options verbose;
    good(inlay_session_options_new(&verbose));
    good(inlay_options_set(verbose, "log_severity_level", "0"));
    good(inlay_options_set_log(
        verbose,
        [](void* data, std::int32_t, const char*) {
            auto& log = *static_cast<observer*>(data);
            if (!log.d) return;
            ++log.lines;
            CHECK(inlay_cache_rows(log.d->c) == -1);
            bad(inlay_cache_keep(log.d->c, 0), INLAY_FAILURE_INVALID_ARGUMENT, "another thread is using this cache");
        },
        &o));
    decoder d(verbose);
    o.d = &d;
    value y;
    good(d.step(1, &y));
    CHECK(o.lines > 0);
    CHECK(inlay_cache_rows(d.c) == 1);
    CHECK(inlay_cache_rows(nullptr) == -1);
    CHECK(inlay_cache_room(nullptr) == -1);
}
TEST_CASE("A cache in C that no session can have, or of another one, is a failure", "[c]") {
    cache c;
    bad(inlay_session_make_cache(session_of("decoder"), 0, &c), INLAY_FAILURE_INVALID_ARGUMENT, "at least one row");
    bad(inlay_session_make_cache(session_of("fixed"), 3, &c), INLAY_FAILURE_INVALID_MODEL, "nothing to keep");
    for (const int power : {52, 55, 61})
        bad(inlay_session_make_cache(session_of("decoder"), std::int64_t(1) << power, &c), INLAY_FAILURE_LIMIT_EXCEEDED,
            "`past`");
    decoder d;
    value y;
    good(inlay_session_set_providers(d.s, nullptr));  // makes another session of the same model
    inlay_any_value* no_value = nullptr;
    bad(d.step(1, &no_value), INLAY_FAILURE_INVALID_ARGUMENT, "another session");
}
