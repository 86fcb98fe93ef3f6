// The Open Inference Protocol, version 2: what its texts say, and how tensors lie in them.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
// The protocol's name of a type; empty: it has none, or only as bytes.
std::string_view datatype_of(element, bool binary);

struct remote_port {
    std::string name;
    element type;
};
struct served_port {
    std::string name, datatype;
    std::vector<std::int64_t> dims;  // negative: any size
};
struct served_model {
    std::vector<served_port> inputs, outputs;
};
// From the JSON of a server. What is wrong with it; empty: nothing.
std::string read_metadata(std::string_view text, served_model&);
// Where the values of the graph, which are all inputs and outputs that the model has, are not those that the server
// reports; empty: nowhere.
std::string difference(const served_model&, const graph_view&, std::span<const int> inputs,
                       std::span<const int> outputs, bool binary);

// As JSON, with the tensors' bytes behind it where that is requested. Why the inputs cannot be written; empty: they
// are.
std::string write_request(std::span<const remote_port>, std::span<const buffer>, std::span<const remote_port> outputs,
                          bool binary, std::string& body, std::size_t& json_bytes);

// The bytes that a good answer with these outputs may have. What strings have is not known: together, 16 MiB at most.
std::size_t most_answer_bytes(std::span<const buffer> outputs);
// Fills the buffers. json_bytes: what the header of an answer with binary tensors says. What is wrong with the answer;
// empty: nothing.
std::string read_answer(std::string_view text, std::optional<std::size_t> json_bytes, std::span<const remote_port>,
                        std::span<const buffer>);
// The message of an answer that is an error: its member "error", else the text as it is.
std::string error_text(std::string_view text);
}  // namespace v1
}  // namespace inlay
