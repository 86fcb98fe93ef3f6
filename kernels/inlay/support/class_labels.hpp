// The classes of a classifier of ai.onnx.ml, strings or integers.
#pragma once
#include "model_lists.hpp"

namespace inlay {
inline namespace v1 {
struct class_labels {
    std::vector<std::string> texts;
    std::vector<std::int64_t> numbers;

    static constexpr std::int64_t count(const node_view& n, std::string_view integers) {
        return std::int64_t(n.texts("classlabels_strings").size() + n.integers(integers).size());
    }
    static constexpr element type(const node_view& n) {
        return n.texts("classlabels_strings").empty() ? element::i64 : element::string;
    }
    static constexpr verdict check(const node_view& n, std::string_view integers) {
        return n.texts("classlabels_strings").empty() == n.integers(integers).empty()
                   ? no("the classes must be named by strings or by integers")
                   : yes();
    }
    void read(const node_view& n, std::string_view integers) {
        for (std::string_view s : n.texts("classlabels_strings")) texts.emplace_back(s);
        const auto list = n.integers(integers);
        numbers.assign(list.begin(), list.end());
    }
    void put(void* y, std::int64_t i, std::int64_t k) const noexcept {
        if (!texts.empty())
            static_cast<std::string*>(y)[i] = texts[std::size_t(k)];
        else
            static_cast<std::int64_t*>(y)[i] = numbers[std::size_t(k)];
    }
};
}  // namespace v1
}  // namespace inlay
