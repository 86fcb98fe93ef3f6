// What libinlay_armnn_module gives: all that calls Arm NN. Both sides are built together.
#pragma once
#include <inlay/sdk/engine.hpp>

namespace inlay {
inline namespace v1 {
struct armnn_module {
    virtual ~armnn_module() = default;
    // Why Arm NN does not take the node, in its words where it was asked; empty: it takes it.
    virtual std::string refusal(const graph_view&, const node&) const = 0;
    virtual result<std::shared_ptr<const compiled_region>> compile(const region&) const = 0;
    virtual std::string version() const = 0;
    virtual std::string backends() const = 0;  // in use, with commas between
};
// The module's one function; build: the caller's, which has to be the module's.
using armnn_module_maker = void(std::string_view build, std::string_view backends,
                                result<std::shared_ptr<const armnn_module>>& made);
inline constexpr const char* armnn_module_function = "inlay_armnn_module";
}  // namespace v1
}  // namespace inlay
