// Whether a result is the expected one, as the runner of ONNX's backend tests has it.
#pragma once
#include "common.hpp"

namespace inlay::tool {
struct tolerance {
    double relative = 1e-3, absolute = 1e-7;
    double of_largest = 0;  // what part of a tensor's largest |want| is added to `absolute`
};
struct mismatch {  // of two tensors: the first element that differs, and how many do
    std::string index, got, want;
    double absolute = 0, relative = 0, allowed = 0;  // of that element; of what is no number: 0
    std::int64_t wrong = 0, elements = 0;
};

// Equal structures, shapes and types; floats and complex numbers with |got - want| <= absolute + relative * |want|, NaN
// equal to NaN and infinities to themselves; bfloat16 with a relative tolerance of two of its units at least;
// everything else exactly.
struct comparison {
    tolerance allowed;
    double largest_absolute = 0, largest_relative = 0;  // relative: where |want| exceeds the absolute tolerance
    std::string difference;                             // the first, in words; empty: there is none
    std::optional<mismatch> first{};                    // in numbers, where it is one between elements
    void add(const any_value& got, const any_value& want, const std::string& name);

  private:
    void add(const tensor& got, const tensor& want, const std::string& name);
    template <class T> void add_elements(const tensor& got, const tensor& want, const std::string& name);
    template <class T> bool agree(const T& got, const T& want, const tolerance&);
    void differ(std::string text) {
        if (difference.empty()) difference = std::move(text);
    }
};
}  // namespace inlay::tool
