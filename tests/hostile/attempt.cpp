// The process of its own in which a hostile file is tried, and what it may take.
#include "attempt.hpp"
#include "trial.hpp"
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inlay::testing {
namespace {
#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;  // whose address space and time are no measure
#else
constexpr bool sanitized = false;
#endif
constexpr int seconds = 10;
constexpr long megabytes = 2048;

[[noreturn]] void run_child(const std::filesystem::path& file, int to) {
    if (!sanitized) {
        const rlimit limit{rlim_t(3) << 30, rlim_t(3)
                                                << 30};  // spares the machine; a limit of the library must come first
        setrlimit(RLIMIT_AS, &limit);
    }
    alarm(100);
    std::signal(SIGABRT, SIG_DFL);
    std::signal(SIGSEGV, SIG_DFL);
    std::string answer;
    int code = 0;
    try {
        answer = trial(file);
    } catch (const std::exception& e) {
        answer = std::string("another exception: ") + e.what();
        code = 1;
    }
    for (std::size_t at = 0; at < answer.size();) {
        const auto n = ::write(to, answer.data() + at, answer.size() - at);
        if (n <= 0) break;
        at += std::size_t(n);
    }
    _exit(code);
}
}  // namespace

hostile_folder::hostile_folder() {
    static int count = 0;
    const char* keep = std::getenv("INLAY_HOSTILE_FILES");
    is_kept_ = keep;
    path = is_kept_ ? std::filesystem::path(keep) / std::to_string(getpid())
                    : std::filesystem::temp_directory_path() / ("inlay-hostile-" + std::to_string(getpid()));
    path /= std::to_string(count++);
    std::filesystem::create_directories(path);
}
hostile_folder::~hostile_folder() {
    std::error_code ignored;
    if (!is_kept_) {
        std::filesystem::remove_all(path, ignored);
        std::filesystem::remove(path.parent_path(), ignored);
    }
}
void hostile_folder::write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path / name, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

attempt hostile_folder::load(const std::string& sentence) const {
    attempt a;
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        close(ends[0]);
        run_child(path / "model.onnx", ends[1]);
    }
    close(ends[1]);
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) a.answer.append(buffer, std::size_t(n));
    close(ends[0]);
    int status = 0;
    rusage used{};
    wait4(child, &status, 0, &used);
    a.seconds = double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    a.megabytes = used.ru_maxrss / 1024;
    a.end = WIFEXITED(status) ? WEXITSTATUS(status) ? "exit " + std::to_string(WEXITSTATUS(status)) : "ended"
                              : std::string("killed by ") + strsignal(WTERMSIG(status));
    if (is_kept_) {
        const auto field = [](std::string_view text) {
            std::string line(text);
            for (char& c : line)
                if (c == '\t' || c == '\n') c = ' ';
            return line;
        };
        std::ofstream(path.parent_path() / "answers.tsv", std::ios::app)
            << path.filename().string() << '\t' << field(sentence) << '\t' << a.end << '\t' << a.seconds << '\t'
            << a.megabytes << '\t' << field(a.answer) << '\n';
    }
    return a;
}

void check_attempt(const attempt& a, std::string_view expected) {
    INFO("answer: " << a.answer << "\nexpected: " << expected << "\nwithin " << a.seconds << " s of " << seconds
                    << " and " << a.megabytes << " MB of " << megabytes);
    CHECK(a.end == "ended");
    CHECK_FALSE(has_text(a.answer, "out_of_memory"));  // the machine's word, not ours
    bool match = false;
    for (std::size_t at = 0; at <= expected.size() && !match;) {
        const std::size_t end = std::min(expected.find('|', at), expected.size());
        match = has_text(a.answer, expected.substr(at, end - at));
        at = end + 1;
    }
    CHECK(match);
    if (sanitized) return;
    CHECK(a.seconds < seconds);
    CHECK(a.megabytes < megabytes);
}
void check_hostile(const std::string& sentence, std::string_view file, std::string_view expected) {
    INFO(sentence);
    const hostile_folder folder;
    folder.write("model.onnx", file);
    check_attempt(folder.load(sentence), expected);
}

std::string text_model(std::string_view text) {
    const auto bytes = serialized(text);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
onnx::ModelProto message(std::string_view text) {
    onnx::ModelProto m;
    REQUIRE(m.ParseFromString(text_model(text)));
    return m;
}
}  // namespace inlay::testing

TEST_CASE("A good model gets through every stage of a trial", "[hostile]") {
    inlay::testing::check_hostile_text("a good model", "g (float[2] x) => (float[2] y) { y = Relu(x) }",
                                       "load: ok; cpu: ok; reference: ok");
}
