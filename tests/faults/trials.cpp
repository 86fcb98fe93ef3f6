#include "symbols.hpp"
#include "trials.hpp"
#include <inlay/error.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <execinfo.h>
#include <map>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inlay::testing {
namespace {
enum kind : int { crash, leak, wrong };
constexpr const char* kind_names[] = {"CRASH", "LEAK", "WRONG"};
struct finding {
    int kind;
    long failing, blocks, bytes;
    char text[300];
    heap::trace trace;
};
constexpr int most_findings = 4000;
struct board {  // shared with the process of the trials
    std::atomic<long> next, trials;
    std::atomic<int> findings;
    std::atomic<bool> finished;
    heap::trace trace;
    finding list[most_findings];
};
board& shared_board() {
    static board* const memory =
        static_cast<board*>(mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    return *memory;
}

// Whose code requested the allocation that failed: onnx's inference, its checker and inliner; protobuf and the messages
// that it makes; or Inlay's.
enum class maker { inlay, onnx, protobuf };
constexpr const char* maker_names[] = {"", " (within onnx's inference)", " (within protobuf)"};
maker maker_of(const std::vector<std::string>& trace) {
    const auto any = [](const std::string& name, std::initializer_list<const char*> parts) {
        return std::ranges::any_of(parts, [&](const char* part) { return name.find(part) != name.npos; });
    };
    for (const std::string& name : trace) {  // from the innermost on
        if (any(name, {"onnx::shape_inference::", "onnx::checker::", "onnx::inliner::", "onnx::OpSchema"}))
            return maker::onnx;
        if (name.starts_with("inlay::") && !any(name, {"::testing::"})) break;
    }
    for (const std::string& name : trace) {
        if (any(name, {"google::protobuf::", "Proto::", "Proto*", "Proto_"})) return maker::protobuf;
        if (name.starts_with("inlay::") && !any(name, {"::testing::"})) break;
    }
    return maker::inlay;
}
std::vector<std::string> names_of(const heap::trace& trace) {
    std::vector<std::string> names;
    for (int k = 0; k < trace.depth; ++k)
        names.push_back(function_at(static_cast<const char*>(trace.frames[k]) - 1).substr(0, 110));
    return names;
}

void note(kind k, long failing, long blocks, long bytes, const char* text) {
    board& b = shared_board();
    const int at = b.findings.fetch_add(1);
    if (at >= most_findings) return;
    finding& f = b.list[at];
    f.kind = k;
    f.failing = failing;
    f.blocks = blocks;
    f.bytes = bytes;
    std::snprintf(f.text, sizeof f.text, "%s", text);
    f.trace = b.trace;
}
// One trial; false: it made fewer allocations than `failing`.
bool run_one(const fault_trial& t, long failing, bool later_too, bool judged) {
    heap::failed_at->depth = 0;
    const long blocks = heap::blocks, bytes = heap::bytes;
    char problem[300] = "";
    bool reached = false;
    {
        attempt a(failing, later_too);
        t.run(a);
        reached = a.calls >= failing;
        std::snprintf(problem, sizeof problem, "%s", a.problem().c_str());
    }
    if (!judged) return reached;
    if (*problem) note(wrong, failing, 0, 0, problem);
    if (const long more = heap::blocks - blocks; more > 0) {
        const long again = heap::blocks;  // it may be something that is kept, once
        {
            attempt a(failing, later_too);
            t.run(a);
        }
        if (heap::blocks > again) note(leak, failing, more, heap::bytes - bytes, "");
    }
    return reached;
}
[[noreturn]] void run_child(const fault_trial& t, const trial_options& o) {
    board& b = shared_board();
    heap::failed_at = &b.trace;
    for (const int fatal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(fatal, SIG_DFL);
    for (int k = 0; k < 3; ++k) run_one(t, 0, false, false);  // whatever is made once is made now
    for (;;) {
        const long failing = b.next.load();
        if (failing > o.limit) break;
        alarm(60);
        const bool reached = run_one(t, failing, o.later_too, true);
        if (!reached) break;
        ++b.trials;
        b.next.store(failing + o.every);
    }
    b.finished = true;
    _exit(0);
}
void print_finding(const fault_trial& t, const finding& f, bool show) {
    const auto trace = names_of(f.trace);
    std::printf("%s %s, %s, allocation %ld%s: %s", kind_names[f.kind], t.model.c_str(), t.stage.c_str(), f.failing,
                maker_names[int(maker_of(trace))], f.text);
    if (f.kind == leak) std::printf("%ld blocks, %ld bytes", f.blocks, f.bytes);
    std::printf("\n");
    int shown = 0;
    for (const std::string& name : trace)
        if (show || (name.find("inlay::") != name.npos && name.find("testing::") == name.npos && ++shown <= 4))
            std::printf("    %s\n", name.c_str());
}
}  // namespace

std::string attempt::exception_text() {
    try {
        throw;
    } catch (const error& e) {
        return std::string(name_of(e.code)) + ": " + e.text;
    } catch (const std::bad_alloc&) {
        return "std::bad_alloc";
    } catch (const std::exception& e) {
        int status = 0;
        const std::unique_ptr<char, void (*)(void*)> name(
            abi::__cxa_demangle(typeid(e).name(), nullptr, nullptr, &status), std::free);
        return std::string(name ? name.get() : "an exception") + ": " + e.what();
    } catch (...) {
        return "an exception of a type that is not known";
    }
}
void attempt::arm() const {
    heap::calls = 0;
    heap::failing = failing_;
    heap::later_too = later_too_;
    heap::armed = true;
}
void attempt::disarm() {
    heap::armed = false;
    calls = std::max(calls, heap::calls.load());
}
void attempt::ended_by_exception(bool may_raise) {
    try {
        throw;
    } catch (const error&) {
        if (!may_raise) blame("a try_ function raised " + exception_text());
    } catch (const std::bad_alloc&) {
        if (!may_raise) blame("a try_ function raised std::bad_alloc");
    } catch (...) {
        blame("raised " + exception_text());
    }
}

tally& tally::operator+=(const tally& t) {
    trials += t.trials;
    crashes += t.crashes;
    leaks += t.leaks;
    wrong += t.wrong;
    onnx += t.onnx;
    protobuf += t.protobuf;
    return *this;
}

tally fail_each(const fault_trial& t, const trial_options& o) {
    board& b = shared_board();
    b.next = o.first;
    b.trials = 0;
    b.findings = 0;
    b.finished = false;
    long crashes = 0;
    while (!b.finished) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) run_child(t, o);
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0) std::abort();
        if (b.finished) break;
        const long failing = b.next;
        const std::string text =
            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit " + std::to_string(WEXITSTATUS(status));
        note(crash, failing, 0, 0, text.c_str());
        ++b.trials;
        b.next = failing + o.every;
        if (++crashes > 200) {
            std::printf("too many crashes of %s, %s\n", t.model.c_str(), t.stage.c_str());
            break;
        }
    }
    tally sum;
    sum.trials = b.trials;
    for (int k = 0; k < std::min(b.findings.load(), most_findings); ++k) {
        const finding& f = b.list[k];
        (f.kind == crash ? sum.crashes : f.kind == leak ? sum.leaks : sum.wrong) += 1;
        const maker by = maker_of(names_of(f.trace));
        sum.onnx += by == maker::onnx;
        sum.protobuf += by == maker::protobuf;
        print_finding(t, f, o.show);
    }
    return sum;
}

int run_trials(int count, char** words,
               const std::function<std::vector<fault_trial>(const std::string& folder)>& trials_of) {
    trial_options o;
    std::string folder, models, stages;
    for (int k = 1; k < count; ++k) {
        const std::string word = words[k];
        const auto value = [&] { return std::string(k + 1 < count ? words[++k] : ""); };
        if (word == "--every")
            o.every = std::max(1L, std::atol(value().c_str()));
        else if (word == "--first")
            o.first = std::max(1L, std::atol(value().c_str()));
        else if (word == "--last")
            o.limit = std::atol(value().c_str());
        else if (word == "--models")
            models = "," + value() + ",";
        else if (word == "--stages")
            stages = "," + value() + ",";
        else if (word == "--later-too")
            o.later_too = true;
        else if (word == "--show")
            o.show = true;
        else
            folder = word;
    }
    void* first[4];
    backtrace(first, 4);  // what it allocates once
    const auto in_list = [](const std::string& list, const std::string& name) {
        return list.empty() || list.find("," + name + ",") != list.npos;
    };
    tally sum;
    std::map<std::string, tally> by_stage;
    for (const fault_trial& t : trials_of(folder)) {
        if (!in_list(models, t.model) || !in_list(stages, t.stage)) continue;
        const tally outcome = fail_each(t, o);
        sum += outcome;
        by_stage[t.stage] += outcome;
    }
    const auto line = [](const char* name, const tally& t) {
        std::printf(
            "%-14s %7ld trials: %ld crashes, %ld leaks, %ld wrong; of these %ld within onnx's inference, %ld within "
            "protobuf, %ld of Inlay\n",
            name, t.trials, t.crashes, t.leaks, t.wrong, t.onnx, t.protobuf, t.of_inlay());
    };
    for (const auto& [stage, t] : by_stage) line(stage.c_str(), t);
    line("all", sum);
    return sum.trials == 0 || sum.crashes + sum.leaks + sum.wrong > 0;
}
}  // namespace inlay::testing
