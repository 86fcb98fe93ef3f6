// An engine's compiled regions in an embedded model: the operator that stands for it, and its kernel for every
// provider with an engine. The headers that `inlay compile` writes of a file with EPContext nodes include it
// (docs/how-to/contexts.md).
#pragma once
#include <inlay/impl/cxx20.hpp>

#ifdef INLAY_HEADER_ONLY
#error "inlay: what engines compiled needs the library inlay::engine; INLAY_HEADER_ONLY has kernels alone"
#endif
#include <inlay/embedded/plan.hpp>
#include <inlay/sdk/options.hpp>

namespace inlay {
inline namespace v1 {
// A region of one run at a time, with memory of the host: restored once, run by any number of threads.
class restored_region {
  public:
    // The provider that compiled it, erased.
    struct compiler {
        std::string_view name;
        const void* provider;
        result<std::shared_ptr<engine>> (*open)(const void*);
        option_list options;
    };
    restored_region() noexcept;
    ~restored_region();
    restored_region(const restored_region&) = delete;
    restored_region& operator=(const restored_region&) = delete;

    // node: an op::ep_context; bytes: its input 0, which outlives this object. The engine is opened where no other
    // region of the program has it open with the same options.
    status bind(const node_view& node, const void* bytes, const compiler&) noexcept;
    std::string_view why() const noexcept;  // bind() failed
    status run(const arguments&, context&) const noexcept;

  private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

namespace op {
// com.microsoft EPContext-1, in an embedded model. Inputs: the bytes that engine::save() returned, and those of the
// region. Attributes: `source`, the provider's name; `partition_name`; `key`, alternating names and values, which have
// to be the same where it is restored.
struct ep_context : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "EPContext";
    static constexpr version_range versions{1, 1};
    static constexpr std::array<int, 0> constraints{};
    static constexpr auto elements = hana::tuple_t<types<>>;
    static constexpr operator_facts facts{.pure = false};
    static constexpr element output_type(const node_view& n, int k) { return n.output(k).type; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {  // it was compiled for one set
        for (int k = 0; k < n.output_count(); ++k) y[std::size_t(k)] = n.output(k).dims;
        return yes();
    }
};
}  // namespace op

namespace device {
template <class P> struct engine_of { static constexpr std::string_view name = P::name; };
}  // namespace device

template <engine_provider P> struct kernel<op::ep_context, device::engine_of<P>, types<>> : simple_kernel {
    static_assert(
        std::same_as<memory_of<P>, memory::host>,
        "inlay::embedded: what this provider's engine compiled works on memory of its device, and an embedded "
        "model lends the host's; inlay::session runs it");
    struct params {
        const graph_view* graph;
        const node* record;
    };
    using state = restored_region;
    static constexpr unsigned packs = 1;
    static constexpr verdict supports(const node_view& n) {
        return n.text("source", "") == P::name ? yes() : no("the engine of another provider compiled it");
    }
    static constexpr params prepare(const node_view& n) { return {&n.graph, &n.record}; }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        return bind(p, w, u, s, P{});
    }
    static status bind(const params& p, constants w, const setup&, state& s, const P& provider) noexcept {
        const auto open = [](const void* object) { return static_cast<const P*>(object)->open(); };
        return s.bind({*p.graph, *p.record}, w.in<std::byte>(0), {P::name, &provider, open, options_of(provider)});
    }
    static status run(const params&, const state& s, const arguments& a, context& c) noexcept { return s.run(a, c); }
};

// A provider with an engine and no kernels, as an embedded model plans for it.
template <engine_provider P> struct context_runner {
    using memory = memory_of<P>;
    static constexpr std::string_view name = P::name;
    static constexpr auto devices = hana::tuple_t<device::engine_of<P>>;
    static constexpr auto kernels = hana::tuple_t<op::ep_context>;
    static constexpr verdict accepts(const node_view& n) {
        return n.record.op == op::ep_context::onnx_name ? yes()
                                                        : no("an embedded model has of its engine what the model's "
                                                             "file had compiled, and this is not of it");
    }
};
}  // namespace v1
}  // namespace inlay
