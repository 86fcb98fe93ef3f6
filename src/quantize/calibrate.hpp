// Runs of the float32 model on calibration data: ranges of values, and second moments of the inputs of matmuls.
// The latter are for GPTQ.
#pragma once
#include "engine/watch.hpp"
#include "histogram.hpp"
#include "source.hpp"
#include <inlay/quantize.hpp>

namespace inlay {
inline namespace v1 {
namespace quantizing {
using name_set = std::set<std::string, std::less<>>;
// Exceptions of the caller's functions reach the caller unchanged, except errors of Inlay, which are reported where
// they occurred.
template <class F> auto of_caller(F f) {
    try {
        return f();
    } catch (const error&) {
        throw;
    } catch (...) {
        throw loading::callers_exception{std::current_exception()};
    }
}
// Reports the progress of a phase to the caller.
struct phase {
    const quantize_options& o;
    std::string_view name;
    std::int64_t total, position = 0;
    phase(const quantize_options& options, std::string_view name, std::int64_t of) : o(options), name(name), total(of) {
        tell();
    }
    void step() {
        ++position;
        tell();
    }

  private:
    void tell() const {
        if (o.progress) of_caller([&] { o.progress(name, position, total); });
    }
};

// A model that is run step by step on the CPU; its values are visited one by one, so that memory stays that of a
// run.
class watched_model {
    watched_session session_;

  public:
    explicit watched_model(const model&);
    using use = std::function<void(const std::string& name, const lying_value&)>;
    // `f` sees the values of these names that are float32 tensors, inputs included. Errors name the sample.
    void run(const calibration_data&, std::size_t k, const name_set& names, const use& f) const;
};
std::vector<float> floats_of(const lying_value&);

struct measured_range {
    value_range range{};
    std::string why_none{};  // empty: there is a range
};
// Of these values over all samples.
std::map<std::string, measured_range, std::less<>> measure_ranges(const source_model&, const name_set& values,
                                                                  const quantize_options&);
// For each value, whose last axis has k numbers: the sum of x x' over its rows, k x k. Needs as many passes over the
// data as the limit `room` in bytes requires, with at least one value in each. `use` may move the sums away.
void measure_moments(const source_model&, const std::map<std::string, std::int64_t>& values, const quantize_options&,
                     const std::function<void(const std::string& name, std::vector<float>&& moments)>& use,
                     std::int64_t room = std::int64_t(1) << 30);
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay
