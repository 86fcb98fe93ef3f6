// What libinlay_acl_module gives: all that calls the Arm Compute Library. Both sides are built together.
#pragma once
#include <inlay/sdk/engine.hpp>

namespace inlay {
inline namespace v1 {
struct acl_module {
    virtual ~acl_module() = default;
    // Why the library does not take the node, in its words where it was asked; empty: it takes it.
    virtual std::string refusal(const graph_view&, const node&) const = 0;
    virtual result<std::shared_ptr<const compiled_region>> compile(const region&) const = 0;
};
// The module's one function; build: the caller's, which has to be the module's.
using acl_module_maker = void(std::string_view build, bool fast_math, result<std::shared_ptr<const acl_module>>& made);
inline constexpr const char* acl_module_function = "inlay_acl_module";
}  // namespace v1
}  // namespace inlay
