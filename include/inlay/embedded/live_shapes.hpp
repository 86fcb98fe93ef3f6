// Shapes that change while the program runs: free dimensions within their bounds, and outputs whose size depends on
// values. The memory plan stays that of the upper bounds; here are the current shapes, and the parameters that
// follow from them.
#pragma once
#include "weights.hpp"

namespace inlay {
inline namespace v1 {
namespace detail {
template <class Model, class Planned, int T, step_work = step_facts<Model, Planned, T>::work> struct live_params {
    std::remove_const_t<decltype(step_kernel<Model, Planned, T>::params)> value =
        step_kernel<Model, Planned, T>::params;
};
template <class Model, class Planned, int T> struct live_params<Model, Planned, T, step_work::transfer> {};

template <class Weights, class Steps = std::make_integer_sequence<int, Weights::step_count>> class live_shapes;
template <class Weights, int... Steps>
class live_shapes<Weights, std::integer_sequence<int, Steps...>>
    : live_params<typename Weights::model, typename Weights::planned, Steps>... {
    using model = typename Weights::model;
    using planned = typename Weights::planned;
    static constexpr auto& plan = planned::plan;
    std::array<value, planned::graph.values.size()> values_;
    std::array<std::int64_t, std::max<std::size_t>(planned::graph.integers.size(), 1)> integers_{};
    graph_view view_ = planned::graph;

  public:
    live_shapes() noexcept {
        std::ranges::copy(planned::graph.values, values_.begin());
        std::ranges::copy(planned::graph.integers, integers_.begin());
        view_.values = values_;
        view_.integers = std::span(integers_).first(planned::graph.integers.size());
    }
    live_shapes(const live_shapes&) = delete;
    live_shapes& operator=(const live_shapes&) = delete;
    const value& record(int id) const noexcept { return values_[std::size_t(id)]; }
    std::size_t bytes(int id) const noexcept {
        return std::size_t(bytes_of(record(id).type, record(id).dims.elements()));
    }
    void set_dimension(int d, std::int64_t size) noexcept {
        for (std::size_t k = 0; k < planned::graph.inputs.size(); ++k)
            for (int i = 0; i < model::input_shapes[k].rank; ++i)
                if (model::input_shapes[k][i] == -2 - d) values_[std::size_t(planned::graph.inputs[k])].dims[i] = size;
    }
    template <int T> const auto& params() const noexcept {
        return static_cast<const live_params<model, planned, T>&>(*this).value;
    }

    // The step's output shapes and parameters, from its inputs' shapes, and its scratch. Empty, or why it cannot run:
    // static text.
    template <int T> std::string_view prepare(std::int64_t& scratch) noexcept {
        constexpr step s = plan.steps[T];
        using facts = step_facts<model, planned, T>;
        if constexpr (facts::work == step_work::transfer)
            return {};
        else {
            using K = typename Weights::template kernel_at<T>;
            auto& params = static_cast<live_params<model, planned, T>&>(*this).value;
            if constexpr (facts::work == step_work::conversion)
                params = K::type::prepare(record(facts::copied).dims, plan.layouts[std::size_t(s.outputs.first)]);
            else {
                constexpr entry e = K::facts;
                const node_view n{view_, planned::graph.unit(s.unit), plan.layouts.data() + s.inputs.first,
                                  std::span(plan.pitches).subspan(std::size_t(s.inputs.first))};
                std::array<shape, std::size_t(s.outputs.count)> dims;
                dims.fill(shape::unknown());
                if (const verdict answer = K::op::shapes(n, dims); !answer) return answer.reason;
                for (int k = 0; k < s.outputs.count; ++k) {
                    const int id = plan.arguments[std::size_t(s.outputs.first + k)];
                    if (id < 0 || e.data_dependent)
                        continue;  // until the kernel reports its shape they stay at their bounds
                    const auto& most = planned::graph.values[std::size_t(id)];
                    const shape& y = dims[std::size_t(k)];
                    if (!y.known()) return "the shape of an output cannot be determined";
                    if (y.elements() > most.dims.elements()) return "an output is larger than at the upper bounds";
                    values_[std::size_t(id)].dims = y;
                }
                if constexpr (e.data_dependent)
                    for (int k = s.outputs.first; k < s.outputs.first + s.outputs.count; ++k)
                        if (const int id = plan.arguments[std::size_t(k)]; id >= 0)
                            values_[std::size_t(id)].dims = planned::graph.values[std::size_t(id)].dims;
                if (const verdict runs = K::type::supports(n); !runs) return runs.reason;
                if constexpr (e.shares == reuse::in_place && s.inputs.count > 0 && s.outputs.count > 0) {
                    constexpr int in = plan.arguments[std::size_t(s.inputs.first)],
                                  out = plan.arguments[std::size_t(s.outputs.first)];
                    if constexpr (in >= 0 && out >= 0 &&
                                  plan.roots[std::size_t(std::max(in, 0))] == plan.roots[std::size_t(std::max(out, 0))])
                        if (bytes(original(in)) != bytes(out))
                            return "an operator that works in place at the upper bounds would broadcast";
                }
                params = K::type::prepare(n);
                for (isa::level l : isa::linked)
                    scratch = std::max(scratch, K::type::footprint(params, l, planned::threads).scratch);
            }
            return {};
        }
    }
    // Values that shape rules read are copied to the host, where the step has produced them.
    template <int T> void read_contents(void* const* outputs) noexcept {
        constexpr step s = plan.steps[T];
        if constexpr (s.unit >= 0) [&]<int... K>(std::integer_sequence<int, K...>) {
                (read_output<plan.arguments[std::size_t(s.outputs.first + K)]>(outputs[K]), ...);
            }
        (std::make_integer_sequence<int, s.outputs.count>{});
    }
    // A data-dependent kernel reports the shape of output k of step T; false where it is larger than its bound.
    bool tell(int id, const shape& dims) noexcept {
        if (id < 0 || !dims.known() || dims.elements() > planned::graph.values[std::size_t(id)].dims.elements())
            return false;
        values_[std::size_t(id)].dims = dims;
        return true;
    }

  private:
    static constexpr int original(int id) {  // of a copy: the value
        while (id >= int(planned::graph.values.size()))
            id = plan.copies[std::size_t(id) - planned::graph.values.size()].source;
        return id;
    }
    template <int Id> void read_output(const void* data) noexcept {
        if constexpr (Id >= 0 && Id < int(planned::graph.values.size())) {
            constexpr value most = planned::graph.values[std::size_t(std::max(Id, 0))];
            if constexpr (most.kind == contents::integers && !most.is_constant()) {
                static_assert(most.type == element::i64 || most.type == element::i32 || most.type == element::boolean,
                              "inlay::embedded: sizes are computed in int64, int32 or bool");
                value& v = values_[std::size_t(Id)];
                v.list.count = int(v.dims.elements());
                for (int i = 0; i < v.list.count; ++i)
                    integers_[std::size_t(v.list.first + i)] =
                        most.type == element::i64   ? static_cast<const std::int64_t*>(data)[i]
                        : most.type == element::i32 ? static_cast<const std::int32_t*>(data)[i]
                                                    : static_cast<const std::uint8_t*>(data)[i] != 0;
            }
        }
    }
};
// Where every shape is known to the compiler.
struct no_live_shapes {};
}  // namespace detail
}  // namespace v1
}  // namespace inlay
