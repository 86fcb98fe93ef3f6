// Models for tests, written in ONNX's text form, and what the tests check of results.
#pragma once
#include "catch.hpp"
#include "elements.hpp"
#include <inlay/inlay.hpp>
#include <cmath>
#include <functional>

namespace inlay::testing {
// The model as a file's bytes; a text without <ir_version...> before the graph gets IR 10 and opset 21.
std::vector<std::byte> serialized(std::string_view text);
inline model model_of(std::string_view text, const model_options& o = {}) {
    return model::from_memory(serialized(text), o);
}

inline std::vector<float> floats(const tensor& t) { return elements<float>(t); }
inline tensor ones(const shape& dims) { return tensor(dims, std::vector<float>(std::size_t(dims.elements()), 1.f)); }

// The error that the call raises; an error of its own kind where it raises none.
inline error raised(const std::function<void()>& call) {
    try {
        call();
    } catch (const error& e) {
        return e;
    }
    return error(error_code::unsupported_model, "nothing was raised");
}
inline bool has_text(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
inline const plan_report::line& line_of(const plan_report& r, std::string_view op, int index = 0) {
    for (const auto& l : r.nodes)
        if (l.op == op && index-- == 0) return l;
    FAIL("the plan has no such " + std::string(op));
    return r.nodes.front();
}
std::string text_of(const plan_report& r);
}  // namespace inlay::testing
