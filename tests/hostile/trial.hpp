// What a model file gets: it is loaded, planned and run with zeros, by the fast and by the reference kernels.
#pragma once
#include <inlay/inlay.hpp>
#include <inlay/provider/reference.hpp>
#include <sstream>

namespace inlay::testing {
inline any_value zeros_for(const port& p) {
    if (p.kind == value_kind::sequence) return sequence{};
    if (p.kind == value_kind::map) return map{};
    if (p.kind == value_kind::optional) return optional_value{};
    shape dims = p.shape.rank < 0 ? shape{2} : p.shape;
    std::int64_t count = 1;
    for (int i = 0; i < dims.rank; ++i) {
        if (dims[i] < 0) dims[i] = 2;
        if (__builtin_mul_overflow(count, dims[i], &count) || count > 1 << 22)
            raise({error_code::invalid_argument,
                   "the trial has no such large input as `" + p.name + "` " + to_string(dims)});
    }
    return tensor(p.type, dims);
}

template <class Provider> void try_provider(const model& m, Provider p, std::chrono::milliseconds time) {
    session_options o;
    o.intra_op_num_threads = 1;
    o.fallback = fallback::never();
    if constexpr (std::is_same_v<Provider, cpu>) o.fallback = fallback::implicit_cpu();
    const session s{m, o, p};
    std::ostringstream plan;
    plan << s.plan();
    std::vector<any_value> values;
    for (const port& in : s.inputs()) values.push_back(zeros_for(in));
    std::vector<feed> feeds;
    for (std::size_t k = 0; k < values.size(); ++k) feeds.push_back({s.inputs()[k].name, values[k]});
    run_options r;
    r.deadline = std::chrono::steady_clock::now() + time;
    (void)s.run(feeds, {}, r);
}

// "load: ok; cpu: invalid_value: ...; reference: ok": nothing but inlay::error is caught.
template <class Source>
std::string trial(const Source& file, const model_options& o = {},
                  std::chrono::milliseconds time = std::chrono::seconds(3)) {
    std::string answer;
    const auto stage = [&](std::string name, auto f) {
        answer += (answer.empty() ? "" : "; ") + name + ": ";
        try {
            f();
            answer += "ok";
            return true;
        } catch (const error& e) {
            answer += std::string(name_of(e.code)) + ": " + e.text;
            return false;
        }
    };
    std::optional<model> m;
    if (!stage("load", [&] { m = model::try_load(file, o).value_or_raise(); })) return answer;
    stage("cpu", [&] { try_provider(*m, cpu{}, time); });
    stage("reference", [&] { try_provider(*m, reference{}, time); });
    return answer;
}
}  // namespace inlay::testing
