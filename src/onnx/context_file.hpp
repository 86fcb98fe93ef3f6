// Model files with EPContext nodes, which hold what engines compiled: written and read. docs/how-to/contexts.md
// describes the format.
#pragma once
#include "engine/saved_regions.hpp"
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
// Functions of this domain that no node calls are other graphs over the same inputs, outputs and initializers:
// `original`, and `target_1` and so on. The first target is the graph itself.
inline constexpr std::string_view context_domain = "inlay.context", original_function = "original",
                                  target_function = "target_";
inline constexpr std::string_view notes_begin = "Inlay context, format 1";

inline bool is_context(const ::onnx::NodeProto& n) {
    return n.op_type() == "EPContext" && n.domain() == "com.microsoft";
}
// The lines of an EPContext's notes that name what the session compares; the others belong to the file.
bool is_file_field(std::string_view name);
// The contents of `notes` after its first line; the text is the reason why they are invalid.
std::string parse_notes(std::string_view notes, saved_key& fields);
std::string text_of_notes(const saved_key& fields);
std::string text_of_names(const google::protobuf::RepeatedPtrField<std::string>&);  // of what a node reads or produces

std::string hash_of_graph(const ::onnx::FunctionProto& original);
// Of the function's inputs that are initializers; empty where one is not.
std::string hash_of_weights(const ::onnx::FunctionProto& original, const std::shared_ptr<::onnx::ModelProto>&,
                            const data_list& external);

// Removes what is compiled from a message that was just parsed.
class context_reader {
    ::onnx::ModelProto& m_;
    std::shared_ptr<saved_regions> regions_{};  // null: the graph has no EPContext node
    // Functions that were removed from the message; its arena owns them.
    std::vector<::onnx::FunctionProto*> graphs_{};  // of targets after the first
    ::onnx::FunctionProto* original_ = nullptr;

    void take_functions();
    void read_target(google::protobuf::RepeatedPtrField<::onnx::NodeProto>&, const left_in_file&, external_files&);
    void compare(std::string_view field, std::string saved_region::*compiled, const std::string& file_value);

  public:
    context_reader(::onnx::ModelProto&, const left_in_file&, external_files&);
    bool any() const { return regions_ != nullptr; }
    void show(int target);  // makes its graph the message's graph
    void check_weights(const std::shared_ptr<::onnx::ModelProto>&, const data_list& external);
    std::shared_ptr<const saved_regions> result(int shown, std::function<model(int)> load);
};

struct written_contexts {
    std::string model;
    std::vector<std::pair<std::string, std::string>> beside;  // files next to it: name and contents
};
// `planned`: the model's graph with the shapes that the regions were compiled for.
written_contexts write_contexts(const model&, const std::string& file_name, const graph_view& planned,
                                std::span<const region_to_save>, const save_options&, const std::filesystem::path& to);
}  // namespace loading
}  // namespace v1
}  // namespace inlay
