#include "models.hpp"
#include <onnx/defs/parser.h>
#include <sstream>

namespace inlay::testing {
std::vector<std::byte> serialized(std::string_view text) {
    std::string whole(text);
    if (whole.find("ir_version") == std::string::npos) whole = R"(<ir_version: 10, opset_import: ["" : 21]> )" + whole;
    onnx::ModelProto model;
    if (const auto status = onnx::OnnxParser::Parse(model, whole.c_str()); !status.IsOK()) FAIL(status.ErrorMessage());
    const std::string bytes = model.SerializeAsString();
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    return {first, first + bytes.size()};
}
std::string text_of(const plan_report& r) {
    std::ostringstream out;
    out << r;
    return out.str();
}
}  // namespace inlay::testing
