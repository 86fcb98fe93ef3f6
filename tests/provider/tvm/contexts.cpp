// Compiled regions as bytes, and back.
#include "../../model_constants.hpp"
#include "../../models.hpp"
#include <inlay/provider/tvm.hpp>
#include <inlay/sdk/engine.hpp>
#include <chrono>
using namespace inlay;
using namespace inlay::testing;

namespace {
// A model whose nodes all are one region.
struct subject {
    model m;
    decltype(model_constants(m)) constants = model_constants(m);
    std::shared_ptr<engine> made;
    proposals taken;
    region_values ends;
    explicit subject(const std::string& text, const inlay::tvm& provider = {}) : m(model_of(text)) {
        auto opened = provider.open();
        REQUIRE(opened);
        made = *opened;
        std::vector<int> nodes(m.view().nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = int(i);
        made->propose({m.view(), nodes, &constants}, taken);
        REQUIRE(taken.regions().size() == 1);
        REQUIRE(taken.regions()[0] == nodes);
        ends = ends_of(m.view(), taken.regions()[0]);
    }
    inlay::region region() const { return {m.view(), taken.regions()[0], ends.inputs, ends.outputs, &constants}; }
};
std::vector<float> run(const compiled_region& r, const std::vector<float>& x, std::size_t count) {
    // One element off, so that neither is aligned as compiled code likes it.
    std::vector<float> in(x.size() + 1), out(count + 1);
    std::ranges::copy(x, in.begin() + 1);
    const buffer input{in.data() + 1, in.data(), 4, element::f32, {1, 3, 4, 4}};
    const buffer output{out.data() + 1, out.data(), 4, element::f32, {1, 4}};
    auto e = r.instance();
    REQUIRE(e);
    context c;
    REQUIRE((*e)->run({&input, 1}, {&output, 1}, c) == status::ok);
    return {out.begin() + 1, out.end()};
}
std::string network(const std::string& last) {
    std::string weights;
    for (int k = 0; k < 4 * 3 * 3 * 3; ++k) weights += (k ? ", " : "") + std::to_string(.1 * (k % 7) - .2);
    return "g (float[1,3,4,4] x) => (float[1,4] y) <float[4,3,3,3] w = {" + weights +
           "}> { c = Conv <pads = [1,1,1,1]> (x, w) r = " + last +
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
    const auto compiled = a.made->compile(a.region());
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
    CHECK(a.made->identity() == b.made->identity());
    const auto again = std::chrono::steady_clock::now();
    const auto restored = b.made->restore(b.region(), *bytes);
    const auto restoring = std::chrono::steady_clock::now() - again;
    REQUIRE(restored);
    CHECK(run(**restored, x, 4) == expected);
    CHECK(restoring < compiling);
}

TEST_CASE("Bytes that are no saved region, or that of another, are refused with the reason", "[tvm]") {
    const subject a(with_integers(network("Relu")));
    const auto compiled = a.made->compile(a.region());
    REQUIRE(compiled);
    const auto saved = (*compiled)->save();
    REQUIRE(saved);
    const auto why = [&](std::string_view bytes) {
        const auto refused = a.made->restore(a.region(), bytes);
        REQUIRE_FALSE(refused);
        CHECK(refused.why().code == error_code::provider_failed);
        return refused.why().text;
    };
    CHECK(has_text(why(""), "too short"));
    CHECK(has_text(why(std::string(100, 'x')), "no saved region"));
    CHECK(has_text(why(std::string_view(*saved).substr(0, (*saved).size() - 1)), "damaged"));
    for (const std::size_t at : {std::size_t(8), std::size_t(40), (*saved).size() / 2, (*saved).size() - 1}) {
        std::string changed = *saved;
        changed[at] = char(changed[at] ^ 1);
        CHECK(has_text(why(changed), "damaged"));
    }
    const subject other("g (float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Relu(x) }");
    const auto refused = other.made->restore(other.region(), *saved);
    REQUIRE_FALSE(refused);
    CHECK(has_text(refused.why().text, "the saved region is another one"));
}

TEST_CASE("Where there is no linker a region is not saved, and says so", "[tvm]") {
    const subject a("g (float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Relu(x) }");
    const auto compiled = a.made->compile(a.region());
    REQUIRE(compiled);
    setenv("CC", "/no/such/compiler", 1);
    const auto saved = (*compiled)->save();
    unsetenv("CC");
    REQUIRE_FALSE(saved);
    CHECK(has_text(saved.why().text, "no linker"));
}

TEST_CASE("The identity of TVM's code is the versions and the target", "[tvm]") {
    const subject a("g (float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Relu(x) }"),
        b("g (float[1,3,4,4] x) => (float[1,3,4,4] y) { y = Relu(x) }", {.target = "llvm -mcpu=x86-64"});
    CHECK(a.made->identity().size() == 3);
    CHECK(a.made->identity() != b.made->identity());
    CHECK(has_text(b.made->identity()[2].second, "x86-64"));
}
