// Run times, step by step: binding::profile().
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "element.hpp"
#include "shape.hpp"
#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace inlay {
inline namespace v1 {
struct time_span {  // start: since the first run began
    double start = 0, seconds = 0;
};
struct step_profile {
    struct argument {
        std::string name;
        element type;
        shape dims;
        bool constant;
    };
    std::string node;        // of a fused node: of its sources; of a conversion or transfer: the value
    std::string op, domain;  // "(conversion)", "(transfer)" and "(region)" are no operators
    int version = 0;
    std::vector<std::string> sources;       // the model's nodes that the step stands for
    std::string provider, kernel;           // as in plan_report::line
    std::vector<argument> inputs, outputs;  // those that are there
    double flop = 0;         // multiplications and additions of matmuls, convolutions, recurrences and attention, from
                             // shapes; not those in bodies of control flow
    std::int64_t bytes = 0;  // what must be read and written at least: each argument once, of a selection only what is
                             // selected, nothing of a view
    std::vector<time_span> runs;     // one per run; in a body, one each time that it ran
    std::vector<step_profile> body;  // of control flow: the steps of its bodies, as they were first met
};
struct run_profile {
    std::string model, level;  // level: the instruction set
    int threads = 1;
    std::vector<time_span> runs;      // whole runs
    std::vector<step_profile> steps;  // in the order of execution
};
std::string shapes_of(std::span<const step_profile::argument>);  // [1,3,8,8] [4,3,3,3]
std::string trace_of(
    const run_profile&);  // every run as JSON for chrome://tracing and Perfetto, "schema": "inlay.trace"

inline double median(std::vector<double> values) {  // 0 of nothing
    if (values.empty()) return 0;
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 ? *middle : (*middle + *std::max_element(values.begin(), middle)) / 2;
}
inline double median_seconds(std::span<const time_span> runs) {
    std::vector<double> seconds;
    for (const time_span& r : runs) seconds.push_back(r.seconds);
    return median(std::move(seconds));
}
}  // namespace v1
}  // namespace inlay
