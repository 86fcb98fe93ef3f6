// The kernels' code without inlay_add_level()'s flags: the bounds of math_f32.hpp, and a GEMM, must not rest on
// contraction.
#include <inlay/cpu/isa/gemm_f32.hpp>
#include <inlay/cpu/isa/softmax_f32.hpp>
#include <inlay/cpu/isa/unary_f32.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace inlay;
static double ulps(float result, double exact) {  // of the float that is nearest to the exact result
    const float nearest = float(exact);
    if (result == nearest || (std::isnan(result) && std::isnan(nearest))) return 0;
    return std::abs((double(result) - exact) /
                    (double(std::nextafter(std::abs(nearest), INFINITY)) - std::abs(double(nearest))));
}
static int failures = 0;
static void check(const char* name, double worst, double most) {
    std::printf("%-10s %6.2f, at most %.0f\n", name, worst, most);
    failures += !(worst <= most);
}

int main() {
    constexpr isa::level level = isa::linked[0];
    if (!isa::available(level)) return std::puts("skipped: this machine lacks the instruction set"), 77;
    std::vector<float> x;  // across all of float32, NaN included
    for (std::uint64_t bits = 0; bits < (std::uint64_t(1) << 32); bits += 4099) {
        const auto b = std::uint32_t(bits);
        float f;
        std::memcpy(&f, &b, sizeof f);
        x.push_back(f);
    }
    for (float f : {INFINITY, -INFINITY, 0.f, -0.f, 1.f}) x.push_back(f);
    std::vector<float> y(x.size());
    const auto worst = [&](unary_f32_table::map map, double (*exact)(double)) {
        map(x.data(), y.data(), std::int64_t(x.size()), 0, 0);
        double most = 0;
        for (std::size_t i = 0; i < x.size(); ++i) most = std::fmax(most, ulps(y[i], exact(double(x[i]))));
        return most;
    };
    const unary_f32_table& unary = unary_f32(level);
    check("tanh", worst(unary.tanh, [](double v) { return std::tanh(v); }), 4);
    check("erf", worst(unary.erf, [](double v) { return std::erf(v); }), 4);
    check("sigmoid", worst(unary.sigmoid, [](double v) { return 1 / (1 + std::exp(-v)); }), 4);
    check("sqrt", worst(unary.sqrt, [](double v) { return std::sqrt(v); }), 1);

    constexpr std::int64_t rows = 15, columns = 37, depth = 53;
    std::vector<float> a(rows * depth), b(depth * columns), c(rows * columns),
        panels(std::size_t(gemm_f32_padded(level, columns) * depth));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = float(int(i * 37 % 101) - 50) / 64;
    for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = float(int(i * 53 % 97) - 48) / 64;  // products and sums of these are exact
    const gemm_f32_depth d{1, 1, depth};
    const gemm_f32_table& gemm = gemm_f32(level);
    const std::int64_t panel_count = gemm_f32_panels(level, columns);
    gemm.pack({b.data(), columns, 1, 0, columns}, d, 0, panel_count, panels.data());
    gemm.run({a.data(), 0, depth, rows, d, 0, 0, {panels.data()}, columns, nullptr, nullptr, 0, c.data(), columns, {}},
             {0, 1, 0, rows, 0, panel_count});
    double wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < depth; ++k)
                sum += double(a[std::size_t(i * depth + k)]) * double(b[std::size_t(k * columns + j)]);
            wrong += double(c[std::size_t(i * columns + j)]) != sum;
        }
    check("gemm", wrong, 0);

    std::vector<float> row(1000), share(1000);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(i % 113) - 100;
    softmax_f32(level).softmax(row.data(), share.data(), 1, 1000);
    double total = 0, most = 0;
    for (float v : row) total += std::exp(double(v) - 12);
    for (std::size_t i = 0; i < row.size(); ++i)
        most = std::fmax(most, ulps(share[i], std::exp(double(row[i]) - 12) / total));
    check("softmax", most, 8);
    return failures != 0;
}
