#include "device_queues.hpp"
#include <utility>

namespace inlay {
inline namespace v1 {
queues_entered::queues_entered(device_queues& queues) : queues_(queues) {
    for (; entered_ < queues_.size(); ++entered_)
        if (queues_[entered_])
            if (status_ = queues_[entered_]->enter(); status_ != status::ok) {
                failure_ = queues_[entered_]->why();
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
        failure_ = q.why();
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
}  // namespace v1
}  // namespace inlay
