// The code of docs/how-to/adding-an-operator.md: the regions between `>>>` and `<<<` are its blocks, in order (check.sh
// compares them).
#include "../models.hpp"
#include "../run_on.hpp"

// >>>
// Discount (shop, since 1): y = x - rate * x, but 0 where x < 0. `rate` is an attribute, 0.1 unless given.
#include <inlay/sdk/operator.hpp>

namespace shop {
using namespace inlay;

struct discount : op::standard {  // one type constraint, read from input 0
    static constexpr std::string_view domain = "shop", onnx_name = "Discount";
    static constexpr version_range versions{1, 1};  // schema versions, both included
    static constexpr auto elements = each_type<float, double>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() != 1) return no("Discount has one input");
        y[0] = n.input(0).dims;
        return yes();
    }
};
}  // namespace shop
// <<<

// >>>
template <class T>
struct inlay::kernel<shop::discount, inlay::device::reference, inlay::types<T>> : inlay::simple_kernel {
    struct params {
        std::int64_t count;
        double rate;
    };                                                // everything that depends on shapes and attributes
    static constexpr reuse shares = reuse::in_place;  // the output may overwrite input 0

    static constexpr verdict supports(const node_view& n) {
        const double rate = n.real("rate", 0.1);
        return rate >= 0 && rate <= 1 ? yes() : no("rate must be between 0 and 1");
    }
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements(), n.real("rate", 0.1)}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const T* x = a.in<T>(0);
        T* y = a.out<T>(0);
        for (std::int64_t i = 0; i < p.count; ++i) y[i] = x[i] < T(0) ? T(0) : x[i] - T(p.rate) * x[i];
        return status::ok;
    }
};
// <<<

// >>>
template <> struct inlay::kernel<shop::discount, inlay::device::cpu, inlay::types<float>> : inlay::simple_kernel {
    struct params {
        std::int64_t count;
        float rest;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr layout_rule layouts(const node_view&) {
        return {layout::any, layout::any};
    }  // the order of elements does not matter

    static constexpr verdict supports(const node_view& n) {
        return n.real("rate", 0.1) == 0 ? no("the reference kernel is as good where there is no discount")
                                        : kernel<shop::discount, device::reference, types<float>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims.elements(), float(1 - n.real("rate", 0.1))};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.count, 16384, [&](std::int64_t first, std::int64_t end, int) {  // over the session's threads
            for (std::int64_t i = first; i < end; ++i) {
                const float x = a.in<float>(0)[i];
                a.out<float>(0)[i] = x < 0 ? 0 : x * p.rest;
            }
        });
        return status::ok;
    }
};
// <<<

// >>>
#include <inlay/inlay.hpp>

struct till {
    static constexpr std::string_view name = "TillExecutionProvider";
    static constexpr auto devices =
        inlay::hana::tuple_t<inlay::device::cpu, inlay::device::reference>;  // the fast kernel first
    static constexpr auto kernels = inlay::hana::tuple_t<shop::discount>;
};
std::vector<float> prices(const inlay::model& model, const inlay::tensor& x) {
    inlay::session session{model, till{}, inlay::cpu{}};
    const inlay::tensor y = session.run({{"x", x}}).at("y");
    return {y.as<float>().begin(), y.as<float>().end()};
}
// <<<

// >>>
TEST_CASE("Discount takes a tenth off what is positive", "[guide]") {
    using inlay::testing::run;
    const inlay::tensor x({4}, {10.f, 0.f, -5.f, NAN});
    const auto y = run<shop::discount, inlay::device::reference>({{x}});
    REQUIRE(y.code == inlay::status::ok);
    CHECK(y[0].as<float>()[0] == 9.f);
    CHECK(y[0].as<float>()[2] == 0.f);
    CHECK(std::isnan(y[0].as<float>()[3]));
}
TEST_CASE("The fast Discount agrees with the reference kernel at every tail length", "[guide]") {
    using inlay::testing::run;
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        std::vector<float> x;
        for (int i = 0; i < n; ++i) x.push_back(float(i * 7 % 23) - 11.f);
        const auto fast = run<shop::discount, inlay::device::cpu>({{inlay::tensor({n}, x)}}),
                   plain = run<shop::discount, inlay::device::reference>({{inlay::tensor({n}, x)}});
        for (int i = 0; i < n; ++i)
            CHECK(fast[0].as<float>()[std::size_t(i)] == Approx(plain[0].as<float>()[std::size_t(i)]));
    }
}
// <<<
using namespace inlay::testing;

TEST_CASE("A model with the guide's operator runs, on the faster kernel where it can", "[guide]") {
    const auto text = [](const char* rest) {
        return std::string(R"(<ir_version: 10, opset_import: ["" : 21, "shop" : 1]> g )") + rest;
    };
    const inlay::model m = model_of(text("(float[4] x) => (float[4] y) { y = shop.Discount <rate = 0.5> (x) }"));
    CHECK(prices(m, inlay::tensor({4}, {10.f, -1.f, 2.f, 4.f})) == std::vector{5.f, 0.f, 1.f, 2.f});
    const inlay::session s{m, till{}};
    CHECK(s.plan().nodes[0].kernel == "cpu");
    const inlay::session full_price{
        model_of(text("(float[4] x) => (float[4] y) { y = shop.Discount <rate = 0.0> (x) }")), till{}};
    CHECK(full_price.plan().nodes[0].kernel == "reference");
    CHECK(full_price.plan().nodes[0].answers[0].text == "the reference kernel is as good where there is no discount");
    const auto result = inlay::session<till>::try_make(
        model_of(text("(float[4] x) => (float[4] y) { y = shop.Discount <rate = 2.0> (x) }")), {}, till{});
    REQUIRE_FALSE(result);
    CHECK(has_text(result.why().text, "rate must be between 0 and 1"));
}

TEST_CASE("An output of another type than the operator gives is refused", "[guide]") {
    const auto session_of = [](const char* declared) {
        return inlay::session<till>::try_make(
            model_of(R"(<ir_version: 10, opset_import: ["" : 21, "shop" : 1]> g (float[4] x) => ()" +
                     std::string(declared) + "[4] y) { y = shop.Discount (x) }"),
            {}, till{});
    };
    CHECK(session_of("float"));
    for (const char* wrong : {"uint8", "double", "string"}) {
        CAPTURE(wrong);
        const auto result = session_of(wrong);
        REQUIRE_FALSE(result);
        CHECK(result.why().code == inlay::error_code::no_provider);
        CHECK(has_text(result.why().text, "TillExecutionProvider: element type not covered (found " +
                                              std::string(wrong) + ", nearest takes"));
    }
}
