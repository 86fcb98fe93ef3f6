// Compiled regions as bytes, and back.
#include "../../model_constants.hpp"
#include "../engines.hpp"
#include <inlay/provider/tvm.hpp>
#include <inlay/sdk/engine.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
using namespace inlay;
using namespace inlay::testing;
namespace fs = std::filesystem;

namespace {
const inlay::tvm trusting{.load_native_code = true};
// A model whose nodes all are one region.
struct subject {
    model m;
    decltype(model_constants(m)) constants = model_constants(m);
    std::shared_ptr<engine> backend;
    proposals proposal;
    region_values ends;
    explicit subject(const std::string& text, const inlay::tvm& provider = trusting) : m(model_of(text)) {
        auto outcome = provider.open();
        REQUIRE(outcome);
        backend = *outcome;
        std::vector<int> nodes(m.view().nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = int(i);
        backend->propose({m.view(), nodes, &constants}, proposal);
        REQUIRE(proposal.regions().size() == 1);
        REQUIRE(proposal.regions()[0] == nodes);
        ends = ends_of(m.view(), proposal.regions()[0]);
    }
    inlay::region region() const { return {m.view(), proposal.regions()[0], ends.inputs, ends.outputs, &constants}; }
    inlay::region without_constants() const { return {m.view(), proposal.regions()[0], ends.inputs, ends.outputs}; }
};
std::vector<float> run(const compiled_region& r, const std::vector<float>& x, std::size_t count) {
    // One element off, so that neither is aligned as compiled code likes it.
    std::vector<float> in(x.size() + 1), out(count + 1);
    std::ranges::copy(x, in.begin() + 1);
    const buffer input{in.data() + 1, in.data(), 4, element::f32, {1, 3, 4, 4}};
    const buffer output{out.data() + 1, out.data(), 4, element::f32, {1, std::int64_t(count)}};
    auto e = r.instance();
    REQUIRE(e);
    context c;
    REQUIRE((*e)->run({&input, 1}, {&output, 1}, c) == status::ok);
    return {out.begin() + 1, out.end()};
}
std::string network(const std::string& activation) {
    std::string weights;
    for (int k = 0; k < 4 * 3 * 3 * 3; ++k) weights += (k ? ", " : "") + std::to_string(.1 * (k % 7) - .2);
    return "g (float[1,3,4,4] x) => (float[1,4] y) <float[4,3,3,3] w = {" + weights +
           "}> { c = Conv <pads = [1,1,1,1]> (x, w) r = " + activation +
           "(c) j = Concat <axis = 1> (r, r) s = Slice(j, zero, four, one) p = GlobalAveragePool(s) y = Flatten(p) }";
}
std::string with_integers(std::string text) {
    const std::string list = "<float[4,3,3,3] w";
    return text.replace(text.find(list), list.size(),
                        "<int64[1] zero = {0}, int64[1] four = {4}, int64[1] one = {1}, float[4,3,3,3] w");
}
}  // namespace

TEST_CASE("A region is saved, and restored sooner than it was compiled, with the same results", "[tvm]") {
    const subject a(with_integers(network("Relu")));
    const auto start = std::chrono::steady_clock::now();
    const auto compiled = a.backend->compile(a.region());
    REQUIRE(compiled);
    const auto compiling = std::chrono::steady_clock::now() - start;
    const auto bytes = (*compiled)->save();
    REQUIRE(bytes);
    std::vector<float> x(48);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = float(k % 5) - 1.5f;
    const auto expected = run(**compiled, x, 4);
    const inlay::session plain{a.m, reference{}};
    const auto plain_y = floats(plain.run({{"x", tensor({1, 3, 4, 4}, x)}})[0]);
    for (std::size_t k = 0; k < 4; ++k) CHECK(expected[k] == Approx(plain_y[k]).epsilon(1e-5));

    const subject b(with_integers(network("Relu")));
    CHECK(a.backend->identity() == b.backend->identity());
    const auto again = std::chrono::steady_clock::now();
    const auto restored = b.backend->restore(b.region(), *bytes);
    const auto restoring = std::chrono::steady_clock::now() - again;
    REQUIRE(restored);
    CHECK(run(**restored, x, 4) == expected);
    CHECK(restoring < compiling);
}

TEST_CASE("A region is restored without the constants that it was compiled from, wherever its bytes lie", "[tvm]") {
    const subject a(with_integers(network("Relu")));
    const auto compiled = a.backend->compile(a.region());
    REQUIRE(compiled);
    const auto bytes = (*compiled)->save();
    REQUIRE(bytes);
    const std::vector<float> x = floats(ramp({1, 3, 4, 4}));
    const auto expected = run(**compiled, x, 4);
    std::vector<char> room((*bytes).size() + 128);
    const std::size_t aligned = (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64;
    for (const std::size_t at : {aligned, aligned + 8, aligned + 1}) {
        CAPTURE(at - aligned);
        std::ranges::copy(*bytes, room.begin() + std::ptrdiff_t(at));
        const auto restored = a.backend->restore(a.without_constants(), {room.data() + at, (*bytes).size()});
        INFO((restored ? "" : restored.why().text));
        REQUIRE(restored);
        CHECK(run(**restored, x, 4) == expected);
        const auto again = (*restored)->save();
        REQUIRE(again);
        CHECK(*again == *bytes);
    }
}

namespace {
result<std::string> saved_without_linker(const compiled_region& r) {
    setenv("CC", "/no/such/compiler", 1);
    auto bytes = r.save();
    unsetenv("CC");
    return bytes;
}
}  // namespace

TEST_CASE("A region that needs no code is saved without a linker, and restored", "[tvm]") {
    const subject a("g (float[1,3,4,4] x) => (float[1,96] y) { c = Concat <axis = 2> (x, x) y = Flatten(c) }");
    const auto compiled = a.backend->compile(a.region());
    REQUIRE(compiled);
    const auto bytes = saved_without_linker(**compiled);
    INFO((bytes ? "" : bytes.why().text));
    REQUIRE(bytes);
    const auto restored = a.backend->restore(a.without_constants(), *bytes);
    REQUIRE(restored);
    const std::vector<float> x = floats(ramp({1, 3, 4, 4}));
    const auto y = run(**restored, x, 96);
    CHECK(y == run(**compiled, x, 96));
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == x[k / 32 * 16 + k % 16]);
}

TEST_CASE("Bytes that are no saved region, or that of another, are refused with the reason", "[tvm]") {
    const subject a(with_integers(network("Relu")));
    const auto compiled = a.backend->compile(a.region());
    REQUIRE(compiled);
    const auto saved = (*compiled)->save();
    REQUIRE(saved);
    const auto reason_for = [&](std::string_view bytes) {
        const auto restored = a.backend->restore(a.without_constants(), bytes);
        REQUIRE_FALSE(restored);
        CHECK(restored.why().code == error_code::provider_failed);
        return restored.why().text;
    };
    CHECK(has_text(reason_for(""), "too short"));
    CHECK(has_text(reason_for(std::string(100, 'x')), "no saved region"));
    for (std::size_t size = 0; size < (*saved).size(); size = size < 2000 ? size + 1 : size * 5 / 4)
        CHECK(has_text(reason_for(std::string_view(*saved).substr(0, size)), "too short"));
    CHECK(has_text(reason_for(std::string_view(*saved).substr(0, (*saved).size() - 1)), "too short"));
    CHECK(has_text(reason_for(*saved + "x"), "more behind its constants"));
    const auto refusal = [&](const std::string& text) {
        const subject b(text);
        const auto restored = b.backend->restore(b.without_constants(), *saved);
        REQUIRE_FALSE(restored);
        return restored.why().text;
    };
    CHECK(has_text(refusal("g (float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Relu(x) }"), "another one"));
    CHECK(has_text(refusal("g (float[1,4,4,4] x) => (float[1,4] y) { p = GlobalAveragePool(x) y = Flatten(p) }"),
                   "another one"));
    CHECK(has_text(refusal("g (float[1,3,4,4] x) => (float[1,4] y, float[1,3,4,4] z) "
                           "<float[48,4] w = {" +
                           numbers(192) + "}> { f = Flatten(x) y = MatMul(f, w) z = Relu(x) }"),
                   "does not make each result once"));
}

namespace {
struct mutated {  // the saved bytes, and which of them are its header and steps
    std::string bytes;
    std::size_t first = 8, count = 0;  // numbers of 64 bits after the magic
    std::int64_t number(std::size_t k) const {
        std::int64_t n = 0;
        std::memcpy(&n, bytes.data() + first + k * sizeof n, sizeof n);
        return n;
    }
    void set(std::size_t k, std::int64_t n) { std::memcpy(bytes.data() + first + k * sizeof n, &n, sizeof n); }
};
}  // namespace

TEST_CASE("Whatever numbers a saved region has, it is refused or it runs within its memory", "[tvm]") {
    const subject a(
        "g (float[1,3,4,4] x) => (float[1,4] y) <int64[2] i = {2, 0}, float[32,4] w = {" + numbers(128) +
        "}> { t = Gather <axis = 1> (x, i) j = Concat <axis = 1> (t, t) r = Relu(j) s = Gather <axis = 1> (r, i) "
        "f = Flatten(s) y = MatMul(f, w) }");
    const auto compiled = a.backend->compile(a.region());
    REQUIRE(compiled);
    const auto saved = (*compiled)->save();
    REQUIRE(saved);
    mutated good{*saved};
    good.count = 3 + std::size_t(good.number(0)) / 8;
    REQUIRE(good.count > 50);
    int refusals = 0, stopped = 0, ran = 0;
    const std::vector<float> x = floats(ramp({1, 3, 4, 4}));
    const auto attempt = [&](const mutated& m) {
        const auto restored = a.backend->restore(a.without_constants(), m.bytes);
        if (!restored) return void(++refusals);
        auto e = (*restored)->instance();
        if (!e) return void(++refusals);
        std::vector<float> in = x, y(4);
        const buffer input{in.data(), in.data(), 0, element::f32, {1, 3, 4, 4}};
        const buffer output{y.data(), y.data(), 0, element::f32, {1, 4}};
        context c;
        ++((*e)->run({&input, 1}, {&output, 1}, c) == status::ok ? ran : stopped);
    };
    constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
    for (std::size_t k = 0; k < good.count; ++k)
        for (const std::int64_t n : {good.number(k) - 1, good.number(k) + 1, good.number(k) * 2, std::int64_t(0),
                                     std::int64_t(64), std::int64_t(1) << 33, far, -far - 1}) {
            mutated m = good;
            m.set(k, n);
            attempt(m);
        }
    std::mt19937 random(7);
    for (int trial = 0; trial < 500; ++trial) {
        mutated m = good;
        for (int change = 0; change < 2; ++change) m.set(random() % good.count, good.number(random() % good.count));
        attempt(m);
    }
    CHECK(refusals > 100);
    CHECK(ran > 0);
    CHECK(stopped > 0);
    const int before = ran;
    attempt(good);
    CHECK(ran == before + 1);
}

TEST_CASE("Where there is no linker a region is not saved, and says so", "[tvm]") {
    const subject a("g (float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Relu(x) }");
    const auto compiled = a.backend->compile(a.region());
    REQUIRE(compiled);
    const auto saved = saved_without_linker(**compiled);
    REQUIRE_FALSE(saved);
    CHECK(has_text(saved.why().text, "no linker"));
}

namespace {
struct folder {
    fs::path path = fs::temp_directory_path() / ("inlay-tvm-test-" + std::to_string(std::random_device()()));
    folder() { fs::create_directories(path); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() { fs::remove_all(path); }
};
session_options with(context_policy p) {
    session_options o = quiet();
    o.contexts = p;
    return o;
}
}  // namespace

TEST_CASE("What TVM compiled is a file from which a session runs, with the same results and no compilation", "[tvm]") {
    const folder files;
    const fs::path file = files.path / "m_ctx.onnx";
    const model m = model_of(network_for("N"));
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const inlay::session s{m, quiet(), inlay::tvm{}, cpu{}};
    const auto expected = floats(s.run(in)[0]);
    for (const bool embed : {true, false})
        for (const bool keep : {true, false}) {
            CAPTURE(embed, keep);
            const saved_session saved = s.save(file, {.embed = embed, .keep_original = keep});
            CHECK(saved.regions == 1);
            CHECK(saved.left_out.empty());
            const inlay::session restored{model(file), with(context_policy::refuse), trusting, cpu{}};
            for (int run = 0; run < 2; ++run) CHECK(floats(restored.run(in)[0]) == expected);
            const plan_report plan = restored.plan();
            CHECK(plan.count(inlay::tvm::name) == 1);
            CHECK(line_of(plan, "EPContext").kernel == "region");
            CHECK_FALSE(has_text(text_of(plan), "compiled again"));
            if (!embed) continue;
            const auto changed = session<inlay::tvm, cpu>::try_make(
                model(file), quiet(), inlay::tvm{.opt_level = 2, .load_native_code = true}, cpu{});
            REQUIRE(bool(changed) == keep);
            if (keep) CHECK(has_text(text_of((*changed).plan()), "it is compiled again"));
        }
}

TEST_CASE("Machine code of a file is loaded only where the option says so, whatever the session was that saved it",
          "[tvm]") {
    const folder files;
    const fs::path file = files.path / "m_ctx.onnx";
    const model m = model_of(network_for("N"));
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const inlay::session s{m, quiet(), trusting, cpu{}};
    const auto expected = floats(s.run(in)[0]);
    (void)s.save(file);
    CHECK_FALSE(inlay::tvm{}.load_native_code);
    const auto restored =
        session<inlay::tvm, cpu>::try_make(model(file), with(context_policy::refuse), inlay::tvm{}, cpu{});
    REQUIRE_FALSE(restored);
    CHECK(has_text(restored.why().text, "set the option `load_native_code` of TvmExecutionProvider"));
    const inlay::session recompiled{model(file), quiet(), inlay::tvm{}, cpu{}};
    CHECK(floats(recompiled.run(in)[0]) == expected);
    CHECK(has_text(text_of(recompiled.plan()), "`load_native_code`"));
}

TEST_CASE("A file of a region that was cut off or changed is refused, or compiled again, as the policy says", "[tvm]") {
    const folder files;
    const fs::path file = files.path / "m_ctx.onnx";
    const model m = model_of(network_for("N"));
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const inlay::session s{m, quiet(), inlay::tvm{}, cpu{}};
    const auto expected = floats(s.run(in)[0]);
    (void)s.save(file, {.embed = false});
    fs::path beside;
    for (const auto& entry : fs::directory_iterator(files.path))
        if (entry.path().extension() == ".bin") beside = entry.path();
    std::string good;
    {
        std::ifstream from(beside, std::ios::binary);
        good.assign(std::istreambuf_iterator<char>(from), {});
    }
    REQUIRE(good.size() > 1000);
    std::vector<std::string> variants{good.substr(0, 10), good.substr(0, good.size() - 1), good + "x"};
    for (const std::size_t at : {std::size_t(0), std::size_t(40), good.size() / 2, good.size() - 1}) {
        variants.push_back(good);
        variants.back()[at] = char(variants.back()[at] ^ 1);
    }
    for (const std::string& bytes : variants) {
        std::ofstream(beside, std::ios::binary) << bytes;
        const auto restored =
            session<inlay::tvm, cpu>::try_make(model(file), with(context_policy::refuse), trusting, cpu{});
        REQUIRE_FALSE(restored);
        CHECK(has_text(restored.why().text, bytes.size() == good.size() ? "`checksum` is" : "`size` is"));
    }
    const inlay::session recompiled{model(file), quiet(), trusting, cpu{}};
    CHECK(floats(recompiled.run(in)[0]) == expected);
    CHECK(has_text(text_of(recompiled.plan()), "it is compiled again"));
    std::ofstream(beside, std::ios::binary) << good;
    const inlay::session restored{model(file), with(context_policy::refuse), trusting, cpu{}};
    CHECK(floats(restored.run(in)[0]) == expected);
}

TEST_CASE("Threads run a restored session at the same time, each with inputs of its own", "[tvm]") {
    const folder files;
    const fs::path file = files.path / "m_ctx.onnx";
    const model m = model_of(network_for("N"));
    const inlay::session s{m, quiet(), inlay::tvm{}, cpu{}};
    (void)s.run({{"x", ramp({2, 3, 8, 8})}});
    (void)s.save(file, {.embed = false, .keep_original = false});
    const inlay::session restored{model(file), with(context_policy::refuse), trusting, cpu{}};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            const std::vector<feed> in{{"x", ramp({2, 3, 8, 8}, float(t))}};
            const auto expected = floats(s.run(in)[0]);
            for (int run = 0; run < 200; ++run) wrong += floats(restored.run(in)[0]) != expected;
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("The identity of TVM's code is the versions and the target", "[tvm]") {
    const subject a("g (float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Relu(x) }"),
        b("g (float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Relu(x) }", {.target = "llvm -mcpu=x86-64"});
    CHECK(a.backend->identity().size() == 4);  // one says that load_native_code does not matter
    CHECK(a.backend->identity() != b.backend->identity());
    CHECK(has_text(b.backend->identity()[2].second, "x86-64"));
}
