// decode THREADS ROWS MODEL: a token of a decoder, with so many rows before it, in three ways: presents fetched and fed
// as the next pasts; a binding, which stays at one set of shapes; and a cache. In the first and the last, every run has
// shapes, and a plan, of its own. The model's other inputs are those that exporters give GPT-2: input_ids,
// attention_mask, position_ids.
#include <inlay/inlay.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {
// Feeds of ones and zeros for a decoder with `rows` rows before the token.
struct decoder_feeds {
    std::vector<inlay::feed> tokens, pasts, inputs;
    decoder_feeds(const auto& session, int rows) {
        for (const inlay::port& p : session.inputs()) {
            inlay::shape dims = p.shape;
            for (int a = 0; a < dims.rank; ++a) dims[a] = std::max<std::int64_t>(dims[a], 1);
            const bool past = dims.rank == 4;
            if (past) dims[2] = rows;
            if (p.name == "attention_mask") dims[1] = rows + 1;
            inlay::tensor t(p.type, dims);
            if (p.name == "attention_mask") std::ranges::fill(t.as<std::int64_t>(), 1);
            (past ? pasts : tokens).push_back({p.name, t});
            inputs.push_back({p.name, t});
        }
    }
};
}  // namespace

int main(int count, char** words) try {
    const int threads = count == 4 ? std::atoi(words[1]) : 0, rows = count == 4 ? std::atoi(words[2]) : -1, rounds = 40;
    if (threads < 1 || rows < 0) {
        std::fprintf(stderr, "decode THREADS ROWS MODEL\n");
        return 2;
    }
    const inlay::session session{inlay::model{words[3]}, inlay::cpu{.threads = threads}};
    inlay::kv_cache cache = session.make_cache(rows + rounds + 3);
    const std::vector<inlay::kv_cache::pair> pairs = cache.pairs();
    decoder_feeds feeds(session, rows);
    auto &tokens = feeds.tokens, &inputs = feeds.inputs;
    cache.assign(feeds.pasts);
    std::vector<std::pair<std::string_view, inlay::shape>> shapes;
    for (const inlay::feed& f : inputs) shapes.emplace_back(f.name, f.value.as_tensor()->shape());
    inlay::binding bound = session.bind(shapes);
    for (const inlay::feed& f : inputs) bound.set_input(f.name, *f.value.as_tensor());
    const auto timed = [](auto f) {
        const auto start = std::chrono::steady_clock::now();
        f();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    std::vector<double> fed, in_binding, in_cache;
    for (int round = -2; round < rounds; ++round) {  // the first two only warm up
        const auto mask = [length = cache.rows() + 1](std::vector<inlay::feed>& feeds) {
            for (inlay::feed& f : feeds)
                if (f.name == "attention_mask")
                    f.value = inlay::tensor({1, length}, std::vector<std::int64_t>(std::size_t(length), 1));
        };
        mask(inputs);
        const double a = timed([&] {
            const inlay::fetched results = session.run(inputs);
            for (const auto& pair : pairs)
                std::ranges::find(inputs, pair.past, &inlay::feed::name)->value = results.at(pair.present);
        });
        const double b = timed([&] {
            if (bound.run() != inlay::status::ok)
                throw inlay::error({inlay::error_code::provider_failed, std::string(bound.why())});
        });
        mask(tokens);
        const double c = timed([&] { (void)session.run(tokens, cache); });
        if (round < 0) continue;
        fed.push_back(a);
        in_binding.push_back(b);
        in_cache.push_back(c);
    }
    const auto in_place = std::ranges::count_if(cache.pairs(), [](const auto& pair) { return pair.in_place; });
    std::printf(
        "{\"threads\": %d, \"rows\": %d, \"in_place\": %d, \"fed_ms\": %.3f, \"binding_ms\": %.3f, \"cache_ms\": "
        "%.3f}\n",
        threads, rows, int(in_place), inlay::median(fed), inlay::median(in_binding), inlay::median(in_cache));
} catch (const inlay::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
