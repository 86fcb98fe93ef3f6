// The end of every command's help, like a manual page: examples, exit statuses, environment.
#include "common.hpp"
#include "manual.hpp"
#include <algorithm>

namespace inlay::tool {
namespace {
struct example {  // line: after `inlay `
    std::string_view command, line, description;
};
// tests/tool/manual.sh runs each.
constexpr example examples[] = {
    {"demo", "demo", "handwritten digits by a network of the program"},
    {"demo", "demo --output digits.onnx", "handwritten digits; digits.onnx is the network"},
    {"inspect", "inspect model.onnx", "inputs, outputs, operators, parameters, FLOPs, memory"},
    {"inspect", "inspect model.onnx --shape image=8,1,8,8 --json", "the same for a batch of eight, for a program"},
    {"inspect", "inspect model.onnx --node conv1", "one node: its attributes, inputs and outputs"},
    {"check", "check model.onnx", "which of all providers built in runs which operator"},
    {"check", "check model.onnx --providers cpu -q", "status 77 if the CPU cannot run all of it"},
    {"plan", "plan model.onnx --providers reference,cpu", "which node runs where"},
    {"plan", "plan model.onnx --html plan.html", "which node runs where, as a picture"},
    {"memory", "memory model.onnx --html memory.html", "lifetimes of values as bars"},
    {"optimize", "optimize model.onnx --compare", "what passes do, and that results stay"},
    {"optimize", "optimize model.onnx --output small.onnx", "the rewritten model as an ONNX file"},
    {"quantize", "quantize model.onnx -o int8.onnx --data data", "static, with the inputs in a folder"},
    {"quantize", "quantize model.onnx -o int8.onnx --data data --method entropy", "ranges by another method"},
    {"quantize", "quantize model.onnx -o int8.onnx --data data --keep-worst 2", "two nodes stay float"},
    {"quantize", "quantize model.onnx -o dynamic.onnx --form dynamic", "needs no data"},
    {"quantize", "quantize model.onnx -o int4.onnx --form matmulnbits", "matrices of 4 bits"},
    {"diff", "diff model.onnx other.onnx", "status 1 if they differ"},
    {"extract", "extract model.onnx --to features -o part.onnx", "what comes before a value"},
    {"extract", "extract model.onnx --from features --to logits -o part.onnx", "what lies between two"},
    {"shapes", "shapes model.onnx", "type and shape of every value"},
    {"shapes", "shapes model.onnx --shape batch=8 --json", "for a batch of eight, for a program"},
    {"compare", "compare model.onnx --a cpu --b reference", "status 1, and the first node that differs, if one does"},
    {"compare", "compare model.onnx data --a 'cpu:isa=sse2' --b cpu", "instruction sets, on inputs from a folder"},
    {"compare", "compare model.onnx --b expected", "with values in files: expected/features.npy"},
    {"run", "run model.onnx --random --seed 3", "results for random inputs"},
    {"run", "run model.onnx --random --shape batch=1..4 --runs 5", "for each size, with times"},
    {"run", "run model.onnx arrays.npz --out results --format npz", "NumPy's archives in and out"},
    {"run", "run model.onnx --in image=x.npy --out results", "a file in, files out"},
    {"run", "run model.onnx --random --out data --format pb --save-inputs", "makes test data"},
    {"test", "test model.onnx data", "status 0 if the results are those in the folder"},
    {"bench", "bench model.onnx other.onnx --threads 1,2", "two models with one and two threads"},
    {"bench", "bench model.onnx --json > before.json", "keeps a report ..."},
    {"bench", "bench model.onnx --baseline before.json", "... to compare with"},
    {"bench", "bench model.onnx --against other.onnx", "both interleaved: the ratio of their times, with its band"},
    {"bench", "bench model.onnx --against-providers 'cpu:isa=sse2'", "the same model with other options"},
    {"profile", "profile model.onnx --random --trace trace.json", "what each step takes, also for Perfetto"},
    {"advise", "advise model.onnx --seconds 0.1", "the fastest provider and number of threads"},
    {"compile", "compile model.onnx --name digits --out generated --shape batch=1",
     "a C++ type: inlay::models::digits"},
    {"size", "size program", "bytes of each operator in a binary"},
    {"providers", "providers --providers 'cpu:threads=2'", "options as they would be"},
    {"operators", "operators --providers cpu", "which kernel devices have an operator"},
    {"devices", "devices", "instruction sets, devices and why not"},
    {"doctor", "doctor --json", "for a bug report"},
    {"completion", "completion bash", "for: source <(inlay completion bash)"},
    {"serve-bench", "serve-bench model.onnx data 1", "then a line with a number of runs on standard input"},
};
// First examples for newcomers; each is one of those above.
constexpr std::string_view first_lines[] = {"demo --output digits.onnx", "plan model.onnx --html plan.html",
                                            "run model.onnx --random --seed 3",
                                            "profile model.onnx --random --trace trace.json", "devices"};
constexpr std::string_view statuses = R"(Exit status:
  0   done; of test, compare, diff and optimize --compare: no difference
  1   results or models differ
  2   bad usage or input: options, files of inputs, their types and shapes
  10  the model cannot be loaded, or no session made of it
  11  a run failed, or a file cannot be written
  77  the model needs something that no provider of the list, or this version, supports
)";
constexpr std::string_view environment = R"(Environment:
  INLAY_ISA  the instruction set of the CPU's kernels, instead of the best: one of the names in `inlay devices`
  NO_COLOR   if set, no colours; there are none either where standard output is no terminal
)";
std::string example_line(const example& e) { return fmt::format("  inlay {:<62} # {}\n", e.line, e.description); }
}  // namespace

std::string first_steps() {
    std::string text = "Five commands to begin with:\n";
    for (const example& e : examples)
        if (std::ranges::find(first_lines, e.line) != std::end(first_lines)) text += example_line(e);
    return text + "\n`inlay --help` lists all commands, `inlay COMMAND --help` explains one, with examples.\n";
}
void add_manual(command& app) {
    app.footer(
        fmt::format("`inlay COMMAND --help` explains a command, with examples.\n\n{}\n{}", statuses, environment));
    for (command c : app.commands()) {
        std::string text = c.footer();
        if (!text.empty()) text += "\n\n";
        text += "Examples:\n";
        for (const example& e : examples)
            if (e.command == c.name()) text += example_line(e);
        c.footer(fmt::format("{}\n{}\n{}", text, statuses, environment));
    }
}
}  // namespace inlay::tool
