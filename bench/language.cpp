// language MODEL THREADS [PRECISION]: times of a language model, by request. Writes a line of JSON with load, the
// processor's time since the process began, and memory, then answers each line of standard input, `WHAT:NUMBER COUNT`,
// with a list of COUNT times in seconds:
//   decode:PAST   a token after so many others, each after the one before, with a cache: its mask grows every time
//   plain:PAST    the same token again and again, with pasts given and presents fetched
//   prefill:ROWS  a prompt of so many tokens, bound: inputs and outputs stay in their memory
// The model's inputs are those that exporters give decoders: input_ids, attention_mask, position_ids, and pasts.
#include <inlay/inlay.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <map>
#include <random>
#include <sstream>

namespace {
constexpr std::int64_t room = 1024;
using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point start) { return std::chrono::duration<double>(clock_type::now() - start).count(); }

long peak_kib() {
    std::FILE* const f = std::fopen("/proc/self/status", "r");
    long peak = -1;
    for (char line[256]; f && peak < 0 && std::fgets(line, sizeof(line), f);)
        (void)std::sscanf(line, "VmHWM: %ld", &peak);
    if (f) std::fclose(f);
    return peak;
}

class decoder {
    const inlay::session_base& session_;
    inlay::kv_cache cache_ = session_.make_cache(room);
    std::mt19937 random_{1};
    std::map<std::int64_t, inlay::binding> prompts_{};  // by rows

    // The inputs for `rows` tokens after `past` others.
    std::vector<inlay::feed> tokens(std::int64_t past, std::int64_t rows) {
        std::vector<inlay::feed> feeds;
        for (const inlay::port& p : session_.inputs()) {
            const bool mask = p.name == "attention_mask", ids = p.name == "input_ids",
                       places = p.name == "position_ids";
            if (!mask && !ids && !places) continue;
            inlay::tensor t(p.type, {1, mask ? past + rows : rows});
            const auto number = [&](std::int64_t i) {
                return mask ? 1 : ids ? std::int64_t(random_() % 500) : past + i;
            };
            for (std::int64_t i = 0; i < t.shape()[1]; ++i)
                if (p.type == inlay::element::i64)
                    t.as<std::int64_t>()[std::size_t(i)] = number(i);
                else
                    t.as<std::int32_t>()[std::size_t(i)] = std::int32_t(number(i));
            feeds.push_back({p.name, t});
        }
        return feeds;
    }
    std::vector<inlay::feed> pasts(std::int64_t rows) {
        std::vector<inlay::feed> feeds;
        for (const inlay::kv_cache::pair& pair : cache_.pairs()) {
            const auto ports = session_.inputs();
            const inlay::port& p = *std::ranges::find(ports, pair.past, &inlay::port::name);
            inlay::shape dims = p.shape;
            dims[0] = 1;
            for (int a = 1; a < dims.rank; ++a)
                if (dims[a] < 0) dims[a] = rows;
            inlay::tensor t(p.type, dims);
            std::uint32_t seed = 1;  // cheap, since load times include the first of these
            if (p.type == inlay::element::f32)
                for (float& x : t.as<float>()) x = float((seed = seed * 1664525 + 1013904223) >> 8) / (1 << 23) - 1;
            feeds.push_back({p.name, t});
        }
        return feeds;
    }
    inlay::binding prompt(std::int64_t rows) {
        auto feeds = tokens(0, rows);
        for (inlay::feed& f : pasts(0)) feeds.push_back(std::move(f));
        std::vector<std::pair<std::string_view, inlay::shape>> shapes;
        for (const inlay::feed& f : feeds) shapes.emplace_back(f.name, f.value.as_tensor()->shape());
        inlay::binding bound = session_.bind(shapes);
        for (const inlay::feed& f : feeds) bound.set_input(f.name, *f.value.as_tensor());
        return bound;
    }
    template <class F> static double timed(F f) {
        const auto start = clock_type::now();
        f();
        return since(start);
    }

  public:
    explicit decoder(const inlay::session_base& session) : session_(session) {}
    std::vector<double> decode(std::int64_t past, int count) {
        cache_.keep(0);
        cache_.assign(pasts(past));
        std::vector<double> times;
        for (int i = 0; i < count; ++i) {
            const auto feeds = tokens(cache_.rows(), 1);
            times.push_back(timed([&] { (void)session_.run(feeds, cache_); }));
        }
        return times;
    }
    std::vector<double> plain(std::int64_t past, int count) {
        auto feeds = tokens(past, 1);
        for (inlay::feed& f : pasts(past)) feeds.push_back(std::move(f));
        std::vector<double> times;
        for (int i = 0; i < count; ++i) times.push_back(timed([&] { (void)session_.run(feeds); }));
        return times;
    }
    std::vector<double> prefill(std::int64_t rows, int count) {
        auto entry = prompts_.find(rows);
        if (entry == prompts_.end()) entry = prompts_.emplace(rows, prompt(rows)).first;
        std::vector<double> times;
        for (int i = 0; i < count; ++i)
            times.push_back(timed([&] {
                if (entry->second.run() != inlay::status::ok)
                    throw inlay::error(inlay::error_code::provider_failed, std::string(entry->second.why()));
            }));
        return times;
    }
    std::int64_t in_place() const {
        return std::ranges::count_if(cache_.pairs(), [](const auto& pair) { return pair.in_place; });
    }
};

void answer(decoder& d) {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string phase;
        std::int64_t number = 0;
        int count = 0;
        std::getline(words, phase, ':');
        words >> number >> count;
        if (!words || number < 0 || count < 1)
            throw inlay::error(inlay::error_code::invalid_argument, "expected WHAT:NUMBER COUNT, found `" + line + "`");
        std::vector<double> times;
        if (phase == "decode")
            times = d.decode(number, count);
        else if (phase == "plain")
            times = d.plain(number, count);
        else if (phase == "prefill")
            times = d.prefill(number, count);
        else
            throw inlay::error(inlay::error_code::invalid_argument, "decode, plain or prefill, not `" + phase + "`");
        std::printf("[");
        for (std::size_t i = 0; i < times.size(); ++i) std::printf("%s%.7f", i ? ", " : "", times[i]);
        std::printf("]\n");
        std::fflush(stdout);
    }
}
}  // namespace

int main(int count, char** words) try {
    const int threads = count == 3 || count == 4 ? std::atoi(words[2]) : 0;
    inlay::precision precision{};
    if (threads < 1 || (count == 4 && !inlay::from_text(words[3], precision))) {
        std::fprintf(stderr, "language MODEL THREADS [standard|strict|bfloat16]\n");
        return 2;
    }
    const auto start = clock_type::now();
    const inlay::session session{inlay::model{words[1]}, inlay::cpu{.threads = threads, .precision = precision}};
    const double load_seconds = since(start);
    decoder d(session);
    const auto first = clock_type::now();
    (void)d.decode(64, 1);
    std::printf(
        "{\"load_s\": %.4f, \"first_run_s\": %.4f, \"processor_s\": %.4f, \"peak_mib\": %.1f, \"in_place\": %d}\n",
        load_seconds, since(first), double(std::clock()) / CLOCKS_PER_SEC, double(peak_kib()) / 1024,
        int(d.in_place()));
    std::fflush(stdout);
    answer(d);
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
