// Mirrors kernels/inlay/onnx/dft.hpp.
#include "../elementwise.hpp"
#include <inlay/onnx/dft.hpp>
#include <complex>
#include <numbers>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
struct options {
    std::int64_t inverse = 0, onesided = 0;
    std::optional<std::int64_t> axis{};  // of version 17
};
attributes how(options o) {
    return [=](graph_data& g) {
        std::vector list{g.make("inverse", o.inverse), g.make("onesided", o.onesided)};
        if (o.axis) list.push_back(g.make("axis", *o.axis));
        return list;
    };
}
tensor scalar(std::int64_t x) { return tensor(shape{}, {x}); }
call of(tensor x, operand length, operand axis, options o = {}) {
    return {.inputs = {std::move(x), std::move(length), std::move(axis)}, .with = how(o)};
}
outcome tried(const call& c) { return run<op::dft, device::reference>(c); }

// The definition, along the axis of length n of [outer, n, inner], which is padded or cut to `length`.
using complex_line = std::vector<std::complex<double>>;
complex_line direct(const complex_line& x, std::int64_t length, bool inverse) {
    complex_line y(static_cast<std::size_t>(length));
    for (std::int64_t k = 0; k < length; ++k) {
        for (std::int64_t i = 0; i < std::min<std::int64_t>(length, std::int64_t(x.size())); ++i)
            y[std::size_t(k)] += x[std::size_t(i)] * std::polar(1., (inverse ? 2 : -2) * std::numbers::pi *
                                                                        double(k * i % length) / double(length));
        if (inverse) y[std::size_t(k)] /= double(length);
    }
    return y;
}
template <class T> tensor expected(const tensor& x, std::int64_t length, int axis, options o) {
    const shape d = x.shape();
    const std::int64_t outer = d.elements(0, axis), input_length = d[axis], inner = d.elements(axis + 1, d.rank - 1),
                       parts = d[d.rank - 1];
    const bool real = o.inverse && o.onesided;
    shape e = d;
    e[axis] = o.onesided && !o.inverse ? length / 2 + 1 : length;
    e[d.rank - 1] = real ? 1 : 2;
    tensor y(element_of<T>, e);
    for (std::int64_t line = 0; line < outer * inner; ++line) {
        complex_line v;
        for (std::int64_t k = 0; k < input_length; ++k) {
            const T* at = x.as<T>().data() + ((line / inner * input_length + k) * inner + line % inner) * parts;
            v.push_back({double(at[0]), parts == 2 ? double(at[1]) : 0});
        }
        if (real) {  // the other half of the frequencies
            v.resize(std::size_t(length / 2 + 1));
            v[0] = v[0].real();
            if (length % 2 == 0) v[std::size_t(length / 2)] = v[std::size_t(length / 2)].real();
            for (std::int64_t k = length / 2 + 1; k < length; ++k) v.push_back(std::conj(v[std::size_t(length - k)]));
        }
        const complex_line w = direct(v, length, o.inverse != 0);
        for (std::int64_t k = 0; k < e[axis]; ++k) {
            T* at = y.as<T>().data() + ((line / inner * e[axis] + k) * inner + line % inner) * (real ? 1 : 2);
            at[0] = T(w[std::size_t(k)].real());
            if (!real) at[1] = T(w[std::size_t(k)].imag());
        }
    }
    return y;
}
template <class T> bool near(const tensor& result, const tensor& expected, double tolerance) {  // zeros of either sign
    for (tensor t : {result, expected})
        for (T& v : t.as<T>()) v = static_cast<T>(static_cast<double>(v) + 0.);
    return same<T>(result, expected, tolerance);
}
double tolerance_of(element e) {
    return e == element::f16 ? 2e-3 : e == element::bf16 ? 2e-2 : e == element::f32 ? 1e-5 : 1e-11;
}
}  // namespace

TEMPLATE_TEST_CASE("DFT of every type, forwards, backwards, of real and complex numbers, on one side and both", "",
                   float, double, float16, bfloat16) {
    using T = TestType;
    for (const std::int64_t parts : {1, 2})
        for (const std::int64_t inverse : {0, 1})
            for (const std::int64_t onesided : {0, 1}) {
                if (onesided && parts == (inverse ? 1 : 2)) continue;
                CAPTURE(parts, inverse, onesided);
                const tensor x = random_tensor<T>({2, 6, 5, parts}, 3);
                for (int axis : {0, 1, 2})
                    for (std::int64_t length : {1, 4, 5, 6, 9, 12}) {
                        CAPTURE(axis, length);
                        const options o{inverse, onesided, {}};
                        call c = of(x, operand::weight(scalar(length)), operand::weight(scalar(axis)), o);
                        c.threads = 1 + int(length % 3);
                        CHECK(
                            near<T>(on_reference<op::dft>(c), expected<T>(x, length, axis, o), tolerance_of(x.type())));
                    }
            }
}
TEST_CASE("DFT of four numbers, as by hand") {
    CHECK(near<float>(on_reference<op::dft>({{list<float>({1, 2, 3, 4}).reshaped({1, 4, 1})}}),
                      list<float>({10, 0, -2, 2, -2, 0, -2, -2}).reshaped({1, 4, 2}), 1e-6));
    CHECK(near<float>(
        on_reference<op::dft>({.inputs = {list<float>({1, 2, 3, 4}).reshaped({1, 4, 1})}, .with = how({0, 1, {}})}),
        list<float>({10, 0, -2, 2, -2, 0}).reshaped({1, 3, 2}), 1e-6));
    CHECK(near<float>(on_reference<op::dft>({.inputs = {list<float>({10, 0, -2, 2, -2, 0}).reshaped({1, 3, 2})},
                                             .with = how({1, 1, {}})}),
                      list<float>({1, 2, 3, 4}).reshaped({1, 4, 1}), 1e-6));
    CHECK(near<float>(on_reference<op::dft>({.inputs = {list<float>({10, 0, -2, 2, -2, 0, -2, -2}).reshaped({1, 4, 2})},
                                             .with = how({1, 0, {}})}),
                      list<float>({1, 0, 2, 0, 3, 0, 4, 0}).reshaped({1, 4, 2}), 1e-6));
}
TEST_CASE("DFT has the axis as an attribute in version 17: the first after the batches unless given") {
    const tensor x = random_tensor({3, 4, 5, 2}, 1);
    const auto old = [&](options o) { return on_reference<op::dft>({.inputs = {x}, .with = how(o), .version = 17}); };
    CHECK(near<float>(old({}), expected<float>(x, 4, 1, {}), 1e-5));
    CHECK(near<float>(old({0, 0, 0}), expected<float>(x, 3, 0, {}), 1e-5));
    CHECK(near<float>(old({0, 0, -2}), expected<float>(x, 5, 2, {}), 1e-5));
    CHECK(near<float>(on_reference<op::dft>({{x}}), expected<float>(x, 5, 2, {}), 1e-5));
    const call with_length{.inputs = {x, operand::weight(tensor({1}, {std::int32_t(7)}))}, .version = 17};
    CHECK(near<float>(on_reference<op::dft>(with_length), expected<float>(x, 7, 1, {}), 1e-5));
}
TEST_CASE("DFT of every length agrees with the definition, of primes too") {
    for (std::int64_t n = 1; n <= 140; ++n) {
        CAPTURE(n);
        const tensor x = random_tensor<double>({1, n, 2}, unsigned(n));
        CHECK(near<double>(on_reference<op::dft>({{x}}), expected<double>(x, n, 1, {}), 1e-12));
    }
    for (const std::int64_t n : {256, 360, 509, 512, 961, 1021, 1024, 1147, 2000}) {
        CAPTURE(n);
        const tensor x = random_tensor<double>({1, n, 1}, unsigned(n));
        CHECK(near<double>(on_reference<op::dft>({{x}}), expected<double>(x, n, 1, {}), 1e-11));
    }
}
TEST_CASE("The inverse DFT gives back what the DFT was of, at lengths that take long by definition") {
    for (const std::int64_t n : {65536, 65537, 99999, 1 << 18}) {
        CAPTURE(n);
        const tensor x = random_tensor<double>({1, n, 2}, 7);
        const tensor y = on_reference<op::dft>({{x}});
        CHECK(near<double>(on_reference<op::dft>({.inputs = {y}, .with = how({1, 0, {}})}), x, 1e-10));
        const tensor real = random_tensor<double>({1, n, 1}, 8);
        const tensor half = on_reference<op::dft>({.inputs = {real}, .with = how({0, 1, {}})});
        CHECK(half.shape() == shape{1, n / 2 + 1, 2});
        CHECK(near<double>(on_reference<op::dft>(of(half, operand::weight(scalar(n)), {}, {1, 1, {}})), real, 1e-10));
    }
}
TEST_CASE("DFT of nothing, of numbers that are none, and of a length that is cut") {
    CHECK(on_reference<op::dft>({{tensor(element::f32, {0, 4, 1})}}).shape() == shape{0, 4, 2});
    CHECK(on_reference<op::dft>(of(tensor(element::f32, {2, 0, 1}), operand::weight(scalar(3)), {})).shape() ==
          shape{2, 3, 2});
    const tensor odd = on_reference<op::dft>({{list<float>({1, quiet_nan, 2}).reshaped({1, 3, 1})}});
    for (float v : odd.as<float>()) CHECK(std::isnan(v));
    const tensor cut =
        on_reference<op::dft>(of(list<float>({1, 2, infinity}).reshaped({1, 3, 1}), operand::weight(scalar(2)), {}));
    CHECK(near<float>(cut, list<float>({3, 0, -1, 0}).reshaped({1, 2, 2}), 1e-6));
}
TEST_CASE("DFT refuses what is no signal, no axis and no length") {
    const tensor x = random_tensor({2, 4, 1}, 1), z = random_tensor({2, 4, 2}, 1);
    const auto reason_of = [](const call& c) { return tried(c).answer.reason; };
    CHECK(reason_of({{random_tensor({4}, 1)}}) == "the input has fewer than two axes");
    CHECK(reason_of({{random_tensor({2, 4, 3}, 1)}}) == "the last axis has neither real nor complex numbers");
    CHECK(reason_of(of(z, {}, {}, {0, 1, {}})) == "onesided frequencies are of real numbers");
    CHECK(reason_of(of(x, {}, {}, {1, 1, {}})) == "the inverse of onesided frequencies is of complex numbers");
    for (std::int64_t axis : {2, -1, 3, -4})
        CHECK(reason_of(of(x, {}, operand::weight(scalar(axis)))) == "axis is out of range");
    for (std::int64_t n : {0, -1})
        CHECK(reason_of(of(x, operand::weight(scalar(n)), {})) == "there is nothing to transform");
    CHECK(reason_of(of(x, operand::weight(scalar(std::int64_t(1) << 33)), {})) == "dft_length is too large");
    CHECK(reason_of(of(x, tensor({2}, {std::int64_t(1), std::int64_t(2)}), {})) == "dft_length is no single integer");
    CHECK(reason_of(of(x, tensor({1}, {1.f}), {})) == "dft_length is no single integer");
    CHECK(reason_of(of(x, {}, tensor({1}, {1.f}))) == "axis is no single integer");
    CHECK(reason_of({{random_tensor({2, 0, 1}, 1)}}) == "there is nothing to transform");
    CHECK(reason_of(of(random_tensor({2, 1, 2}, 1), {}, {}, {1, 1, {}})) == "there is nothing to transform");
}

namespace {
tensor frames_of(const tensor& x, std::int64_t step, const std::vector<double>& window, bool onesided) {
    const std::int64_t n = std::int64_t(window.size()), batches = x.shape()[0], length = x.shape()[1],
                       parts = x.shape()[2], frames = (length - n) / step + 1, bins = onesided ? n / 2 + 1 : n;
    tensor y(element::f64, {batches, frames, bins, 2});
    for (std::int64_t b = 0; b < batches; ++b)
        for (std::int64_t f = 0; f < frames; ++f) {
            complex_line v;
            for (std::int64_t k = 0; k < n; ++k) {
                const double* at = x.as<double>().data() + (b * length + f * step + k) * parts;
                v.push_back(window[std::size_t(k)] * std::complex<double>(at[0], parts == 2 ? at[1] : 0));
            }
            const complex_line w = direct(v, n, false);
            for (std::int64_t k = 0; k < bins; ++k) {
                y.as<double>()[std::size_t(((b * frames + f) * bins + k) * 2)] = w[std::size_t(k)].real();
                y.as<double>()[std::size_t(((b * frames + f) * bins + k) * 2 + 1)] = w[std::size_t(k)].imag();
            }
        }
    return y;
}
attributes sided(std::int64_t onesided) {
    return [=](graph_data& g) { return std::vector{g.make("onesided", onesided)}; };
}
call stft_of(tensor x, operand step, operand window, operand length, std::int64_t onesided = 1) {
    return {.inputs = {std::move(x), std::move(step), std::move(window), std::move(length)}, .with = sided(onesided)};
}
}  // namespace

TEST_CASE("STFT with and without a window, on one side and both, of real and complex signals") {
    const std::vector<double> ones(8, 1.), hill{0, .25, .75, 1, .75, .25, .125};
    const tensor window({7}, hill);
    for (const std::int64_t step : {1, 3, 20}) {
        const operand by = operand::weight(scalar(step));
        const tensor x = random_tensor<double>({2, 20, 1}, 5), z = random_tensor<double>({2, 20, 2}, 6);
        CHECK(near<double>(on_reference<op::stft>(stft_of(x, by, {}, operand::weight(scalar(8)))),
                           frames_of(x, step, ones, true), 1e-12));
        CHECK(near<double>(on_reference<op::stft>(stft_of(x, by, window, {})), frames_of(x, step, hill, true), 1e-12));
        CHECK(near<double>(on_reference<op::stft>(stft_of(x, by, window, operand::weight(scalar(7)), 0)),
                           frames_of(x, step, hill, false), 1e-12));
        call threaded_call = stft_of(z, by, window, {}, 0);
        threaded_call.threads = 3;
        CHECK(near<double>(on_reference<op::stft>(threaded_call), frames_of(z, step, hill, false), 1e-12));
        CHECK(near<double>(on_reference<op::stft>({.inputs = {x, by}}),
                           frames_of(x, step, std::vector<double>(20, 1.), true), 1e-12));
    }
}
TEMPLATE_TEST_CASE("STFT of every type, with numbers of int32", "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4, 5, 6}).reshaped({1, 6, 1});
    const auto small = [](std::int32_t v) { return operand::weight(tensor({1}, {v})); };
    CHECK(near<T>(on_reference<op::stft>(stft_of(x, small(2), {}, small(4))),
                  list<T>({10, 0, -2, 2, -2, 0, 18, 0, -2, 2, -2, 0}).reshaped({1, 2, 3, 2}), tolerance_of(x.type())));
}
TEST_CASE("STFT of no batches, and what it refuses") {
    CHECK(on_reference<op::stft>(
              stft_of(tensor(element::f32, {0, 8, 1}), operand::weight(scalar(2)), {}, operand::weight(scalar(4))))
              .shape() == shape{0, 3, 3, 2});
    const tensor x = random_tensor({1, 8, 1}, 1);
    const operand unit_step = operand::weight(scalar(1)), four = operand::weight(scalar(4));
    const auto reason_of = [](const call& c) { return run<op::stft, device::reference>(c).answer.reason; };
    CHECK(reason_of(stft_of(random_tensor({8}, 1), unit_step, {}, four)) ==
          "the signal is neither [batches, length] nor [batches, length, 1 or 2]");
    CHECK(reason_of(stft_of(random_tensor({1, 8, 3}, 1), unit_step, {}, four)) ==
          "the last axis has neither real nor complex numbers");
    CHECK(reason_of(stft_of(random_tensor({1, 8, 2}, 1), unit_step, {}, four)) ==
          "onesided frequencies are of real numbers");
    CHECK(reason_of(stft_of(x, operand::weight(scalar(0)), {}, four)) == "frame_step is not positive");
    CHECK(reason_of(stft_of(x, unit_step, {}, operand::weight(scalar(0)))) == "a frame has no elements");
    CHECK(reason_of(stft_of(x, unit_step, {}, operand::weight(scalar(-5)))) == "a frame has no elements");
    CHECK(reason_of(stft_of(x, unit_step, {}, operand::weight(scalar(9)))) == "a frame is longer than the signal");
    CHECK(reason_of(stft_of(x, unit_step, {}, operand::weight(scalar(std::int64_t(1) << 40)))) ==
          "frame_length is too large");
    CHECK(reason_of(stft_of(x, unit_step, random_tensor({5}, 1), four)) == "the window is not of frame_length");
    CHECK(reason_of(stft_of(x, unit_step, random_tensor({2, 2}, 1), four)) == "the window has not one axis");
    CHECK(reason_of(stft_of(x, unit_step, random_tensor<double>({4}, 1), four)) ==
          "signal and window are of different types");
    CHECK(reason_of(stft_of(x, random_tensor({1}, 1), {}, four)) == "frame_step is no single integer");
    CHECK(reason_of(stft_of(x, unit_step, {}, random_tensor({1}, 1))) == "frame_length is no single integer");
    // A length that is known in the run only.
    using kernel_of = kernel<op::stft, device::reference, types<float>>;
    const tensor window = random_tensor({4}, 1), wrong = scalar(5);
    tensor y(element::f32, {1, 5, 3, 2});
    const void* const in[] = {x.data(), unit_step.value.data(), window.data(), wrong.data()};
    void* const out[] = {y.data()};
    context alone;
    CHECK(kernel_of::run({{fourier(4)}, 1, 5, 1, 8, 3, 1, 8, true}, {}, {in, out}, alone) == status::invalid_value);
}
TEST_CASE("STFT of a signal without its last axis, as PyTorch writes it, is that of real numbers") {
    const tensor x = random_tensor({2, 12}, 1);
    const operand by = operand::weight(scalar(2)), four = operand::weight(scalar(4));
    const tensor y = on_reference<op::stft>(stft_of(x, by, {}, four));
    CHECK(y.shape() == shape{2, 5, 3, 2});
    CHECK(near<float>(y, on_reference<op::stft>(stft_of(x.reshaped({2, 12, 1}), by, {}, four)), 0));
}
