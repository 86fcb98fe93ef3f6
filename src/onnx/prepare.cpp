// The first walk over a model: checks tensors and limits before anything else reads them, and brings them into one
// form.
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
std::string text_of(const ::onnx::NodeProto& n) {
    if (!n.name().empty()) return "`" + one_line(n.name()) + "` (" + one_line(n.op_type()) + ")";
    for (const std::string& y : n.output())
        if (!y.empty()) return "the node that makes `" + one_line(y) + "` (" + one_line(n.op_type()) + ")";
    return "a node (" + one_line(n.op_type()) + ")";
}

namespace {
using ::onnx::AttributeProto;
constexpr int64_t small = 4096;  // bytes of external data that are copied, so that shape inference can read them

class walk {
    const limits& l_;
    external_files* files_;
    const left_in_file& left_;
    data_list& data_;
    int64_t nodes_ = 0, budget_;

    void tensor(::onnx::TensorProto& t, const std::string& subject) {
        const auto left = t.has_raw_data() ? left_.end() : left_.find(&t);
        check_tensor(t, l_, subject, left == left_.end() ? 0 : int64_t(left->second.data.size()));
        const bool external = t.data_location() == ::onnx::TensorProto::EXTERNAL;
        if (!external && left == left_.end()) return;
        shape dims;
        for (int64_t d : t.dims()) dims.push_back(d);
        const int64_t bytes = bytes_of(element(t.data_type()), dims.elements());
        const file_bytes f = external ? files_->find(t, bytes) : left->second;
        t.clear_external_data();
        t.clear_data_location();
        if (bytes <= small) {
            if (bytes) t.set_raw_data(f.data.data(), std::size_t(bytes));
        } else {  // `#`: how the checker of the onnx library marks data held in memory
            auto& e = *t.add_external_data();
            e.set_key("location");
            e.set_value("#" + std::to_string(data_.regions.size()));
            t.set_data_location(::onnx::TensorProto::EXTERNAL);
            data_.regions.push_back(f);
        }
    }
    void attribute(AttributeProto& a, const ::onnx::NodeProto& n, int depth) {
        const auto subject = [&] { return "the attribute `" + one_line(a.name()) + "` of " + text_of(n); };
        if (!a.has_type() && a.ref_attr_name().empty())  // models of IR version 1
            a.set_type(a.has_f()          ? AttributeProto::FLOAT
                       : a.has_i()        ? AttributeProto::INT
                       : a.has_s()        ? AttributeProto::STRING
                       : a.has_t()        ? AttributeProto::TENSOR
                       : a.has_g()        ? AttributeProto::GRAPH
                       : a.floats_size()  ? AttributeProto::FLOATS
                       : a.strings_size() ? AttributeProto::STRINGS
                       : a.tensors_size() ? AttributeProto::TENSORS
                       : a.graphs_size()  ? AttributeProto::GRAPHS
                                          : AttributeProto::INTS);
        if (a.has_sparse_tensor() && n.op_type() == "Constant" && a.name() == "sparse_value") {
            a.clear_t();
            make_dense(*a.mutable_sparse_tensor(), *a.mutable_t(), l_, budget_);
            a.clear_sparse_tensor();
            a.set_name("value");
            a.set_type(AttributeProto::TENSOR);
        }
        if (a.has_t()) tensor(*a.mutable_t(), subject());
        for (auto& t : *a.mutable_tensors()) tensor(t, subject());
        if (a.has_g()) graph(*a.mutable_g(), depth + 1);
        for (auto& g : *a.mutable_graphs()) graph(g, depth + 1);
    }

  public:
    walk(const limits& l, external_files* files, const left_in_file& left, data_list& data)
        : l_(l), files_(files), left_(left), data_(data), budget_(l.copied_bytes) {}

    void nodes(google::protobuf::RepeatedPtrField<::onnx::NodeProto>& list, int depth) {
        if (depth > l_.nesting)
            refuse(error_code::limit_exceeded, "graphs are nested deeper than " + std::to_string(l_.nesting),
                   "raise limits::nesting");
        if ((nodes_ += list.size()) > l_.nodes)
            refuse(error_code::limit_exceeded, "there are more than " + std::to_string(l_.nodes) + " nodes",
                   "raise limits::nodes");
        for (auto& n : list) {
            if (n.domain() == "ai.onnx") n.clear_domain();
            for (auto& a : *n.mutable_attribute()) attribute(a, n, depth);
        }
    }
    // Runs have only dense inputs and outputs: a value declared as sparse becomes a dense one.
    static void declare_dense(::onnx::ValueInfoProto& v) {
        if (!v.type().has_sparse_tensor_type()) return;
        const ::onnx::TypeProto::SparseTensor sparse = v.type().sparse_tensor_type();
        auto& dense = *v.mutable_type()->mutable_tensor_type();
        dense.set_elem_type(sparse.elem_type());
        if (sparse.has_shape()) *dense.mutable_shape() = sparse.shape();
    }
    void graph(::onnx::GraphProto& g, int depth) {
        for (auto* list : {g.mutable_input(), g.mutable_output(), g.mutable_value_info()})
            for (auto& v : *list) declare_dense(v);
        for (auto& t : *g.mutable_initializer()) tensor(t, "the tensor `" + one_line(t.name()) + "`");
        for (auto& s : *g.mutable_sparse_initializer()) make_dense(s, *g.add_initializer(), l_, budget_);
        g.clear_sparse_initializer();
        nodes(*g.mutable_node(), depth);
    }
};
}  // namespace

void prepare(::onnx::ModelProto& m, const limits& l, external_files* files, const left_in_file& left, data_list& data) {
    walk w(l, files, left, data);
    w.graph(*m.mutable_graph(), 0);
    for (auto& f : *m.mutable_functions()) {
        if (f.domain() == "ai.onnx") f.set_domain("");
        for (auto& s : *f.mutable_opset_import())
            if (s.domain() == "ai.onnx") s.set_domain("");
        w.nodes(*f.mutable_node(), 0);
    }
    for (auto& s : *m.mutable_opset_import())
        if (s.domain() == "ai.onnx") s.set_domain("");
    if (m.graph().name().empty())
        m.mutable_graph()->set_name("graph");  // which the checker of the onnx library requires
    m.clear_training_info();
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
