// DFT (since 17): the discrete Fourier transform along an axis, X[k] = sum of x[i] e^(-2 pi j k i / n) over i < n, or
// its inverse, with e^(2 pi j k i / n) and divided by n. The last axis holds real numbers [.., 1] or complex ones
// [.., 2]; n is the axis's length or input 1, which cuts the signal or pads it by zeros. `onesided`: of real numbers
// only the first n / 2 + 1 frequencies, the inverse of which has real numbers. The axis is an attribute (1 unless
// given), since 20 input 2 (-2).
// STFT (since 17): the transforms of frames of a signal [batches, length, 1 or 2], each `frame_step` after the one
// before and multiplied by the window. Inputs: signal, frame_step, window, frame_length.
// Both are computed in double.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/fourier.hpp>

namespace inlay {
inline namespace v1 {
// A scalar input of a node; unknown where it is not constant.
struct number_given {
    bool present = false, is_known = false;
    std::int64_t value = 0;
    static constexpr number_given of(const node_view& n, int k) {
        if (!n.has_input(k)) return {};
        const auto list = n.input_integers(k);
        const bool is_known = list && list->size() == 1;
        return {true, is_known, is_known ? (*list)[0] : 0};
    }
    static constexpr verdict check(const node_view& n, int k, std::string_view reason) {
        if (!n.has_input(k)) return yes();
        const bool integer = n.input(k).type == element::i64 || n.input(k).type == element::i32;
        return integer && (!n.input(k).dims.known() || n.input(k).dims.elements() == 1) ? yes() : no(reason);
    }
};
struct dft_geometry {
    int axis = -1;             // -1: not known
    std::int64_t length = -1;  // n; likewise
    bool inverse = false, onesided = false;
    static constexpr verdict read(const node_view& n, dft_geometry& g) {
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        if (x.rank < 2) return no("the input has fewer than two axes");
        const std::int64_t parts = x[x.rank - 1];
        if (parts >= 0 && parts != 1 && parts != 2) return no("the last axis has neither real nor complex numbers");
        g.inverse = n.integer("inverse", 0) != 0;
        g.onesided = n.integer("onesided", 0) != 0;
        if (g.onesided && parts == (g.inverse ? 1 : 2))
            return no(g.inverse ? "the inverse of onesided frequencies is of complex numbers"
                                : "onesided frequencies are of real numbers");
        if (const verdict v = number_given::check(n, 1, "dft_length is no single integer"); !v) return v;
        if (n.version() >= 20)
            if (const verdict v = number_given::check(n, 2, "axis is no single integer"); !v) return v;
        const number_given axis = n.version() >= 20 ? number_given::of(n, 2)
                                                    : number_given{true, true, n.integer("axis", 1)},
                           length = number_given::of(n, 1);
        if (axis.present && !axis.is_known) return yes();
        g.axis = normal_axis(axis.present ? axis.value : -2, x.rank);
        if (g.axis < 0 || g.axis == x.rank - 1) return no("axis is out of range");
        if (length.present && !length.is_known) return yes();
        g.length = length.present                 ? length.value
                   : x[g.axis] < 0 || !g.onesided ? x[g.axis]
                   : g.inverse && x[g.axis] > 0   ? 2 * (x[g.axis] - 1)
                                                  : x[g.axis];
        if ((length.present || x[g.axis] >= 0) && g.length < 1) return no("there is nothing to transform");
        if (g.length > fourier::longest) return no("dft_length is too large");
        return yes();
    }
};
namespace op {
struct dft : standard {
    static constexpr std::string_view onnx_name = "DFT";
    static constexpr version_range versions{17, 20};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        dft_geometry g;
        if (const verdict v = dft_geometry::read(n, g); !v || g.axis < 0) return v;
        y[0] = n.input(0).dims;
        y[0][y[0].rank - 1] = g.inverse && g.onesided ? 1 : 2;
        y[0][g.axis] = g.length < 0 ? -1 : g.onesided && !g.inverse ? g.length / 2 + 1 : g.length;
        return yes();
    }
};
struct stft : standard {
    static constexpr std::string_view onnx_name = "STFT";
    static constexpr version_range versions{17, 17};
    static constexpr int required_inputs = 2;
    static constexpr bool onesided(const node_view& n) { return n.integer("onesided", 1) != 0; }
    // [batches, length, 1 or 2]; PyTorch writes real signals without the last axis.
    static constexpr shape signal(const node_view& n) {
        shape x = n.input(0).dims;
        if (x.rank == 2) x.push_back(1);
        return x;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape x = signal(n);
        if (x.rank < 0) return yes();
        if (x.rank != 3) return no("the signal is neither [batches, length] nor [batches, length, 1 or 2]");
        if (x[2] >= 0 && x[2] != 1 && x[2] != 2) return no("the last axis has neither real nor complex numbers");
        if (x[2] == 2 && onesided(n)) return no("onesided frequencies are of real numbers");
        if (const verdict v = number_given::check(n, 1, "frame_step is no single integer"); !v) return v;
        if (const verdict v = number_given::check(n, 3, "frame_length is no single integer"); !v) return v;
        const number_given step = number_given::of(n, 1), frame_length = number_given::of(n, 3);
        std::int64_t length = frame_length.is_known ? frame_length.value : -1;
        if (n.has_input(2)) {
            const shape& w = n.input(2).dims;
            if (n.input(2).type != n.input(0).type) return no("signal and window are of different types");
            if (w.rank >= 0 && w.rank != 1) return no("the window has not one axis");
            if (w.known() && frame_length.is_known && w[0] != frame_length.value)
                return no("the window is not of frame_length");
            if (w.known()) length = w[0];
        } else if (!frame_length.present)
            length = x[1];
        if (step.is_known && step.value < 1) return no("frame_step is not positive");
        if ((frame_length.is_known || length >= 0) && length < 1) return no("a frame has no elements");
        if (length > fourier::longest) return no("frame_length is too large");
        if (x[1] >= 0 && length > x[1]) return no("a frame is longer than the signal");
        y[0] = {x[0], step.is_known && length > 0 && x[1] >= 0 ? (x[1] - length) / step.value + 1 : -1,
                length < 0    ? -1
                : onesided(n) ? length / 2 + 1
                              : length,
                2};
        return yes();
    }
};
}  // namespace op

// Common to both kernels on lines of numbers: the table first, then the lines, each on one thread.
struct fourier_lines {
    fourier transform;
    constexpr bytes_needed footprint(std::int64_t lines, int threads) const {
        if (lines == 0) return {};
        return {0, std::int64_t(sizeof(complex_number)) *
                       (transform.table_size() + transform.work_size() * (threads > 1 ? threads : 1))};
    }
    // load(line, x) writes length() numbers to x, store(line, y) reads them from y.
    template <class Load, class Store>
    status run(std::int64_t lines, context& c, Load load, Store store) const noexcept {
        if (lines == 0) return status::ok;
        auto* table = reinterpret_cast<complex_number*>(c.scratch);
        complex_number* works = table + transform.table_size();
        stop_check first_stop(c);
        if (!transform.fill(table, works, first_stop)) return c.end_of_run();
        std::atomic<bool> is_stopped = false;
        c.split(lines, 1 + (1 << 12) / transform.length(), [&](std::int64_t first, std::int64_t end, int part) {
            complex_number* work = works + part * transform.work_size();
            stop_check stop(c);
            for (std::int64_t line = first; line < end && !is_stopped; ++line) {
                load(line, work);
                const complex_number* y = transform(table, work, stop);
                if (y)
                    store(line, y);
                else
                    is_stopped = true;
            }
        });
        return is_stopped ? c.end_of_run() : status::ok;
    }
};

template <class T> struct kernel<op::dft, device::reference, types<T>> : simple_kernel {
    struct params {
        fourier_lines lines;
        std::int64_t outer, inner, input_length, output_length;  // lengths: of the axis
        int parts;                                               // of an input's number
        bool inverse, onesided;
    };
    static constexpr verdict supports(const node_view& n) {
        dft_geometry g;
        const verdict v = dft_geometry::read(n, g);
        return v && g.length < 1 ? no("axis and dft_length are not known") : v;
    }
    static constexpr params prepare(const node_view& n) {
        dft_geometry g;
        (void)dft_geometry::read(n, g);
        const shape &x = n.input(0).dims, &y = n.output(0).dims;
        return {{fourier(g.length)},
                x.elements(0, g.axis),
                x.elements(g.axis + 1, x.rank - 1),
                x[g.axis],
                y[g.axis],
                int(x[x.rank - 1]),
                g.inverse,
                g.onesided};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return p.lines.footprint(p.outer * p.inner, threads);
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t n = p.lines.transform.length();
        const bool real = p.inverse && p.onesided;
        const std::int64_t used = std::min(p.input_length, real ? n / 2 + 1 : n);
        const auto load = [&](std::int64_t line, complex_number* x) {
            const T* from = a.in<T>(0) + (line / p.inner * p.input_length * p.inner + line % p.inner) * p.parts;
            for (std::int64_t k = 0; k < n; ++k) x[k] = {};
            for (std::int64_t k = 0; k < used; ++k, from += p.inner * p.parts) {
                x[k] = {double(from[0]), p.parts == 2 ? double(from[1]) : 0};
                if (p.inverse) x[k] = x[k].conjugate();
                if (real && (k == 0 || 2 * k == n)) x[k].imaginary = 0;
                if (real && k > 0 && 2 * k < n) x[n - k] = x[k].conjugate();
            }
        };
        const double scale = p.inverse ? 1 / double(n) : 1;
        return p.lines.run(p.outer * p.inner, c, load, [&](std::int64_t line, const complex_number* y) {
            const int part_count = real ? 1 : 2;
            T* to = a.out<T>(0) + (line / p.inner * p.output_length * p.inner + line % p.inner) * part_count;
            for (std::int64_t k = 0; k < p.output_length; ++k, to += p.inner * part_count) {
                to[0] = T(y[k].real * scale);
                if (!real) to[1] = T(y[k].imaginary * (p.inverse ? -scale : scale));
            }
        });
    }
};

template <class T> struct kernel<op::stft, device::reference, types<T>> : simple_kernel {
    struct params {
        fourier_lines lines;
        std::int64_t batches, frames, step, signal, bins;
        int parts, length_bytes;  // the latter: of frame_length, where it is not known before a run; else 0
        bool windowed;
    };
    static constexpr std::int64_t length_of(const node_view& n) {
        return n.has_input(2) ? n.input(2).dims[0] : n.has_input(3) ? number_given::of(n, 3).value : n.input(0).dims[1];
    }
    static constexpr verdict supports(const node_view& n) {
        return number_given::of(n, 1).value > 0 && length_of(n) > 0 ? yes()
                                                                    : no("frame_step and frame_length are not known");
    }
    static constexpr params prepare(const node_view& n) {
        const shape x = op::stft::signal(n), &y = n.output(0).dims;
        return {{fourier(length_of(n))},
                x[0],
                y[1],
                number_given::of(n, 1).value,
                x[1],
                y[2],
                int(x[2]),
                n.has_input(3) && !number_given::of(n, 3).is_known ? bits_of(n.input(3).type) / 8 : 0,
                n.has_input(2)};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return p.lines.footprint(p.batches * p.frames, threads);
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t n = p.lines.transform.length();
        if (p.length_bytes && (p.length_bytes == 8 ? *a.in<std::int64_t>(3) : *a.in<std::int32_t>(3)) != n)
            return c.fail("the window is not of frame_length");
        const T* window = p.windowed ? a.in<T>(2) : nullptr;
        const auto load = [&](std::int64_t line, complex_number* x) {
            const T* from = a.in<T>(0) + (line / p.frames * p.signal + line % p.frames * p.step) * p.parts;
            for (std::int64_t k = 0; k < n; ++k, from += p.parts) {
                const double w = window ? double(window[k]) : 1;
                x[k] = {double(from[0]) * w, p.parts == 2 ? double(from[1]) * w : 0};
            }
        };
        return p.lines.run(p.batches * p.frames, c, load, [&](std::int64_t line, const complex_number* y) {
            T* to = a.out<T>(0) + line * p.bins * 2;
            for (std::int64_t k = 0; k < p.bins; ++k) {
                to[2 * k] = T(y[k].real);
                to[2 * k + 1] = T(y[k].imaginary);
            }
        });
    }
};
}  // namespace v1
}  // namespace inlay
