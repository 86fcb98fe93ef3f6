// What a session opened of its providers: devices and engines. Devices get work through queues, one set per run.
#pragma once
#include "device_queues.hpp"
#include "failures.hpp"

namespace inlay {
inline namespace v1 {
class opened_providers {
  public:
    // Raises errors of providers that cannot be used, unless others take over or only a plan is required.
    opened_providers(std::vector<provider_handle>&, failures&, const session_options&);

    std::vector<std::shared_ptr<device_session>>
        devices;                         // by provider; null where it needs none, or could not be opened
    std::vector<opened_engine> engines;  // by provider
    struct obstacle {
        std::string provider, reason;
    };
    std::optional<obstacle> plan_only;  // the first provider of the list that cannot run: then nothing is bound

    void add_queues(device_queues&, std::span<const char> providers) const;
    device_queues all_queues() const;  // of the providers that have not failed

  private:
    failures& failed_;
};
}  // namespace v1
}  // namespace inlay
