// must print: inlay: an operator's type tuples have one type per constraint
// Two constraints, but one type in the tuple that the kernel is written for.
#include <inlay/sdk/catalogue.hpp>
using namespace inlay;

struct convert : op::standard {
    static constexpr std::string_view onnx_name = "Convert", domain = "example";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
#ifdef WITHOUT_MISUSE
    using from_to = types<float, double>;
#else
    using from_to = types<float>;
#endif
    static constexpr auto elements = hana::tuple_t<from_to>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
};
template <> struct inlay::kernel<convert, device::reference, convert::from_to> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params&, const state&, const arguments&, context&) noexcept { return status::ok; }
};
struct accelerator {
    static constexpr std::string_view name = "AcceleratorExecutionProvider";
    static constexpr auto devices = hana::tuple_t<device::reference>;
    static constexpr auto kernels = hana::tuple_t<convert>;
};
static_assert(catalogue<accelerator>::size == 1);
