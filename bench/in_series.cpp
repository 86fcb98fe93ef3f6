// in_series THREADS MODEL MODEL...: whether sessions that run one after another, each with threads of its own, cost the
// sum of what each costs by itself. Every round runs each model some times in a row, then all interleaved. Inputs
// are zeros, free dimensions 1.
#include <inlay/inlay.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int count, char** words) try {
    const int threads = count > 3 ? std::atoi(words[1]) : 0, rounds = 15, runs = 5;
    if (threads < 1) {
        std::fprintf(stderr, "in_series THREADS MODEL MODEL...\n");
        return 2;
    }
    std::vector<inlay::session<inlay::cpu>> sessions;
    std::vector<inlay::binding> bound;
    for (int k = 2; k < count; ++k) {
        const inlay::model m{words[k]};
        std::vector<std::pair<std::string_view, inlay::shape>> shapes;
        for (const inlay::port& p : m.inputs()) {
            shapes.emplace_back(p.name, p.shape);
            for (int a = 0; a < p.shape.rank; ++a) shapes.back().second[a] = std::max<std::int64_t>(p.shape[a], 1);
        }
        sessions.emplace_back(m, inlay::cpu{.threads = threads});
        bound.push_back(sessions.back().bind(shapes));
    }
    const auto milliseconds = [&](int k, int times) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < times; ++i)
            if (bound[std::size_t(k)].run() != inlay::status::ok)
                throw inlay::error({inlay::error_code::provider_failed, std::string(bound[std::size_t(k)].why())});
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    const int models = int(bound.size());
    std::vector<double> ratios, alone, together;
    for (int round = -1; round < rounds; ++round) {  // the first only warms up
        double sum = 0, turns = 0;
        for (int k = 0; k < models; ++k) sum += milliseconds(k, runs);
        for (int i = 0; i < runs; ++i)
            for (int k = 0; k < models; ++k) turns += milliseconds(k, 1);
        if (round < 0) continue;
        alone.push_back(sum / runs);
        together.push_back(turns / runs);
        ratios.push_back(turns / sum);
    }
    std::ranges::sort(ratios);
    std::printf(
        "{\"threads\": %d, \"sum_of_parts_ms\": %.3f, \"in_series_ms\": %.3f, \"ratio\": {\"median\": %.3f, \"p10\": "
        "%.3f, \"p90\": %.3f}}\n",
        threads, inlay::median(alone), inlay::median(together), ratios[rounds / 2], ratios[rounds / 10],
        ratios[rounds - 1 - rounds / 10]);
} catch (const inlay::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
