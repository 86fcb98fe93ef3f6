// RandomUniform and RandomUniformLike (since 1): low + (high - low) u. RandomNormal and RandomNormalLike (since 1):
// mean + scale z. Bernoulli (since 15): 1 where u < p, else 0. Multinomial (since 7): `sample_size` outcomes of each
// row of logarithms of probabilities, which need not sum to 1. u: uniform in [0, 1); z: normal; both of the node's
// stream (random_stream.hpp): with an attribute `seed` the same one in every run, else another one in each.
#pragma once
#include <inlay/support/any_float.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/random_stream.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct drawing : standard {
    static constexpr std::array constraints{v1::output(0)};
    static constexpr version_range versions{1, 22};
    static constexpr operator_facts facts{.pure = false};
};
struct drawing_of_shape : drawing {
    static constexpr int required_inputs = 0;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const auto dims = n.integers("shape");
        if (!n.has("shape")) return no("there is no attribute `shape`");
        if (dims.size() > std::size_t(max_rank)) return no("the shape has more than 8 dimensions");
        y[0] = {};
        for (const std::int64_t d : dims) {
            if (d < 0) return no("a dimension is negative");
            y[0].push_back(d);
        }
        return countable(y[0]) ? yes() : no("the output is too large");
    }
    static constexpr element output_type(const node_view& n, int) {
        return element_numbered(n.integer("dtype", std::int64_t(element::f32)));
    }
};
struct drawing_like : drawing {
    static constexpr operator_facts facts{.pure = false, .keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
    static constexpr element output_type(const node_view& n, int) {
        return n.has("dtype") ? element_numbered(n.integer("dtype", 0)) : n.input_type(0);
    }
};
struct random_uniform : drawing_of_shape {
    static constexpr std::string_view onnx_name = "RandomUniform";
};
struct random_uniform_like : drawing_like {
    static constexpr std::string_view onnx_name = "RandomUniformLike";
};
struct random_normal : drawing_of_shape {
    static constexpr std::string_view onnx_name = "RandomNormal";
};
struct random_normal_like : drawing_like {
    static constexpr std::string_view onnx_name = "RandomNormalLike";
};
struct bernoulli : drawing_like {
    static constexpr std::string_view onnx_name = "Bernoulli";
    static constexpr version_range versions{15, 22};
    static constexpr auto elements = each_type<raw<8>, raw<16>, raw<32>, raw<64>>;
};
struct multinomial : drawing {
    static constexpr std::string_view onnx_name = "Multinomial";
    static constexpr version_range versions{7, 22};
    static constexpr auto elements = each_type<std::int32_t, std::int64_t>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        const std::int64_t samples = n.integer("sample_size", 1);
        if (samples < 0) return no("sample_size is negative");
        if (x.rank >= 0 && x.rank != 2) return no("the input is not [batches, outcomes]");
        y[0] = {x.rank < 0 ? -1 : x[0], samples};
        if (x.rank == 2 && x[1] == 0) return no("there are no outcomes");
        if (x.rank == 2 && x[1] > std::numeric_limits<std::int32_t>::max()) return no("there are too many outcomes");
        return countable(y[0]) ? yes() : no("the output is too large");
    }
    static constexpr element output_type(const node_view& n, int) {
        return element_numbered(n.integer("dtype", std::int64_t(element::i32)));
    }
};
}  // namespace op

namespace drawing {
template <class Op> constexpr verdict check_type(const node_view& n) {
    return Op::output_type(n, 0) == n.output(0).type ? yes() : no("the output's type is not dtype, or the input's");
}
template <class T>
inline constexpr int precision = std::is_same_v<T, double>    ? 53
                                 : std::is_same_v<T, float>   ? 24
                                 : std::is_same_v<T, float16> ? 11
                                                              : 8;  // bits of a significand

template <class Op, class T> struct uniform_kernel : random_kernel {
    struct params {
        std::int64_t count;
        double low, high;
        random_seed seed;
    };
    static constexpr verdict supports(const node_view& n) {
        const double low = n.real("low", 0), high = n.real("high", 1);
        if (!(low <= high)) return no("low is above high");
        if (!(high - low <= std::numeric_limits<double>::max())) return no("low or high is infinite");
        return check_type<Op>(n);
    }
    static constexpr params prepare(const node_view& n) {
        return {n.output(0).dims.elements(), n.real("low", 0), n.real("high", 1), random_seed::of(n)};
    }
    static status run(const params& p, const random_state& s, const arguments& a, context& c) noexcept {
        const random_stream stream = s.stream(p.seed);
        T* y = a.out<T>(0);
        c.split((p.count + 1) / 2, 1 << 12, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                const auto pair = stream.pair(i);
                for (std::int64_t k = 2 * i; k < std::min(2 * i + 2, p.count); ++k) {
                    y[k] = T(p.low + (p.high - p.low) * random_stream::unit(pair[std::size_t(k % 2)], precision<T>));
                    if (static_cast<double>(y[k]) >= p.high) y[k] = T(p.low);  // it was rounded up
                }
            }
        });
        return status::ok;
    }
};
template <class Op, class T> struct normal_kernel : random_kernel {
    struct params {
        std::int64_t count;
        double mean, scale;
        random_seed seed;
    };
    static constexpr verdict supports(const node_view& n) {
        return n.real("scale", 1) >= 0 ? check_type<Op>(n) : no("scale is negative");
    }
    static constexpr params prepare(const node_view& n) {
        return {n.output(0).dims.elements(), n.real("mean", 0), n.real("scale", 1), random_seed::of(n)};
    }
    static status run(const params& p, const random_state& s, const arguments& a, context& c) noexcept {
        const random_stream stream = s.stream(p.seed);
        T* y = a.out<T>(0);
        c.split((p.count + 1) / 2, 1 << 10, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                const auto pair = stream.normal_pair(i);
                for (std::int64_t k = 2 * i; k < std::min(2 * i + 2, p.count); ++k)
                    y[k] = T(p.mean + p.scale * pair[std::size_t(k % 2)]);
            }
        });
        return status::ok;
    }
};
}  // namespace drawing
template <class T>
struct kernel<op::random_uniform, device::reference, types<T>> : drawing::uniform_kernel<op::random_uniform, T> {};
template <class T>
struct kernel<op::random_uniform_like, device::reference, types<T>>
    : drawing::uniform_kernel<op::random_uniform_like, T> {};
template <class T>
struct kernel<op::random_normal, device::reference, types<T>> : drawing::normal_kernel<op::random_normal, T> {};
template <class T>
struct kernel<op::random_normal_like, device::reference, types<T>> : drawing::normal_kernel<op::random_normal_like, T> {
};

template <int Bits> struct kernel<op::bernoulli, device::reference, types<raw<Bits>>> : random_kernel {
    struct params {
        std::int64_t count;
        element type;            // of the probabilities
        std::uint64_t one_bits;  // the bit pattern of 1
        random_seed seed;
    };
    static constexpr std::uint64_t one_of(element e) {
        switch (e) {
            case element::f16: return float16(1.f).bits;
            case element::bf16: return bfloat16(1.f).bits;
            case element::f32: return std::bit_cast<std::uint32_t>(1.f);
            case element::f64: return std::bit_cast<std::uint64_t>(1.);
            default: return is_integer(e) || e == element::boolean ? 1 : 0;
        }
    }
    static constexpr verdict supports(const node_view& n) {
        if (!is_any_float(n.input(0).type)) return no("the probabilities are not real numbers");
        return one_of(n.output(0).type) ? drawing::check_type<op::bernoulli>(n)
                                        : no("an output of this element type is not supported");
    }
    static constexpr params prepare(const node_view& n) {
        return {n.output(0).dims.elements(), n.input(0).type, one_of(n.output(0).type), random_seed::of(n)};
    }
    static status run(const params& p, const random_state& s, const arguments& a, context& c) noexcept {
        const random_stream stream = s.stream(p.seed);
        c.split(p.count, 1 << 12, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                const std::uint64_t code =
                    stream.uniform(i) < load_float<double>(p.type, a.inputs[0], i) ? p.one_bits : 0;
                std::memcpy(a.out<std::byte>(0) + i * (Bits / 8), &code, Bits / 8);  // the low bytes
            }
        });
        return status::ok;
    }
};

template <class T> struct kernel<op::multinomial, device::reference, types<T>> : random_kernel {
    struct params {
        std::int64_t rows, outcomes, samples;
        element type;
        random_seed seed;
    };
    static constexpr verdict supports(const node_view& n) {
        if (!is_any_float(n.input(0).type)) return no("the probabilities are not real numbers");
        return drawing::check_type<op::multinomial>(n);
    }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x[0], x[1], n.output(0).dims[1], n.input(0).type, random_seed::of(n)};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, p.outcomes * std::int64_t(sizeof(double)) * std::min<std::int64_t>(threads, p.rows)};
    }
    static status run(const params& p, const random_state& s, const arguments& a, context& c) noexcept {
        const random_stream stream = s.stream(p.seed);
        std::atomic<bool> wrong = false;
        c.split(p.rows, 1 + (1 << 12) / (p.outcomes + p.samples), [&](std::int64_t first, std::int64_t end, int part) {
            double* sums = reinterpret_cast<double*>(c.scratch) + part * p.outcomes;
            for (std::int64_t row = first; row < end; ++row) {
                if (!accumulate(p, a.inputs[0], row, sums)) {
                    wrong = true;
                    return;
                }
                const double total = sums[p.outcomes - 1];
                for (std::int64_t k = 0; k < p.samples; ++k) {
                    const double u = stream.uniform(row * p.samples + k) * total;
                    const double* place = std::upper_bound(sums, sums + p.outcomes, u);
                    if (place == sums + p.outcomes)  // u was rounded up: the last that has a probability
                        place = std::lower_bound(sums, sums + p.outcomes, total);
                    a.out<T>(0)[row * p.samples + k] = T(place - sums);
                }
            }
        });
        return wrong ? c.fail("a row has no probabilities") : status::ok;
    }

  private:
    // The sums of the probabilities, relative to the largest, up to each; false where none is above 0, or one is NaN.
    static bool accumulate(const params& p, const void* x, std::int64_t row, double* sums) noexcept {
        const auto at = [&](std::int64_t k) { return load_float<double>(p.type, x, row * p.outcomes + k); };
        double most = at(0), sum = 0;
        for (std::int64_t k = 1; k < p.outcomes; ++k) most = std::max(most, at(k));
        for (std::int64_t k = 0; k < p.outcomes; ++k) sums[k] = sum += std::exp(at(k) - most);
        return sum > 0;
    }
};
}  // namespace v1
}  // namespace inlay
