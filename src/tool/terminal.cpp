#include "support/text.hpp"
#include "terminal.hpp"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/color.h>
#include <memory>
#include <unistd.h>

namespace inlay::tool {
progress::progress(bool quiet, std::string heading)
    : is_shown_(!quiet && isatty(STDERR_FILENO)), heading_(quiet || is_shown_ ? std::string() : std::move(heading)) {}
void progress::print_line(std::string_view phase, double part, double seconds_left) {
    const auto now = std::chrono::steady_clock::now();
    const bool next = now >= next_ || (phase != phase_ && !phase_.empty());
    if (!next) return;
    phase_ = phase;
    next_ = now + std::chrono::seconds(10);
    std::string line = heading_ + std::string(phase);
    if (part >= 0) line += fmt::format(": {:.0f} %", 100 * part);
    if (seconds_left >= 0) line += fmt::format(", {:.0f} s left", seconds_left);
    std::fputs((line + '\n').c_str(), stderr);
}
void progress::show(std::string_view phase, double part, double seconds_left) {
    if (!heading_.empty()) print_line(printable(phase), part, seconds_left);
    if (!is_shown_) return;
    fmt::print(stderr, "\r\x1b[K{}", phase);
    if (part >= 0) {
        constexpr int width = 30;
        const int full = std::clamp(int(part * width), 0, width);
        fmt::print(stderr, " [{:#<{}}{:.<{}}] {:3.0f} %", "", full, "", width - full, 100 * part);
    }
    if (seconds_left >= 0) fmt::print(stderr, ", {:.0f} s left", seconds_left);
    std::fflush(stderr);
    shown_ = true;
}
void progress::done() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
}
progress_function progress_on_terminal(bool quiet) {
    const auto line = std::make_shared<progress>(quiet);
    if (!line->wanted()) return {};
    return
        [line, start = std::chrono::steady_clock::now()](stage s, std::int64_t position, std::int64_t total) mutable {
            constexpr std::string_view words[] = {"loading the model", "optimizing the graph", "asking the providers",
                                                  "planning", "packing weights"};
            const auto now = std::chrono::steady_clock::now();
            if (position == 0) start = now;
            const double part = total > 0 ? double(position) / double(total) : 1,
                         seconds = std::chrono::duration<double>(now - start).count();
            if (position < total)
                line->show(words[int(s)], part, seconds > 1 && position > 0 ? seconds / part - seconds : -1);
            else
                line->done();
            return true;
        };
}
std::string painted(std::string_view text, tint t) {
    static const bool colours = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
    if (!colours) return std::string(text);
    return fmt::format(fmt::fg(t == tint::good  ? fmt::terminal_color::green
                               : t == tint::bad ? fmt::terminal_color::red
                                                : fmt::terminal_color::bright_black),
                       "{}", text);
}
}  // namespace inlay::tool
