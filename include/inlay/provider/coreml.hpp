// Core ML: regions of a graph are written as ML Programs, in packages (.mlpackage) for Apple's systems. Nothing is run
// here: a session that lists the provider is refused, unless a folder for packages is given. Link
// inlay::coreml.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/device_inventory.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
enum class coreml_format : std::uint8_t { MLProgram, NeuralNetwork };
bool from_text(std::string_view text, coreml_format& to);
std::string to_text(coreml_format);
enum class coreml_units : std::uint8_t { ALL, CPUOnly, CPUAndGPU, CPUAndNeuralEngine };
bool from_text(std::string_view text, coreml_units& to);  // also CPU_ONLY, CPU_AND_GPU and CPU_AND_NE
std::string to_text(coreml_units);

struct coreml {                         // named as in ONNX Runtime
    std::string ModelCacheDirectory{};  // the folder that packages are written to, which is created if it is missing
    coreml_format ModelFormat = coreml_format::MLProgram;  // the only one that is written
    coreml_units MLComputeUnits = coreml_units::ALL;       // the compute units that the package requests
    bool RequireStaticInputShapes = true;                  // a program is written for one set of shapes

    static constexpr std::string_view name = "CoreMLExecutionProvider";
    static constexpr provider_status status = provider_status::preview;
    static constexpr provider_check checked_on = provider_check::library;
    static device_inventory inventory();
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::coreml, ModelCacheDirectory, ModelFormat, MLComputeUnits, RequireStaticInputShapes);
namespace inlay {
inline namespace v1 {
static_assert(provider<coreml> && engine_provider<coreml> && inventoried_provider<coreml>);
}  // namespace v1
}  // namespace inlay
