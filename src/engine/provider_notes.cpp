#include "provider_notes.hpp"
#include <inlay/shadow.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// How a provider that never computed on its device was checked. Empty: it did, or does not say.
std::string_view how_else(provider_check c) {
    switch (c) {
        case provider_check::simulator: return "on a simulator";
        case provider_check::library: return "with its vendor's library, which computed nothing";
        case provider_check::stand_in: return "on a stand-in of its tests";
        case provider_check::unstated:
        case provider_check::device: break;
    }
    return {};
}
}  // namespace

std::vector<std::string> provider_warnings(const provider_handle& h) {
    std::vector<std::string> notes;
    if (h.status == provider_status::deprecated) notes.push_back(h.name + " is deprecated");
    const std::string_view method = how_else(h.checked_on);
    if (!method.empty() && h.plan_only.empty())
        notes.push_back(h.name + " never computed on its device: it was checked " + std::string(method));
    if (h.shadow) std::ranges::move(provider_warnings(h.shadow->second), std::back_inserter(notes));
    return notes;
}
std::vector<std::string> provider_notes(const provider_handle& h) {
    std::vector<std::string> notes = provider_warnings(h);
    const bool unmentioned = h.status == provider_status::preview || h.status == provider_status::community;
    if (unmentioned) notes.insert(notes.begin(), h.name + " is " + std::string(name_of(h.status)));
    return notes;
}
}  // namespace v1
}  // namespace inlay
