// A shadow run (inlay::shadow): a second side computes each step too, from the values that are there before it.
#pragma once
#include "session_core.hpp"
#include "shadow_side.hpp"

namespace inlay {
inline namespace v1 {
namespace shadows {
class shadow_run : public step_watcher {
    struct side {
        std::shared_ptr<const shadow_side> definition;
        std::unique_ptr<other_side> computes;
    };
    std::map<std::string, side, std::less<>> sides_;  // by the provider whose steps it computes
    std::string first_;                               // of these providers: it has what the session itself runs
    std::vector<step_record> records_{};
    std::size_t at_ = 0;                   // of the step
    std::map<int, any_value> expected_{};  // the other side's results, by value
    content moved_{};

    const side* side_of(const step_record&) const;
    [[noreturn]] void differ(const watched_step&, const std::string& difference) const;

  public:
    shadow_run(const session_core&, const run_context&);
    void begin(std::span<const watched_step>) override;
    bool before(const watched_step&) override;
    bool after(const watched_step&) override;  // raises the first difference
};
}  // namespace shadows
}  // namespace v1
}  // namespace inlay
