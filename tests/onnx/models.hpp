// Models for the loader's tests: written in ONNX's text form or as messages, loaded from memory.
#pragma once
#include "../catch.hpp"
#include "../elements.hpp"
#include <inlay/model.hpp>
#include <filesystem>
#include <fstream>
#include <onnx/defs/parser.h>
#include <random>

namespace inlay::testing {
inline onnx::ModelProto proto_of(const std::string& text) {
    onnx::ModelProto m;
    const auto status = onnx::OnnxParser::Parse(m, text);
    INFO(status.ErrorMessage());
    REQUIRE(status.IsOK());
    return m;
}
// A graph with opset 17: "(float[N,4] x) => (float[N,4] y) { y = Relu(x) }".
inline onnx::ModelProto graph_of(const std::string& graph) {
    return proto_of("<ir_version: 8, opset_import: [\"\" : 17]> g " + graph);
}

inline result<model> load(const onnx::ModelProto& m, const model_options& o = {}) {
    const std::string bytes = m.SerializeAsString();
    return model::try_load(std::as_bytes(std::span(bytes)), o);
}
inline model_options plain() {  // without passes
    model_options o;
    o.optimize = false;
    return o;
}
inline model loaded(const onnx::ModelProto& m, const model_options& o = plain()) {
    auto r = load(m, o);
    INFO((r ? "" : r.why().text));
    REQUIRE(bool(r));
    return *r;
}
inline error refused(const onnx::ModelProto& m, const model_options& o = plain()) {
    auto r = load(m, o);
    REQUIRE(!r);
    return r.why();
}
inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline int find_node(const graph_view& g, std::string_view name) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (g.nodes[i].name == name) return int(i);
    return -1;
}
inline int find_value(const graph_view& g, std::string_view name) {
    for (std::size_t i = 0; i < g.values.size(); ++i)
        if (g.values[i].name == name) return int(i);
    return -1;
}
inline std::string ops(const graph_view& g) {  // "Conv Relu"
    std::string text;
    for (const node& n : g.nodes) text += (text.empty() ? "" : " ") + std::string(n.op);
    return text;
}

// An initializer of float32.
inline onnx::TensorProto weights(const std::string& name, std::initializer_list<std::int64_t> dims,
                                 const std::vector<float>& values) {
    onnx::TensorProto t;
    t.set_name(name);
    t.set_data_type(onnx::TensorProto::FLOAT);
    for (auto d : dims) t.add_dims(d);
    t.set_raw_data(values.data(), values.size() * sizeof(float));
    return t;
}

struct scratch_folder {
    std::filesystem::path path;
    scratch_folder() {
        static std::mt19937_64 random(std::random_device{}());
        path = std::filesystem::temp_directory_path() / ("inlay-test-" + std::to_string(random()));
        std::filesystem::create_directories(path);
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream(path / name, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
        return path / name;
    }
};
}  // namespace inlay::testing
