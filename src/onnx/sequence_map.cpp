#include "sequence_map.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;
using names = std::vector<std::string>;

AttributeProto& add_attribute(NodeProto& n, const char* name, AttributeProto::AttributeType type) {
    AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(type);
    return a;
}
template <class Graph> NodeProto& add_node(Graph& g, const char* op, const names& inputs, const names& outputs) {
    NodeProto& n = *g.add_node();
    n.set_op_type(op);
    n.mutable_input()->Add(inputs.begin(), inputs.end());
    n.mutable_output()->Add(outputs.begin(), outputs.end());
    return n;
}
void declare_scalar(::onnx::ValueInfoProto& v, const std::string& name, TensorProto::DataType type) {
    v.set_name(name);
    v.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    v.mutable_type()->mutable_tensor_type()->mutable_shape();
}

class sequence_map {
    const NodeProto& n_;
    const known_type& type_of_;
    FunctionProto& f_;

    [[noreturn]] void wrong(const std::string& fault) const {
        refuse(error_code::invalid_model, text_of(n_) + " " + fault);
    }
    const GraphProto& find_body() const {
        const auto a = std::ranges::find_if(n_.attribute(),
                                            [](const AttributeProto& b) { return b.name() == "body" && b.has_g(); });
        if (a == n_.attribute().end()) wrong("has no body");
        return a->g();
    }
    void check_counts(const char* kind, int of_node, int of_body) const {
        if (of_node != of_body || of_node == 0)
            wrong("has " + std::to_string(of_node) + " " + kind + ", and its body has " + std::to_string(of_body));
    }
    void check(const GraphProto& body) const {
        check_counts("inputs", n_.input_size(), body.input_size());
        check_counts("outputs", n_.output_size(), body.output_size());
        if (!type_of_(n_.input(0)).has_sequence_type())
            wrong("maps `" + one_line(n_.input(0)) + "`, which is no sequence");
        for (const std::string& y : n_.output())
            if (y.empty()) wrong("lacks an output");
        for (auto& y : body.output())
            if (!type_of_(y.name()).has_tensor_type()) wrong("makes `" + one_line(y.name()) + "`, which is no tensor");
    }

    // The body of the Loop: its sequences' elements at this iteration, the body, and its outputs, which are appended.
    void write_loop_body(const GraphProto& body, GraphProto& to) const {
        to.set_name("SequenceMap_loop_body");
        const std::string prefix = to.name() + "_", place = prefix + "itercount", condition = prefix + "cond_in";
        declare_scalar(*to.add_input(), place, TensorProto::INT64);
        declare_scalar(*to.add_input(), condition, TensorProto::BOOL);
        declare_scalar(*to.add_output(), prefix + "cond_out", TensorProto::BOOL);
        add_node(to, "Identity", {condition}, {prefix + "cond_out"});
        for (int k = 0; k < n_.input_size(); ++k)
            if (type_of_(n_.input(k)).has_sequence_type())
                add_node(to, "SequenceAt", {f_.input(k), place}, {body.input(k).name()});
            else
                add_node(to, "Identity", {f_.input(k)}, {body.input(k).name()});
        to.mutable_node()->MergeFrom(body.node());
        *to.mutable_value_info() = body.value_info();
        *to.mutable_initializer() = body.initializer();
        for (auto& y : body.output()) {
            const std::string input = prefix + y.name() + "_in", longer = prefix + y.name() + "_out";
            for (auto* v : {to.add_input(), to.add_output()})
                *v->mutable_type()->mutable_sequence_type()->mutable_elem_type() = type_of_(y.name());
            to.mutable_input()->rbegin()->set_name(input);
            to.mutable_output()->rbegin()->set_name(longer);
            add_node(to, "SequenceInsert", {input, y.name()}, {longer});
        }
    }

  public:
    sequence_map(const NodeProto& n, const known_type& type_of, FunctionProto& f) : n_(n), type_of_(type_of), f_(f) {}
    void run() {
        const GraphProto& body = find_body();
        check(body);
        for (int k = 0; k < n_.input_size(); ++k)
            f_.add_input(k == 0 ? "input_sequence" : "additional_inputs_" + std::to_string(k));
        names inputs{"SequenceMap_input_sequence_seqlen", "SequenceMap_input_sequence_cond"}, outputs;
        add_node(f_, "SequenceLength", {f_.input(0)}, {inputs[0]});
        TensorProto& yes =
            *add_attribute(add_node(f_, "Constant", {}, {inputs[1]}), "value", AttributeProto::TENSOR).mutable_t();
        yes.set_data_type(TensorProto::BOOL);
        yes.add_int32_data(1);
        for (int k = 0; k < n_.output_size(); ++k) {
            outputs.push_back("out_sequence_" + std::to_string(k));
            f_.add_output(outputs.back());
            inputs.push_back("SequenceMap_" + outputs.back() + "_seqempty");
            add_attribute(add_node(f_, "SequenceEmpty", {}, {inputs.back()}), "dtype", AttributeProto::INT)
                .set_i(type_of_(body.output(k).name()).tensor_type().elem_type());
        }
        NodeProto& loop = add_node(f_, "Loop", inputs, outputs);
        write_loop_body(body, *add_attribute(loop, "body", AttributeProto::GRAPH).mutable_g());
    }
};
}  // namespace

void write_sequence_map(const NodeProto& n, const known_type& type_of, FunctionProto& f) {
    sequence_map(n, type_of, f).run();
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay
