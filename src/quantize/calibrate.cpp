#include "calibrate.hpp"
#include <inlay/provider/cpu.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace quantizing {
namespace {
class watcher final : public step_watcher {
    const name_set& names_;
    const watched_model::use& use_;

  public:
    watcher(const name_set& names, const watched_model::use& use) : names_(names), use_(use) {}
    bool after(const watched_step& s) override {
        if (s.nodes().empty()) return true;  // it moves a value that was seen
        const graph_view& g = s.graph();
        for (const int id : s.outputs()) {
            const value& v = g.values[std::size_t(id)];
            if (v.type == element::f32 && names_.contains(v.name)) use_(std::string(v.name), s.output(id));
        }
        return true;
    }
};
session_options silent() {
    session_options o;
    o.log_severity_level = int(severity::error);
    return o;
}
// Sums over pairs of columns i >= j; the other half mirrors them at the end.
void add_moments(std::vector<float>& sums, std::span<const float> x, std::int64_t k) {
    for (std::size_t row = 0; row + std::size_t(k) <= x.size(); row += std::size_t(k))
        for (std::int64_t i = 0; i < k; ++i) {
            const float factor = x[row + std::size_t(i)];
            if (factor == 0) continue;
            float* const to = sums.data() + i * k;
            const float* const from = x.data() + row;
            for (std::int64_t j = 0; j <= i; ++j) to[j] += factor * from[j];
        }
}
void mirror(std::vector<float>& sums, std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < i; ++j) sums[std::size_t(j * k + i)] = sums[std::size_t(i * k + j)];
}
}  // namespace

watched_model::watched_model(const model& m) : session_(m, std::vector{make_handle(cpu{})}, silent()) {}
void watched_model::run(const calibration_data& data, std::size_t k, const name_set& names, const use& f) const {
    std::vector<feed> feeds;
    try {
        feeds = of_caller([&] { return data.sample(k); });
        watcher w(names, f);
        session_.watch(feeds, w);
    } catch (error& e) {
        e.text = "sample " + std::to_string(k) + " of the calibration data: " + e.text;
        throw;
    }
    for (const feed& in : feeds)
        if (const tensor* t = in.value.as_tensor(); t && t->type() == element::f32 && names.contains(in.name))
            f(std::string(in.name), lying_value{in.value});
}
std::vector<float> floats_of(const lying_value& v) {
    std::vector<float> floats(std::size_t(v.value.as_tensor()->elements()));
    std::size_t at = 0;
    v.read([&](std::span<const std::byte> part) {
        std::memcpy(reinterpret_cast<std::byte*>(floats.data()) + at, part.data(), part.size());
        at += part.size();
    });
    return floats;
}

std::map<std::string, measured_range, std::less<>> measure_ranges(const source_model& m, const name_set& values,
                                                                  const quantize_options& o) {
    const watched_model float_model(model_of(m.message()));
    std::map<std::string, histogram> histograms;
    name_set not_finite;
    phase p(o, "measuring ranges", std::int64_t(o.data.count));
    for (std::size_t k = 0; k < o.data.count; ++k, p.step())
        float_model.run(o.data, k, values, [&](const std::string& name, const lying_value& v) {
            if (not_finite.contains(name)) return;
            const std::vector<float> numbers = floats_of(v);
            if (std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); }))
                histograms[name].add(numbers);
            else
                not_finite.insert(name);
        });
    std::map<std::string, measured_range, std::less<>> ranges;
    for (const std::string& name : values) {
        const auto at = histograms.find(name);
        measured_range& r = ranges[name];
        if (not_finite.contains(name))
            r.why_none = "value `" + name + "` has infinite numbers or NaN";
        else if (at == histograms.end())
            r.why_none = "value `" + name + "` was not computed in the calibration runs";
        else
            r.range = o.method == range_method::percentile ? at->second.percentile(o.percentile)
                      : o.method == range_method::entropy  ? at->second.least_entropy()
                                                           : at->second.seen();
    }
    return ranges;
}
void measure_moments(const source_model& m, const std::map<std::string, std::int64_t>& values,
                     const quantize_options& o,
                     const std::function<void(const std::string&, std::vector<float>&&)>& use, std::int64_t room) {
    const watched_model float_model(model_of(m.message()));
    for (auto next = values.begin(); next != values.end();) {
        std::map<std::string, std::vector<float>, std::less<>> sums;
        name_set names;
        for (std::int64_t bytes = 0; next != values.end(); ++next) {
            const std::int64_t k = next->second;
            bytes += k * k * std::int64_t(sizeof(float));
            if (!sums.empty() && bytes > room) break;
            sums.emplace(next->first, std::vector<float>(std::size_t(k * k), 0.f));
            names.insert(next->first);
        }
        phase p(o, "measuring inputs of matrices", std::int64_t(o.data.count));
        for (std::size_t k = 0; k < o.data.count; ++k, p.step())
            float_model.run(o.data, k, names, [&](const std::string& name, const lying_value& v) {
                add_moments(sums.at(name), floats_of(v), values.at(name));
            });
        for (auto& [name, sum] : sums) {
            mirror(sum, values.at(name));
            if (!std::ranges::all_of(sum, [](float x) { return std::isfinite(x); }))
                refuse(error_code::invalid_argument,
                       "value `" + name + "` has numbers that are infinite, NaN or too large to be squared",
                       "exclude the nodes that read it");
            use(name, std::move(sum));
        }
    }
}
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
