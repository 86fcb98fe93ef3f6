// Primitives as layers of Arm NN, whose backends are queried first whether they support each.
#pragma once
#include "../rules.hpp"
#include <armnn/ArmNN.hpp>
#include <armnn/ILayerSupport.hpp>
#include <lowering/weights.hpp>
#include <provider/lowering_module.hpp>

namespace inlay {
inline namespace v1 {
struct armnn_backend {
    ::armnn::BackendId id;
    std::shared_ptr<::armnn::ILayerSupport> support;
};
::armnn::TensorInfo info_of(const shape&, element);  // scalars are tensors of one element there

class network_writer {
    using operand = lowering::operand;
    using info = ::armnn::TensorInfo;
    using support = ::armnn::ILayerSupport;
    using reason = ::armnn::Optional<std::string&>;
    struct tensor {
        info of;
        ::armnn::IOutputSlot* slot = nullptr;  // null in trials
    };

    const region& r_;
    std::span<const armnn_backend> backends_;
    ::armnn::INetworkPtr network_;  // null in trials
    lowering::tensor_table<tensor> tensors_{};
    int arguments_ = 0, results_ = 0;
    std::string wrong_on_cpu_acc_{};  // what CpuAcc does to this primitive's layers; empty: nothing known

    tensor at(const operand&);
    tensor at(const operand&, int rank);  // with ones in front
    std::vector<float> elements_of(const operand&) const;
    // A layer with these results: `ask` is whether a backend supports it, `add` adds it to the network.
    template <class Ask, class Add>
    std::vector<tensor> layers(const std::vector<tensor>& inputs, const std::vector<info>& results, Ask ask, Add add);
    template <class Ask, class Add>
    tensor layer(const std::vector<tensor>& inputs, const info& result, Ask ask, Add add);
    template <class Ask> void require_support(Ask ask) const;
    // Of one operand, by its descriptor.
    template <class D> using question = bool (support::*)(const info&, const info&, const D&, reason) const;
    template <class D> using adding = ::armnn::IConnectableLayer* (::armnn::INetwork::*)(const D&, const char*);
    template <class D> tensor layer_of(const tensor& x, const info& y, const D&, question<D>, adding<D>);
    template <class D> void give(const operand& x, const operand& y, const D& d, question<D> ask, adding<D> add) {
        tensors_.set(y, layer_of(at(x), info_of(y.dims, y.type), d, ask, add));
    }
    tensor activated(const tensor&, const ::armnn::ActivationDescriptor&);
    tensor reshaped(const tensor&, const info&);
    tensor constant(const info&, const void* elements);
    std::vector<tensor> split(const tensor&, unsigned axis, const std::vector<info>& parts);
    tensor concatenated(const std::vector<tensor>& parts, unsigned axis, const info& result);
    // Weights with their axes in this order, of a group of channels, and a bias.
    struct parameters {
        info weights, biases;
        bool is_biased = false;
        std::vector<float> elements{}, bias{};  // of all groups; none in trials
    };
    template <class P>
    parameters parameters_of(const P&, const shape& dims, const std::array<int, 4>& axes,
                             std::int64_t groups = 1) const;
    using maybe_info = ::armnn::Optional<info>;
    using maybe_tensor = ::armnn::Optional<::armnn::ConstTensor>;
    template <class D>
    using weighted_question = bool (support::*)(const info&, const info&, const D&, const info&, const maybe_info&,
                                                reason) const;
    template <class D>
    using weighted_adding = ::armnn::IConnectableLayer* (::armnn::INetwork::*)(const D&, const ::armnn::ConstTensor&,
                                                                               const maybe_tensor&, const char*);
    template <class D>
    tensor weighted(const tensor& x, const info& y, const D&, const parameters&, std::size_t group,
                    weighted_question<D>, weighted_adding<D>);
    bool is_made_by(int id, std::string_view op) const;
    bool is_read_by(int id, std::string_view op) const;

  public:
    network_writer(const region& r, std::span<const armnn_backend> backends, ::armnn::INetworkPtr network)
        : r_(r), backends_(backends), network_(std::move(network)) {}
    void argument(const operand&);
    void result(const operand&);
    ::armnn::INetworkPtr finish() { return std::move(network_); }

    void write(const lowering::unary_prim&);
    void write(const lowering::clamp_prim&);
    void write(const lowering::binary_prim&);
    void write(const lowering::conv_prim&);
    void write(const lowering::deconv_prim&);
    void write(const lowering::dense_prim&);
    void write(const lowering::pool_prim&);
    void write(const lowering::reduce_prim&);
    void write(const lowering::softmax_prim&);
    void write(const lowering::instance_norm_prim&);
    void write(const lowering::lrn_prim&);
    void write(const lowering::reshape_prim&);
    void write(const lowering::transpose_prim&);
    void write(const lowering::concat_prim&);
    void write(const lowering::split_prim&);
    void write(const lowering::slice_prim&);
    void write(const lowering::pad_prim&);
    void write(const lowering::gather_prim&);
    void write(const lowering::blocks_prim&);
    void write(const lowering::resize_prim&);
    void write(const lowering::arg_prim&);
    void write(const lowering::cast_prim&);
};
}  // namespace v1
}  // namespace inlay
