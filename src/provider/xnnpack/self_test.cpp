// A convolution whose result is known, computed before the first session has the library.
#include "version.hpp"
#include <limits>
#include <numeric>

namespace inlay {
inline namespace v1 {
namespace {
constexpr int taps = 9;
struct numbers {  // with what XNNPACK may read behind the last one
    float x[taps + XNN_EXTRA_BYTES / 4] = {}, w[taps + XNN_EXTRA_BYTES / 4] = {}, y[1 + XNN_EXTRA_BYTES / 4] = {},
                                     bias[1 + XNN_EXTRA_BYTES / 4] = {-5.625f};
};
xnn_status compute(numbers& n) {
    const xnnpack_functions& f = xnnpack_library();
    xnn_subgraph_t g = nullptr;
    if (const xnn_status s = f.xnn_create_subgraph(2, 0, &g); s != xnn_status_success) return s;
    const xnnpack_ptr<xnn_subgraph_t> owner(g);
    std::uint32_t x = 0, y = 0, w = 0, bias = 0;
    const auto define = [&](std::size_t rank, std::size_t side, const float* data, std::uint32_t external,
                            std::uint32_t flags, std::uint32_t& to) {
        const std::size_t image[] = {1, side, side, 1}, vector[] = {1};
        return f.xnn_define_tensor_value(g, xnn_datatype_fp32, rank, rank == 1 ? vector : image, data, external, flags,
                                         &to);
    };
    constexpr float endless = std::numeric_limits<float>::infinity();
    xnn_status s = define(4, 3, nullptr, 0, XNN_VALUE_FLAG_EXTERNAL_INPUT, x);
    if (s == xnn_status_success) s = define(4, 1, nullptr, 1, XNN_VALUE_FLAG_EXTERNAL_OUTPUT, y);
    if (s == xnn_status_success) s = define(4, 3, n.w, XNN_INVALID_VALUE_ID, 0, w);
    if (s == xnn_status_success) s = define(1, 1, n.bias, XNN_INVALID_VALUE_ID, 0, bias);
    if (s == xnn_status_success)
        s = f.xnn_define_convolution_2d(g, 0, 0, 0, 0, 3, 3, 1, 1, 1, 1, 1, 1, 1, -endless, endless, x, w, bias, y, 0);
    packed_weights weights;
    xnnpack_runtime runtime;
    const xnn_external_value ends[] = {{0, n.x}, {1, n.y}};
    if (s == xnn_status_success) s = weights.make_runtime(g, nullptr, runtime);
    if (s == xnn_status_success) s = set_up(runtime.get(), ends);
    return s == xnn_status_success ? f.xnn_invoke_runtime(runtime.get()) : s;
}
std::string test() {
    if (!xnnpack_library().problem.empty()) return xnnpack_library().problem;
    numbers n;
    std::iota(n.x, n.x + taps, 0.f);
    for (int k = 0; k < taps; ++k) n.w[k] = .125f * float(k + 1);
    constexpr float expected = 24.375f;  // the sum of k (k + 1) / 8, less 5.625
    if (const xnn_status s = compute(n); s != xnn_status_success)
        return std::string("a convolution, to test it: ") + text_of(s);
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
