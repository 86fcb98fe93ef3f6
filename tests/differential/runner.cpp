// The differential test's runner: reads lines `FOLDER THREADS LEVEL [PROVIDER]` on standard input and answers each with
// one line of JSON, of that provider alone where one is named; `cpu_kernels` of it are "OPERATOR KERNEL", as the plan
// has them. A folder has model.onnx and input_I.pb; the results of the CPU and the reference kernels go there as
// cpu_I.KIND.pb and reference_I.KIND.pb, KIND one of tensor, sequence, map and optional; cpu_fused.txt and
// reference_fused.txt name the nodes that became part of others, each in a line. LEVEL: an instruction set, or `best`.
// A line that begins with '#' says what is tried next, so that a crash or a hang has a name. With --operators: the
// operators that have reference kernels, each a line `DOMAIN NAME`; with --fast-operators: those with a fast one.
#include "../json_text.hpp"
#include <inlay/inlay.hpp>
#include <inlay/tensor_file.hpp>

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace {
namespace fs = std::filesystem;

std::vector<inlay::provider_choice> providers(const std::string& name, const std::string& threads,
                                              const std::string& level) {
    if (name == "reference") return {"reference"};
    inlay::option_list options{{"threads", threads}};
    if (const auto isa_level = inlay::isa::from_text(level); isa_level && inlay::isa::available(*isa_level))
        options.emplace_back("isa", level);
    return {inlay::provider_choice("cpu", options)};
}

// Which kernel ran each operator.
std::set<std::string> run(const fs::path& folder, const inlay::model& model, const std::string& name,
                          const std::string& threads, const std::string& level) {
    inlay::session_options quiet;
    quiet.log_severity_level = static_cast<int>(inlay::severity::fatal);
    const inlay::any_session session(model, quiet, providers(name, threads, level));
    std::vector<inlay::feed> feeds;
    for (std::size_t k = 0; k < session.inputs().size(); ++k) {
        const inlay::port& p = session.inputs()[k];
        const fs::path file = folder / ("input_" + std::to_string(k) + ".pb");
        feeds.push_back({p.name, inlay::read_pb(file, p.kind).value_or_raise()});
    }
    const inlay::fetched results = session.run(feeds);
    for (std::size_t k = 0; k < results.size(); ++k) {
        const std::string kind(name_of(session.outputs()[k].kind));
        const fs::path file = folder / (name + "_" + std::to_string(k) + "." + kind + ".pb");
        inlay::write_pb(file, results.value(k)).value_or_raise();
    }
    std::ofstream fused(folder / (name + "_fused.txt"));
    std::set<std::string> kernels;
    for (const auto& line : session.plan().nodes) {
        if (!line.fused_into.empty()) fused << line.node << '\n';
        kernels.insert(line.op + ' ' + (line.kernel.empty() ? line.provider : line.kernel));
    }
    return kernels;
}

// Empty, or why there are no results.
template <class F> std::string attempt(F&& f) {
    try {
        f();
    } catch (const inlay::error& e) {
        return std::string(name_of(e.code)) + ": " + e.text;
    } catch (const std::exception& e) {
        return std::string("exception: ") + e.what();
    }
    return {};
}

std::string answer(const fs::path& folder, const std::string& threads, const std::string& level,
                   const std::string& provider) {
    std::optional<inlay::model> model;
    const std::string unread = attempt([&] { model.emplace(folder / "model.onnx"); });
    std::string text = "{";
    for (const std::string name : {"cpu", "reference"}) {
        if (!provider.empty() && provider != name) continue;
        std::cout << "# " << name << std::endl;
        std::set<std::string> kernels;
        const std::string refusal =
            model ? attempt([&] { kernels = run(folder, *model, name, threads, level); }) : "load: " + unread;
        text +=
            (text.size() > 1 ? ", \"" : "\"") + name + "\": " + json_text(refusal) + ", \"" + name + "_kernels\": [";
        for (const std::string& kernel : kernels) text += (text.back() == '[' ? "" : ", ") + json_text(kernel);
        text += ']';
    }
    return text + "}";
}

template <class Provider> void list_operators(std::string_view device) {
    for (const inlay::entry& e : inlay::kernels_of<Provider>().entries)
        if (e.device_name == device) std::cout << (e.domain.empty() ? "ai.onnx" : e.domain) << ' ' << e.name << '\n';
}
}  // namespace

int main(int count, char** arguments) {
    if (count > 1) {
        const std::string_view word = count == 2 ? arguments[1] : "";
        if (word == "--operators") {
            list_operators<inlay::reference>("reference");
        } else if (word == "--fast-operators") {
            list_operators<inlay::cpu>("cpu");
        } else {
            std::cerr << "differential_runner: without arguments, --operators or --fast-operators\n";
            return 2;
        }
        return 0;
    }
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string folder, threads, level, provider;
        words >> folder >> threads >> level >> provider;
        std::cout << answer(folder, threads, level, provider) << std::endl;
    }
}
