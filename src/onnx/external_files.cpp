#include "external_files.hpp"
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace {
namespace fs = std::filesystem;

void add_locations(const ::onnx::TensorProto& t, std::set<std::string>& locations) {
    if (t.data_location() == ::onnx::TensorProto::EXTERNAL)
        for (const auto& e : t.external_data())
            if (e.key() == "location") locations.insert(e.value());
}
void add_locations(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes,
                   std::set<std::string>& locations);
void add_locations(const ::onnx::GraphProto& g, std::set<std::string>& locations) {
    for (const auto& t : g.initializer()) add_locations(t, locations);
    for (const auto& t : g.sparse_initializer()) {
        add_locations(t.values(), locations);
        add_locations(t.indices(), locations);
    }
    add_locations(g.node(), locations);
}
void add_locations(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes,
                   std::set<std::string>& locations) {
    for (const auto& n : nodes)
        for (const auto& a : n.attribute()) {
            add_locations(a.t(), locations);
            for (const auto& t : a.tensors()) add_locations(t, locations);
            add_locations(a.g(), locations);
            for (const auto& g : a.graphs()) add_locations(g, locations);
        }
}
}  // namespace

std::vector<fs::path> files_of_model(const fs::path& model) {
    const limits l;
    const auto file = loading::map_file(model, l.file_bytes);
    loading::left_in_file left;
    const auto m = loading::parse(file, l, left);
    std::set<std::string> locations;
    add_locations(m->graph(), locations);
    for (const auto& f : m->functions()) add_locations(f.node(), locations);
    std::vector<fs::path> files{model};
    for (const std::string& location : locations)
        files.push_back(loading::locate(loading::folders_of(model), location, "external data").name);
    return files;
}
}  // namespace v1
}  // namespace inlay
