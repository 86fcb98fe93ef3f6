// What a machine has for a provider to run on: queried on demand, as by `inlay devices`.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "options.hpp"
#include "provider.hpp"

namespace inlay {
inline namespace v1 {
struct device_description {
    int id = 0;  // what the option device_id names
    std::string name;
    std::int64_t bytes = 0;  // of its memory
    option_list facts{};     // "compute_capability": "9.0"
};
struct device_inventory {
    std::string unusable;     // why the provider cannot be used on this machine; empty: it can
    option_list libraries{};  // what it is built on, with versions: empty where one could not be opened
    std::vector<device_description> devices{};
};
// A provider that can report it: static device_inventory inventory().
template <class P>
concept inventoried_provider = requires {
    { P::inventory() } -> std::same_as<device_inventory>;
};
}  // namespace v1
}  // namespace inlay
