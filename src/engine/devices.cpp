// Providers with devices or engines: opened when the session is made; devices are given work through queues, one set
// per run.
#include "core.hpp"

namespace inlay {
inline namespace v1 {
// An error's text without the provider's name before it.
static std::string_view without_name(std::string_view why, std::string_view provider) {
    if (why.starts_with(provider) && why.substr(provider.size()).starts_with(": "))
        why.remove_prefix(provider.size() + 2);
    return why;
}
void session_core::open_devices() {
    devices_.resize(handles.size());
    engines_.resize(handles.size());
    const auto plan_without = [&](const provider_handle& h, std::string_view why) {
        if (!plan_only) plan_only = {h.name, std::string(without_name(why, h.name))};
    };
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const std::string_view lack = handles[i].plan_only;
        if (!lack.empty() && !replace_failed(int(i), std::string(lack))) plan_without(handles[i], lack);
        const auto cannot_be_used = [&](error why) {
            if (why.provider.empty()) why.provider = handles[i].name;
            if (replace_failed(int(i), why.text)) return;
            if (!options.plan_only || why.code != error_code::provider_unavailable) raise(why);
            plan_without(handles[i], why.text);
        };
        if (handles[i].open_engine) {
            auto opened = handles[i].opened ? result<std::shared_ptr<engine>>(std::move(handles[i].opened))
                                            : handles[i].open_engine(handles[i].object.get());
            if (opened)
                engines_[i].engine = std::move(*opened);
            else {
                engines_[i].why = without_name(opened.why().text, handles[i].name);
                if (lack.empty()) cannot_be_used(opened.why());
            }
        }
        if (!handles[i].open_device) continue;
        for (std::size_t j = 0; j < i; ++j)
            if (devices_[j] && handles[j].where == handles[i].where)
                raise({error_code::duplicate_provider, "inlay: " + handles[j].name + " and " + handles[i].name +
                                                           " both open a device for the memory space `" +
                                                           std::string(handles[i].where->name) +
                                                           "`; in one session each needs its own"});
        auto opened = handles[i].open_device(handles[i].object.get());
        if (opened)
            devices_[i] = *opened;
        else
            cannot_be_used(opened.why());
    }
}
// Queues for the providers that `providers` marks, and that are not there yet.
void session_core::add_queues(device_queues& queues, std::span<const char> providers) const {
    queues.resize(std::max(queues.size(), providers.size()));
    for (std::size_t i = 0; i < providers.size(); ++i)
        if (providers[i] && devices_[i] && !queues[i]) {
            auto queue = devices_[i]->make_queue();
            if (!queue) raise_failure(int(i), queue.why());
            queues[i] = std::move(*queue);
        }
}
device_queues session_core::all_queues() const {
    std::vector<char> providers(devices_.size(), 1);
    {
        const std::lock_guard lock(failed_->lock);
        for (std::size_t i = 0; i < providers.size(); ++i) providers[i] = !failed_->which[i];
    }
    device_queues queues;
    add_queues(queues, providers);
    return queues;
}

queues_entered::queues_entered(device_queues& queues) : queues_(queues) {
    for (; entered_ < queues_.size(); ++entered_)
        if (queues_[entered_])
            if (status_ = queues_[entered_]->enter(); status_ != status::ok) {
                why_ = queues_[entered_]->why();
                failed_ = int(entered_);
                return;
            }
}
queues_entered::~queues_entered() {
    while (entered_ > 0)
        if (auto& q = queues_[--entered_]) {
            if (std::exchange(q->working_, false)) (void)q->wait();
            q->leave();
        }
}
status queues_entered::finish(std::size_t queue) noexcept {
    device_queue& q = *queues_[queue];
    q.working_ = false;
    const status s = q.wait();
    if (s != status::ok) {
        why_ = q.why();
        failed_ = int(queue);
    }
    return s;
}
status queues_entered::follow() noexcept {
    for (std::size_t q = 0; q < queues_.size(); ++q)
        if (int(q) != selected_ && queues_[q] && queues_[q]->working_ &&
            !queues_[std::size_t(selected_)]->follow(*queues_[q]))
            if (const status s = finish(q); s != status::ok) return s;
    return status::ok;
}
status queues_entered::settle() noexcept {
    for (std::size_t q = 0; q < queues_.size(); ++q)
        if (queues_[q] && queues_[q]->working_)
            if (const status s = finish(q); s != status::ok) return s;
    return status::ok;
}
status queues_entered::settle_all() noexcept {
    for (std::size_t q = 0; q < queues_.size(); ++q)
        if (queues_[q])
            if (const status s = finish(q); s != status::ok) return s;
    return status::ok;
}

// Steps that a device may record: the first run does them one by one, so that libraries are ready, the second one
// records them.
status session_core::run_together(run_context& c, std::size_t first, context& x, const run_options& o) {
    const compiled_plan& p = *c.plan;
    const std::span<const exec_step> steps = std::span(p.steps).subspan(first, std::size_t(p.steps[first].together));
    device_queue& queue = *c.queues[std::size_t(p.steps[first].queue)];
    run_context::recording& own = c.recordings[first];
    const auto one_by_one = [&] {
        for (const exec_step& e : steps)
            if (const status s = do_step(c, e, x, o); s != status::ok) {
                c.failed_step = e.step;
                return s;
            }
        return status::ok;
    };
    if (!own.work && own.runs++ == 1 && queue.begin_recording()) {
        const status s = one_by_one();
        own.work = queue.end_recording();
        if (s != status::ok) own.work = nullptr;  // what fails while it is recorded may still run
    }
    if (!own.work) return one_by_one();
    const status s = queue.replay(own.work.get());
    if (s != status::ok) {
        c.failed_step = steps.front().step;
        x.detail = queue.why();
    }
    return s;
}
}  // namespace v1
}  // namespace inlay
