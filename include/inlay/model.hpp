// inlay::model: an ONNX model, read once and shared by any number of sessions.
#pragma once
#include <inlay/impl/cxx20.hpp>

#ifdef INLAY_HEADER_ONLY
#error \
    "inlay: models from files and inlay::session are in the library inlay::onnx; INLAY_HEADER_ONLY is for inlay::embedded"
#endif
#include "progress.hpp"
#include <inlay/sdk/graph_data.hpp>
#include <filesystem>
#include <iosfwd>
#include <map>

namespace inlay {
inline namespace v1 {
// What an untrusted model may request. More than this is error_code::limit_exceeded.
struct limits {
    std::int64_t file_bytes = std::int64_t(16) << 30;   // of one file: the model, or a file of external data
    std::int64_t total_bytes = std::int64_t(64) << 30;  // of all files together
    std::int64_t copied_bytes = std::int64_t(1)
                                << 30;  // that inlined functions and the dense forms of sparse tensors may add
    std::int64_t elements_per_tensor = std::int64_t(1) << 36;
    std::int64_t nodes = 1'000'000;        // after functions are inlined, with those of subgraphs
    std::int64_t inference = 100'000'000;  // names and sizes that shape inference may visit
    int nesting = 64;                      // graphs within graphs, and functions that call functions
    std::int64_t run_bytes =
        std::int64_t(2)
        << 30;  // of host memory that one run may use for the values between inputs and outputs, and for outputs
    bool strict =
        false;  // refuse what model::warnings() would report: a file that is not valid, but whose meaning is clear
};

struct model_options {
    inlay::limits limits{};
    bool optimize = true;                // run the passes of src/passes
    std::vector<std::string> without{};  // names of passes to leave out
    std::filesystem::path folder{};      // from_memory, from_stream: where external data may be read; empty: nowhere
    std::filesystem::path origin{};  // from_memory, from_stream: the file that the bytes are of, with whose external
                                     // data they are read as it would be; empty: none
    std::map<std::string, std::int64_t> free_dimension_overrides{};  // sizes of open dimensions of the inputs, by name;
                                                                     // one without a name is `input[axis]`
    progress_function progress{};                                    // receives the progress of load and passes
};

// An input or output of a model.
struct port {
    std::string name{};
    element type = element::undefined;      // of a tensor's elements; element::object for the other kinds
    inlay::shape shape = shape::unknown();  // negative: not fixed
    std::vector<std::string> dim_names{};   // one per axis, empty where the model has none
    value_kind kind = value_kind::tensor;
    std::string type_text{};         // as ONNX writes it: tensor(float), seq(map(int64,tensor(float)))
    inlay::value_type value_type{};  // all of it: what a sequence, map or optional holds, too
};

struct opset {  // domain "" is ai.onnx
    std::string domain;
    int version;
};
struct pass_count {
    std::string name;
    int rewrites;
};

// An immutable handle; copies share the model. An initializer is a constant, even one that the file also lists among
// the inputs (which ONNX calls a default): such inputs are not in inputs(). Weights stay in the file, and in files of
// external data, which stay mapped: replace them while the model is in use, but do not write into them.
//
//     inlay::model m{"mobilenet.onnx"};
//     for (const inlay::port& p : m.inputs()) std::cout << p.name << ' ' << p.type_text << '\n';
class model {
  public:
    model(const std::filesystem::path& file, const model_options& o = {}) : model(try_load(file, o).value_or_raise()) {}
    model(const std::string& file, const model_options& o = {}) : model(std::filesystem::path(file), o) {}
    model(const char* file, const model_options& o = {}) : model(std::filesystem::path(file), o) {}
    model(const wchar_t* file, const model_options& o = {}) : model(std::filesystem::path(file), o) {}
    static model from_memory(std::span<const std::byte> file, const model_options& o = {}) {
        return try_load(file, o).value_or_raise();
    }
    static model from_stream(std::istream& file, const model_options& o = {}) {
        return try_load(file, o).value_or_raise();
    }

    // A graph built in memory, by graph_data: nodes in the order of their dependencies, constants' shapes
    // those of their tensors. Nothing is rewritten: run_passes() is for that. Error: invalid_model, where records
    // contradict each other or what the limits allow.
    static model from_graph(graph_data g, const inlay::limits& l = {}) {
        return try_from_graph(std::move(g), l).value_or_raise();
    }
    static result<model> try_from_graph(graph_data, const inlay::limits& = {});

    static result<model> try_load(const std::filesystem::path& file, const model_options& = {});
    static result<model> try_load(std::span<const std::byte> file,
                                  const model_options& = {});  // copied: the caller's memory may be freed
    static result<model> try_load(std::istream& file, const model_options& = {});

    std::span<const port> inputs() const;
    std::span<const port> outputs() const;
    const std::map<std::string, std::string>& metadata() const;  // metadata_props
    std::int64_t ir_version() const;
    std::span<const opset> opsets() const;
    const std::string& producer_name() const;
    const std::string& producer_version() const;
    const std::string& domain() const;
    std::int64_t model_version() const;
    const std::string& doc_string() const;
    const std::string& graph_name() const;

    const graph_data& graph() const;  // after the passes
    const graph_view& view()
        const;  // of graph(): computed once, so that threads may share it; graph().view() is not for them
    const inlay::limits& limits() const;           // as it was loaded with
    std::span<const pass_count> pass_log() const;  // the passes that ran, in order
    // Why the file is not valid, and what was assumed instead; sessions log it. Empty for a valid model.
    std::span<const std::string> warnings() const;

  private:
    friend struct model_loader;
    friend class session_base;
    friend struct saved_regions;
    const std::shared_ptr<const struct saved_regions>& saved() const;  // null: its file has none
    const std::string& file_name() const;
    const std::shared_ptr<class bound_states>& bound() const;  // kernels with their packed weights: sessions share them
    struct state;
    std::shared_ptr<const state> state_;
    explicit model(std::shared_ptr<const state> s) : state_(std::move(s)) {}
};
}  // namespace v1
}  // namespace inlay
