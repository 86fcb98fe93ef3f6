"""When two results are the same. All tolerances stand here."""
from __future__ import annotations

import numpy as np

from draw import BF16, F16, F32, F64, SMALL_FLOATS, Draw

# The largest difference: of each element relative to it ("rounded"), or relative to the largest element of the output
# and to Draw.scale ("sum"); times Draw.loose. "exact" and integers: none. "near": one step of an integer. "drawn":
# shapes and types alone are compared, and what was drawn with what it was drawn from.
RELATIVE = {F32: 4e-6, F64: 1e-12, F16: 2e-3, BF16: 1.6e-2}
LEAST = {F32: 1e-37, F64: 1e-307, F16: 2e-7, BF16: 1e-37}   # differences below this are of numbers without all their digits


def wide(a: np.ndarray) -> np.ndarray:
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)


def floating(t: np.dtype) -> bool:
    return t.kind in "fc" or t == BF16 or t in SMALL_FLOATS


def difference(result, expected, d: Draw, element_type: np.dtype | None = None) -> str:
    """Empty, or in what `got` differs. element_type: what tolerances are those of, where `want` is held by a wider
    type."""
    if expected is ... or result is ...:  # a formula that does not give this output
        return ""
    if isinstance(expected, dict) or isinstance(result, dict):
        return difference_of_maps(result, expected, d)
    if isinstance(expected, list) or isinstance(result, list):
        if not (isinstance(expected, list) and isinstance(result, list)) or len(result) != len(expected):
            return "one is a sequence and the other is not, or their lengths differ"
        return next((f"part {k}: {t}" for k, (g, w) in enumerate(zip(result, expected)) if (t := difference(g, w, d))), "")
    if expected is None or result is None:
        return "" if expected is None and result is None else "one is absent"
    result, expected = np.asarray(result), np.asarray(expected)
    if result.shape != expected.shape:
        return f"shape {result.shape}, not {expected.shape}"
    if result.dtype.kind in "OUS" or expected.dtype.kind in "OUS":
        return "" if [text(v) for v in result.ravel()] == [text(v) for v in expected.ravel()] else f"strings {result.ravel()[:4]}, not {expected.ravel()[:4]}"
    return difference_of_numbers(result, expected, d, element_type or result.dtype)


def text(v) -> str:
    return v.decode() if isinstance(v, bytes) else str(v)


def difference_of_maps(result, expected, d: Draw) -> str:
    if not (isinstance(result, dict) and isinstance(expected, dict)) or list(map(str, sorted(result))) != list(map(str, sorted(expected))):
        return "maps of other keys"
    a, b = (np.array([float(m[k]) for k in sorted(m)]) for m in (result, expected))
    return difference_of_numbers(a.astype(np.float32), b.astype(np.float32), d, F32)


def unlikely(a: np.ndarray, d: Draw) -> str:
    """Empty, or why `a` was hardly drawn as the case has it: of many numbers the mean is within six standard errors."""
    mean, deviation = d.moments
    if a.size == 0:
        return ""
    if not (np.isfinite(a).all() and a.min() >= d.bounds[0] and a.max() <= d.bounds[1]):
        return f"{a.min()!r} to {a.max()!r} lies outside of {d.bounds}"
    if abs(a.mean() - mean) > 6 * deviation / np.sqrt(a.size) + 1e-3 * abs(mean):
        return f"the mean of {a.size} is {a.mean()!r}, not near {mean!r}"
    often = deviation >= 0.2 * min(d.bounds[1] - d.bounds[0], 5 * deviation)  # of what is rare, a few decide
    if a.size >= 200 and often and not 0.7 * deviation <= a.std() <= 1.4 * deviation:
        return f"the deviation of {a.size} is {a.std()!r}, not near {deviation!r}"
    return ""


def difference_of_numbers(result: np.ndarray, expected: np.ndarray, d: Draw, t: np.dtype) -> str:
    if d.how == "drawn":
        return unlikely(wide(result), d)
    a, b = wide(result), wide(expected)
    if t.kind in "iub" and result.dtype.kind in "iub" and expected.dtype.kind in "iub":
        away = result.astype(object) - expected.astype(object) if result.dtype.itemsize == 8 else a - b
        wrong = np.asarray(np.abs(away) > (1 if d.how == "near" else 0), bool)
    else:
        with np.errstate(all="ignore"):
            limit = tolerance(b, d, t)
            wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= limit))
    wrong = np.asarray(wrong)
    if not wrong.any():
        return ""
    at = tuple(int(k[0]) for k in np.nonzero(wrong)) if wrong.ndim else ()
    return f"element {at} is {result[at]!r}, not {expected[at]!r}; {int(wrong.sum())} of {wrong.size}"


def tolerance(b: np.ndarray, d: Draw, t: np.dtype) -> np.ndarray:
    if d.how == "exact" or t not in RELATIVE:
        return np.zeros(b.shape)
    unit = RELATIVE[t] * d.loose
    finite = np.abs(b[np.isfinite(b)])
    if d.how == "sum":
        return np.full(b.shape, unit * max(finite.max(initial=0.0), d.scale) + LEAST[t])
    return unit * np.abs(b) + LEAST[t]
