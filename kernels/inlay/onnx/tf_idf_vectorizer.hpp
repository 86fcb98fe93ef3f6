// TfIdfVectorizer (since 9): how often each n-gram of a pool is in a row of strings or integers, whose neighbours in an
// n-gram may lie up to max_skip_count + 1 apart, all equally far. TF: the counts; IDF: the weights of those that are
// there; TFIDF: counts times weights. Weights go with places of the output, as in ONNX's reference evaluator.
#pragma once
#include <inlay/support/model_lists.hpp>
#include <map>

namespace inlay {
inline namespace v1 {
namespace op {
struct tf_idf_vectorizer : standard {
    static constexpr std::string_view onnx_name = "TfIdfVectorizer";
    static constexpr version_range versions{9, 28};
    static constexpr auto elements = each_type<std::string, std::int32_t, std::int64_t>;
    static constexpr element output_type(const node_view&, int) { return element::f32; }
    static constexpr std::int64_t width(const node_view& n) {
        std::int64_t most = -1;
        for (const std::int64_t k : n.integers("ngram_indexes")) most = std::max(most, k);
        return most + 1;
    }
    static constexpr std::int64_t pool_size(const node_view& n) {
        return std::int64_t(n.integers("pool_int64s").size() + n.texts("pool_strings").size());
    }
    static constexpr verdict check_pool(const node_view& n) {
        const bool texts = !n.texts("pool_strings").empty(), integers = !n.integers("pool_int64s").empty();
        if (texts && integers) return no("there are both pool_strings and pool_int64s");
        if (n.input(0).type != element::undefined && (texts || integers) &&
            texts != (n.input(0).type == element::string))
            return no("the pool is of another type than the input");
        const auto starts = n.integers("ngram_counts");
        std::int64_t grams = 0;
        for (std::size_t k = 0; k < starts.size(); ++k) {
            const std::int64_t end = k + 1 < starts.size() ? starts[k + 1] : pool_size(n), length = std::int64_t(k) + 1;
            if (starts[k] < 0 || end < starts[k] || end > pool_size(n))
                return no("ngram_counts are no ascending places of the pool");
            if ((end - starts[k]) % length) return no("the pool ends within an n-gram");
            grams += (end - starts[k]) / length;
        }
        return grams == std::int64_t(n.integers("ngram_indexes").size())
                   ? yes()
                   : no("ngram_indexes are not as many as the pool's n-grams");
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::string_view mode = n.text("mode", "");
        if (mode != "TF" && mode != "IDF" && mode != "TFIDF") return no("mode is none of TF, IDF and TFIDF");
        const std::int64_t least = n.integer("min_gram_length", 0);
        if (least < 1 || n.integer("max_gram_length", 0) < least || n.integer("max_skip_count", -1) < 0)
            return no("the lengths of n-grams, or the skips, are out of range");
        for (const std::int64_t k : n.integers("ngram_indexes"))
            if (k < 0 || k >= most_elements) return no("ngram_indexes are out of range");
        if (const verdict pool = check_pool(n); !pool) return pool;
        const auto weights = std::int64_t(n.reals("weights").size());
        if (weights > 0 && weights < width(n)) return no("there are fewer weights than places in the output");
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        if (x.rank != 1 && x.rank != 2) return no("the input is neither a list nor rows");
        const shape s = x.rank == 1 ? shape{width(n)} : shape{x[0], width(n)};
        if (!countable(x) || !countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
};
}  // namespace op

// The n-grams of a pool, as paths from node 0 by what they consist of.
class gram_tree {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> edges_;  // node, token -> node
    std::vector<std::int64_t> ends_ = {-1};  // of each node: the n-gram that ends there, or -1

  public:
    std::int64_t next(std::int64_t node, std::int64_t token) const {  // -1: there is none
        const auto it = edges_.find({node, token});
        return it == edges_.end() ? -1 : it->second;
    }
    std::int64_t gram_at(std::int64_t node) const { return ends_[std::size_t(node)]; }
    void add(std::span<const std::int64_t> tokens, std::int64_t gram) {
        std::int64_t node = 0;
        for (const std::int64_t token : tokens) {
            const auto [it, isnew] = edges_.try_emplace({node, token}, std::int64_t(ends_.size()));
            if (isnew) ends_.push_back(-1);
            node = it->second;
        }
        ends_[std::size_t(node)] = gram;
    }
};

template <class T> struct kernel<op::tf_idf_vectorizer, device::reference, types<T>> : simple_kernel {
    static constexpr bool of_texts = std::is_same_v<T, std::string>;
    struct params {
        node_pointer node;
        std::int64_t rows, length, width, least, most, skips;
        bool counts, weighs;  // counts: they are in the output, and not only whether there are any
    };
    struct state {
        gram_tree grams;
        std::map<std::string, std::int64_t, std::less<>> tokens;  // of strings
        std::vector<std::int64_t> places;                         // of n-grams, in the output
        std::vector<double> weights;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const std::string_view mode = n.text("mode", "");
        return {node_pointer(n),
                x.rank == 1 ? 1 : x[0],
                x[x.rank - 1],
                op::tf_idf_vectorizer::width(n),
                n.integer("min_gram_length", 0),
                n.integer("max_gram_length", 0),
                n.integer("max_skip_count", 0),
                mode != "IDF",
                mode != "TF" && !n.reals("weights").empty()};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, (p.length + p.width) * std::int64_t(sizeof(std::int64_t)) * threads};
    }
    static std::vector<std::int64_t> tokens_of_pool(const node_view& n, state& s) {
        std::vector<std::int64_t> pool;
        for (const std::int64_t token : n.integers("pool_int64s")) pool.push_back(token);
        for (const std::string_view text : n.texts("pool_strings"))
            pool.push_back(s.tokens.try_emplace(std::string(text), std::int64_t(s.tokens.size())).first->second);
        return pool;
    }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        return bind_by([&] {
            const node_view n = p.node.view();
            const auto pool = tokens_of_pool(n, s);
            const auto starts = n.integers("ngram_counts"), places = n.integers("ngram_indexes");
            const auto weights = n.reals("weights");
            s.places.assign(places.begin(), places.end());
            s.weights.assign(weights.begin(), weights.end());
            std::int64_t gram = 0;
            for (std::size_t k = 0; k < starts.size(); ++k) {
                const auto end = std::size_t(k + 1 < starts.size() ? starts[k + 1] : std::int64_t(pool.size()));
                for (auto at = std::size_t(starts[k]); at < end; at += k + 1, ++gram)
                    if (std::int64_t(k) + 1 >= p.least && std::int64_t(k) < p.most)
                        s.grams.add(std::span(pool).subspan(at, k + 1), gram);
            }
            return status::ok;
        });
    }
    static std::int64_t token(const state& s, const T& x) {
        if constexpr (of_texts) {
            const auto it = s.tokens.find(x);
            return it == s.tokens.end() ? -1 : it->second;
        } else
            return x;
    }
    // Counts the n-grams from each token on whose tokens are `apart`; except those shorter than `least`.
    static void count(const params& p, const state& s, const std::int64_t* tokens, std::int64_t apart,
                      std::int64_t least, std::int64_t* counts) {
        for (std::int64_t first = 0; first < p.length; ++first) {
            std::int64_t node = 0;
            for (std::int64_t at = first, size = 1; size <= p.most && at < p.length; at += apart, ++size) {
                node = s.grams.next(node, tokens[at]);
                if (node < 0) break;
                if (const std::int64_t gram = s.grams.gram_at(node); size >= least && gram >= 0)
                    ++counts[s.places[std::size_t(gram)]];
            }
        }
    }
    static void count_all(const params& p, const state& s, const std::int64_t* tokens, std::int64_t* counts) {
        count(p, s, tokens, 1, p.least, counts);
        const std::int64_t least = std::max<std::int64_t>(p.least, 2);  // single tokens are not counted again
        if (least > p.most) return;
        for (std::int64_t apart = 2; apart - 1 <= p.skips && apart < p.length; ++apart)
            count(p, s, tokens, apart, least, counts);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        auto* const room = reinterpret_cast<std::int64_t*>(c.scratch);
        c.split(p.rows, 1, [&](std::int64_t first, std::int64_t end, int part) {
            std::int64_t *const tokens = room + part * (p.length + p.width), *const counts = tokens + p.length;
            for (std::int64_t r = first; r < end; ++r) {
                for (std::int64_t i = 0; i < p.length; ++i) tokens[i] = token(s, a.in<T>(0)[r * p.length + i]);
                std::fill_n(counts, p.width, 0);
                count_all(p, s, tokens, counts);
                float* y = a.out<float>(0) + r * p.width;
                for (std::int64_t k = 0; k < p.width; ++k) {
                    const double times = p.counts ? double(counts[k]) : double(counts[k] > 0);
                    y[k] = float(p.weighs ? times * s.weights[std::size_t(k)] : times);
                }
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
