#include "run_options.hpp"
#include <array>
#include <csignal>
#include <forward_list>
#include <sys/syscall.h>
#include <unistd.h>

namespace inlay::python {
namespace {
std::atomic<bool> stop_main{false};    // the run of the main thread
std::atomic<bool> interrupted{false};  // why: by a signal
std::atomic<const run_settings*> main_settings{nullptr};
// The previous handler of the signal (Python's), now and when ours was installed. Ours reads them on any thread and
// at any moment, so that each points to what never changes.
std::atomic<const struct sigaction*> behind{nullptr}, first{nullptr};
// The threads that are in the handler, by the system's numbers. A library's thread_local flag may be allocated on first
// use, which a handler must not do.
std::array<std::atomic<pid_t>, 16> inside{};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free &&
              std::atomic<const struct sigaction*>::is_always_lock_free);
unsigned long main_thread = 0;

void call(const struct sigaction& handler, int signal, siginfo_t* info, void* context) {
    if (handler.sa_flags & SA_SIGINFO)
        handler.sa_sigaction(signal, info, context);
    else if (handler.sa_handler != SIG_DFL && handler.sa_handler != SIG_IGN)
        handler.sa_handler(signal);
}
// A slot for this thread among those that are in the handler; null: it is there already, or all are taken.
std::atomic<pid_t>* enter() {
    const auto self = pid_t(syscall(SYS_gettid));
    for (const std::atomic<pid_t>& thread : inside)
        if (thread == self) return nullptr;
    for (std::atomic<pid_t>& thread : inside)
        if (pid_t no_thread = 0; thread.compare_exchange_strong(no_thread, self)) return &thread;
    return nullptr;
}
// Runs between any two instructions: it allocates nothing, takes no lock and calls only signal-safe functions.
void on_interrupt(int signal, siginfo_t* info, void* context) {
    interrupted = true;
    stop_main = true;
    std::atomic<pid_t>* const place = enter();  // another's handler may call the one it found before it: ours
    call(place ? *behind.load() : *first.load(), signal, info, context);
    if (place) *place = 0;
}
// A copy that is never changed, and is the same one for the same handler: handlers are few.
const struct sigaction* lasting(const struct sigaction& handler) {
    static std::forward_list<struct sigaction> copies;
    for (const struct sigaction& copy : copies)
        if (copy.sa_flags == handler.sa_flags && copy.sa_sigaction == handler.sa_sigaction) return &copy;
    return &copies.emplace_front(handler);
}
// Programs may set handlers at any time, so this is checked before each run. Where Ctrl-C ends the process, or is
// ignored, it stays so.
void stand_before_python() {
    struct sigaction now {};
    if (sigaction(SIGINT, nullptr, &now) != 0) return;
    if (now.sa_flags & SA_SIGINFO ? now.sa_sigaction == on_interrupt
                                  : now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)
        return;
    behind = lasting(now);
    if (!first) first = behind.load();
    now.sa_flags |= SA_SIGINFO;
    now.sa_sigaction = on_interrupt;
    sigaction(SIGINT, &now, nullptr);
}
}  // namespace

void run_settings::set_terminate(bool on) {
    terminate_ = on;
    if (on && main_settings == this) stop_main = true;
}
interruptible_run::interruptible_run(const run_settings* settings)
    : settings_(settings), main_(PyThread_get_thread_ident() == main_thread) {
    if (main_) {
        stand_before_python();
        interrupted = false;
        if (PyErr_CheckSignals()) throw nb::python_error();  // of one that came before
        outer_ = main_settings.exchange(settings);
        stop_main = interrupted || (settings && settings->terminate());
        options_.stop = &stop_main;
    } else if (settings) {
        options_.stop = &settings->flag();
    }
    if (settings && settings->seconds)
        options_.deadline =
            std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                   std::chrono::duration<double>(*settings->seconds));
}
interruptible_run::~interruptible_run() {
    if (main_) main_settings = outer_;
}
bool interruptible_run::again() {
    if (!main_ || !interrupted) return false;
    interrupted = false;
    if (PyErr_CheckSignals()) throw nb::python_error();
    stop_main = settings_ && settings_->terminate();
    return !stop_main;
}

void watch_for_interrupts() {
    if (PyThread_get_thread_ident() != main_thread) return;
    stand_before_python();
    interrupted = false;
}
void raise_if_interrupted() {
    if (!interrupted || PyThread_get_thread_ident() != main_thread) return;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals()) throw nb::python_error();
}

void add_run_options(nb::module_& m) {
    main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    nb::class_<run_settings>(m, "RunOptions", "How a run ends early.")
        .def(nb::init<>())
        .def_prop_rw("terminate", &run_settings::terminate, &run_settings::set_terminate,
                     "True ends the runs that have these options, from any thread: they raise Fail.")
        .def_rw("seconds", &run_settings::seconds, nb::arg().none(),
                "How long a run may take; None: as long as it takes. A run that takes longer raises Fail.");
}
}  // namespace inlay::python
