// The kernels of operators as plain records: constexpr for the partitioner, with erased functions for the session.
#pragma once
#include "type_list.hpp"
#include <inlay/sdk/operator.hpp>
#include <algorithm>
#include <tuple>
#include <vector>

namespace inlay {
inline namespace v1 {
inline constexpr int max_constraints = 4;

struct entry {  // everything that partition, layout and plan need to know about one kernel
    std::uint64_t key = 0;
    std::string_view domain{}, name{}, device_name{};
    version_range versions{};
    std::array<int, max_constraints> constraints{};  // input(k) or output(k)
    std::array<element_set, max_constraints> elements{};
    int constraint_count = 0, required_inputs = 0;
    reuse shares = reuse::none;
    unsigned packs = 0;
    bool data_dependent = false;
    const operator_record* about = nullptr;
    int op = 0, device = 0, types = 0;  // positions in the lists: the way back to the type
    verdict (*supports)(const node_view&) = nullptr;
    layout_rule (*layouts)(const node_view&) = nullptr;
    bool (*strided)(const node_view&, int argument) = nullptr;
    bool (*spaced)(const node_view&, int argument) = nullptr;  // null: never
    bytes_needed (*footprint)(const node_view&, int threads) = nullptr;
    verdict (*shapes)(const node_view&, std::span<shape>) noexcept = nullptr;
    bool (*reduced)(const node_view&) = nullptr;  // null: never
    constexpr bool packs_input(int k) const {
        return k < 32 && packs >> k & 1;
    }  // nodes may have more inputs than a word has bits
    constexpr bool packs_at_bind(const node_view& n, int k) const { return packs_input(k) && n.are_constant(packs); }
    constexpr int constraint_of_output(int k) const {  // -1: none names it
        for (int c = 0; c < constraint_count; ++c)
            if (constraints[c] == output(k)) return c;
        return -1;
    }
};
// The type of output k as the operator reports it, or this kernel's constraints; undefined where they leave a choice.
constexpr element output_type(const entry& e, const node_view& n, int k) {
    if (e.about->output_type) return e.about->output_type(n, k);
    if (const int c = e.constraint_of_output(k); c >= 0) return e.elements[c].only();
    const int first = e.constraints[0];
    if (first >= 0) return n.input_type(first);
    return n.has_output(~first) ? n.output(~first).type : element::undefined;
}
constexpr std::uint64_t operator_key(std::string_view domain, std::string_view name) {  // FNV-1a
    std::uint64_t h = 14695981039346656037u;
    for (std::string_view s : {domain, name})
        for (char c : s) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h;
}
template <class K>
constexpr bytes_needed largest_footprint(const node_view& n, int threads) {  // so that the level never changes the plan
    bytes_needed most{};
    const auto p = K::prepare(n);
    for (isa::level l : isa::linked) {
        const bytes_needed b = K::footprint(p, l, threads);
        most = {std::max(most.constant, b.constant), std::max(most.scratch, b.scratch)};
    }
    return most;
}

// The session's side of a kernel: params and state as bytes.
struct kernel_functions {
    std::size_t params_bytes = 0;
    void (*prepare)(const node_view&, void* params) = nullptr;
    void* (*make_state)() = nullptr;
    void (*drop_state)(void*) noexcept = nullptr;
    status (*bind)(const void* params, constants, const setup&, void* state) noexcept = nullptr;
    status (*run)(const void* params, const void* state, const arguments&, context&) noexcept = nullptr;
};
struct row {
    entry e;
    kernel_functions f;
};
// The kernel that changes layouts in a provider's memory, for elements of so many bits; conversion.hpp defines it.
struct conversion_functions {
    void (*prepare)(const shape& dims, layout to, void* params) = nullptr;
    kernel_functions f{};
};
template <class Device> conversion_functions conversion_of(int bits);

template <class K>
concept written = requires {
    sizeof(K);
};

template <class K, class Op, class Device, class... T> constexpr entry describe(types<T...>, int types_index) {
    static_assert(operation<Op>,
                  "inlay: an operator needs onnx_name, versions and a noexcept shapes(); "
                  "kernels/inlay/onnx/reshape.hpp shows one");
    static_assert(complete_kernel<K>,
                  "inlay: a kernel needs params, state and the functions listed in include/inlay/sdk/kernel.hpp: "
                  "bind() and run() noexcept, params trivially copyable");
    static_assert(sizeof...(T) == Op::constraints.size() && sizeof...(T) <= max_constraints,
                  "inlay: an operator's type tuples have one type per constraint");
    entry e;
    e.key = operator_key(Op::domain, Op::onnx_name);
    e.domain = Op::domain;
    e.name = Op::onnx_name;
    if constexpr (requires { Device::name; })
        e.device_name = Device::name;
    else
        e.device_name = "own";
    e.versions = Op::versions;
    e.elements = {elements_of<T>...};
    e.constraint_count = int(sizeof...(T));
    e.required_inputs = Op::required_inputs;
    e.shares = K::shares;
    e.packs = K::packs;
    e.data_dependent = Op::data_dependent;
    e.types = types_index;
    e.supports = &K::supports;
    e.layouts = &K::layouts;
    e.strided = &K::strided;
    if constexpr (requires(const node_view& n) {
                      { K::spaced(n, 0) } -> std::same_as<bool>;
                  })
        e.spaced = &K::spaced;
    e.footprint = &largest_footprint<K>;
    e.shapes = &Op::shapes;
    e.about = &record_of<Op>;
    if constexpr (requires(const typename K::params& p) { K::reduced(p); })
        e.reduced = [](const node_view& n) { return K::reduced(K::prepare(n)); };
    std::copy(Op::constraints.begin(), Op::constraints.end(), e.constraints.begin());
    return e;
}
template <class K> constexpr kernel_functions erase() {
    using params = typename K::params;
    using state = typename K::state;
    return {sizeof(params),
            [](const node_view& n, void* p) { *static_cast<params*>(p) = K::prepare(n); },
            []() -> void* { return new state{}; },
            [](void* s) noexcept { delete static_cast<state*>(s); },
            [](const void* p, constants w, const setup& u, void* s) noexcept {
                return K::bind(*static_cast<const params*>(p), w, u, *static_cast<state*>(s));
            },
            [](const void* p, const void* s, const arguments& a, context& c) noexcept {
                return K::run(*static_cast<const params*>(p), *static_cast<const state*>(s), a, c);
            }};
}

// One visit per kernel that is written for Op on Device: f.template operator()<Kernel, Types>(index of the types).
template <class Op, class Device, class F> constexpr void for_each_kernel(F&& f) {
    [&]<class... Types>(pack<Types...>) {
        int t = 0;
        [[maybe_unused]] const int in_order[] = {0, [&] {
                                                     if constexpr (written<kernel<Op, Device, Types>>)
                                                         f.template operator()<kernel<Op, Device, Types>, Types>(t);
                                                     return t++;
                                                 }()...};
    }(pack_of<decltype(Op::elements)>{});
}
template <class Op, class Device> constexpr int kernel_count() {
    int n = 0;
    for_each_kernel<Op, Device>([&]<class, class>(int) { ++n; });
    return n;
}
// functions_of: returns kernel_functions of a kernel, which it gets as std::type_identity.
template <class Op, class Device, class F> constexpr auto make_rows(F functions_of) {
    std::array<row, kernel_count<Op, Device>()> a{};
    std::size_t i = 0;
    for_each_kernel<Op, Device>([&]<class K, class Types>(int t) {
        a[i++] = {describe<K, Op, Device>(Types{}, t), functions_of(std::type_identity<K>{})};
    });
    return a;
}
// The rows of one operator on one device. Those of the stock operators are compiled once, in inlay::kernels.
template <class Op, class Device> std::span<const row> rows() {
    static constexpr auto table = make_rows<Op, Device>([]<class K>(std::type_identity<K>) { return erase<K>(); });
    return table;
}
// The same without the functions that run, for programs that only plan for the device.
template <class Op, class Device> std::span<const row> planned_rows() {
    static constexpr auto table = make_rows<Op, Device>([](auto) { return kernel_functions{}; });
    return table;
}

constexpr bool before(const entry& a, const entry& b) {
    return std::tie(a.key, a.op, a.device, a.types) < std::tie(b.key, b.op, b.device, b.types);
}

// All kernels of a list of operators on a list of devices in the compiler: sorted by key, then as listed.
template <class Ops, class Devices> class catalogue_of;
template <class... Op, class... Device> class catalogue_of<pack<Op...>, pack<Device...>> {
    template <class O, class D> static constexpr void add(std::vector<entry>& list, int o, int d) {
        for_each_kernel<O, D>([&]<class K, class Types>(int t) {
            entry e = describe<K, O, D>(Types{}, t);
            e.op = o;
            e.device = d;
            list.push_back(e);
        });
    }
    template <class O> static constexpr int add_operator(std::vector<entry>& list, int o) {
        int d = 0;
        (add<O, Device>(list, o, d++), ...);
        return o;
    }
    static constexpr std::vector<entry> build() {
        std::vector<entry> list;
        int o = 0;
        [[maybe_unused]] const int in_order[] = {0, add_operator<Op>(list, o++)...};  // no fold: clang stops at 256
        std::sort(list.begin(), list.end(), before);
        return list;
    }

  public:
    static constexpr std::size_t size = build().size();
    static constexpr auto entries = [] {
        std::array<entry, size> a;
        std::ranges::copy(build(), a.begin());
        return a;
    }();
};
template <class P> using catalogue = catalogue_of<pack_of<decltype(P::kernels)>, pack_of<decltype(P::devices)>>;

// The same at run time, with the erased functions.
struct kernel_table {
    std::vector<entry> entries;
    std::vector<kernel_functions> functions;  // of the same positions
};
// rows_of: the rows of an operator on a device, which it gets as std::type_identity.
template <class... Op, class... Device, class F> kernel_table make_table(pack<Op...>, pack<Device...>, F rows_of) {
    std::vector<row> rows;
    auto add = [&](std::span<const row> device_rows, int o, int d) {
        for (row r : device_rows) {
            r.e.op = o;
            r.e.device = d;
            rows.push_back(r);
        }
    };
    int o = 0;
    auto add_operator = [&]<class O>(std::type_identity<O>) {
        int d = 0;
        (add(rows_of(std::type_identity<O>{}, std::type_identity<Device>{}), o, d++), ...);
        ++o;
    };
    [[maybe_unused]] const int in_order[] = {
        0, (add_operator(std::type_identity<Op>{}), 0)...};  // no fold: clang stops at 256
    std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return before(a.e, b.e); });
    kernel_table table;
    for (const row& r : rows) {
        table.entries.push_back(r.e);
        table.functions.push_back(r.f);
    }
    return table;
}
}  // namespace v1
}  // namespace inlay
