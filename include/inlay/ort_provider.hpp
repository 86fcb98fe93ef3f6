// Providers that are written as ONNX Runtime's documents describe, in a session of Inlay. Link inlay::onnx.
//
//     class CustomExecutionProvider : public inlay::ort::IExecutionProvider { ... };
//     using custom = inlay::ort::provider_of<CustomExecutionProvider, "CustomExecutionProvider">;
//     inlay::session session{"model.onnx", custom{.device_id = 1}, inlay::cpu{}};
//
// docs/how-to/ort-style-provider.md lists what is supported of the documents, and what it becomes.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "ort/device_memory.hpp"

namespace inlay {
inline namespace v1 {
namespace ort {
// The engine around what `make` creates, which has this name and this device. `memory`: the table of the provider's
// memory; null for the host's.
result<std::shared_ptr<engine>> open_engine(std::string_view name, int device, memory_table* memory,
                                            const std::function<std::shared_ptr<IExecutionProvider>()>& make);
// The same from the type of the provider's memory.
template <class Memory>
result<std::shared_ptr<engine>> open_engine(std::string_view name, int device,
                                            const std::function<std::shared_ptr<IExecutionProvider>()>& make) {
    if constexpr (std::same_as<Memory, memory::host>)
        return open_engine(name, device, nullptr, make);
    else
        return open_engine(name, device, &Memory::table(), make);
}

// A provider of Inlay. Ep is constructed from its name and an OrtDevice, from an OrtDevice, from the device's number or
// from nothing; one with options has a struct of its own, whose open() calls open_engine().
template <class Ep, fixed_text Name, class Memory = inlay::memory::host> struct provider_of {
    int device_id = 0;

    using memory = Memory;
    static constexpr std::string_view name = Name.view();
    result<std::shared_ptr<engine>> open() const {
        return open_engine<Memory>(name, device_id, [id = device_id]() -> std::shared_ptr<IExecutionProvider> {
            constexpr auto type = std::same_as<Memory, inlay::memory::host> ? OrtDevice::CPU : OrtDevice::GPU;
            const OrtDevice device(type, OrtDevice::MemType::DEFAULT, OrtDevice::DeviceId(id));
            if constexpr (std::constructible_from<Ep, const std::string&, OrtDevice>)
                return std::make_shared<Ep>(std::string(name), device);
            else if constexpr (std::constructible_from<Ep, OrtDevice>)
                return std::make_shared<Ep>(device);
            else if constexpr (std::constructible_from<Ep, int>)
                return std::make_shared<Ep>(id);
            else
                return std::make_shared<Ep>();
        });
    }
};
}  // namespace ort
}  // namespace v1
}  // namespace inlay
