// Regions as models of NNAPI: operands, operations and what they are made of.
#pragma once
#include "library.hpp"
#include "rules.hpp"
#include <lowering/region_engine.hpp>
#include <lowering/weights.hpp>

namespace inlay {
inline namespace v1 {
inline const nnapi_functions& nn() { return nnapi_library(); }
inline void check_nnapi(int status) {  // throws refused_node
    if (status != nnapi_interface::NO_ERROR) refuse(text_of_nnapi(status));
}

// A model, finished, with the elements of its larger constants, which it refers to.
struct nnapi_model {
    nnapi_ptr<ANeuralNetworksModel> model{};
    std::deque<std::vector<float>> floats{};
    std::deque<std::vector<char>> bytes{};
};
struct nnapi_options {
    bool half = false, channels_first = false;
    std::int64_t level = 0;             // of what models are for
    std::vector<nnapi_device> devices;  // that they have to run on; empty: those that NNAPI chooses
};

class nnapi_writer {
    using operand = lowering::operand;
    using list = std::vector<std::uint32_t>;
    struct type {
        std::int32_t code = nnapi_interface::TENSOR_FLOAT32;
        float scale = 0;
        std::int32_t zero = 0;
    };

    const region& r_;
    const nnapi_options& options_;
    lowering::purpose purpose_;
    nnapi_model out_{};
    struct free_memory {
        void operator()(void* p) const { std::free(p); }
    };
    std::deque<std::unique_ptr<void, free_memory>> zeros_{};  // untouched, however many
    std::uint32_t operands_ = 0;
    std::size_t operations_ = 0;
    lowering::tensor_table<std::uint32_t> tensors_{};
    list inputs_{}, outputs_{};

    static type type_of(const operand&);
    std::uint32_t add(const type&, const list& dims);
    std::uint32_t add(const operand&);
    void set(std::uint32_t, const void* elements, std::size_t bytes);
    template <class T> std::uint32_t scalar(std::int32_t code, T x);
    std::uint32_t integer(std::int64_t x) { return scalar(nnapi_interface::INT32, std::int32_t(x)); }
    std::uint32_t real(float x) { return scalar(nnapi_interface::FLOAT32, x); }
    std::uint32_t truth(bool x) { return scalar(nnapi_interface::BOOL, std::uint8_t(x)); }
    std::uint32_t integers(const lowering::integers&, std::uint32_t columns = 0);
    std::uint32_t none() { return integer(nnapi_interface::FUSED_NONE); }
    // Elements of this type, zeros in trials.
    std::uint32_t constant(const type&, const list& dims, const std::function<std::vector<char>()>&,
                           const std::vector<float>& scales = {}, std::uint32_t channel = 0);
    std::uint32_t constant(const operand&);
    std::uint32_t at(const operand&);
    // Weights with their axes in this order, and a bias for each of channel's outputs.
    void add_weights(list&, const operand& x, const operand& w, const shape& dims, const lowering::integers& axes,
                     int channel, const std::optional<operand>& bias);
    void add_window(list&, const std::vector<window_axis>&);
    void add_order(list& inputs, const operand& x);
    void operation(std::int32_t code, const list& inputs, const operand& y);
    void ask_devices() const;

  public:
    nnapi_writer(const nnapi_options&, const region&, lowering::purpose);
    void argument(const operand& x);
    void result(const operand& y) { outputs_.push_back(at(y)); }
    nnapi_model finish();

    void write(const lowering::unary_prim&);
    void write(const lowering::clamp_prim&);
    void write(const lowering::binary_prim&);
    void write(const lowering::conv_prim&);
    void write(const lowering::deconv_prim&);
    void write(const lowering::dense_prim&);
    void write(const lowering::matmul_prim&);
    void write(const lowering::pool_prim&);
    void write(const lowering::reduce_prim&);
    void write(const lowering::softmax_prim&);
    void write(const lowering::instance_norm_prim&);
    void write(const lowering::lrn_prim&);
    void write(const lowering::reshape_prim&);
    void write(const lowering::transpose_prim&);
    void write(const lowering::concat_prim&);
    void write(const lowering::slice_prim&);
    void write(const lowering::pad_prim&);
    void write(const lowering::gather_prim&);
    void write(const lowering::blocks_prim&);
    void write(const lowering::resize_prim&);
    void write(const lowering::quantize_prim&);
    void write(const lowering::dequantize_prim&);
};
}  // namespace v1
}  // namespace inlay
