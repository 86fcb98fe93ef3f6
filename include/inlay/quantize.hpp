// Quantizes a float32 model to integers: plain ONNX, which other programs run too.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "session.hpp"

namespace inlay {
inline namespace v1 {
enum class quantization : std::uint8_t {
    statically,    // QuantizeLinear and DequantizeLinear around nodes, with ranges that calibration measured
    dynamically,   // constant matrices become int8, and what they multiply is quantized in each run (MatMulInteger)
    weights_only,  // constant matrices become integers that are dequantized where they are multiplied
};
// The range that calibration derives for a value.
enum class range_method : std::uint8_t {
    min_max,     // all observed elements
    percentile,  // without the outermost elements
    entropy,     // cut where the quantized values' distribution differs least from the original (Kullback-Leibler)
};
enum class weight_rounding : std::uint8_t {
    nearest,
    error_feedback,  // the error of a row of the matrix is compensated
                     // by the later rows, weighted by calibration data
};

// Inputs that resemble those that the model will be used with.
struct calibration_data {
    std::size_t count = 0;
    // The inputs of run k < count, requested one at a time and more than once. Names live until the next call.
    std::function<std::vector<feed>(std::size_t k)> sample{};
};

struct quantize_options {
    quantization kind = quantization::statically;
    calibration_data data{};  // static: needed; error_feedback, keep_worst and the comparison of layers need it too
    // What is not changed: nodes by name, where * stands for any text. Raises not_found where no node has the name.
    std::vector<std::string> exclude{};
    std::vector<std::string> operators{};  // only these; empty: all of quantizable_operators()
    int keep_worst = 0;                    // so many nodes stay float32: those whose quantization alone does most harm
    std::size_t compared = 1;              // samples, at most, on which layers are compared and nodes are tried alone

    // static
    range_method method = range_method::min_max;
    double percentile = 99.99;          // how much of each value percentile keeps, in percent
    element activations = element::u8;  // with a zero point; i8: symmetric, without one
    bool per_channel = true;            // of the weights, which are int8 and symmetric; static and dynamic

    // weights_only
    int bits = 4;               // or 8
    int block_size = 32;        // rows of the matrix that share a scale, a power of two from 16 on; 0: all of them
    bool matmul_nbits = false;  // com.microsoft's MatMulNBits in place of DequantizeLinear and MatMul
    weight_rounding rounding = weight_rounding::nearest;
    double damping = 0.01;  // of error_feedback: what part of their mean is added to the second moments of the inputs

    std::function<void(std::string_view phase, std::int64_t count, std::int64_t total)> progress{};
};

// A value of the quantized model compared with the float32 model's, over the samples compared.
struct layer_error {
    std::string node, op, value;  // node: that produces it
    double sqnr = 0;              // the float32 value's power to that of the difference, in dB; infinite: no difference
    double largest = 0;           // difference
};
struct float_node {
    std::string node, op, reason;  // why it was not quantized
};
struct quantized_model {
    std::string file;                     // the bytes of an ONNX file; all weights are in it
    std::int64_t nodes = 0;               // that were quantized
    std::vector<float_node> float_nodes;  // of the requested operators, what stays float32
    std::vector<layer_error> layers;      // in the order of the graph; empty without data
    std::vector<layer_error> outputs;     // of the model
    std::int64_t bytes_before = 0, bytes_after = 0;
};

// Inputs, outputs, names and metadata stay; so do all nodes but those that change. Raises errors: those of loading and
// of runs; unsupported_model where the file is quantized already, its opset is too old for the request or nothing in
// it can be quantized; invalid_argument for options that do not fit each other, and a static quantization without data.
quantized_model quantize(const std::filesystem::path& model, const quantize_options&);
std::vector<std::string> quantizable_operators(quantization);
}  // namespace v1
}  // namespace inlay
