// What the loader's files share: protobuf messages, files in memory and errors. Never included by a public header.
#pragma once
#include <inlay/model.hpp>
#include <onnx/onnx_pb.h>
#include <new>
#include <set>

namespace onnx { class OpSchema; }
namespace inlay::inline v1::loading {
static_assert(std::endian::native == std::endian::little, "inlay: ONNX stores little-endian elements, which tensors borrow in place");
using std::int64_t;

// Raises an error without its first words, which guarded() adds.
[[noreturn]] void refuse(error_code code, std::string text, std::string hint = {});
std::string one_line(std::string_view text);      // messages of other libraries have many

// Turns what f throws into an error whose text starts with `where`: "inlay::model: `x.onnx`".
template <class T, class F> result<T> guarded(const std::string& where, F f) {
    try { return f(); }
    catch (error& e) { e.text = where + ": " + e.text; return std::move(e); }
    catch (const std::bad_alloc&) { return error(error_code::out_of_memory, where + ": no memory"); }
    catch (const std::exception& e) { return error(error_code::invalid_model, where + ": " + one_line(e.what())); }
}

// Bytes of a file, mapped or read.
struct file_bytes {
    std::span<const std::byte> data;
    std::shared_ptr<void> keep;
};
file_bytes map_file(const std::filesystem::path& file, int64_t limit, const std::string& what = "the file");
std::vector<std::byte> read_stream(std::istream& in, int64_t limit);
std::shared_ptr<::onnx::ModelProto> parse(std::span<const std::byte> bytes, const limits& l);

// The files of external data of one model: each is mapped once.
class external_files {
public:
    external_files(std::filesystem::path folder, const limits& l, int64_t already) : folder_(std::move(folder)), limits_(l), total_(already) {}
    file_bytes find(const ::onnx::TensorProto& t, int64_t bytes);
private:
    std::filesystem::path folder_;
    limits limits_;
    int64_t total_;
    std::map<std::string, file_bytes> files_;
};

// Where the data of a tensor is that says `external`: prepare() replaces the location by the position in this list.
struct data_list {
    std::vector<file_bytes> regions;
    const file_bytes& of(const ::onnx::TensorProto& t) const;
};

// Checks every tensor, graph and limit before anything else looks at the model; makes sparse tensors dense and finds external data.
void prepare(::onnx::ModelProto& m, const limits& l, external_files* files, data_list& found);
void inline_functions(::onnx::ModelProto& m, const limits& l);
// Types and shapes of every value, as the operators' schemas give them, whatever the model declares.
void infer(::onnx::ModelProto& m, const std::map<std::string, int>& opsets, const limits& l);

element element_of_proto(int data_type, std::string_view what);
void check_tensor(const ::onnx::TensorProto& t, const limits& l, std::string_view what);
// The tensor; it borrows the message's memory, which `keep` keeps, where the layout agrees.
tensor to_tensor(const ::onnx::TensorProto& t, const std::shared_ptr<void>& keep, const data_list* external = nullptr);
void make_dense(::onnx::SparseTensorProto& sparse, ::onnx::TensorProto& dense, const limits& l, int64_t& budget);
std::string type_text(const ::onnx::TypeProto& t);
std::string text_of(const ::onnx::NodeProto& n);  // `name` (Op)

// Refuses a node whose inputs have other types than its operator's schema allows. An unknown type (element::undefined) passes: no kernel takes such a node.
void check_input_types(const ::onnx::NodeProto& n, const ::onnx::OpSchema& schema, std::span<const element> inputs);
// Types of a node's outputs, as far as the operator's schema and the types of the inputs tell; element::undefined elsewhere.
std::vector<element> output_types(const ::onnx::NodeProto& n, const ::onnx::OpSchema& schema, std::span<const element> inputs);

struct built {
    graph_data graph;
    std::vector<port> inputs, outputs;
};
// `dim_names`: those that the model itself gives; others come from shape inference.
built build(const ::onnx::ModelProto& m, const std::shared_ptr<void>& keep, const data_list& external, const std::set<std::string>& dim_names);
}  // namespace inlay::inline v1::loading
