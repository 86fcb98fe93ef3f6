// FeatureVectorizer (since 1): the features of all inputs side by side, as float32; a list is one row, and of more than
// two axes all but the first are features.
#pragma once
#include <inlay/support/model_lists.hpp>
#include <inlay/support/pieces.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct feature_vectorizer : standard {
    static constexpr std::string_view domain = "ai.onnx.ml", onnx_name = "FeatureVectorizer";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = feature_types;
    static constexpr element output_type(const node_view&, int) { return element::f32; }
    static constexpr shape flat(const shape& x) {
        if (x.rank < 3 || !countable(x)) return x;
        return {x[0], x.known() ? x.elements(1) : -1};
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const auto listed = n.integers("inputdimensions");
        if (!listed.empty() && std::int64_t(listed.size()) != n.input_count())
            return no("inputdimensions has not one number for each input");
        std::int64_t rows = -1, total = 0;
        for (int k = 0; k < n.input_count(); ++k) {
            if (!n.has_input(k)) return no("an input is missing");
            if (n.input(k).type != n.input(0).type) return no("the inputs differ in type");
            const shape x = flat(n.input(k).dims);
            if (const verdict fits = feature_rows::check(x); !fits) return fits;
            const std::int64_t width = feature_rows::features_of(x), height = feature_rows::rows_of(x);
            if (!listed.empty() && width >= 0 && listed[std::size_t(k)] != width)
                return no("inputdimensions differ from the inputs' features");
            if (rows >= 0 && height >= 0 && rows != height) return no("the inputs differ in rows");
            rows = std::max(rows, height);
            if (width < 0)
                total = -1;
            else if (total >= 0 && !increased(total, width))
                return no("the output is too large");
        }
        y[0] = {rows, total};
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::feature_vectorizer, device::reference, types<T>> : simple_kernel {
    using params = pieces;
    static constexpr bool list(const node_view& n, pieces& p) {
        for (int k = 0; k < n.input_count(); ++k)
            if (!p.add(feature_rows::features_of(op::feature_vectorizer::flat(n.input(k).dims)), layout::plain, 0))
                return false;
        p.finish(n.output(0).dims, 1, layout::plain, 0);
        return true;
    }
    static constexpr verdict supports(const node_view& n) {
        pieces p;
        return list(n, p) ? yes() : no("the inputs have too many different lengths");
    }
    static constexpr params prepare(const node_view& n) {
        pieces p;
        list(n, p);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        over_pieces(p, 0, p.elements(), [&](int k, std::int64_t from, std::int64_t to, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i) a.out<float>(0)[to + i] = static_cast<float>(a.in<T>(k)[from + i]);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay
