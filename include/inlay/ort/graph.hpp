// The documents' view of a graph: nodes, edges, attributes, initialisers, shapes. It is a copy of names and numbers,
// and borrows elements of initialisers from the session.
#pragma once
#include "tensor.hpp"
#include <inlay/sdk/engine.hpp>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace ort {
// As the documents number element types: TensorProto_DataType_FLOAT.
enum TensorProto_DataType {
    TensorProto_DataType_UNDEFINED,
    TensorProto_DataType_FLOAT,
    TensorProto_DataType_UINT8,
    TensorProto_DataType_INT8,
    TensorProto_DataType_UINT16,
    TensorProto_DataType_INT16,
    TensorProto_DataType_INT32,
    TensorProto_DataType_INT64,
    TensorProto_DataType_STRING,
    TensorProto_DataType_BOOL,
    TensorProto_DataType_FLOAT16,
    TensorProto_DataType_DOUBLE,
    TensorProto_DataType_UINT32,
    TensorProto_DataType_UINT64,
    TensorProto_DataType_COMPLEX64,
    TensorProto_DataType_COMPLEX128,
    TensorProto_DataType_BFLOAT16
};
class TensorShapeProto {
  public:
    class Dimension {
        std::int64_t value_;  // negative: not known
        std::string name_;

      public:
        Dimension(std::int64_t value, std::string_view name) : value_(value), name_(name) {}
        bool has_dim_value() const { return value_ >= 0; }
        std::int64_t dim_value() const { return has_dim_value() ? value_ : 0; }
        bool has_dim_param() const { return !name_.empty(); }
        const std::string& dim_param() const { return name_; }
    };
    int dim_size() const { return int(dims_.size()); }
    const Dimension& dim(int k) const { return dims_[size_t(k)]; }
    const std::vector<Dimension>& dim() const { return dims_; }

  private:
    friend class graph_copy;
    std::vector<Dimension> dims_;
};
class TypeProto_Tensor {
    friend class graph_copy;
    std::int32_t type_ = 0;
    bool has_shape_ = false;
    TensorShapeProto shape_;

  public:
    std::int32_t elem_type() const { return type_; }
    bool has_shape() const { return has_shape_; }
    const TensorShapeProto& shape() const { return shape_; }
};
class TypeProto {
    friend class graph_copy;
    bool is_tensor_ = false;
    TypeProto_Tensor tensor_;

  public:
    bool has_tensor_type() const { return is_tensor_; }
    const TypeProto_Tensor& tensor_type() const { return tensor_; }
};
// An initialiser. Its elements are there where the session has them: has_raw_data().
class TensorProto {
    friend class graph_copy;
    std::string name_;
    std::int32_t type_ = 0;
    std::vector<std::int64_t> dims_;
    const constant_source* source_ = nullptr;  // that is queried, where data_ is null
    int value_ = -1;
    const void* data_ = nullptr;
    const void* elements() const { return data_ || !source_ ? data_ : source_->elements(value_); }

  public:
    const std::string& name() const { return name_; }
    std::int32_t data_type() const { return type_; }
    int dims_size() const { return int(dims_.size()); }
    std::int64_t dims(int k) const { return dims_[size_t(k)]; }
    const std::vector<std::int64_t>& dims() const { return dims_; }
    bool has_raw_data() const { return elements() != nullptr; }
    std::string_view raw_data() const {
        std::int64_t count = 1;
        for (std::int64_t d : dims_) count *= d;
        const auto* first = static_cast<const char*>(elements());
        return {first, first ? size_t(bytes_of(element(type_), count)) : 0};
    }
};
using InitializedTensorSet = std::unordered_map<std::string, const TensorProto*>;

enum AttributeProto_AttributeType {
    AttributeProto_AttributeType_UNDEFINED = 0,
    AttributeProto_AttributeType_FLOAT = 1,
    AttributeProto_AttributeType_INT = 2,
    AttributeProto_AttributeType_STRING = 3,
    AttributeProto_AttributeType_TENSOR = 4,
    AttributeProto_AttributeType_GRAPH = 5,
    AttributeProto_AttributeType_FLOATS = 6,
    AttributeProto_AttributeType_INTS = 7,
    AttributeProto_AttributeType_STRINGS = 8
};
class AttributeProto {
    friend class graph_copy;
    std::string name_;
    AttributeProto_AttributeType type_ = AttributeProto_AttributeType_UNDEFINED;
    std::vector<std::int64_t> integers_;
    std::vector<float> reals_;
    std::vector<std::string> texts_;
    TensorProto tensor_;

  public:
    const std::string& name() const { return name_; }
    AttributeProto_AttributeType type() const { return type_; }
    std::int64_t i() const { return integers_.empty() ? 0 : integers_[0]; }
    float f() const { return reals_.empty() ? 0 : reals_[0]; }
    const std::string& s() const {
        static const std::string empty_text;
        return texts_.empty() ? empty_text : texts_[0];
    }
    const TensorProto& t() const { return tensor_; }
    const std::vector<std::int64_t>& ints() const { return integers_; }
    const std::vector<float>& floats() const { return reals_; }
    const std::vector<std::string>& strings() const { return texts_; }
    int ints_size() const { return int(integers_.size()); }
    int floats_size() const { return int(reals_.size()); }
    int strings_size() const { return int(texts_.size()); }
    std::int64_t ints(int k) const { return integers_[size_t(k)]; }
    float floats(int k) const { return reals_[size_t(k)]; }
    const std::string& strings(int k) const { return texts_[size_t(k)]; }
};
using NodeAttributes = std::unordered_map<std::string, AttributeProto>;

// A value as a node names it.
class NodeArg {
    friend class graph_copy;
    std::string name_, type_;  // the type as the documents write it: tensor(float)
    TypeProto proto_;
    element element_ = element::undefined;
    int value_ = -1;  // of the session's graph; -1: an optional argument that is absent

  public:
    const std::string& Name() const { return name_; }
    bool Exists() const { return value_ >= 0; }
    const std::string* Type() const { return Exists() ? &type_ : nullptr; }
    const TypeProto* TypeAsProto() const { return Exists() ? &proto_ : nullptr; }
    const TensorShapeProto* Shape() const {
        return Exists() && proto_.tensor_type().has_shape() ? &proto_.tensor_type().shape() : nullptr;
    }
    element Element() const { return element_; }
    int Value() const { return value_; }
};

using NodeIndex = size_t;
class Node;
// Iterates over pointers to nodes, and yields the nodes.
class NodeIterator {
    const Node* const* at_;

  public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    explicit NodeIterator(const Node* const* at) : at_(at) {}
    const Node& operator*() const { return **at_; }
    const Node* operator->() const { return *at_; }
    NodeIterator& operator++() {
        ++at_;
        return *this;
    }
    friend bool operator==(NodeIterator, NodeIterator) = default;
};
class ConstGraphNodes {
    const std::vector<const Node*>& nodes_;

  public:
    explicit ConstGraphNodes(const std::vector<const Node*>& nodes) : nodes_(nodes) {}
    NodeIterator begin() const { return NodeIterator(nodes_.data()); }
    NodeIterator end() const { return NodeIterator(nodes_.data() + nodes_.size()); }
    size_t size() const { return nodes_.size(); }
    bool empty() const { return nodes_.empty(); }
};
class Node {
  public:
    class EdgeEnd {
        const Node* node_;
        int from_, to_;

      public:
        EdgeEnd(const Node& node, int from, int to) : node_(&node), from_(from), to_(to) {}
        const Node& GetNode() const { return *node_; }  // at the other end
        int GetSrcArgIndex() const { return from_; }
        int GetDstArgIndex() const { return to_; }
    };
    using EdgeConstIterator = std::vector<EdgeEnd>::const_iterator;

    NodeIndex Index() const { return index_; }
    const std::string& Name() const { return name_; }
    const std::string& OpType() const { return op_; }
    const std::string& Domain() const { return domain_; }
    int SinceVersion() const { return version_; }
    // Empty: no provider has claimed the node yet.
    const std::string& GetExecutionProviderType() const { return provider_; }
    const std::vector<const NodeArg*>& InputDefs() const { return inputs_; }
    const std::vector<const NodeArg*>& OutputDefs() const { return outputs_; }
    const std::vector<const NodeArg*>& ImplicitInputDefs() const { return captures_; }
    const NodeAttributes& GetAttributes() const { return attributes_; }
    bool ContainsSubgraph() const {
        for (const auto& [name, a] : attributes_)
            if (a.type() == AttributeProto_AttributeType_GRAPH) return true;
        return false;
    }
    NodeIterator InputNodesBegin() const { return ConstGraphNodes(before_).begin(); }
    NodeIterator InputNodesEnd() const { return ConstGraphNodes(before_).end(); }
    NodeIterator OutputNodesBegin() const { return ConstGraphNodes(after_).begin(); }
    NodeIterator OutputNodesEnd() const { return ConstGraphNodes(after_).end(); }
    EdgeConstIterator InputEdgesBegin() const { return edges_in_.begin(); }
    EdgeConstIterator InputEdgesEnd() const { return edges_in_.end(); }
    EdgeConstIterator OutputEdgesBegin() const { return edges_out_.begin(); }
    EdgeConstIterator OutputEdgesEnd() const { return edges_out_.end(); }
    size_t GetInputEdgesCount() const { return edges_in_.size(); }
    size_t GetOutputEdgesCount() const { return edges_out_.size(); }

  private:
    friend class graph_copy;
    NodeIndex index_ = 0;
    std::string name_, op_, domain_, provider_;
    int version_ = 0;
    std::vector<const NodeArg*> inputs_, outputs_, captures_;
    NodeAttributes attributes_;
    std::vector<const Node*> before_, after_;
    std::vector<EdgeEnd> edges_in_, edges_out_;
};

// A graph, or the nodes of it that were fused: then inputs and outputs are those of their MetaDef.
class GraphViewer {
    friend class graph_copy;
    std::string name_;
    std::vector<const Node*> nodes_;  // in topological order
    std::vector<const Node*> by_index_;
    std::vector<NodeIndex> order_;
    std::vector<const NodeArg*> inputs_, inputs_and_initializers_, outputs_;
    std::unordered_map<std::string, const NodeArg*> args_;
    std::unordered_map<std::string, const Node*> producers_;
    std::unordered_map<std::string, std::vector<const Node*>> consumers_;
    InitializedTensorSet initializers_;

  public:
    const std::string& Name() const { return name_; }
    ConstGraphNodes Nodes() const { return ConstGraphNodes(nodes_); }
    int NumberOfNodes() const { return int(nodes_.size()); }
    int MaxNodeIndex() const { return int(by_index_.size()); }
    const Node* GetNode(NodeIndex index) const { return index < by_index_.size() ? by_index_[index] : nullptr; }
    const std::vector<NodeIndex>& GetNodesInTopologicalOrder() const { return order_; }
    const std::vector<const NodeArg*>& GetInputs() const { return inputs_; }
    const std::vector<const NodeArg*>& GetInputsIncludingInitializers() const { return inputs_and_initializers_; }
    const std::vector<const NodeArg*>& GetOutputs() const { return outputs_; }
    const NodeArg* GetNodeArg(const std::string& name) const { return found(args_, name); }
    const Node* GetProducerNode(const std::string& name) const { return found(producers_, name); }
    std::vector<const Node*> GetConsumerNodes(const std::string& name) const {
        const auto at = consumers_.find(name);
        return at == consumers_.end() ? std::vector<const Node*>() : at->second;
    }
    const InitializedTensorSet& GetAllInitializedTensors() const { return initializers_; }
    bool GetInitializedTensor(const std::string& name, const TensorProto*& value) const {
        value = found(initializers_, name);
        return value != nullptr;
    }
    bool IsInitializedTensor(const std::string& name) const { return initializers_.contains(name); }
    bool IsConstantInitializer(const std::string& name, bool = true) const { return initializers_.contains(name); }
    const TensorProto* GetConstantInitializer(const std::string& name, bool = true) const {
        return found(initializers_, name);
    }

  private:
    template <class T>
    static const T* found(const std::unordered_map<std::string, const T*>& table, const std::string& name) {
        const auto at = table.find(name);
        return at == table.end() ? nullptr : at->second;
    }
};

namespace ONNX_NAMESPACE {  // the documents' macro for `onnx`
using ort::AttributeProto;
using ort::TensorProto;
using ort::TensorShapeProto;
using ort::TypeProto;
using enum ort::TensorProto_DataType;
using enum ort::AttributeProto_AttributeType;
}  // namespace ONNX_NAMESPACE
}  // namespace ort
}  // namespace v1
}  // namespace inlay
