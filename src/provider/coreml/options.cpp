// The provider's options as text.
#include <inlay/provider/coreml.hpp>
#include <array>
#include <utility>

namespace inlay {
inline namespace v1 {
namespace {
using format_name = std::pair<std::string_view, coreml_format>;
constexpr std::array formats{format_name{"MLProgram", coreml_format::MLProgram},
                             format_name{"NeuralNetwork", coreml_format::NeuralNetwork}};
// ONNX Runtime's names of today, and those of its documents before; the first of each is written.
using units_name = std::pair<std::string_view, coreml_units>;
constexpr std::array units{units_name{"ALL", coreml_units::ALL},
                           units_name{"CPUOnly", coreml_units::CPUOnly},
                           units_name{"CPUAndGPU", coreml_units::CPUAndGPU},
                           units_name{"CPUAndNeuralEngine", coreml_units::CPUAndNeuralEngine},
                           units_name{"CPU_ONLY", coreml_units::CPUOnly},
                           units_name{"CPU_AND_GPU", coreml_units::CPUAndGPU},
                           units_name{"CPU_AND_NE", coreml_units::CPUAndNeuralEngine}};
template <class Names, class E> bool read(const Names& names, std::string_view text, E& to) {
    for (const auto& [name, value] : names)
        if (name == text) {
            to = value;
            return true;
        }
    return false;
}
template <class Names, class E> std::string write(const Names& names, E e) {
    for (const auto& [name, value] : names)
        if (value == e) return std::string(name);
    return {};
}
}  // namespace

bool from_text(std::string_view text, coreml_format& to) { return read(formats, text, to); }
std::string to_text(coreml_format f) { return write(formats, f); }
bool from_text(std::string_view text, coreml_units& to) { return read(units, text, to); }
std::string to_text(coreml_units u) { return write(units, u); }
}  // namespace v1
}  // namespace inlay
