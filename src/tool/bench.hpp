// Times of whole runs, and how they stand to former ones.
#pragma once
#include "profile.hpp"
#include "runner.hpp"

namespace inlay::tool {
struct bench_plan {  // how long to measure
    int warm_up = 3, runs = 0;   // runs: 0 for as many as `seconds` allow, 15 at least
    double seconds = 2;
};
struct bench_result {
    std::string model;
    int threads = 0;
    std::string level;
    double load = 0, first = 0;          // seconds: until the session is ready; of the first run
    std::vector<double> times;           // in seconds, of the runs after the warm-up, in their order
    double resident_mib = 0, peak_mib = 0;  // peak: of this process while it loaded and ran the model, beyond what it had before
    std::optional<double> heap_calls;    // per run, all threads together
    std::optional<profile_table> profile;
    double at(double quantile) const;    // 0.5: the median
    double mean() const;
    std::vector<double> slices() const;  // medians of 15 parts of the runs
};
bench_result measure(const std::string& model, const input_arguments&, const session_arguments&, const bench_plan&, bool roofline, class progress&);

struct ratio { double median, low, high; };  // of the former time to this one: above 1 this one is faster; low and high: 10 and 90 % of the ratios of slices
ratio compare_slices(std::span<const double> former, std::span<const double> now);
json to_json(const bench_result&);
}  // namespace inlay::tool
