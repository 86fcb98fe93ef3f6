// must print: inlay: an operator needs onnx_name, versions and a noexcept shapes()
#include <inlay/sdk/catalogue.hpp>
using namespace inlay;

struct twice : op::standard {
    static constexpr std::string_view onnx_name = "Twice", domain = "example";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float>;
#ifdef WITHOUT_MISUSE
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
#endif
};
template <> struct inlay::kernel<twice, device::reference, types<float>> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params&, const state&, const arguments&, context&) noexcept { return status::ok; }
};
struct accelerator {
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<twice>;
};
static_assert(catalogue<accelerator>::size == 1);
