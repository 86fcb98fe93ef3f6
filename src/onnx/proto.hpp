// Shared by the loader's files: protobuf messages, files in memory and errors. Never included by a public header.
#pragma once
#include "arena.hpp"
#include <inlay/model.hpp>
#include <functional>
#include <map>
#include <new>
#include <onnx/onnx_pb.h>
#include <set>
#include <unordered_map>

namespace onnx {
class OpSchema;
}
namespace inlay {
inline namespace v1 {
namespace loading {
static_assert(std::endian::native == std::endian::little,
              "inlay: ONNX stores little-endian elements, which tensors borrow in place");
using std::int64_t;

// Raises an error without its first words, which guarded() adds.
[[noreturn]] void refuse(error_code code, std::string text, std::string hint = {});
std::string one_line(std::string_view text);      // messages of other libraries have many
std::string list_text(std::span<const int64_t>);  // "1, 2, 3"

struct callers_exception {  // that a callback of the caller threw: it passes guarded() unchanged
    std::exception_ptr exception;
};

// The first words of an error, "inlay::model: `x.onnx`", which are built only if there is one.
struct error_place {
    std::string_view prefix;
    const std::filesystem::path* file = nullptr;
    std::string text() const { return std::string(prefix) + (file ? ": `" + file->string() + "`" : ""); }
};
// Turns what f throws into an error whose text starts with the place. Where the heap has no memory for these words
// either, the text is a short static one.
template <class T, class F> result<T> guarded(const error_place& place, F f) {
    try {
        try {
            return f();
        } catch (const callers_exception& e) {
            std::rethrow_exception(e.exception);
        } catch (error& e) {
            e.text = place.text() + ": " + e.text;
            return std::move(e);
        } catch (const std::bad_alloc&) {
            return error(error_code::out_of_memory, place.text() + ": no memory");
        } catch (const std::exception& e) {
            return error(error_code::invalid_model, place.text() + ": " + one_line(e.what()));
        }
    } catch (const std::bad_alloc&) {
        return error(error_code::out_of_memory, "no memory left");
    }
}

// Bytes of a file, mapped or read; or the caller's, which are borrowed.
struct file_bytes {
    std::span<const std::byte> data;
    std::shared_ptr<void> keep{};
    bool mapped = false;
};
file_bytes map_file(const std::filesystem::path& file, int64_t limit, const std::string& subject = "the file");
file_bytes read_stream(std::istream& in, int64_t limit);

constexpr int64_t large =
    16384;  // bytes of a constant that stays in the file; below, a copy is cheaper than the rest of its pages
// The raw data of large tensors, and large strings of EPContext nodes, which parse() leaves out of the message: by
// tensor and attribute.
using left_in_file = std::unordered_map<const google::protobuf::MessageLite*, file_bytes>;
std::shared_ptr<::onnx::ModelProto> parse(const file_bytes& file, const limits& l, left_in_file& left);

// Where a model's external data may be; empty: nowhere.
using model_folders = std::vector<std::filesystem::path>;
// The folder of a model's file, and that of the link's target, where the file is a symbolic link.
model_folders folders_of(const std::filesystem::path& file);
struct data_file {
    std::filesystem::path name, target;  // as it stands in a folder of the model, and where links from there lead
};
// The file that the model names. Refuses absolute paths, `..`, and what is in none of the folders once links are
// followed.
data_file locate(const model_folders&, const std::string& location, const std::string& subject);

// The files of external data of one model: each is mapped once.
class external_files {
  public:
    external_files(model_folders folders, const limits& l, int64_t already)
        : folders_(std::move(folders)), limits_(l), total_(already) {}
    file_bytes find(const ::onnx::TensorProto& t, int64_t bytes);
    file_bytes whole(const std::string& location, const std::string& subject);
    std::vector<file_bytes> all() const {
        std::vector<file_bytes> v;
        for (const auto& [name, f] : files_) v.push_back(f);
        return v;
    }

  private:
    model_folders folders_;
    limits limits_;
    int64_t total_;
    std::map<std::string, file_bytes> files_;
};

// Loads the external data of a tensor into it.
void fetch(::onnx::TensorProto& t, external_files& files, const limits& l);
// f(tensor) for each initializer and each tensor of an attribute, subgraphs included.
void each_tensor(::onnx::GraphProto& g, const std::function<void(::onnx::TensorProto&)>& f);

// Where the data of a tensor is that says `external` or was left in the file: prepare() stores the position in this
// list as its location.
struct data_list {
    std::vector<file_bytes> regions;
    const file_bytes& of(const ::onnx::TensorProto& t) const;
};

// Refuses a sorted graph whose names or attributes contradict each other, or whose nodes do not match their operators'
// schemas.
void check_graph(const ::onnx::GraphProto& g, const std::map<std::string, int>& opsets);
// Checks every tensor, graph and limit before anything else reads the model; makes sparse tensors dense and finds
// external data.
void prepare(::onnx::ModelProto& m, const limits& l, external_files* files, const left_in_file& left, data_list& data);
// The function that a node calls, or null. It stays unchanged until its nodes are expanded too.
using function_of_call = std::function<const ::onnx::FunctionProto*(const ::onnx::NodeProto&)>;
// Every call is replaced by the function's nodes, which read only its arguments and their own results.
void inline_calls(::onnx::GraphProto& g, const limits& l, const function_of_call& find);
void inline_functions(::onnx::ModelProto& m, const limits& l);  // the model's own
// "f (x) => (y) { y = Neg (x) }", which the loader wrote in place of a node; names and texts of a file in it may not
// be accepted by the parser.
std::shared_ptr<::onnx::FunctionProto> function_of_text(const std::string& text, const ::onnx::NodeProto& n);
// Operators of com.microsoft that ONNX's operators can express. If the model imports no ai.onnx, opsets gets it.
void rewrite_microsoft(::onnx::ModelProto& m, std::map<std::string, int>& opsets, const limits& l);
// Operators that onnx defines by functions and that no stock provider has kernels for. Their imports go to opsets.
void inline_schema_functions(::onnx::ModelProto& m, std::map<std::string, int>& opsets, const limits& l);
// Nodes of ai.onnx.preview.training's Gradient are replaced by those that compute the derivatives. The graph has to be
// sorted, and stays sorted.
void rewrite_gradients(::onnx::ModelProto& m, const std::map<std::string, int>& opsets, const limits& l);
void sort_nodes(::onnx::GraphProto& g);  // and those of its subgraphs
// f(name) for what a node reads from its graph, its subgraphs included.
void each_read(const ::onnx::NodeProto& n, const std::function<void(std::string_view)>& f);
class type_list {
    std::shared_ptr<Arena> arena_ = new_arena();
    std::unordered_map<std::string, ::onnx::TypeProto*> types_;

  public:
    // Gives the name a new, empty type.
    ::onnx::TypeProto& renew(const std::string& name) {
        auto& type = make_on<::onnx::TypeProto>(*arena_);
        types_[name] = &type;
        return type;
    }
    const ::onnx::TypeProto* find(const std::string& name) const {  // null: there is none
        const auto it = types_.find(name);
        return it == types_.end() ? nullptr : it->second;
    }
};
// The type of each value of a model, those of bodies and constants included, as the operators give them; empty where it
// is not known. For a name of several values, one of their types.
class value_types {
    type_list types_;

  public:
    value_types(const ::onnx::ModelProto& m, const limits& l);
    const ::onnx::TypeProto* find(const std::string& name) const { return types_.find(name); }  // null: it is not known
};

element element_of_proto(int data_type, std::string_view subject);
[[noreturn]] void refuse_rank(std::string_view subject, int rank);  // which has more dimensions than max_rank
void check_tensor(const ::onnx::TensorProto& t, const limits& l, std::string_view subject,
                  int64_t bytes_left = 0);  // bytes_left: of its raw data, in the file
// The tensor; a large one borrows the message's memory, which `keep` owns, or the file's, where the layout agrees.
// Small ones are copied.
tensor to_tensor(const ::onnx::TensorProto& t, const std::shared_ptr<void>& keep, const data_list* external = nullptr);
void to_proto(const tensor& t, ::onnx::TensorProto& p);  // without a name
void make_dense(::onnx::SparseTensorProto& sparse, ::onnx::TensorProto& dense, const limits& l, int64_t& budget);
std::string text_of(const ::onnx::NodeProto& n);  // `name` (Op)

// The current model, after its passes, in place of the message's graph; the message keeps its inputs' and outputs'
// types, names and metadata. Returns the values' names in it; empty: of those that are not in it.
std::vector<std::string> write_model(const model&, ::onnx::ModelProto&);
std::string serialized(const ::onnx::ModelProto&);  // refuses more than 2 GiB

using dim_numbers = std::function<int64_t(const std::string&)>;  // the number in a shape for a dimension of that name
// Raises unsupported_model and invalid_model, with `subject`: "the value `x`". Without `number` shapes are ignored.
value_type read_type(const ::onnx::TypeProto& t, const std::function<std::string()>& subject,
                     const dim_numbers& number = {});
value_type type_of_text(std::string_view text);  // as to_string() and onnx's schemas write it
// Dimensions without a size have their names, if `symbols` has them.
void to_proto(const value_type& t, ::onnx::TypeProto& p, std::span<const std::string_view> symbols = {});
std::string has_type_text(const value_type& t);  // "has elements of type float", "is of type seq(tensor(float))"

// Refuses a node whose inputs have other types than its operator's schema allows. Unknown types pass: no kernel
// supports such a node.
void check_input_types(const ::onnx::NodeProto& n, const ::onnx::OpSchema& schema, std::span<const value_type> inputs);
// Types of a node's outputs, as far as the operator's schema and the types of the inputs determine them. Their shapes
// have no meaning.
std::vector<value_type> output_types(const ::onnx::NodeProto& n, const ::onnx::OpSchema& schema,
                                     std::span<const value_type> inputs);

class assumptions;
struct built {
    graph_data graph;
    std::vector<port> inputs, outputs;
};
// `dim_names`: those that the model itself gives; others come from shape inference.
built build(const ::onnx::ModelProto& m, const std::shared_ptr<void>& keep, const data_list& external, const limits& l,
            assumptions& assumed, const std::set<std::string>& dim_names);
}  // namespace loading
}  // namespace v1
}  // namespace inlay
