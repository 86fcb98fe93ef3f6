// What is said only to a person at a terminal.
#pragma once
#include <inlay/progress.hpp>
#include <chrono>
#include <string>
#include <string_view>

namespace inlay::tool {
// One line on standard error that shows what takes so long. Where that is no terminal it is silent, or with `heading`
// a line of its own for each phase, and every ten seconds, once a second has passed.
class progress {
    bool shown_ = false;
    const bool is_shown_;
    const std::string heading_;
    std::string phase_{};
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);

    void print_line(std::string_view phase, double part, double seconds_left);

  public:
    explicit progress(bool quiet, std::string heading = {});
    bool wanted() const { return is_shown_; }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { done(); }
    void show(std::string_view phase, double part = -1, double seconds_left = -1);  // part: of 1, with a bar
    void done();                                                                    // clears the line
};
progress_function progress_on_terminal(bool quiet);  // of what the library does; none where it would not be shown
enum class tint { good, bad, faint };
std::string painted(std::string_view text,
                    tint);  // on standard output; as it is where that is no terminal, or NO_COLOR is set
}  // namespace inlay::tool
