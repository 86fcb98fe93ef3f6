// Regions as ONNX, for engines whose libraries read that. Link inlay::onnx.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "engine.hpp"

namespace inlay {
inline namespace v1 {
// Where a region's file has the elements of its constants.
enum class elements_in : std::uint8_t {
    bytes,  // constants are copied
    // Constants from 1 KiB on are external data at the location "*/_ORT_MEM_ADDR_/*", whose offset is their address: as
    // ONNX Runtime passes models to libraries in its process. They live as long as what is compiled from the region.
    memory
};
// The bytes of an ONNX model of the region. Its inputs and outputs are the region's, in their order, called i0, i1, ...
// and o0, o1, ...; constants are initializers. A constant for which `constants` has no data is one too if the graph
// itself has its elements, as it has of small ones; else it is an additional input, after the region's: enough to query
// a library's support of the nodes. An error where ONNX cannot express it, or where it has more than 2 GiB.
result<std::string> to_onnx(const region&, elements_in = elements_in::bytes);
}  // namespace v1
}  // namespace inlay
