// Sessions over the providers that this build of Inlay has, by name: what its interfaces for other languages are made
// of. Link inlay::built, which brings the libraries of all of them.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "any_session.hpp"

namespace inlay {
inline namespace v1 {
// The CPU's first, then the plain loops, then those of the packages that the build was configured with.
std::span<const provider_factory> built_providers();
// The names of those that a session can have here: an engine whose library is not here is left out. Each library is
// opened, when this is first called.
const std::vector<std::string>& usable_providers();
// A provider's memory by the name that reports have for it: "host"; "NAME", or "NAME:1" of its second device. Null: no
// provider of the build has memory of that name.
const space* built_memory(std::string_view name);

// As basic_any_session, whose list is built_providers(). A choice that carries a factory, as plugin gives it, is made
// by that.
class built_session : public session_base {
    session_options options_;

  public:
    // An empty list is the CPU. Errors are raised: unknown_provider, unknown_option, invalid_option, and what the
    // providers and the partition give.
    explicit built_session(inlay::model, std::vector<provider_choice> list = {}, session_options = {});
    // Makes the session anew from the same loaded model; on an error it stays as it was.
    void set_providers(std::vector<provider_choice> list);
    const session_options& options() const { return options_; }
};
}  // namespace v1
}  // namespace inlay
