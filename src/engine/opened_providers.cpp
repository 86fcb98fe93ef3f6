#include "opened_providers.hpp"

namespace inlay {
inline namespace v1 {
// An error's text without the provider's name before it.
static std::string_view without_name(std::string_view reason, std::string_view provider) {
    if (reason.starts_with(provider) && reason.substr(provider.size()).starts_with(": "))
        reason.remove_prefix(provider.size() + 2);
    return reason;
}
opened_providers::opened_providers(std::vector<provider_handle>& handles, failures& failed,
                                   const session_options& options)
    : devices(handles.size()), engines(handles.size()), failed_(failed) {
    const auto plan_without = [&](const provider_handle& h, std::string_view reason) {
        if (!plan_only) plan_only = {h.name, std::string(without_name(reason, h.name))};
    };
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const std::string_view lack = handles[i].plan_only;
        if (!lack.empty() && !failed.replace(int(i), std::string(lack))) plan_without(handles[i], lack);
        const auto cannot_be_used = [&](error failure) {
            if (failure.provider.empty()) failure.provider = handles[i].name;
            if (failed.replace(int(i), failure.text)) return;
            if (!options.plan_only || failure.code != error_code::provider_unavailable) raise(failure);
            plan_without(handles[i], failure.text);
        };
        if (handles[i].open_engine) {
            auto backend = handles[i].existing_engine
                               ? result<std::shared_ptr<engine>>(std::move(handles[i].existing_engine))
                               : handles[i].open_engine(handles[i].object.get());
            if (backend)
                engines[i].engine = std::move(*backend);
            else {
                engines[i].reason = without_name(backend.why().text, handles[i].name);
                if (lack.empty()) cannot_be_used(backend.why());
            }
        }
        if (!handles[i].open_device) continue;
        for (std::size_t j = 0; j < i; ++j)
            if (devices[j] && handles[j].memory_space == handles[i].memory_space)
                raise({error_code::duplicate_provider, "inlay: " + handles[j].name + " and " + handles[i].name +
                                                           " both open a device for the memory space `" +
                                                           std::string(handles[i].memory_space->name) +
                                                           "`; in one session each needs its own"});
        auto device = handles[i].open_device(handles[i].object.get());
        if (device)
            devices[i] = *device;
        else
            cannot_be_used(device.why());
    }
}
// Creates missing queues for the providers that `providers` marks.
void opened_providers::add_queues(device_queues& queues, std::span<const char> providers) const {
    queues.resize(std::max(queues.size(), providers.size()));
    for (std::size_t i = 0; i < providers.size(); ++i)
        if (providers[i] && devices[i] && !queues[i]) {
            auto queue = devices[i]->make_queue();
            if (!queue) failed_.raise(int(i), queue.why());
            queues[i] = std::move(*queue);
        }
}
device_queues opened_providers::all_queues() const {
    std::vector<char> providers = failed_.which();
    for (char& p : providers) p = !p;
    device_queues queues;
    add_queues(queues, providers);
    return queues;
}
}  // namespace v1
}  // namespace inlay
