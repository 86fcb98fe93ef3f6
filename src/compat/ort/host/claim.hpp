// What GetCapability() took, compiled: a node for an OpKernel, or a fused node for the functions that Compile() gives.
#pragma once
#include "graph_copy.hpp"

namespace inlay {
inline namespace v1 {
namespace ort {
// Of one engine, shared with what it compiled.
struct opened_provider {
    std::shared_ptr<IExecutionProvider> provider;
    std::shared_ptr<KernelRegistry> registry;     // null: it has none
    std::shared_ptr<const opened_memory> memory;  // null: the host's
    std::mutex one_at_a_time{};                   // calls of a provider whose ConcurrentRunSupported() says no

    AllocatorPtr allocator() const;
};
result<std::shared_ptr<const compiled_region>> compile_kernel(std::shared_ptr<opened_provider>, const region&);
result<std::shared_ptr<const compiled_region>> compile_fused(std::shared_ptr<opened_provider>, const region&,
                                                             const IndexedSubGraph::MetaDef&, const std::string& name);
}  // namespace ort
}  // namespace v1
}  // namespace inlay
