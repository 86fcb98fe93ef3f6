// One stage of the work whose progress a caller observes.
#pragma once
#include <inlay/error.hpp>
#include <inlay/progress.hpp>

namespace inlay {
inline namespace v1 {
class stage_progress {
    const progress_function& tell_;
    const stage what_;
    const std::int64_t total_;
    std::int64_t told_ = 0;
    void tell() const {
        if (tell_ && !tell_(what_, told_, total_))
            raise({error_code::stopped, (what_ < stage::partition ? "" : "inlay: ") +
                                            std::string("the progress function ended the work in the stage `") +
                                            std::string(name_of(what_)) + "`"});
    }

  public:
    stage_progress(const progress_function& f, stage what, std::int64_t total) : tell_(f), what_(what), total_(total) {
        tell();
    }
    void operator()(std::int64_t done) {
        if (done == told_ || (done < total_ && (done - told_) * 100 < total_)) return;
        told_ = done;
        tell();
    }
};
}  // namespace v1
}  // namespace inlay
