// A model of floats as one of integers: plain ONNX, which other programs run too.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "session.hpp"

namespace inlay {
inline namespace v1 {
enum class quantization : std::uint8_t {
    statically,    // QuantizeLinear and DequantizeLinear around nodes, with ranges that calibration measured
    dynamically,   // constant matrices become int8, and what they multiply is quantised in each run (MatMulInteger)
    weights_only,  // constant matrices become integers that are decoded where they are multiplied
};
// What a calibration takes for the range of a value.
enum class range_method : std::uint8_t {
    min_max,     // all that it saw
    percentile,  // without the outermost elements
    entropy,     // cut where the distribution of the codes differs least from that of the numbers (Kullback-Leibler)
};
enum class weight_rounding : std::uint8_t {
    nearest,
    error_feedback,  // the error of a row of the matrix is made good by the rows behind it, as calibration data weigh
                     // them
};

// Inputs of a model that are like those it will be used with.
struct calibration_data {
    std::size_t count = 0;
    // The inputs of run k < count, asked for one at a time and more than once. Names live until the next call.
    std::function<std::vector<feed>(std::size_t k)> sample{};
};

struct quantize_options {
    quantization kind = quantization::statically;
    calibration_data data{};  // static: needed; error_feedback, keep_worst and the comparison of layers need it too
    // What is not changed: nodes by name, where * stands for any text. Raises not_found where no node has the name.
    std::vector<std::string> exclude{};
    std::vector<std::string> operators{};  // only these; empty: all of quantizable_operators()
    int keep_worst = 0;                    // so many nodes stay float: those whose quantisation alone does most harm
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

    std::function<void(std::string_view phase, std::int64_t done, std::int64_t total)> progress{};
};

// A value of the quantised model beside that of the float model, over the samples compared.
struct layer_error {
    std::string node, op, value;  // node: that makes it
    double sqnr = 0;              // the float value's power to that of the difference, in dB; infinite: no difference
    double largest = 0;           // difference
};
struct float_node {
    std::string node, op, why;  // why it was not quantised
};
struct quantized_model {
    std::string file;                  // the bytes of an ONNX file; all weights are in it
    std::int64_t nodes = 0;            // that were quantised
    std::vector<float_node> kept;      // of the operators asked for, what stays float
    std::vector<layer_error> layers;   // in the order of the graph; empty without data
    std::vector<layer_error> outputs;  // of the model
    std::int64_t bytes_before = 0, bytes_after = 0;
};

// Inputs, outputs, names and metadata stay; so do all nodes but those that change. Raises errors: those of loading and
// of runs; unsupported_model where the file is quantised already, its opset is too old for what is asked or nothing in
// it can be quantised; invalid_argument for options that do not fit each other, and a static quantisation without data.
quantized_model quantize(const std::filesystem::path& model, const quantize_options&);
std::vector<std::string> quantizable_operators(quantization);
}  // namespace v1
}  // namespace inlay
