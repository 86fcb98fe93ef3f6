// Regions as ONNX in two steps: what does not depend on the elements of constants is serialised once, and they are put
// into its bytes where they are needed.
#pragma once
#include <inlay/sdk/region_file.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace lowering {
// Of what to_onnx() gave of the region without elements: with those of its constants.
result<std::string> with_elements(std::string_view onnx, const region&, elements_in);

// Constants that the nodes read and do not produce: how many bytes their elements have, and a hash of these; nothing:
// some are not available.
std::size_t bytes_of_constants(const region&);
std::optional<std::uint64_t> hash_of_constants(const region&);

// The constants that are attributes, which ONNX without elements has too.
class attribute_tensors final : public constant_source {
    const constant_source* constants_;
    std::vector<int> values_;

  public:
    explicit attribute_tensors(const region&);
    bool empty() const { return values_.empty(); }
    const void* elements(int value) const override;
};

// An input or output of a region, as its ONNX has it.
struct onnx_port {
    std::string name;
    element type;
    shape dims;
    std::size_t bytes() const { return std::size_t(bytes_of(type, dims.elements())); }
};
std::vector<onnx_port> input_ports(const region&);
std::vector<onnx_port> output_ports(const region&);
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
