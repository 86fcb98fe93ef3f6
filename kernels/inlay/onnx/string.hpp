// StringConcat (since 20): x followed by y, with broadcasting. StringNormalizer (since 10): without stop words, and in
// one case; letters are those of the locale C. StringSplit (since 20): the parts of each string between delimiters, or
// between stretches of white space, and how many there are.
#pragma once
#include <inlay/support/broadcast.hpp>
#include <inlay/support/model_lists.hpp>
#include <inlay/support/objects.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct string_concat : standard {
    static constexpr std::string_view onnx_name = "StringConcat";
    static constexpr version_range versions{20, 28};
    static constexpr auto elements = each_type<std::string>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};  // in chains, results would grow unboundedly
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.has_input(1) && n.input(1).type != element::string) return no("y is not of strings");
        return broadcast_shape_of(2, n, y);
    }
};
struct string_normalizer : standard {
    static constexpr std::string_view onnx_name = "StringNormalizer";
    static constexpr version_range versions{10, 28};
    static constexpr auto elements = each_type<std::string>;
    static constexpr bool data_dependent = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        const std::string_view action = n.text("case_change_action", "NONE");
        if (action != "LOWER" && action != "UPPER" && action != "NONE")
            return no("case_change_action is none of LOWER, UPPER and NONE");
        if (x.rank < 0) return yes();
        if (x.rank != 1 && (x.rank != 2 || (x[0] >= 0 && x[0] != 1)))
            return no("the input is neither a list nor one row");
        y[0] = x.rank == 1 ? shape{-1} : shape{1, -1};
        return yes();
    }
    static constexpr void bounds(const node_view& n, std::span<shape> y) {
        y[0] = n.input(0).dims;
        if (y[0].rank > 0) y[0][y[0].rank - 1] = std::max<std::int64_t>(y[0][y[0].rank - 1], 1);
    }
};
struct string_split : standard {
    static constexpr std::string_view onnx_name = "StringSplit";
    static constexpr version_range versions{20, 28};
    static constexpr auto elements = each_type<std::string>;
    static constexpr bool data_dependent = true;
    static constexpr element output_type(const node_view&, int k) { return k == 0 ? element::string : element::i64; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        if (x.rank == max_rank) return no("the result has more than 8 dimensions");
        if (x.known() && !countable(x)) return no("the input is too large");
        y[0] = x;
        y[0].push_back(-1);
        if (y.size() > 1) y[1] = x;
        return yes();
    }
};
}  // namespace op

template <> struct kernel<op::string_concat, device::reference, types<std::string>> : simple_kernel {
    using params = broadcast_loops<2>;
    static constexpr params prepare(const node_view& n) { return make_loops<2>(n, 2); }
    template <class F> static void each(const params& p, F f) {  // f(element of y, of the inputs)
        over_rows(p, 0, p.elements(), [&](std::int64_t at, const auto& x, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) f(at + i, x[0] + i * p.along(0), x[1] + i * p.along(1));
        });
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        const auto *a = args.in<std::string>(0), *b = args.in<std::string>(1);
        auto* y = args.out<std::string>(0);
        std::int64_t bytes = 0;
        bool fits = true;
        each(p, [&](std::int64_t, std::int64_t i, std::int64_t j) {
            fits = fits && increased(bytes, std::int64_t(a[i].size() + b[j].size()));
        });
        if (!fits || !c.take(bytes)) return c.fail(no_memory_left, status::out_of_memory);
        return make_values(c, [&] {
            each(p, [&](std::int64_t k, std::int64_t i, std::int64_t j) {
                y[k].clear();
                y[k].reserve(a[i].size() + b[j].size());
                y[k].append(a[i]).append(b[j]);
            });
            return status::ok;
        });
    }
};

// Letters of the locale C, whatever the process's locale is.
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }
constexpr char upper_case(char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; }

template <> struct kernel<op::string_normalizer, device::reference, types<std::string>> : simple_kernel {
    enum class action : std::uint8_t { none, lower, upper };
    struct params {
        node_pointer node;
        int rank;
        std::int64_t count;
        action change;
        bool exact, foreign;  // exact: stop words in their case; foreign: letters beyond ASCII have cases too
    };
    struct state {
        std::vector<std::string> stopwords;  // sorted; in lower case unless they are exact
    };
    static constexpr params prepare(const node_view& n) {
        const std::string_view change = n.text("case_change_action", "NONE"), locale = n.text("locale", "");
        return {node_pointer(n),
                n.input(0).dims.rank,
                n.input(0).dims.elements(),
                change == "LOWER"   ? action::lower
                : change == "UPPER" ? action::upper
                                    : action::none,
                n.integer("is_case_sensitive", 0) != 0,
                !locale.empty() && locale != "C" && locale != "POSIX"};
    }
    static std::string lower(std::string_view s) {
        std::string y(s);
        std::ranges::transform(y, y.begin(), lower_case);
        return y;
    }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            for (const std::string_view word : p.node.view().texts("stopwords"))
                s.stopwords.push_back(p.exact ? std::string(word) : lower(word));
            std::ranges::sort(s.stopwords);
            return status::ok;
        });
    }
    static bool stops(const params& p, const state& s, const std::string& x) {
        return !s.stopwords.empty() && (p.exact ? std::ranges::binary_search(s.stopwords, x)
                                                : std::ranges::binary_search(s.stopwords, lower(x)));
    }
    static bool has_foreign_letters(const std::string& x) {
        return std::ranges::any_of(x, [](char c) { return static_cast<unsigned char>(c) > 127; });
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const auto* x = a.in<std::string>(0);
        const bool cases_matter = p.change != action::none || (!p.exact && !s.stopwords.empty());
        if (p.foreign && cases_matter && std::any_of(x, x + p.count, has_foreign_letters))
            return c.fail("cases of letters beyond ASCII are known for no locale", status::unsupported);
        return make_values(c, [&] {
            std::vector<std::int64_t> positions;
            std::int64_t bytes = 0;
            for (std::int64_t i = 0; i < p.count; ++i)
                if (!stops(p, s, x[i])) {
                    positions.push_back(i);
                    bytes += std::int64_t(x[i].size());
                }
            if (!c.take(bytes)) return c.fail(no_memory_left, status::out_of_memory);
            const auto length = std::max<std::int64_t>(std::int64_t(positions.size()), 1);
            auto* y = c.output<std::string>(0, p.rank == 1 ? shape{length} : shape{1, length});
            if (!y) return c.fail("no memory for the result", status::out_of_memory);
            y[0].clear();  // where all are stop words
            for (const std::int64_t i : positions) {
                *y = x[i];
                if (p.change != action::none)
                    std::ranges::transform(*y, y->begin(), p.change == action::lower ? lower_case : upper_case);
                ++y;
            }
            return status::ok;
        });
    }
};

template <> struct kernel<op::string_split, device::reference, types<std::string>> : simple_kernel {
    struct params {
        node_pointer node;
        shape dims;
        std::int64_t most;  // splits of one string
        bool counts;        // are requested
    };
    struct state {
        std::string delimiter;  // empty: white space
    };
    static constexpr params prepare(const node_view& n) {
        const std::int64_t most = n.integer("maxsplit", -1);
        return {node_pointer(n), n.input(0).dims, most < 0 ? std::numeric_limits<std::int64_t>::max() : most,
                n.has_output(1)};
    }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            s.delimiter = p.node.view().text("delimiter", "");
            return status::ok;
        });
    }
    static constexpr std::string_view white = " \t\n\v\f\r";
    // f(part), from the left; after `most` splits the rest is the last part.
    template <class F> static void each_part(std::string_view x, std::string_view by, std::int64_t most, F f) {
        const auto rest_from = [&](std::size_t at) { return at == x.npos ? std::string_view() : x.substr(at); };
        if (by.empty()) x = rest_from(x.find_first_not_of(white));
        for (std::int64_t splits = 0; !by.empty() || !x.empty(); ++splits) {
            const std::size_t end = splits == most ? x.npos : by.empty() ? x.find_first_of(white) : x.find(by);
            f(x.substr(0, end));
            if (end == x.npos) return;
            x = by.empty() ? rest_from(x.find_first_not_of(white, end)) : x.substr(end + by.size());
        }
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const auto* x = a.in<std::string>(0);
        const std::int64_t count = p.dims.elements();
        std::int64_t width = 0, bytes = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t parts = 0;
            each_part(x[i], s.delimiter, p.most, [&](std::string_view) { ++parts; });
            width = std::max(width, parts);
            bytes += std::int64_t(x[i].size());
        }
        shape dims = p.dims;
        dims.push_back(width);
        if (!countable(dims)) return c.fail("the result is too large");
        if (!c.take(bytes)) return c.fail(no_memory_left, status::out_of_memory);
        auto* y = c.output<std::string>(0, dims);
        if (!y && dims.elements() > 0) return c.fail("no memory for the result", status::out_of_memory);
        auto* counts = p.counts ? c.output<std::int64_t>(1, p.dims) : nullptr;
        if (p.counts && !counts && count > 0) return c.fail("no memory for the numbers", status::out_of_memory);
        return make_values(c, [&] {
            for (std::int64_t i = 0; i < count; ++i) {
                std::int64_t k = 0;
                each_part(x[i], s.delimiter, p.most, [&](std::string_view part) { y[i * width + k++] = part; });
                if (counts) counts[i] = k;
                for (; k < width; ++k) y[i * width + k].clear();
            }
            return status::ok;
        });
    }
};
}  // namespace v1
}  // namespace inlay
