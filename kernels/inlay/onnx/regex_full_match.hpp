// RegexFullMatch (since 20): whether the whole string matches the pattern, in the syntax of RE2.
#pragma once
#include <inlay/support/model_lists.hpp>
#include <inlay/support/regular_expression.hpp>
#include <type_traits>

namespace inlay {
inline namespace v1 {
namespace op {
struct regex_full_match : standard {
    static constexpr std::string_view onnx_name = "RegexFullMatch";
    static constexpr version_range versions{20, 28};
    static constexpr auto elements = each_type<std::string>;
    static constexpr element output_type(const node_view&, int) { return element::boolean; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has("pattern")) return no("there is no pattern");
        return same_shape(n, y);
    }
};
}  // namespace op

template <> struct kernel<op::regex_full_match, device::reference, types<std::string>> : simple_kernel {
    struct params {
        node_pointer node;
        std::int64_t count;
    };
    struct state {
        void* pattern = nullptr;
        state() = default;
        state(const state&) = delete;
        state& operator=(const state&) = delete;
        ~state() {
            if (pattern) regular_expressions_by_re2()->drop(pattern);
        }
    };
    static constexpr verdict supports(const node_view&) {
        if (!std::is_constant_evaluated() && regular_expressions_by_re2()) return yes();
        return no("regular expressions need RE2: there is no libinlay_re2_module.so, which builds with INLAY_RE2 have");
    }
    static constexpr params prepare(const node_view& n) { return {node_pointer(n), n.input(0).dims.elements()}; }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        return bind_by([&] {
            std::string reason;
            s.pattern = regular_expressions_by_re2()->compile(p.node.view().text("pattern", ""), reason);
            return s.pattern ? status::ok : refused(u, "the pattern is no regular expression of RE2: " + reason);
        });
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const auto matches = regular_expressions_by_re2()->matches;
        c.split(p.count, 1024, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) a.out<bool>(0)[i] = matches(s.pattern, a.in<std::string>(0)[i]);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
