#include "onnx/proto.hpp"
#include "output_files.hpp"
#include "platform/output_file.hpp"
#include <algorithm>
#include <cstring>
#include <fstream>

namespace inlay {
inline namespace v1 {
namespace {
namespace fs = std::filesystem;

bool holds(const fs::path& file, std::span<const std::span<const std::byte>> pieces) {
    std::uintmax_t bytes = 0;
    for (const auto& p : pieces) bytes += p.size();
    std::error_code none;
    if (fs::file_size(file, none) != bytes || none) return false;
    std::ifstream in(file, std::ios::binary);
    std::vector<char> block(1 << 20);
    for (auto p : pieces)
        for (std::size_t n; !p.empty(); p = p.subspan(n)) {
            n = std::min(p.size(), block.size());
            if (!in.read(block.data(), std::streamsize(n)) || std::memcmp(block.data(), p.data(), n) != 0) return false;
        }
    return bool(in);
}

void add_locations(const ::onnx::TensorProto& t, std::set<std::string>& all) {
    if (t.data_location() == ::onnx::TensorProto::EXTERNAL)
        for (const auto& e : t.external_data())
            if (e.key() == "location") all.insert(e.value());
}
void add_locations(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, std::set<std::string>& all);
void add_locations(const ::onnx::GraphProto& g, std::set<std::string>& all) {
    for (const auto& t : g.initializer()) add_locations(t, all);
    for (const auto& t : g.sparse_initializer()) {
        add_locations(t.values(), all);
        add_locations(t.indices(), all);
    }
    add_locations(g.node(), all);
}
void add_locations(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, std::set<std::string>& all) {
    for (const auto& n : nodes)
        for (const auto& a : n.attribute()) {
            add_locations(a.t(), all);
            for (const auto& t : a.tensors()) add_locations(t, all);
            add_locations(a.g(), all);
            for (const auto& g : a.graphs()) add_locations(g, all);
        }
}
}  // namespace

bool update_file(const fs::path& file, std::span<const std::span<const std::byte>> pieces) {
    if (holds(file, pieces)) return false;
    output_file out(file);
    for (const auto& p : pieces) out.write(p);
    out.finish();
    return true;
}
bool update_file(const fs::path& file, std::string_view text) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    return update_file(file, std::span(&bytes, 1));
}

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
