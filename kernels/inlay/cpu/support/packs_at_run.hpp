// Makes kernels that pack weights once work with non-constant weights too: where some input that K::packs names is no
// constant, each run calls K::bind() for the given weights, by all of its threads and into its scratch, then K::run().
// So K may expect constant weights, and K::supports() need not check for constants.
#pragma once
#include <inlay/sdk/kernel.hpp>

namespace inlay {
inline namespace v1 {
template <class K> struct packs_at_run : K {
    struct params {
        typename K::params base;
        bool at_run = false;
    };
    struct state {
        typename K::state base{};
        isa::level level{};
        int threads = 1;
    };
    static constexpr params prepare(const node_view& n) { return {K::prepare(n), !n.are_constant(K::packs)}; }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        const bytes_needed bytes = K::footprint(p.base, l, threads);
        return p.at_run ? bytes_needed{0, packed_bytes(bytes) + bytes.scratch} : bytes;
    }
    static constexpr bool reduced(const params& p) requires requires { K::reduced(p.base); }
    { return K::reduced(p.base); }
    // The shapes of non-constant weights may change.
    static constexpr auto needs(const params& p) requires requires { K::needs(p.base); }
    {
        if constexpr (requires { K::needs_of_any_weights; })
            return p.at_run ? K::needs_of_any_weights : K::needs(p.base);
        else
            return K::needs(p.base);
    }
    template <auto... Linked> static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s.level = u.level;
        s.threads = u.threads;
        return p.at_run ? status::ok : bind_own<Linked...>(p.base, w, u, s.base);
    }
    template <auto... Linked>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (!p.at_run) return run_own<Linked...>(p.base, s.base, a, c);
        std::byte* const scratch = c.scratch;
        typename K::state packed{};
        status result =
            bind_own<Linked...>(p.base, constants{a.inputs}, {s.level, s.threads, scratch, nullptr, &c}, packed);
        if (result != status::ok) return result;
        c.scratch += packed_bytes(K::footprint(p.base, s.level, s.threads));
        result = run_own<Linked...>(p.base, packed, a, c);
        c.scratch = scratch;
        return result;
    }

  private:
    static constexpr std::int64_t packed_bytes(const bytes_needed& bytes) { return (bytes.constant + 63) / 64 * 64; }
    template <auto... Linked>
    static status bind_own(const typename K::params& p, constants w, const setup& u, typename K::state& s) noexcept {
        if constexpr (sizeof...(Linked) == 0)
            return K::bind(p, w, u, s);
        else
            return K::template bind<Linked...>(p, w, u, s);
    }
    template <auto... Linked>
    static status run_own(const typename K::params& p, const typename K::state& s, const arguments& a,
                          context& c) noexcept {
        if constexpr (sizeof...(Linked) == 0)
            return K::run(p, s, a, c);
        else
            return K::template run<Linked...>(p, s, a, c);
    }
};
}  // namespace v1
}  // namespace inlay
