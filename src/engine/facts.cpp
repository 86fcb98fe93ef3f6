#include "facts.hpp"
#include "foreign_operators.hpp"
#include <inlay/provider/cpu.hpp>
#include <inlay/provider/reference.hpp>
#include <inlay/sdk/provider_handle.hpp>

namespace inlay {
inline namespace v1 {
const kernel_table& reference_kernels() { return kernels_of<reference>(); }
const kernel_table& stock_kernels() { return kernels_of<cpu>(); }

namespace {
thread_local const foreign_types* brought = nullptr;  // of this thread's foreign_operators

// The entries of an operator, of all versions; f returns whether to continue.
template <class F> void for_each_entry(const kernel_table& table, const node& n, F f) {
    const std::uint64_t key = operator_key(n.domain, n.op);
    for (auto e = std::ranges::lower_bound(table.entries, key, {}, &entry::key);
         e != table.entries.end() && e->key == key; ++e)
        if (e->name == n.op && e->domain == n.domain && !f(*e)) return;
}
bool covers(const entry& e, const node& n) { return e.versions.since <= n.version && n.version <= e.versions.through; }
bool takes_inputs(const entry& e, const node_view& n) {  // those whose types are known
    for (int c = 0; c < e.constraint_count; ++c) {
        const element type =
            e.constraints[std::size_t(c)] < 0 ? element::undefined : n.input_type(e.constraints[std::size_t(c)]);
        if (type != element::undefined && !e.elements[std::size_t(c)].has(type)) return false;
    }
    return true;
}
}  // namespace

const entry* find_entry(const kernel_table& table, const node& n) {
    const entry* match = nullptr;
    for_each_entry(table, n, [&](const entry& e) {
        if (covers(e, n)) match = &e;
        return !match;
    });
    return match;
}
const operator_record& operator_of(const node& n) {
    static constexpr operator_record unknown{{.pure = false}};
    const operator_record* record = &unknown;
    for_each_entry(stock_kernels(), n, [&](const entry& e) {
        record = e.about;
        return false;
    });
    return *record;
}
element output_type(const node_view& n, int k) {
    element type = element::undefined;
    element_set possible;
    for_each_entry(stock_kernels(), n.record, [&](const entry& e) {
        if (!covers(e, n.record) || !takes_inputs(e, n)) return true;
        if (const int c = e.constraint_of_output(k); c >= 0 && !e.about->output_type) {
            possible.bits |= e.elements[std::size_t(c)].bits;
            return true;
        }
        type = output_type(e, n, k);
        return false;
    });
    if (type == element::undefined) type = possible.only();
    return type == element::undefined && brought ? (*brought)(n, k) : type;
}
foreign_operators::foreign_operators(foreign_types types)
    : types_(std::move(types)), before_(std::exchange(brought, &types_)) {}
foreign_operators::~foreign_operators() { brought = before_; }
}  // namespace v1
}  // namespace inlay
