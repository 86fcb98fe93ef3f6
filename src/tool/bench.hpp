// Times of whole runs, and their ratios to earlier ones.
#pragma once
#include "profile.hpp"
#include "runner.hpp"
#include "terminal.hpp"

namespace inlay::tool {
struct bench_plan {             // how long to measure
    int warm_up = 3, runs = 0;  // runs: 0 for as many as `seconds` allow, but at least 15
    double seconds = 2;
};
struct bench_result {
    std::string model, providers;
    int threads = 0;
    std::string level;
    double load = 0, first = 0;  // seconds: until the session is ready; of the first run
    std::vector<double> times;   // in seconds, of the runs after the warm-up, in their order
    double resident_mib = 0,
           peak_mib = 0;  // peak: of this process while it loaded and ran the model, above what it had before
    std::optional<double> heap_calls;  // per run, all threads together
    std::optional<profile_table> profile;
    double at(double quantile) const;  // 0.5: the median
    double mean() const;
    std::vector<double> slices() const;  // medians of 15 parts of the runs
};
struct bench_subject {  // what is measured
    std::string model;
    input_arguments inputs;
    session_arguments session;
};
bench_result measure(const bench_subject&, const bench_plan&, bool roofline, progress&);

struct ratio {  // the other's time over this one's: above 1 this one is faster; low and high: 10 and 90 %
    double median, low, high;
};
ratio ratio_of(const std::vector<double>&);
ratio compare_slices(std::span<const double> former,
                     std::span<const double> now);  // of all pairs, for times that were not interleaved

// Two subjects whose runs are interleaved, so that what slows the machine slows both.
struct duel {
    bench_result first, second;
    int runs_per_turn = 1;
    std::vector<double> rounds;  // of each round: the other's median time over this one's
};
duel measure_in_turns(const bench_subject& first, const bench_subject& second, const bench_plan&, progress&);
json to_json(const bench_result&);
}  // namespace inlay::tool
