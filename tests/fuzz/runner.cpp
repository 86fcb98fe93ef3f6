// The graph fuzzer's hands: reads folders on standard input, one a line, and answers each with one line of JSON.
//
// A folder has model.onnx, tolerance.txt (one number per output: the largest absolute difference) and set_0, set_1, ...
// with input_I.pb and output_I.pb. Each configuration makes one session, which runs all sets and the first one again,
// then each by a binding, twice. A line that begins with '#' says what is tried next, so that a crash or a hang has a
// name. $INLAY_FUZZ_PROVIDER: the package of a provider of the build; then it is run with the CPU after it, compared
// with the reference kernels.
#include "../built/providers.hpp"
#include "../json_text.hpp"
#include <inlay/inlay.hpp>
#include <inlay/tensor_file.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>

namespace {
namespace fs = std::filesystem;
using named_shapes = std::vector<std::pair<std::string_view, inlay::shape>>;

struct configuration {
    std::string name;
    std::vector<inlay::provider_choice> providers;
    bool passes = true, rounds = false;
};

struct data_set {
    std::vector<inlay::tensor> inputs, outputs;
};

struct finding {
    std::string configuration, phase, kind, text;
};

// Every level of the machine with one thread, the best one with two; the reference kernels, with and without passes.
std::vector<configuration> all_configurations() {
    std::vector<configuration> configurations = {{"plain", {"reference"}, false}, {"reference", {"reference"}}};
    if (const char* package = std::getenv("INLAY_FUZZ_PROVIDER")) {
        const std::vector<std::string> names = inlay::testing::built_names();
        const auto at = std::ranges::find(names, package);
        if (at == names.end()) throw std::runtime_error("this build has no provider " + std::string(package));
        const std::string_view name = inlay::built_providers()[std::size_t(at - names.begin())].name;
        configurations.push_back({package, {std::string(name), "cpu"}, true, true});
        return configurations;
    }
    for (const char* level : {"sse2", "avx2", "avx512", "avx512bf16", "amx"}) {
        if (!inlay::isa::available(*inlay::isa::from_text(level))) continue;
        configurations.push_back({std::string(level) + "/1", {{"cpu", {{"threads", "1"}, {"isa", level}}}}});
    }
    configurations.push_back({"best/2", {{"cpu", {{"threads", "2"}}}}});
    return configurations;
}

std::vector<inlay::tensor> read_tensors(const fs::path& folder, const char* kind) {
    std::vector<inlay::tensor> tensors;
    for (int k = 0;; ++k) {
        const fs::path file = folder / (std::string(kind) + "_" + std::to_string(k) + ".pb");
        if (!fs::exists(file)) return tensors;
        tensors.push_back(*inlay::read_pb(file).value_or_raise().as_tensor());
    }
}

std::vector<data_set> read_sets(const fs::path& folder) {
    std::vector<data_set> sets;
    for (int k = 0;; ++k) {
        const fs::path set = folder / ("set_" + std::to_string(k));
        if (!fs::exists(set)) return sets;
        sets.push_back({read_tensors(set, "input"), read_tensors(set, "output")});
    }
}

std::vector<double> read_tolerances(const fs::path& file) {
    std::vector<double> tolerances;
    std::ifstream in(file);
    for (double x; in >> x;) tolerances.push_back(x);
    return tolerances;
}

bool agree(double actual, double expected, double tolerance) {
    if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return true;
    return std::abs(actual - expected) <= tolerance;
}

template <class T>
std::string float_difference(const inlay::tensor& actual, const inlay::tensor& expected, double tolerance) {
    std::int64_t wrong = 0, first = 0;
    double largest = 0;
    const auto value = [](const inlay::tensor& t, std::int64_t i) { return double(inlay::load<T>(t.data(), i)); };
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        if (agree(value(actual, i), value(expected, i), tolerance)) continue;
        if (wrong++ == 0) first = i;
        largest = std::max(largest, std::abs(value(actual, i) - value(expected, i)));
    }
    if (wrong == 0) return {};
    return "element " + std::to_string(first) + " is " + std::to_string(value(actual, first)) + ", not " +
           std::to_string(value(expected, first)) + "; " + std::to_string(wrong) + " of " +
           std::to_string(expected.elements()) + " differ, by up to " + std::to_string(largest) +
           " (allowed: " + std::to_string(tolerance) + ")";
}

std::string exact_difference(const inlay::tensor& actual, const inlay::tensor& expected) {
    const auto size = static_cast<std::size_t>(expected.bytes());
    if (size == 0 || std::memcmp(actual.data(), expected.data(), size) == 0) return {};
    const auto* a = static_cast<const unsigned char*>(actual.data());
    const auto* b = static_cast<const unsigned char*>(expected.data());
    const auto at = std::mismatch(a, a + size, b).first - a;
    const std::int64_t width = std::max<std::int64_t>(1, expected.bytes() / expected.elements());
    return "element " + std::to_string(at / width) + " of " + std::to_string(expected.elements()) + " differs";
}

std::string difference(const inlay::tensor& actual, const inlay::tensor& expected, double tolerance) {
    if (actual.type() != expected.type())
        return "its type is " + std::string(name_of(actual.type())) + ", not " + std::string(name_of(expected.type()));
    if (actual.shape() != expected.shape())
        return "its shape is " + to_string(actual.shape()) + ", not " + to_string(expected.shape());
    switch (expected.type()) {
        case inlay::element::f32: return float_difference<float>(actual, expected, tolerance);
        case inlay::element::f64: return float_difference<double>(actual, expected, tolerance);
        case inlay::element::f16: return float_difference<inlay::float16>(actual, expected, tolerance);
        case inlay::element::bf16: return float_difference<inlay::bfloat16>(actual, expected, tolerance);
        default: return exact_difference(actual, expected);
    }
}

double largest_of(const inlay::tensor& t) {  // of float32; 0 of all other types
    double largest = 0;
    if (t.type() == inlay::element::f32)
        for (const float x : t.as<float>())
            if (std::isfinite(x)) largest = std::max(largest, std::abs(double(x)));
    return largest;
}

// One folder: its model, its data, and what went wrong so far.
class trial {
    std::vector<data_set> sets_;
    std::vector<double> tolerances_;
    std::string configuration_, phase_;
    bool rounds_ = false;
    std::vector<finding> findings_;

    void enter(std::string phase) {
        phase_ = std::move(phase);
        std::cout << "# " << configuration_ << ' ' << phase_ << std::endl;
    }
    void note(std::string_view kind, std::string text) {
        findings_.push_back({configuration_, phase_, std::string(kind), std::move(text)});
    }
    void compare(const inlay::tensor& actual, const data_set& set, std::size_t k, const std::string& name) {
        double tolerance = k < tolerances_.size() ? tolerances_[k] : 0;
        // Numbers that a graph's own order leaves exact, an engine that rearranges it may round.
        if (rounds_) tolerance = std::max(tolerance, 1e-6 * largest_of(set.outputs[k]));
        const std::string text = difference(actual, set.outputs[k], tolerance);
        if (!text.empty()) note("wrong", "output `" + name + "`: " + text);
    }
    void run(const inlay::session_base& session, std::size_t number, const char* phase) {
        enter(phase + (" " + std::to_string(number)));
        const data_set& set = sets_[number];
        std::vector<inlay::feed> feeds;
        for (std::size_t k = 0; k < set.inputs.size(); ++k) feeds.push_back({session.inputs()[k].name, set.inputs[k]});
        const inlay::fetched results = session.run(feeds);
        for (std::size_t k = 0; k < set.outputs.size(); ++k) compare(results[k], set, k, results.name(k));
    }
    void run_bound(const inlay::session_base& session, std::size_t number) {
        enter("bind " + std::to_string(number));
        const data_set& set = sets_[number];
        named_shapes shapes;
        const auto ports = session.inputs();
        for (std::size_t k = 0; k < ports.size(); ++k) shapes.emplace_back(ports[k].name, set.inputs[k].shape());
        inlay::binding bound = session.bind(shapes);
        for (std::size_t k = 0; k < ports.size(); ++k) bound.set_input(ports[k].name, set.inputs[k]);
        for (int turn = 0; turn < 2; ++turn) {
            enter("bound run " + std::to_string(number) + ", turn " + std::to_string(turn));
            if (bound.run() != inlay::status::ok) return note("error", "failed: " + std::string(bound.why()));
            for (std::size_t k = 0; k < set.outputs.size(); ++k)
                compare(bound.output(session.outputs()[k].name), set, k, session.outputs()[k].name);
        }
    }
    void try_configuration(const fs::path& file, const configuration& c) {
        configuration_ = c.name;
        rounds_ = c.rounds;
        try {
            enter("load");
            const inlay::model model(file, {.optimize = c.passes});
            enter("session");
            inlay::session_options quiet;
            quiet.log_severity_level = static_cast<int>(inlay::severity::fatal);
            const inlay::any_session session(model, c.providers, quiet, inlay::built_providers());
            for (std::size_t k = 0; k < sets_.size(); ++k) run(session, k, "run");
            if (sets_.size() > 1) run(session, 0, "run again");
            for (std::size_t k = 0; k < sets_.size(); ++k) run_bound(session, k);
        } catch (const inlay::error& e) {
            note(name_of(e.code), e.text);
        } catch (const std::exception& e) {
            note("exception", e.what());
        }
    }

  public:
    explicit trial(const fs::path& folder)
        : sets_(read_sets(folder)), tolerances_(read_tolerances(folder / "tolerance.txt")) {}

    std::string report(const fs::path& folder, const std::vector<configuration>& configurations) {
        for (const configuration& c : configurations) try_configuration(folder / "model.onnx", c);
        std::string text = "{\"findings\": [";
        for (const finding& f : findings_) {
            if (&f != findings_.data()) text += ", ";
            text += "{\"configuration\": " + json_text(f.configuration) + ", \"phase\": " + json_text(f.phase) +
                    ", \"kind\": " + json_text(f.kind) + ", \"text\": " + json_text(f.text) + "}";
        }
        return text + "]}";
    }
};
}  // namespace

int main() {
    const std::vector<configuration> configurations = all_configurations();
    for (std::string folder; std::getline(std::cin, folder);) {
        try {
            std::cout << trial(folder).report(folder, configurations) << std::endl;
        } catch (const std::exception& e) {
            std::cout << "{\"broken\": " << json_text(e.what()) << "}" << std::endl;
        }
    }
}
