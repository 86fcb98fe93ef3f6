// Nodes as layers of Arm NN. The same code asks Arm NN whether it supports a node's layers and adds them to a network.
#pragma once
#include <armnn/ArmNN.hpp>
#include <armnn/ILayerSupport.hpp>
#include <provider/node_writer.hpp>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
struct armnn_backend {
    ::armnn::BackendId id;
    std::shared_ptr<::armnn::ILayerSupport> support;
};

// A value inside a network.
struct stream {
    ::armnn::TensorInfo info;
    ::armnn::IOutputSlot* slot = nullptr;  // null while Arm NN is only asked
};
using shared_stream = std::shared_ptr<const stream>;

// Scalars are tensors of one element there. Refuses what Arm NN has no tensors for.
::armnn::TensorInfo info_of(const shape&, element);
::armnn::TensorInfo with_dims(const ::armnn::TensorInfo&, const shape&);  // of as many elements

class network_writer {
    const graph_view& graph_;
    const constant_source* constants_;
    std::span<const armnn_backend> backends_;
    ::armnn::INetwork* network_;
    std::unordered_map<int, stream> values_;
    std::string wrong_on_cpu_acc_{};  // what CpuAcc does to this node's layers; empty: nothing known

  public:
    static constexpr std::string_view piece = "Arm NN's layer";
    using support = ::armnn::ILayerSupport;
    using reason = ::armnn::Optional<std::string&>;

    // Without a network it only asks.
    network_writer(const graph_view& g, std::span<const armnn_backend> backends,
                   const constant_source* constants = nullptr, ::armnn::INetwork* network = nullptr)
        : graph_(g), constants_(constants), backends_(backends), network_(network) {}

    // The layers of a node, whose results are values of the network after that. Throws refused_node.
    void write(const node&);
    void add_input(int value, int binding);
    void add_output(int value, int binding);

    // The value, which is what a node made, an input of the region, a constant, or in a question just asked about.
    stream value(int id);
    ::armnn::TensorInfo info_of_value(int id) const {
        const auto& v = graph_.values[std::size_t(id)];
        return info_of(v.dims, v.type);
    }
    // From here on the node's layers are refused where CpuAcc would have them.
    void refuse_on_cpu_acc(std::string why) { wrong_on_cpu_acc_ = std::move(why); }
    void put(int id, stream s) { values_.insert_or_assign(id, std::move(s)); }
    const float* floats(int id) const;  // of a constant; only while adding

    // One layer with one result: `ask` is whether a backend supports it, `add` adds it to the network.
    template <class Ask, class Add>
    stream layer(const std::vector<stream>& inputs, const ::armnn::TensorInfo& output, Ask ask, Add add) {
        require_support(ask);
        if (!network_) return {output};
        ::armnn::IConnectableLayer* const l = add(*network_);
        connect(inputs, *l);
        l->GetOutputSlot(0).SetTensorInfo(output);
        return {output, &l->GetOutputSlot(0)};
    }
    // The same with several results.
    template <class Ask, class Add>
    std::vector<stream> layers(const stream& input, const std::vector<::armnn::TensorInfo>& outputs, Ask ask, Add add) {
        require_support(ask);
        ::armnn::IConnectableLayer* const l = network_ ? add(*network_) : nullptr;
        if (l) connect({input}, *l);
        std::vector<stream> results;
        for (unsigned k = 0; k < outputs.size(); ++k) {
            if (l) l->GetOutputSlot(k).SetTensorInfo(outputs[k]);
            results.push_back({outputs[k], l ? &l->GetOutputSlot(k) : nullptr});
        }
        return results;
    }
    stream constant(const ::armnn::TensorInfo&, const std::vector<std::int32_t>& elements);
    stream reshaped(const stream&, const ::armnn::TensorInfo&);

  private:
    static void connect(const std::vector<stream>& inputs, ::armnn::IConnectableLayer& l) {
        for (unsigned k = 0; k < inputs.size(); ++k) inputs[k].slot->Connect(l.GetInputSlot(k));
    }
    // Arm NN gives a layer to the first backend that supports it, and cannot be told another (20.08 forgets hints).
    template <class Ask> void require_support(Ask ask) const {
        std::string all;
        for (const armnn_backend& b : backends_) {
            std::string why;
            if (ask(*b.support, reason(why))) {
                if (b.id == "CpuAcc" && !wrong_on_cpu_acc_.empty()) refuse("on CpuAcc " + wrong_on_cpu_acc_);
                return;
            }
            all += (all.empty() ? "" : "; ") + b.id.Get() + ": " + (why.empty() ? "layer not supported" : why);
        }
        refuse("Arm NN: " + std::move(all));
    }
};

struct node_writer : node_writer_to<network_writer> {
    const float* floats(int k) const { return to.floats(n.input_id(k)); }
};
inline void require_rank(const node_writer& a, int most) {
    if (const int rank = a.n.input(0).dims.rank; rank > most)
        refuse("its input has " + std::to_string(rank) + " dimensions, and Arm NN's layer takes " +
               std::to_string(most));
}
// Parts of these sizes along the axis, and the tensor that has all of them along it.
std::vector<stream> split(network_writer&, const stream&, unsigned axis, const std::vector<::armnn::TensorInfo>& parts);
stream concatenated(network_writer&, const std::vector<stream>& parts, unsigned axis, const ::armnn::TensorInfo& all);
stream activated(network_writer&, const stream&, const ::armnn::ActivationDescriptor&);
}  // namespace v1
}  // namespace inlay
