#!/usr/bin/env python3
"""Draw the pictures of docs/pictures from the results that benchmarks stored in bench/results.

  pictures.py --write      # all of them, in a light and a dark form; needs matplotlib (scripts/setup --python)
  pictures.py --check      # status 1 where one is not what the stored results give, 77 without this version of matplotlib
  pictures.py --screenshots TOOL         # the page of `inlay plan`, by a headless chromium (scripts/setup --browser)
  pictures.py --check-screenshots TOOL   # status 1 where the tool writes another page now, 77 on a machine without AVX2
"""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

try:
    import matplotlib
    from matplotlib.patches import FancyBboxPatch
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo
    from plots import MARGIN, NORMAL, SERIES, SMALL, THEMES, Picture, Series, Theme, nice_ticks
except ImportError as missing:
    print(f"pictures: skipped, {missing}; scripts/setup --python installs it")
    sys.exit(77)
MATPLOTLIB = "3.11.2"  # scripts/setup installs it; another version writes other bytes
if matplotlib.__version__ != MATPLOTLIB:
    print(f"pictures: skipped, matplotlib is {matplotlib.__version__}, not {MATPLOTLIB}; scripts/setup --python installs it")
    sys.exit(77)
from report import SHORTEST_MS, geometric_mean

SOURCE = pathlib.Path(__file__).resolve().parents[1]
RESULTS, PICTURES = SOURCE / "bench/results", SOURCE / "docs/pictures"
INLAY, ONNXRUNTIME, OPENVINO = SERIES.values()
OTHER = Series("another runtime", "D", "muted")


def stored(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text())


def series_of(runtime: str):
    return SERIES[runtime.removesuffix("_default")]


def versions_of(run: dict) -> str:
    """The peers' versions in a run of bench/compare."""
    versions = {series_of(n).label: v for part in run["threads"].values() for e in part.values() for n, v in e["versions"].items() if n != "inlay"}
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def source_lines(run: dict, threads: str, *more: str) -> list[str]:
    return [f"{run['processor']}, {threads} thread{'s' if int(threads) > 1 else ''}, {run['date']}", f"compared with {versions_of(run)}", *more]


# --- ratios to the peers ----------------------------------------------------------------------------------------------

def ratio_rows(picture: Picture, entries: dict[str, dict], farthest: float) -> None:
    for row, entry in enumerate(entries.values()):
        peers = {n: ms / entry["ms"]["inlay"] for n, ms in entry["ms"].items() if n != "inlay"} | {entry["better"]: entry["ratio"]}
        for name, ratio in peers.items():
            if ratio <= farthest:
                picture.point(ratio, row, series_of(name))
        picture.beyond({series_of(n): ratio for n, ratio in peers.items() if ratio > farthest}, row)
        if entry["low"] <= farthest:
            picture.band(entry["low"], min(entry["high"], farthest), row, series_of(entry["better"]))


def ratios(theme: Theme, result: str, threads: str, title: str, farthest: float, openvino: str = "") -> str:
    """How many times as fast Inlay is as each peer, a row for each model."""
    run = stored(result)
    entries = dict(sorted(run["threads"][threads].items(), key=lambda item: -item[1]["ratio"]))
    counted = [e["ratio"] for e in entries.values() if e["ms"][e["better"]] >= SHORTEST_MS]
    left_out = [n for n, e in entries.items() if e["ms"][e["better"]] < SHORTEST_MS]
    mean = geometric_mean(counted)
    mean_line = f"Geometric mean against the faster peer: {mean:.2f}" + (f" ({', '.join(left_out)} left out: under {SHORTEST_MS} ms)" if left_out else "")
    picture = Picture(theme, title, "Peer's time / Inlay's time: right of 1, Inlay is faster.",
                      source_lines(run, threads, mean_line, "Bars: 10 to 90 % of the slices, of the faster peer."), 15.5 * len(entries), left=8 + 6.2 * max(map(len, entries)) + 10)
    low = min(0.9, *(e["low"] for e in entries.values()))
    picture.scale(low * 0.98, farthest, [t for t in (0.75, 1, 1.5, 2, 3, 4) if low <= t <= farthest], "times as fast (logarithmic scale)")
    picture.axes.axvline(1, color=theme.ink, linewidth=1.2)
    picture.axes.axvline(mean, color=theme.inlay, linewidth=1.2, linestyle=(0, (4, 3)))
    picture.rows(list(entries))
    ratio_rows(picture, entries, farthest)
    picture.legend([(ONNXRUNTIME.label, ONNXRUNTIME.marker, theme.onnxruntime), (OPENVINO.label + openvino, OPENVINO.marker, theme.openvino), ("mean", "|", theme.inlay)])
    return picture.svg()


# --- load time and memory ---------------------------------------------------------------------------------------------

def resources(theme: Theme, key: str, title: str, reading: str, unit: str) -> str:
    run = stored("float32")
    entries = dict(sorted(run["threads"]["1"].items(), key=lambda item: item[1][key]["inlay"]))
    picture = Picture(theme, title, reading, source_lines(run, "1"), 15.5 * len(entries), left=108)
    values = [v for e in entries.values() for v in e[key].values()]
    low, high = min(values) * 0.8, max(values) * 1.25
    ticks = [t for t in nice_ticks(low, high) if f"{t:e}"[0] in "15"]
    picture.scale(low, high, ticks, f"{unit} (logarithmic scale)")
    picture.rows(list(entries))
    for row, entry in enumerate(entries.values()):
        picture.axes.plot([min(entry[key].values()), max(entry[key].values())], [row, row], color=theme.grid, linewidth=2, zorder=2)
        for name, value in entry[key].items():
            picture.point(value, row, series_of(name))
    picture.legend([(s.label, s.marker, picture.color(s)) for s in SERIES.values()])
    return picture.svg()


# --- tokens per second ------------------------------------------------------------------------------------------------

def tokens(theme: Theme) -> str:
    run = stored("language")
    groups = [(machine, rows) for machine in run["machines"] for rows in machine["ms_per_token"]]
    picture = Picture(theme, "A 4-bit language model, tokens per second", "Higher is better; the line is what the memory allows.",
                      [f"{run['model']}", f"1 thread, {run['date']}, compared with ONNX Runtime {run['versions']['onnxruntime']}, OpenVINO {run['versions']['openvino']}",
                       "Limit: the machine's read rate over the weights and the cache's rows"], 78.0 * len(groups), left=20)
    picture.scale(0, 80, range(0, 81, 10), "tokens per second", logarithmic=False)
    picture.axes.set_ylim(4.6 * len(groups) - 1, -1.5)
    picture.axes.set_yticks([])
    for number, (machine, rows) in enumerate(groups):
        top = 4.6 * number
        cache_mb = run["cache_kb_per_row"] * int(rows) / 1e3
        limit = machine["read_gb_per_s"] * 1e3 / (run["weights_mb"] + cache_mb)
        picture.axes.annotate(f"{machine['processor']}, after {rows} tokens", (0, top - 0.95), fontsize=NORMAL, color=theme.ink, va="center_baseline")
        for place, (name, ms) in enumerate(machine["ms_per_token"][rows].items()):
            picture.bar(1e3 / ms, top + place, 0.86, picture.color(SERIES[name]), f"{1e3 / ms:.1f}")
        picture.axes.plot([limit, limit], [top - 0.45, top + 2.45], color=theme.ink, linewidth=1.6, zorder=5)
        picture.note(limit, top + 1, f"limit {limit:.0f}")
    picture.legend([(s.label, "s", picture.color(s)) for s in SERIES.values()])
    return picture.svg()


# --- sizes ------------------------------------------------------------------------------------------------------------

def sizes(theme: Theme) -> str:
    libraries, embedded = stored("library_sizes"), stored("embedded")
    types = {f"Inlay: {name}": kb * 1e3 for name, kb in embedded["text_kb"].items() if name in ("mlp", "mobilenet_v2", "resnet50")}
    whole = {f"{name}: libinlay.so" if name == "Inlay" else f"{name} {runtime['version']}": sum(runtime["bytes"].values()) for name, runtime in libraries["runtimes"].items()}
    rows = dict(sorted({**types, **whole}.items(), key=lambda item: item[1]))
    picture = Picture(theme, "What a program carries to run a model", "Code without the weights, stripped. Lower is better.",
                      [f"{libraries['platform']}, {libraries['date']}; models: {embedded['compiler']}, {embedded['date']}",
                       "Inlay: mlp, mobilenet_v2, resnet50: the model as a C++ type in a static program,", "kernels for three instruction sets, less an empty program.",
                       "Libraries: whole, as their PyPI packages have them, with optimised CPU kernels;", "libinlay.so with protobuf. Builds for one model can be smaller (not measured)."],
                      20.0 * len(rows), left=134, legend=False)
    picture.scale(0.05e6, 400e6, [0.1e6, 1e6, 10e6, 100e6], "MB (logarithmic scale)", text=lambda v: f"{v / 1e6:g}")
    picture.rows(list(rows))
    for row, (name, size) in enumerate(rows.items()):
        series = INLAY if name.startswith("Inlay") else OTHER
        picture.axes.plot([0.05e6, size], [row, row], color=picture.color(series), linewidth=2)
        picture.point(size, row, series)
        picture.note(size, row, f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB")
    return picture.svg()


# --- the architecture -------------------------------------------------------------------------------------------------

LAYERS = [("Your program", ["C++", "C, Java, C#, node", "Python", "ONNX Runtime's API", "inlay, the tool"], 1),
          ("What users include", ["session", "model as a type", "tensors", "plan and reports"], 0),
          ("Model files", ["ONNX in and out", "rewrites and fusion", "quantize", "compile to C++"], 1),
          ("Engine", ["plan cache", "binding, runs", "control flow", "devices, copies"], 1),
          ("Providers, in your order", ["cpu", "cuda", "libraries of vendors", "yours"], 2),
          ("Plan (constexpr)", ["partition", "schedule", "memory"], 0),
          ("Kernels", ["what an operator is", "SSE2 to AMX, Neon", "CUDA"], 1)]


def rounded(left: float, top: float, width: float, height: float, fill: str, edge: str) -> FancyBboxPatch:
    return FancyBboxPatch((left, top), width, height, boxstyle="round,pad=0,rounding_size=1.2", mutation_aspect=3, facecolor=fill, edgecolor=edge)


def architecture(theme: Theme) -> str:
    picture = Picture(theme, "Inlay's layers", "From your program down to the kernels.", [], 62.0 * len(LAYERS) - 8, left=MARGIN, legend=False)
    axes = picture.axes
    axes.set_axis_off()
    axes.set_xlim(0, 100)
    axes.set_ylim(len(LAYERS) * 62 - 8, 0)
    for number, (name, parts, fill) in enumerate(LAYERS):
        top = number * 62
        axes.add_patch(rounded(0, top, 100, 52, theme.fills[fill], theme.grid))
        axes.annotate(name, (1.8, top + 14), fontsize=NORMAL, weight="bold", color=theme.ink, va="center_baseline")
        widths = [len(part) + 2 for part in parts]
        gap, left = 1.6, 1.8
        unit = (100 - 2 * left - gap * (len(parts) - 1)) / sum(widths)
        for part, width in zip(parts, widths):
            axes.add_patch(rounded(left, top + 24, width * unit, 22, theme.paper, theme.grid))
            axes.annotate(part, (left + width * unit / 2, top + 35), fontsize=SMALL, color=theme.ink, ha="center", va="center_baseline")
            left += width * unit + gap
        if number + 1 < len(LAYERS):
            axes.annotate("", (50, top + 62), xytext=(50, top + 52), arrowprops={"arrowstyle": "-|>", "color": theme.muted, "shrinkA": 0, "shrinkB": 0})
    return picture.svg()


# --- all of them ------------------------------------------------------------------------------------------------------

DRAWINGS: dict[str, Callable[[Theme], str]] = {
    "speed-1-thread": lambda theme: ratios(theme, "float32", "1", "Speed of 21 float32 models, one thread", 3.6),
    "speed-2-threads": lambda theme: ratios(theme, "float32", "2", "Speed of 21 float32 models, two threads", 3.6),
    "int8-amx": lambda theme: ratios(theme, "int8-amx", "1", "Speed of int8 networks, with AMX", 4.4, " (default precision)"),
    "int8-vnni": lambda theme: ratios(theme, "int8-vnni", "1", "Speed of int8 networks, with VNNI", 4.4, " (default precision)"),
    "tokens": tokens,
    "load": lambda theme: resources(theme, "load_s", "Load time of 21 float32 models", "File in the page cache. Lower is better.", "seconds"),
    "memory": lambda theme: resources(theme, "mib", "Peak memory of 21 float32 models", "Less what the process held before it loaded. Lower is better.", "MiB"),
    "sizes": sizes,
    "architecture": architecture,
}


def check() -> int:
    """Names the pictures that are not what the stored results give, and those that nothing draws."""
    drawn = {f"{name}-{theme.name}.svg": draw(theme) for name, draw in DRAWINGS.items() for theme in THEMES}
    stale = [name for name, svg in drawn.items() if not (PICTURES / name).exists() or (PICTURES / name).read_text() != svg]
    unknown = [file.name for file in PICTURES.glob("*.svg") if file.name not in drawn]
    for name in stale:
        print(f"docs/pictures/{name} is not what bench/results gives: bench/pictures.py --write")
    for name in unknown:
        print(f"docs/pictures/{name}: nothing draws it")
    return int(bool(stale or unknown))


def write() -> int:
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        for theme in THEMES:
            (PICTURES / f"{name}-{theme.name}.svg").write_text(draw(theme))
    return 0


PAGE_DIGEST = "sha256 of the page"


def plan_page(tool: str) -> bytes:
    """The plan of an example's model as the tool's page shows it: an NPU takes all nodes but one. The same on every
    machine that has AVX2."""
    with tempfile.TemporaryDirectory() as work:
        page = pathlib.Path(work) / "plan.html"
        subprocess.run([tool, "plan", SOURCE / "examples/streaming_gru/rows.onnx", "--as", "nnapi,cpu", "--threads", "2", "--html", page], check=True,
                       env={**os.environ, "INLAY_ISA": "avx2"}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return page.read_bytes()


def screenshots(tool: str) -> int:
    """The node that the NPU leaves is selected and says why. A picture keeps the hash of its page."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("pictures: chromium is missing; scripts/setup --browser installs it")
        return 1
    with tempfile.TemporaryDirectory() as work:
        page = pathlib.Path(work) / "plan.html"
        page.write_bytes(plan_page(tool))
        digest = PngInfo()
        digest.add_text(PAGE_DIGEST, hashlib.sha256(page.read_bytes()).hexdigest())
        for theme in THEMES:
            preference = {"dark": 0, "light": 1}[theme.name]
            picture = PICTURES / f"plan-{theme.name}.png"
            subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,640", "--virtual-time-budget=20000",
                            f"--user-data-dir={work}/browser", f"--blink-settings=preferredColorScheme={preference}",
                            f"--screenshot={picture}", page.as_uri() + "#search=GRU"], check=True, stderr=subprocess.DEVNULL)
            Image.open(picture).convert("RGB").quantize(160).save(picture, optimize=True, pnginfo=digest)
    return 0


def check_screenshots(tool: str) -> int:
    try:
        digest = hashlib.sha256(plan_page(tool)).hexdigest()
    except subprocess.CalledProcessError as failure:
        print(failure.stderr)
        return 77 if "#no_such_level" in failure.stderr else 1
    stale = [theme.name for theme in THEMES if Image.open(PICTURES / f"plan-{theme.name}.png").info.get(PAGE_DIGEST) != digest]
    for name in stale:
        print(f"docs/pictures/plan-{name}.png: of another page than the tool writes; pictures.py --screenshots TOOL makes it again")
    return int(bool(stale))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--screenshots", metavar="TOOL")
    mode.add_argument("--check-screenshots", metavar="TOOL")
    args = parser.parse_args()
    if args.screenshots:
        return screenshots(args.screenshots)
    if args.check_screenshots:
        return check_screenshots(args.check_screenshots)
    return check() if args.check else write()


if __name__ == "__main__":
    sys.exit(main())
