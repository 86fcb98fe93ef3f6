// A provider is an aggregate of options. It runs nodes with kernels from a list, or opens an engine, which runs whole
// regions of the graph, or both.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/device.hpp>
#include <inlay/sdk/catalogue.hpp>
#include <inlay/sdk/engine.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
enum class provider_status : std::uint8_t { production, preview, deprecated, community };  // as in ONNX Runtime
constexpr std::string_view name_of(provider_status s) {
    constexpr std::string_view names[] = {"production", "preview", "deprecated", "community"};
    return names[int(s)];
}
// What the provider was checked on: its device; a simulator or an emulator of it; only those parts of its vendor's
// library that need no device; or nothing but a stand-in of the tests.
enum class provider_check : std::uint8_t { unstated, device, simulator, library, stand_in };
constexpr std::string_view name_of(provider_check c) {
    constexpr std::string_view names[] = {"", "device", "simulator", "library", "own stand-in"};
    return names[int(c)];
}

template <class P>
concept kernel_provider = requires {
    P::kernels;  // hana::tuple_t of operators
    P::devices;  // hana::tuple_t of kernel tags, the preferred first
};
// open() is called when a session is created; its error says why the engine cannot be used.
template <class P>
concept engine_provider = requires(const P& p) {
    { p.open() } -> std::same_as<result<std::shared_ptr<engine>>>;
};
template <class P>
concept provider = std::copy_constructible<P> && requires {
    { P::name } -> std::convertible_to<std::string_view>;
} &&(kernel_provider<P> || engine_provider<P>);

template <class P> struct memory_of_provider { using type = memory::host; };
template <class P>
requires requires { typename P::memory; }
struct memory_of_provider<P> {
    using type = typename P::memory;
};
template <class P> using memory_of = typename memory_of_provider<P>::type;
// `conversions`: the tag of kernels that change layouts in the provider's own memory, kernel<op::relayout, tag,
// types<raw<Bits>>>.
template <class P>
concept converting_provider = requires {
    typename P::conversions;
};
template <class P> constexpr provider_status status_of() {
    if constexpr (requires { P::status; })
        return P::status;
    else
        return provider_status::production;
}
template <class P> constexpr provider_check check_of() {
    if constexpr (requires { P::checked_on; })
        return P::checked_on;
    else
        return provider_check::unstated;
}
// Its short name, where its package is not called `name` without its suffix. Empty: it has none.
template <class P> constexpr std::string_view short_name_of() {
    if constexpr (requires { P::short_name; })
        return P::short_name;
    else
        return {};
}
template <class P> constexpr int device_of(const P& p) {
    if constexpr (requires { p.device_id; })
        return int(p.device_id);
    else
        return 0;
}
template <class P, class Q> constexpr bool share_memory(const P& p, const Q& q) {
    if constexpr (std::same_as<memory_of<P>, memory_of<Q>>)
        return !memory_of_devices<memory_of<P>> || device_of(p) == device_of(q);
    else
        return (void)p, (void)q, false;
}

// A smaller provider: only<cpu, op::conv, op::relu>{{.threads = 4}} runs these operators and refuses the rest.
template <class P, class... Op> struct only : P { static constexpr auto kernels = hana::tuple_t<Op...>; };

// The checks of a provider list, each with a text that says how to fix it.
template <class P> constexpr bool require_provider() {
    static_assert(
        std::copy_constructible<P>,
        "inlay::session<Ps...>: every P must be a provider, and a provider is copied: give it a copy constructor");
    static_assert(
        requires {
            { P::name } -> std::convertible_to<std::string_view>;
        },
        "inlay::session<Ps...> requires every P to be a provider: P has no `static constexpr std::string_view name`; "
        "docs/how-to/adding-a-provider.md shows a small one");
    static_assert(kernel_provider<P> || engine_provider<P>,
                  "inlay::session<Ps...> requires every P to be a provider: P has neither `kernels` and `devices` nor "
                  "`result<std::shared_ptr<engine>> open() const`; docs/how-to/adding-a-provider.md shows a small one");
    static_assert(known_memory<memory_of<P>>,
                  "inlay: the provider's `memory` tag needs inlay::memory_space<Tag> and inlay::transfer<Tag, "
                  "memory::host> both ways; include/inlay/device.hpp shows them");
    return true;
}
template <class A, class B> constexpr bool require_distinct() {
    static_assert(std::same_as<A, B> || std::string_view(A::name) != std::string_view(B::name),
                  "inlay: two provider types of one list have the same name; a name stands for one type");
    static_assert(
        !std::same_as<A, B> || requires(const A& a) { a.device_id; },
        "inlay: a provider type stands twice in one list, and has no `device_id` that could tell the two apart");
    return true;
}
template <class... Ps> constexpr bool require_provider_list() {
    bool good = (require_provider<Ps>() && ...);
    auto against_all = []<std::size_t I, class A>(std::type_identity<A>) {
        return []<std::size_t... J>(std::index_sequence<J...>) {
            return ([] {
                if constexpr (I < J)
                    return require_distinct<A, std::tuple_element_t<J, std::tuple<Ps...>>>();
                else
                    return true;
            }() && ...);
        }
        (std::index_sequence_for<Ps...>{});
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        good = (against_all.template operator()<I>(std::type_identity<Ps>{}) && ... && good);
    }
    (std::index_sequence_for<Ps...>{});
    return good;
}

// What partition, layout and plan know of one provider of a list.
struct provider_view {
    std::string_view name;
    std::span<const entry> kernels;
    int space = 0;  // of its memory: 0 is the host
    bool has_engine = false;
    bool converts = false;  // layouts, in that space
};
// A list of providers for the partitioner, erased (inlay::session) or typed (in the compiler).
template <class L>
concept provider_list = requires(const L& l, int i, const node_view& n, const graph_view& g,
                                 std::span<const int> free) {
    { l.size() } -> std::convertible_to<int>;
    { l.view(i) } -> std::convertible_to<provider_view>;
    { l.accepts(i, n) } -> std::same_as<verdict>;
    // Of its engine. The texts live as long as the list.
    { l.propose(i, g, free) } -> std::convertible_to<const proposals&>;
};

template <class... Ps> class typed_providers {
    std::tuple<Ps...> providers_;
    template <class F, class R> constexpr R at(int i, R otherwise, F f) const {
        int k = 0;
        R r = otherwise;
        std::apply([&](const Ps&... p) { ((k++ == i ? void(r = f(p)) : void()), ...); }, providers_);
        return r;
    }
    template <class P>
    constexpr int space_of_provider(const P& p) const {  // the position of the first with this memory, plus one
        if constexpr (std::same_as<memory_of<P>, memory::host>)
            return (void)p, 0;
        else
            return std::apply(
                [&](const Ps&... q) {
                    int k = 0, position = 0;
                    ((++k, position == 0 && share_memory(p, q) ? void(position = k) : void()), ...);
                    return position;
                },
                providers_);
    }

  public:
    static_assert(require_provider_list<Ps...>());
    constexpr explicit typed_providers(const Ps&... ps) : providers_(ps...) {}
    static constexpr int size() { return int(sizeof...(Ps)); }
    template <template <class> class Catalogue = catalogue> constexpr provider_view view(int i) const {
        return at(i, provider_view{}, [&]<class P>(const P& p) {
            provider_view v{P::name, {}, space_of_provider(p), engine_provider<P>, converting_provider<P>};
            if constexpr (kernel_provider<P>) v.kernels = Catalogue<P>::entries;
            return v;
        });
    }
    constexpr verdict accepts(int i, const node_view& n) const {
        return at(i, yes(), [&]<class P>(const P& p) {
            if constexpr (requires { p.accepts(n); })
                return p.accepts(n);
            else
                return yes();
        });
    }
    // It is the session that opens engines.
    static constexpr proposals propose(int, const graph_view&, std::span<const int>) { return {}; }
};
}  // namespace v1
}  // namespace inlay
