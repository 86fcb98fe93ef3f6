"""Front ends of audio models as graphs of ONNX, and the same computed by numpy in doubles."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import ModelProto, numpy_helper, parser

from network import Network

RATE = 16000


def tones(samples: int, seed: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t = np.arange(samples) / RATE
    return (0.5 * np.sin(2 * np.pi * 440 * t) + 0.2 * np.sin(2 * np.pi * (900 + 300 * t) * t) + 0.05 * rng.normal(size=samples)).astype(np.float32)[None]


def model(text: str, **constants: np.ndarray) -> ModelProto:
    proto = parser.parse_model('<ir_version: 10, opset_import: ["" : 20]>\n' + text)
    proto.graph.initializer.extend(numpy_helper.from_array(v, k) for k, v in constants.items())
    return proto


def hann(n: int) -> np.ndarray:
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)


def hamming(n: int) -> np.ndarray:
    return 25 / 46 - 21 / 46 * np.cos(2 * np.pi * np.arange(n) / n)


def blackman(n: int) -> np.ndarray:
    k = 2 * np.pi * np.arange(n) / n
    return 0.42 - 0.5 * np.cos(k) + 0.08 * np.cos(2 * k)


def spectra(signal: np.ndarray, window: np.ndarray, step: int) -> np.ndarray:
    """[frames, bins], complex."""
    n = len(window)
    frames = np.stack([signal[0, k : k + n] for k in range(0, signal.shape[1] - n + 1, step)]).astype(np.float64)
    return np.fft.rfft(frames * window)


def mel_filters(filters: int, length: int, low: float, high: float) -> np.ndarray:
    """MelWeightMatrix of version 17, whose edges are one part in filters + 2 apart: [length / 2 + 1, filters]."""
    first, high_mel = 2595 * np.log10(1 + np.array([low, high]) / 700)
    mel = first + np.arange(filters + 2) * (high_mel - first) / (filters + 2)
    bins = np.floor((length + 1) * 700 * (10 ** (mel / 2595) - 1) / RATE).astype(int)
    weights = np.zeros((length // 2 + 1, filters))
    for m in range(filters):
        left, centre, right = bins[m : m + 3]
        weights[left : centre + 1, m] = (np.arange(left, centre + 1) - left) / (centre - left) if centre > left else 1
        if right > centre:
            weights[centre:right, m] = (right - np.arange(centre, right)) / (right - centre)
    return weights


STFT = """
    axis1 = Constant<value = int64[1] {-1}>()
    columns = Unsqueeze(signal, axis1)
    stft = STFT<onesided = 1>(columns, step, window, length)
"""
POWER = STFT + """
    squares = Mul(stft, stft)
    power = ReduceSum<keepdims = 0>(squares, axis1)
"""


def log_mel(samples: int) -> Network:
    """As speech recognisers of 80 filters have it: ten milliseconds a frame, eight orders of magnitude below the loudest."""
    graph = model("mel (float[1, N] signal) => (float[1, F, 80] y) {" + """
        length = Constant<value = int64 {400}>() step = Constant<value = int64 {160}>()
        window = HannWindow<periodic = 1>(length)""" + POWER + """
        filters = Constant<value = int64 {80}>() rate = Constant<value = int64 {16000}>()
        low = Constant<value = float {0.0}>() high = Constant<value = float {8000.0}>()
        weights = MelWeightMatrix(filters, length, rate, low, high)
        energy = MatMul(power, weights)
        least = Constant<value = float {1e-10}>()
        audible = Max(energy, least)
        natural = Log(audible)
        ten = Constant<value = float {0.4342944819}>()
        decades = Mul(natural, ten)
        loudest = ReduceMax<keepdims = 0>(decades)
        eight = Constant<value = float {8.0}>() four = Constant<value = float {4.0}>()
        floor = Sub(loudest, eight)
        kept = Max(decades, floor)
        shifted = Add(kept, four)
        y = Div(shifted, four) }""")
    x = tones(samples)
    power = np.abs(spectra(x, hann(400), 160)) ** 2
    decades = np.log10(np.maximum(power @ mel_filters(80, 400, 0, 8000), 1e-10))
    return Network(f"log-mel spectrogram of {samples} samples", graph, {"signal": x}, [((np.maximum(decades, decades.max() - 8) + 4) / 4)[None]])


def cepstrum() -> Network:
    """Pre-emphasis, Hamming's window of 25 ms, 40 filters, the first 13 of a cosine transform."""
    k = np.arange(40)
    cosines = np.cos(np.pi * np.outer(k + 0.5, np.arange(13)) / 40) * np.sqrt(2 / 40)
    graph = model("mfcc (float[1, N] signal0) => (float[1, F, 13] y) {" + """
        zero = Constant<value = int64[1] {0}>() one = Constant<value = int64[1] {1}>() end = Constant<value = int64[1] {-1}>()
        far = Constant<value = int64[1] {9223372036854775807}>()
        now = Slice(signal0, one, far, one) before = Slice(signal0, zero, end, one)
        part = Constant<value = float {0.97}>()
        carried = Mul(before, part)
        signal = Sub(now, carried)
        length = Constant<value = int64 {400}>() step = Constant<value = int64 {160}>()
        window = HammingWindow<periodic = 1>(length)""" + POWER + """
        filters = Constant<value = int64 {40}>() rate = Constant<value = int64 {16000}>()
        low = Constant<value = float {20.0}>() high = Constant<value = float {7600.0}>()
        weights = MelWeightMatrix(filters, length, rate, low, high)
        energy = MatMul(power, weights)
        least = Constant<value = float {1e-6}>()
        audible = Max(energy, least)
        logs = Log(audible)
        y = MatMul(logs, cosines) }""", cosines=cosines.astype(np.float32))
    x = tones(8123)
    emphasised = x[:, 1:].astype(np.float64) - np.float32(0.97) * x[:, :-1]
    power = np.abs(spectra(emphasised, hamming(400), 160)) ** 2
    logs = np.log(np.maximum(power @ mel_filters(40, 400, 20, 7600), 1e-6))
    return Network("cepstral coefficients", graph, {"signal0": x}, [(logs @ cosines)[None]], tolerance=3e-4)


def spectrum_of_odd_frames() -> Network:
    graph = model("odd (float[1, N] signal) => (float[1, F, 221] y) {" + """
        length = Constant<value = int64 {441}>() step = Constant<value = int64 {147}>()
        window = BlackmanWindow<periodic = 1>(length)""" + POWER + """
        y = Sqrt(power) }""")
    x = tones(5000)
    return Network("magnitudes of frames of 441 samples", graph, {"signal": x}, [np.abs(spectra(x, blackman(441), 147))[None]])


def roll_off() -> Network:
    """The first bin below which 85 percent of a frame's power lie."""
    graph = model("rolloff (float[1, N] signal) => (int64[1, F] y) {" + """
        length = Constant<value = int64 {512}>() step = Constant<value = int64 {256}>()
        window = HannWindow<periodic = 1>(length)""" + POWER + """
        last = Constant<value = int64 {2}>()
        below = CumSum(power, last)
        whole = ReduceSum<keepdims = 1>(power, axis1)
        part = Constant<value = float {0.85}>()
        wanted = Mul(whole, part)
        enough = GreaterOrEqual(below, wanted)
        numbers = Cast<to = 7>(enough)
        y = ArgMax<axis = 2, keepdims = 0>(numbers) }""")
    x = tones(6000)
    power = np.abs(spectra(x, hann(512), 256)) ** 2
    below = np.cumsum(power, axis=1)
    return Network("spectral roll-off", graph, {"signal": x}, [np.argmax(below >= 0.85 * below[:, -1:], axis=1)[None]])


def there_and_back() -> Network:
    """A spectrum of a prime length, its weak half set to nothing, and back to samples."""
    n = 1009
    graph = model("""gate (float[1, N, 1] signal) => (float[1, N, 1] y) {
        spectrum = DFT<onesided = 0>(signal)
        squares = Mul(spectrum, spectrum)
        axis1 = Constant<value = int64[1] {-1}>()
        power = ReduceSum<keepdims = 1>(squares, axis1)
        level = Constant<value = float {50.0}>() nothing = Constant<value = float {0.0}>()
        strong = Greater(power, level)
        kept = Where(strong, spectrum, nothing)
        samples = DFT<inverse = 1>(kept)
        zero = Constant<value = int64[1] {0}>() one = Constant<value = int64[1] {1}>() last = Constant<value = int64[1] {2}>()
        y = Slice(samples, zero, one, last) }""")
    x = tones(n)
    spectrum = np.fft.fft(x[0].astype(np.float64))
    back = np.fft.ifft(np.where(np.abs(spectrum) ** 2 > 50, spectrum, 0)).real
    return Network("a gate of noise by DFT and its inverse", graph, {"signal": x[..., None]}, [back[None, :, None]])


def all_audio() -> list[Callable[[], Network]]:
    return [lambda: log_mel(16000), lambda: log_mel(4321), cepstrum, spectrum_of_odd_frames, roll_off, there_and_back]
