#include "measure.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace quantizing {
void difference::add(std::span<const float> expected, std::span<const float> actual) {
    if (expected.size() != actual.size())
        raise({error_code::shape_mismatch, "it has " + std::to_string(actual.size()) +
                                               " elements in the quantized model, " + std::to_string(expected.size()) +
                                               " in the float model"});
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const double x = expected[k], error = x - double(actual[k]);
        signal += x * x;
        noise += error * error;
        // Not std::max, which would pass over NaN.
        if (!(std::abs(error) <= largest)) largest = std::abs(error);
    }
}
double difference::sqnr() const {  // a value of zeros that stays so has no noise, though no signal either
    return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

std::map<std::string, difference, std::less<>> compare_values(const std::shared_ptr<ModelProto>& float_model,
                                                              const std::shared_ptr<ModelProto>& quantized,
                                                              const name_set& values, const quantize_options& o,
                                                              std::string_view phase_name) {
    const watched_model a(model_of(float_model)), b(decoded_model_of(quantized));
    std::map<std::string, difference, std::less<>> differences;
    const std::size_t samples = std::min(o.compared, o.data.count);
    phase p(o, phase_name, std::int64_t(samples));
    for (std::size_t k = 0; k < samples; ++k, p.step()) {
        std::map<std::string, std::vector<float>, std::less<>> expected;  // of one sample
        a.run(o.data, k, values, [&](const std::string& name, const lying_value& v) { expected[name] = floats_of(v); });
        b.run(o.data, k, values, [&](const std::string& name, const lying_value& v) {
            if (const auto at = expected.find(name); at != expected.end())
                differences[name].add(at->second, floats_of(v));
        });
    }
    return differences;
}
name_set output_names(const ModelProto& m) {
    name_set names;
    for (auto& y : m.graph().output()) names.insert(y.name());
    return names;
}
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
