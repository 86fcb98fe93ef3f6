// must print: inlay: a kernel needs params, state and the functions listed in include/inlay/sdk/kernel.hpp
// A kernel that can be prepared and never run.
#include <inlay/sdk/catalogue.hpp>
using namespace inlay;

struct twice : op::standard {
    static constexpr std::string_view onnx_name = "Twice", domain = "example";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
};
template <> struct inlay::kernel<twice, device::reference, types<float>> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
#ifdef WITHOUT_MISUSE
    static status run(const params&, const state&, const arguments&, context&) noexcept { return status::ok; }
#endif
};
struct accelerator {
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<twice>;
};
static_assert(catalogue<accelerator>::size == 1);
