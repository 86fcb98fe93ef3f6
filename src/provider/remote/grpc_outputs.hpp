// Tensors as gRPC's messages have them; of a server, which may send anything.
#pragma once
#include "protocol.hpp"
#include <support/protobuf_wire.hpp>

namespace inlay {
inline namespace v1 {
namespace tensor_field {  // of metadata, inputs and outputs alike
constexpr int name = 1, datatype = 2, shape = 3, contents = 5;
}

struct tensor_message {
    served_port port;             // its dims: the shape
    std::string_view contents{};  // empty: none, or without elements
};
bool read_tensor(std::string_view bytes, tensor_message&);

// Fills the buffers. What is wrong with the message; empty: nothing.
std::string read_grpc_outputs(std::string_view infer_response, std::span<const remote_port>, std::span<const buffer>);
}  // namespace v1
}  // namespace inlay
