// HannWindow, HammingWindow and BlackmanWindow (since 17): a0 - a1 cos(2 pi i / N) + a2 cos(4 pi i / N) for i from 0 to
// size - 1; N is size, or size - 1 where `periodic` is 0. Computed in double, converted to `output_datatype`. ONNX's
// functions of the same names compute in float32, and are of opset 17 alone.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <array>
#include <cmath>
#include <concepts>

namespace inlay {
inline namespace v1 {
namespace op {
struct window_of_cosines : standard {
    static constexpr version_range versions{17, 17};
    static constexpr std::array constraints{v1::output(0)};
    static constexpr auto elements = number_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr element output_type(const node_view& n, int) {
        return element_numbered(n.integer("output_datatype", 1));
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the size is missing");
        if (n.input(0).dims.known() && n.input(0).dims.elements() != 1) return no("the size is not one number");
        y[0] = {-1};
        const auto size = n.input_integers(0);
        if (!size || size->empty()) return yes();
        if ((*size)[0] < 0 || (*size)[0] > (std::int64_t(1) << 40)) return no("the size is out of range");
        y[0] = {(*size)[0]};
        return yes();
    }
};
struct hann_window : window_of_cosines {
    static constexpr std::string_view onnx_name = "HannWindow";
    static constexpr std::array shares{0.5, 0.5, 0.};
};
struct hamming_window : window_of_cosines {
    static constexpr std::string_view onnx_name = "HammingWindow";
    static constexpr std::array shares{25. / 46, 1 - 25. / 46, 0.};
};
struct blackman_window : window_of_cosines {
    static constexpr std::string_view onnx_name = "BlackmanWindow";
    static constexpr std::array shares{0.42, 0.5, 0.08};
};
}  // namespace op

template <std::derived_from<op::window_of_cosines> Op, class T>
struct kernel<Op, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t size, period;
    };
    static constexpr verdict supports(const node_view& n) {
        return element_numbered(n.integer("output_datatype", 1)) == n.output(0).type
                   ? yes()
                   : no("the output's type is not output_datatype");
    }
    static constexpr params prepare(const node_view& n) {
        const std::int64_t size = n.output(0).dims.elements();
        return {size, size - (n.integer("periodic", 1) == 0)};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& a, context& c) noexcept {
        c.split(p.size, 4096, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                const double angle = 6.283185307179586476925 * double(i) / double(p.period);  // NaN where that is 0
                const double w = Op::shares[0] - Op::shares[1] * std::cos(angle) + Op::shares[2] * std::cos(2 * angle);
                if constexpr (std::is_integral_v<T>)
                    a.out<T>(0)[i] = w >= 0 ? static_cast<T>(w) : T(0);
                else
                    a.out<T>(0)[i] = static_cast<T>(static_cast<accumulator<T>>(w));
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
