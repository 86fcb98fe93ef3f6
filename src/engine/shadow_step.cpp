#include "facts.hpp"
#include "shadow_step.hpp"

namespace inlay {
inline namespace v1 {
namespace shadows {
namespace {
constexpr bool is_float(element e) {
    return e == element::f32 || e == element::f64 || e == element::f16 || e == element::bf16;
}
element type_of(const any_value& v) { return v.as_tensor() ? v.as_tensor()->type() : element::undefined; }
// How much reductions of such elements may differ when they accumulate in another order.
double part_of_largest(element e) { return e == element::bf16 ? 0x1p-6 : e == element::f16 ? 0x1p-9 : 1e-5; }
}  // namespace

source_node source_of(const graph_view& g, const node& n) {
    const auto out = g.list(n.outputs);
    const auto output = std::ranges::find_if(out, [](int id) { return id >= 0; });
    const std::string domain = n.domain.empty() ? "" : std::string(n.domain) + ".";
    return {std::string(n.name), domain + std::string(n.op) + "-" + std::to_string(n.version),
            output == out.end() ? "" : std::string(g.values[std::size_t(*output)].name)};
}
std::string describe(const source_node& n) {
    return n.name.empty() ? "the " + n.op + " that makes `" + n.output + "`" : "`" + n.name + "` (" + n.op + ")";
}
step_record record_of(const watched_step& s) {
    step_record r{s.number(), s.provider(), s.what(), {}, s.inputs(), s.outputs(), false};
    const graph_view& g = s.graph();
    for (int k : s.nodes()) {
        const node& n = g.nodes[std::size_t(k)];
        r.nodes.push_back(source_of(g, n));
        const entry* e = find_entry(stock_kernels(), n);
        r.random |= e && !e->about->facts.pure;
    }
    return r;
}

any_value copy_of(const any_value& v) { return v.as_tensor() ? any_value(v.as_tensor()->clone()) : v; }
any_value as_type(const any_value& v, element type) {
    const tensor* t = v.as_tensor();
    if (!t || t->type() == type || !is_float(type) || !is_float(t->type())) return v;
    tensor y(type, t->shape());
    with_type(t->type(), [&]<class From>(std::type_identity<From>) {
        if constexpr (floating<From> && sizeof(From) > 1)
            with_type(type, [&]<class To>(std::type_identity<To>) {
                if constexpr (floating<To> && sizeof(To) > 1)
                    for (std::int64_t i = 0; i < t->elements(); ++i) {
                        const double x = double(load<From>(t->data(), i));
                        if constexpr (std::is_same_v<To, double>)
                            store<To>(y.data(), i, x);
                        else
                            store<To>(y.data(), i, To(float(x)));
                    }
            });
    });
    return y;
}
comparison compared(const any_value& actual, const any_value& expected, const std::string& name, double relative,
                    std::optional<double> absolute) {
    const double part = std::max(part_of_largest(type_of(actual)), part_of_largest(type_of(expected)));
    comparison c{{relative, absolute.value_or(0), absolute ? 0 : part}, 0, 0, {}};
    c.add(as_type(actual, type_of(expected)), expected, "`" + name + "`");
    return c;
}

content content_of(const lying_value& v) {
    const tensor* t = v.value.as_tensor();
    if (!t || t->type() == element::string) return {};
    content c{t->shape(), 0xcbf29ce484222325};  // FNV-1a of the bytes, in whatever chunks they come
    v.read([&](std::span<const std::byte> part) {
        for (std::byte b : part) c.hash = (c.hash ^ std::uint64_t(b)) * 0x100000001b3;
    });
    return c;
}
}  // namespace shadows
}  // namespace v1
}  // namespace inlay
