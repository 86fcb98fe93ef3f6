#include "library.hpp"
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <platform/shared_library.hpp>
#include <unistd.h>

namespace inlay {
inline namespace v1 {
namespace {
constexpr const char* variable = "INLAY_QNN_LIBRARY";

// What QNN says of errors, by the thread that it says it on.
std::string& last_words() {
    thread_local std::string words;
    return words;
}
void listen(const char* format, std::uint32_t level, std::uint64_t, std::va_list arguments) {
    if (level != 1) return;  // errors
    char text[400];
    std::vsnprintf(text, sizeof text, format, arguments);
    std::string& words = last_words();
    if (words.size() < 2000) words += (words.empty() ? "" : "; ") + one_line(text);
}

// Whether no other thread can print meanwhile.
bool is_only_thread() {
    std::error_code unknown;
    const std::filesystem::directory_iterator threads("/proc/self/task", unknown);
    return !unknown && std::distance(begin(threads), end(threads)) == 1;
}
// The simulator writes its configuration to standard output when it is opened: a program's output is the program's.
// That is the whole process's, so that it stays as it is where other threads may print.
class quiet_output {
    int stdout_ = -1;

  public:
    quiet_output() {
        if (!is_only_thread()) return;
        std::fflush(stdout);
        stdout_ = dup(STDOUT_FILENO);
        if (stdout_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    quiet_output(const quiet_output&) = delete;
    quiet_output& operator=(const quiet_output&) = delete;
    ~quiet_output() {
        if (stdout_ < 0) return;
        std::fflush(stdout);
        dup2(stdout_, STDOUT_FILENO);
        close(stdout_);
    }
};

struct opened_library {
    std::string problem;  // empty: the table is there
    const qnn_abi::interface* api = nullptr;
};
opened_library open_file(const std::string& file) {
    opened_library l;
    qnn_abi::get_providers get = nullptr;
    {
        const quiet_output quiet;
        void* const library = open_library(
            file, l.problem,
            "pip install onnxruntime-qnn brings it; " + variable_may_name(variable, "folder of QNN's libraries"));
        if (library) find_function(library, "QnnInterface_getProviders", get, l.problem);
    }
    if (!l.problem.empty()) return l;
    const qnn_abi::interface** interfaces = nullptr;
    std::uint32_t count = 0;
    if (get(&interfaces, &count) != qnn_abi::success || count == 0 || !interfaces || !interfaces[0]) {
        l.problem = file + " gives no interface";
        return l;
    }
    const qnn_abi::version& core = interfaces[0]->core;  // functions were added behind the others since 2.0
    if (core.major != 2 || core.minor < 16)
        l.problem = file + " has QNN's interface " + std::to_string(core.major) + "." + std::to_string(core.minor) +
                    ", and this program was made for 2.16 and those of 2 that follow";
    else
        l.api = interfaces[0];
    return l;
}
// Libraries stay open, and each is opened once.
const opened_library& library_at(const std::string& file) {
    static std::mutex guard;
    static auto& libraries = *new std::map<std::string, opened_library>;
    const std::lock_guard lock(guard);
    const auto [at, is_new] = libraries.try_emplace(file);
    if (is_new) at->second = open_file(file);
    return at->second;
}
std::string file_of(const qnn& options) {
    if (!options.backend_path.empty()) return options.backend_path;
    constexpr const char* names[] = {"libQnnHtp.so", "libQnnCpu.so", "libQnnGpu.so", "libQnnSaver.so"};
    const char* const name = names[int(options.backend_type)];
    const std::string folder = named_by(variable, "");
    return folder.empty() ? name : (std::filesystem::path(folder) / name).string();
}

// HTP's own part of a device's configuration: option 0 is a chip, 1 an architecture.
struct htp_device_config {
    std::uint32_t option = 0;
    std::uint32_t gap = 0;
    std::uint32_t first = 0, second = 0;  // the chip; or the number of the device, and the architecture
    std::uint64_t room[4]{};
};
}  // namespace

std::string qnn_backend::make() {
    if (std::string reason = problem_of(f().log_create, listen, 1u, &log_); !reason.empty()) return reason;
    if (std::string reason = problem_of(f().backend_create, log_, nullptr, &backend_); !reason.empty()) return reason;
    const char* text = nullptr;
    if (f().backend_get_build_id && f().backend_get_build_id(&text) == qnn_abi::success && text) build_ = text;
    htp_device_config chip, architecture;
    chip.first = std::uint32_t(options_.soc_model);
    architecture.option = 1;
    architecture.second = std::uint32_t(options_.htp_arch);
    qnn_abi::config first, second;
    first.custom = &chip;
    second.custom = &architecture;
    const qnn_abi::config* list[3]{};
    int count = 0;
    if (options_.soc_model) list[count++] = &first;
    if (options_.htp_arch) list[count++] = &second;
    if (count && !is_htp()) return "htp_arch and soc_model are for the backend htp";
    if (!f().device_create) return {};
    constexpr qnn_abi::error_number not_supported = 1000;  // of a backend that has one device
    forget_words();
    const qnn_abi::error_number e = f().device_create(log_, count ? list : nullptr, &device_);
    return e == qnn_abi::success || e == not_supported ? std::string() : why(e);
}
qnn_backend::~qnn_backend() {
    if (device_) f().device_free(device_);
    if (backend_) f().backend_free(backend_);
    if (log_) f().log_free(log_);
}
result<std::shared_ptr<qnn_backend>> qnn_backend::open(const qnn& options) {
    const opened_library& l = library_at(file_of(options));
    if (!l.problem.empty()) return error(error_code::provider_unavailable, l.problem);
    auto backend = std::make_shared<qnn_backend>(*l.api, options);
    if (std::string problem = backend->make(); !problem.empty())
        return error(error_code::provider_unavailable, std::move(problem));
    return backend;
}
std::string qnn_backend::interface_version() const {
    const auto text = [](const qnn_abi::version& v) {
        return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
    };
    return text(api_.core) + ", " + text(api_.backend_version);
}
void qnn_backend::forget_words() { last_words().clear(); }
std::string qnn_backend::why(qnn_abi::error_number e) const {
    std::string text = std::exchange(last_words(), {});
    const char* message = nullptr;
    if (text.empty() && f().error_get_message && f().error_get_message(e, &message) == qnn_abi::success && message)
        text = message;
    return text.empty() ? "QNN's error " + std::to_string(e) : one_line(text);
}
}  // namespace v1
}  // namespace inlay
