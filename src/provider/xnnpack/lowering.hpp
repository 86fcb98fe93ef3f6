// Nodes of ONNX as nodes of XNNPACK. Inside a region, tensors of four dimensions are images with their channels last,
// as XNNPACK wants them; all others lie as ONNX has them.
#pragma once
#include "library.hpp"
#include "quantised.hpp"
#include "shared_bytes.hpp"
#include <deque>
#include <functional>
#include <map>

namespace inlay {
inline namespace v1 {
// How a subgraph is made, as often as one is wanted: nothing here refers to the region.
struct recipe {
    struct tensor_value {
        std::vector<std::size_t> dims;
        const void* data = nullptr;  // in `constants`
        std::uint32_t external = XNN_INVALID_VALUE_ID, flags = 0;
        xnn_datatype type = xnn_datatype_fp32;
        std::int32_t zero = 0;
        std::vector<float> scales{};  // of integers: one, or one for each index of `channel`
        std::size_t channel = 0;
    };
    using step = std::function<xnn_status(xnn_subgraph_t, const std::vector<std::uint32_t>& ids)>;
    std::vector<tensor_value> values;
    std::vector<step> steps;
    std::vector<shared_bytes> constants;
    std::uint32_t external = 0;  // values that the caller gives: the region's inputs, then its outputs

    result<xnnpack_ptr<xnn_subgraph_t>> make() const;
};
enum class purpose : std::uint8_t { use, trial };  // trial: constants are zeros, which tells as well what is taken
recipe recipe_of(const region&, purpose = purpose::use);
std::string refusal_of(const node_view&);  // why XNNPACK does not have the node on floats; empty: it has

inline bool is_image(const shape& dims) { return dims.rank == 4; }
// Channels-last and plain put the elements in the same order.
inline bool same_either_way(const shape& dims) { return !is_image(dims) || dims[1] == 1 || dims[2] * dims[3] == 1; }
}  // namespace v1
}  // namespace inlay
