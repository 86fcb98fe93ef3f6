// A quantized model's values compared with those of the float32 one.
#pragma once
#include "calibrate.hpp"

namespace inlay {
inline namespace v1 {
namespace quantizing {
struct difference {
    double signal = 0, noise = 0, largest = 0;
    // Raises an error where their lengths differ.
    void add(std::span<const float> expected, std::span<const float> actual);
    double sqnr() const;  // in dB; infinite where there is no noise
};
// Of these values over the first samples of the data, each run on both. Values that one of them does not compute, or
// that are not float32, are left out.
std::map<std::string, difference, std::less<>> compare_values(const std::shared_ptr<ModelProto>& float_model,
                                                              const std::shared_ptr<ModelProto>& quantized,
                                                              const name_set& values, const quantize_options&,
                                                              std::string_view phase_name);
name_set output_names(const ModelProto&);
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
