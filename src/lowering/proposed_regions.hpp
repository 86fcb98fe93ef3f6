// Regions as ONNX between proposal and compilation, found by what their bytes depend on.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <list>
#include <mutex>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace lowering {
// Regions of which this is the same have the same ONNX without elements. Nothing: they cannot be compared.
std::optional<std::string> structure_of(const region&);

// ONNX of regions that are proposed and not compiled yet. Each is returned once; the oldest are dropped.
class proposed_regions {
    struct entry {
        std::string structure, onnx;
        std::size_t bytes() const { return structure.size() + onnx.size(); }
    };
    std::mutex mutex_;
    std::list<entry> entries_;  // the newest first
    std::size_t bytes_ = 0;

  public:
    void keep(std::string structure, std::string onnx);
    std::optional<std::string> take(const std::string& structure);
};
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
