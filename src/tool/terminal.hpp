// What is said only to a person at a terminal.
#pragma once
#include <inlay/progress.hpp>
#include <string>
#include <string_view>

namespace inlay::tool {
// One line on standard error that tells what takes so long; silent where that is no terminal.
class progress {
    bool shown_ = false;
    const bool wanted_;

  public:
    explicit progress(bool quiet);
    bool wanted() const { return wanted_; }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { done(); }
    void show(std::string_view phase, double part = -1, double seconds_left = -1);  // part: of 1, with a bar
    void done();                                                                    // clears the line
};
progress_function progress_on_terminal(bool quiet);  // of what the library does; none where nobody would see it
enum class tint { good, bad, faint };
std::string painted(std::string_view text,
                    tint);  // on standard output; as it is where that is no terminal, or NO_COLOR is set
}  // namespace inlay::tool
