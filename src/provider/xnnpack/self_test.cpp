// A convolution whose result is known, computed before the first session has the library.
#include "lowering.hpp"
#include "version.hpp"
#include <numeric>

namespace inlay {
inline namespace v1 {
namespace {
constexpr int taps = 9;
struct numbers {  // with what XNNPACK may read behind the last one
    float x[taps + XNN_EXTRA_BYTES / 4] = {}, w[taps + XNN_EXTRA_BYTES / 4] = {}, y[1 + XNN_EXTRA_BYTES / 4] = {},
                                     bias[1 + XNN_EXTRA_BYTES / 4] = {-5.625f};
};
recipe convolution_of(const numbers& n) {
    recipe r;
    r.external = 2;
    r.values = {{.dims = {1, 3, 3, 1}, .external = 0, .flags = XNN_VALUE_FLAG_EXTERNAL_INPUT},
                {.dims = {1, 1, 1, 1}, .external = 1, .flags = XNN_VALUE_FLAG_EXTERNAL_OUTPUT},
                {.dims = {1, 3, 3, 1}, .data = n.w},
                {.dims = {1}, .data = n.bias}};
    r.steps.emplace_back([](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        constexpr float endless = std::numeric_limits<float>::infinity();
        return xnnpack_library().xnn_define_convolution_2d(g, 0, 0, 0, 0, 3, 3, 1, 1, 1, 1, 1, 1, 1, -endless, endless,
                                                           ids[0], ids[2], ids[3], ids[1], 0);
    });
    return r;
}
std::string test() {
    if (!xnnpack_library().problem.empty()) return xnnpack_library().problem;
    numbers n;
    std::iota(n.x, n.x + taps, 0.f);
    for (int k = 0; k < taps; ++k) n.w[k] = .125f * float(k + 1);
    constexpr float expected = 24.375f;  // the sum of k (k + 1) / 8, less 5.625
    const auto subgraph = convolution_of(n).make();
    if (!subgraph) return "a convolution, to test it: " + subgraph.why().text;
    packed_weights weights;
    xnnpack_runtime runtime;
    const xnn_external_value ends[] = {{0, n.x}, {1, n.y}};
    xnn_status s = weights.make_runtime((*subgraph).get(), nullptr, runtime);
    if (s == xnn_status_success) s = set_up(runtime.get(), ends);
    if (s == xnn_status_success) s = xnnpack_library().xnn_invoke_runtime(runtime.get());
    if (s != xnn_status_success) return std::string("a convolution, to test it: ") + text_of(s);
    if (n.y[0] == expected)
        return xnnpack_library().later && !shares_packed_weights
                   ? "it is of a later version than the header that this program was built with"
                   : "";
    return "its convolution gives " + std::to_string(n.y[0]) + " where " + std::to_string(expected) +
           " is right; it may not be of the version that this program was built for";
}
}  // namespace

const std::string& problem_of_xnnpack() {
    static const std::string problem = test();
    return problem;
}
}  // namespace v1
}  // namespace inlay
