// A session's providers as the partitioner sees them.
#pragma once
#include <inlay/session.hpp>

namespace inlay {
inline namespace v1 {
void name_apart(std::vector<provider_handle>&);  // where a type stands for several devices, the names tell which:
                                                 // "CUDAExecutionProvider:1"

class erased_providers {
    const std::vector<provider_handle>& all_;
    const fallback& policy_;
    std::vector<const space*> spaces_{&space_of<memory::host>};
    std::vector<char> excluded_;  // failed, under fallback::any
  public:
    erased_providers(const std::vector<provider_handle>& all, const fallback& policy, std::vector<char> excluded);
    int size() const { return int(all_.size()); }
    provider_view view(int i) const;
    verdict accepts(int i, const node_view& n) const;
    std::vector<claim> claims(int i, const graph_view& g, std::span<const int> free) const;
    const space& space_at(int i) const { return *spaces_[std::size_t(i)]; }
    int spaces() const { return int(spaces_.size()); }
};
}  // namespace v1
}  // namespace inlay
