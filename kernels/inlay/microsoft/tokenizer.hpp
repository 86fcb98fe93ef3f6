// Tokenizer (com.microsoft, since 1): the tokens of each string, as the last axis, filled up with pad_value. Tokens are
// what lies between separators, each of which splits the pieces that those before it left; or else the matches of
// tokenexp, one after another; or the characters, where separators is one empty text, or tokenexp is `.`. Tokens of
// fewer than mincharnum characters are left out. mark: the characters 2 and 3 stand around each string's tokens.
// Separators and tokenexp are regular expressions of RE2, of whose matches the longest counts; separators without
// special characters need no RE2.
#pragma once
#include <inlay/support/model_lists.hpp>
#include <inlay/support/objects.hpp>
#include <inlay/support/regular_expression.hpp>
#include <inlay/support/stop_check.hpp>
#include <type_traits>

namespace inlay {
inline namespace v1 {
namespace op {
struct tokenizer : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "Tokenizer";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<std::string>;
    static constexpr bool data_dependent = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (std::string_view name : {"mark", "mincharnum", "pad_value"})
            if (!n.has(name)) return no("mark, mincharnum and pad_value must be given");
        if (n.texts("separators").empty() && n.text("tokenexp", "").empty())
            return no("there are neither separators nor a tokenexp");
        const std::int64_t least = n.integer("mincharnum", 1);
        if (least < 1) return no("mincharnum must be positive");
        if (by_characters(n) && least > 1) return no("no character has mincharnum characters");
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        if (x.rank != 1 && x.rank != 2) return no("the input has neither one axis nor two");
        if (!x.known()) return yes();
        if (!countable(x)) return no("the input is too large");
        if (x.elements() == 0) return yes();  // then there is no axis of tokens: run() sets the shape as always
        y[0] = x;
        y[0].push_back(-1);
        return yes();
    }
    static constexpr bool by_characters(const node_view& n) {
        const auto separators = n.texts("separators");
        return separators.empty() ? n.text("tokenexp", "") == "."
                                  : separators.size() == 1 && separators[0] == std::string_view();
    }
    static constexpr bool is_plain(std::string_view pattern) {
        return !pattern.empty() && pattern.find_first_of("\\^$.|?*+()[]{}") == pattern.npos;
    }
    static constexpr bool needs_expressions(const node_view& n) {
        if (by_characters(n)) return false;
        const auto separators = n.texts("separators");
        for (const std::string_view s : separators)
            if (!is_plain(s)) return true;
        return separators.empty() && !is_plain(n.text("tokenexp", ""));
    }
};
}  // namespace op

// Bytes of the character at the beginning of a text; 0: what is there is no UTF-8.
constexpr std::size_t bytes_of_character(std::string_view s) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (size == 0 || size > s.size()) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    return wrong ? 0 : size;  // longer than need be, half of a pair, or beyond the last one
}
constexpr bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// A separator, or what tokens look like.
class token_pattern {
    std::string plain_{};
    void* expression_ = nullptr;  // null: the separator is plain text

  public:
    token_pattern() = default;
    token_pattern(token_pattern&& source) noexcept
        : plain_(std::move(source.plain_)), expression_(std::exchange(source.expression_, nullptr)) {}
    token_pattern& operator=(token_pattern&&) = delete;
    ~token_pattern() {
        if (expression_) regular_expressions_by_re2()->drop(expression_);
    }
    bool set(std::string_view pattern, std::string& reason) {
        if (op::tokenizer::is_plain(pattern)) {
            plain_ = pattern;
            return true;
        }
        return (expression_ = regular_expressions_by_re2()->compile_longest(pattern, reason));
    }
    bool find(std::string_view text, std::size_t from, std::size_t& at, std::size_t& size) const {
        if (expression_) return regular_expressions_by_re2()->find(expression_, text, from, at, size);
        at = text.find(plain_, from);
        size = plain_.size();
        return at != text.npos;
    }
};

template <> struct kernel<op::tokenizer, device::reference, types<std::string>> : simple_kernel {
    struct params {
        node_pointer node;
        shape dims;
        std::int64_t least;
        bool mark, characters;
    };
    struct state {
        std::vector<token_pattern> separators{};
        std::vector<token_pattern> token{};  // one, where there are no separators
        std::string filler{};
    };
    using views = std::vector<std::string_view>;

    static constexpr verdict supports(const node_view& n) {
        if (!op::tokenizer::needs_expressions(n)) return yes();
        if (!std::is_constant_evaluated() && regular_expressions_by_re2()) return yes();
        return no("regular expressions need RE2: there is no libinlay_re2_module.so, which builds with INLAY_RE2 have");
    }
    static constexpr params prepare(const node_view& n) {
        return {node_pointer(n), n.input(0).dims, n.integer("mincharnum", 1), n.integer("mark", 0) != 0,
                op::tokenizer::by_characters(n)};
    }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        return bind_by([&] {
            const node_view n = p.node.view();
            s.filler = n.text("pad_value", "");
            if (p.characters) return status::ok;
            std::string reason;
            const auto add = [&](std::vector<token_pattern>& list, std::string_view pattern) {
                return list.emplace_back().set(pattern, reason);
            };
            bool good = true;
            for (const std::string_view pattern : n.texts("separators")) good = good && add(s.separators, pattern);
            if (s.separators.empty()) good = add(s.token, n.text("tokenexp", ""));
            return good ? status::ok
                        : refused(u, "a separator, or tokenexp, is no regular expression of RE2: " + reason);
        });
    }

  private:
    static bool long_enough(const params& p, std::string_view token) {
        std::int64_t characters = 0;
        for (const char c : token) characters += begins_character(c);
        return characters >= p.least;
    }
    static std::size_t after(std::string_view text, std::size_t at) {  // the next character
        for (++at; at < text.size() && !begins_character(text[at]);) ++at;
        return at;
    }
    static std::int64_t work(std::size_t bytes) { return static_cast<std::int64_t>(bytes) + 1; }
    // The pieces of all texts between matches. An empty match skips the next character.
    static bool split(const params& p, const token_pattern& by, const views& texts, views& pieces, stop_check& ends) {
        for (const std::string_view text : texts) {
            std::size_t from = 0, at = 0, size = 0;
            const auto keep = [&](std::string_view piece) {
                if (long_enough(p, piece)) pieces.push_back(piece);
            };
            while (from <= text.size() && by.find(text, from, at, size)) {
                if (ends(work(at + size - from))) return false;
                keep(text.substr(from, at - from));
                from = size > 0 ? at + size : after(text, at);
            }
            if (from < text.size()) keep(text.substr(from));
        }
        return true;
    }
    static bool match(const params& p, const token_pattern& token, std::string_view text, views& tokens,
                      stop_check& ends) {
        std::size_t from = 0, at = 0, size = 0;
        while (from < text.size() && token.find(text, from, at, size)) {
            if (ends(work(at + size - from))) return false;
            if (size > 0 && long_enough(p, text.substr(at, size))) tokens.push_back(text.substr(at, size));
            from = size > 0 ? at + size : after(text, at);
        }
        return true;
    }
    static bool is_text(std::string_view x) {
        while (!x.empty()) {
            const std::size_t size = bytes_of_character(x);
            if (size == 0) return false;
            x.remove_prefix(size);
        }
        return true;
    }
    // Appends the tokens of x; false: the run is to end.
    static bool tokenize(const params& p, const state& s, std::string_view x, views& tokens, stop_check& ends) {
        if (p.characters) {
            for (std::size_t at = 0; at < x.size();) {
                const std::size_t next = after(x, at);
                tokens.push_back(x.substr(at, next - at));
                at = next;
            }
            return !ends(work(x.size()));
        }
        if (s.separators.empty()) return match(p, s.token[0], x, tokens, ends);
        views pieces{x}, next;
        for (const token_pattern& by : s.separators) {
            next.clear();
            if (!split(p, by, pieces, next, ends)) return false;
            pieces.swap(next);
        }
        tokens.insert(tokens.end(), pieces.begin(), pieces.end());
        return true;
    }
    struct found_tokens {
        views tokens{};
        std::vector<std::size_t> ends{};  // of each string's, in `tokens`
        std::int64_t most = 0;            // of one string
    };
    static status find_all(const params& p, const state& s, const std::string* x, found_tokens& f, context& c) {
        stop_check ends(c);
        for (std::int64_t i = 0; i < p.dims.elements(); ++i) {
            const std::size_t before = f.tokens.size();
            if (!is_text(x[i])) return c.fail("a text is no UTF-8");
            if (!tokenize(p, s, x[i], f.tokens, ends)) return c.end_of_run();
            const auto count = static_cast<std::int64_t>(f.tokens.size() - before);
            if (!c.take(count * std::int64_t(sizeof(std::string_view))))
                return c.fail(no_memory_left, status::out_of_memory);
            f.ends.push_back(f.tokens.size());
            f.most = std::max(f.most, count);
        }
        return status::ok;
    }
    static status write(const params& p, const state& s, const found_tokens& f, context& c) {
        const std::int64_t width = f.most + (p.mark && f.most > 0 ? 2 : 0), count = p.dims.elements();
        shape dims = p.dims;
        dims.push_back(width);
        if (!countable(dims)) return c.fail("the result is too large");
        std::int64_t bytes = 0;
        for (const std::string_view token : f.tokens) bytes += std::int64_t(token.size());
        std::int64_t fill = 0;
        if (__builtin_mul_overflow(dims.elements(), std::int64_t(s.filler.size()), &fill) || !c.take(bytes) ||
            !c.take(fill))
            return c.fail(no_memory_left, status::out_of_memory);
        auto* y = c.output<std::string>(0, dims);
        if (width == 0) return status::ok;
        if (!y) return c.fail("no memory for the result", status::out_of_memory);
        std::size_t at = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            std::string *row = y + i * width, *const end = row + width;
            if (p.mark) *row++ = "\x02";
            for (; at < f.ends[std::size_t(i)]; ++at) *row++ = f.tokens[at];
            if (p.mark) *row++ = "\x03";
            std::fill(row, end, s.filler);
        }
        return status::ok;
    }

  public:
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (p.dims.elements() == 0) {
            (void)c.output<std::string>(0, p.dims);
            return status::ok;
        }
        return make_values(c, [&] {
            found_tokens f;
            const status result = find_all(p, s, a.in<std::string>(0), f, c);
            return result == status::ok ? write(p, s, f, c) : result;
        });
    }
};
}  // namespace v1
}  // namespace inlay
