#include "opened_providers.hpp"

namespace inlay {
inline namespace v1 {
// An error's text without the provider's name before it.
static std::string_view without_name(std::string_view why, std::string_view provider) {
    if (why.starts_with(provider) && why.substr(provider.size()).starts_with(": "))
        why.remove_prefix(provider.size() + 2);
    return why;
}
opened_providers::opened_providers(std::vector<provider_handle>& handles, failures& failed,
                                   const session_options& options)
    : devices(handles.size()), engines(handles.size()), failed_(failed) {
    const auto plan_without = [&](const provider_handle& h, std::string_view why) {
        if (!plan_only) plan_only = {h.name, std::string(without_name(why, h.name))};
    };
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const std::string_view lack = handles[i].plan_only;
        if (!lack.empty() && !failed.replace(int(i), std::string(lack))) plan_without(handles[i], lack);
        const auto cannot_be_used = [&](error why) {
            if (why.provider.empty()) why.provider = handles[i].name;
            if (failed.replace(int(i), why.text)) return;
            if (!options.plan_only || why.code != error_code::provider_unavailable) raise(why);
            plan_without(handles[i], why.text);
        };
        if (handles[i].open_engine) {
            auto opened = handles[i].opened ? result<std::shared_ptr<engine>>(std::move(handles[i].opened))
                                            : handles[i].open_engine(handles[i].object.get());
            if (opened)
                engines[i].engine = std::move(*opened);
            else {
                engines[i].why = without_name(opened.why().text, handles[i].name);
                if (lack.empty()) cannot_be_used(opened.why());
            }
        }
        if (!handles[i].open_device) continue;
        for (std::size_t j = 0; j < i; ++j)
            if (devices[j] && handles[j].where == handles[i].where)
                raise({error_code::duplicate_provider, "inlay: " + handles[j].name + " and " + handles[i].name +
                                                           " both open a device for the memory space `" +
                                                           std::string(handles[i].where->name) +
                                                           "`; in one session each needs its own"});
        auto opened = handles[i].open_device(handles[i].object.get());
        if (opened)
            devices[i] = *opened;
        else
            cannot_be_used(opened.why());
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
