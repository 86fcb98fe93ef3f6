// One stage of the work whose progress a caller observes.
#pragma once
#include <inlay/error.hpp>
#include <inlay/progress.hpp>

namespace inlay {
inline namespace v1 {
class stage_progress {
    const progress_function& tell_;
    const stage phase_;
    const std::int64_t total_;
    std::int64_t reported_ = 0;
    void tell() const {
        if (tell_ && !tell_(phase_, reported_, total_))
            raise({error_code::stopped, (phase_ < stage::partition ? "" : "inlay: ") +
                                            std::string("the progress function ended the work in the stage `") +
                                            std::string(name_of(phase_)) + "`"});
    }

  public:
    stage_progress(const progress_function& f, stage phase, std::int64_t total)
        : tell_(f), phase_(phase), total_(total) {
        tell();
    }
    void operator()(std::int64_t count) {
        if (count == reported_ || (count < total_ && (count - reported_) * 100 < total_)) return;
        reported_ = count;
        tell();
    }
};
}  // namespace v1
}  // namespace inlay
