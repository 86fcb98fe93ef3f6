"""How the pictures of bench/pictures.py look: one width, two themes, text that stays text, and the same bytes in each run."""
from __future__ import annotations

import dataclasses
import io
import math
import re
from collections.abc import Callable, Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH, MARGIN = 420.0, 10.0  # in points: 560 pixels, so that letters are readable on a phone too
SMALL, NORMAL, LARGE = 9.0, 10.5, 13.0
LINE = 1.35  # of the size of its letters
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "inlay", "font.family": "DejaVu Sans", "font.size": NORMAL, "axes.spines.top": False,
            "axes.spines.right": False, "axes.spines.left": False, "ytick.major.size": 0, "xtick.major.size": 3, "axes.axisbelow": True}


@dataclasses.dataclass(frozen=True)
class Theme:
    name: str
    paper: str
    ink: str
    muted: str
    grid: str
    fills: tuple[str, str, str]  # of boxes
    inlay: str
    onnxruntime: str
    openvino: str


# Blue, vermilion and green of Okabe and Ito's palette, which differ to every kind of colour vision; markers differ in shape too.
THEMES = [Theme("light", "#ffffff", "#1f2328", "#59636e", "#d8dee4", ("#ddf0fb", "#eef1f4", "#fdf0dc"), "#0072b2", "#c04f00", "#00795a"),
          Theme("dark", "#0d1117", "#e6edf3", "#9aa4af", "#30363d", ("#12324a", "#1f262e", "#3d2e12"), "#56b4e9", "#f0894d", "#4ccf9f")]


@dataclasses.dataclass(frozen=True)
class Series:
    label: str
    marker: str
    key: str  # the name of its colour in a theme, and of its runtime in stored results


SERIES = {s.key: s for s in (Series("Inlay", "o", "inlay"), Series("ONNX Runtime", "s", "onnxruntime"), Series("OpenVINO", "^", "openvino"))}


class Picture:
    """A picture of one plot: a title, a line that says how to read it, a legend, the plot, and below it machine and date."""

    def __init__(self, theme: Theme, title: str, reading: str, source: Sequence[str], plot_height: float, left: float = 120.0, legend: bool = True):
        self.theme, self.top = theme, MARGIN
        axis = 34.0
        heads = LARGE * LINE + NORMAL * LINE * reading.count("\n") + NORMAL * LINE + (NORMAL * LINE if legend else 0) + 6
        self.height = MARGIN * 2 + heads + plot_height + axis + len(source) * SMALL * LINE
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        self.figure = Figure(figsize=(WIDTH / 72, self.height / 72), dpi=72, facecolor=theme.paper)
        self._line(title, LARGE, theme.ink, weight="bold")
        for line in reading.split("\n"):
            self._line(line, NORMAL, theme.muted)
        self.legend_at = self.top
        bottom = MARGIN + len(source) * SMALL * LINE + axis
        self.axes: Axes = self.figure.add_axes((left / WIDTH, bottom / self.height, (WIDTH - left - 16) / WIDTH, plot_height / self.height), facecolor=theme.paper)
        self.axes.tick_params(colors=theme.muted, labelsize=SMALL)
        self.axes.spines["bottom"].set_color(theme.muted)
        self.axes.grid(axis="x", color=theme.grid, linewidth=0.8)
        self.top = self.height - MARGIN - len(source) * SMALL * LINE
        for line in source:
            self._line(line, SMALL, theme.muted)

    def _line(self, text: str, size: float, colour: str, **more) -> None:
        self.figure.text(MARGIN / WIDTH, 1 - (self.top + size) / self.height, text, fontsize=size, color=colour, va="baseline", **more)
        self.top += size * LINE

    def color(self, series: Series) -> str:
        return getattr(self.theme, series.key)

    def legend(self, names: Sequence[tuple[str, str, str]]) -> None:
        """Markers with their names in one row: (name, marker, colour)."""
        at = MARGIN + 4
        for name, marker, colour in names:
            y = 1 - (self.legend_at + NORMAL) / self.height
            self.figure.add_artist(matplotlib.lines.Line2D([at / WIDTH], [y + 3.6 / self.height], marker=marker, markersize=7, color=colour, linestyle="none"))
            self.figure.text((at + 9) / WIDTH, y, name, fontsize=NORMAL, color=self.theme.ink)
            at += 26 + len(name) * NORMAL * 0.58

    def rows(self, names: Sequence[str]) -> None:
        """The names of the rows, the first at the top."""
        self.axes.set_ylim(len(names) - 0.5, -0.5)
        self.axes.set_yticks(range(len(names)), names)
        self.axes.tick_params(axis="y", colors=self.theme.ink, labelsize=NORMAL)

    def scale(self, low: float, high: float, ticks: Sequence[float], label: str, logarithmic: bool = True, text: Callable[[float], str] = lambda v: f"{v:g}") -> None:
        if logarithmic:
            self.axes.set_xscale("log")
        self.axes.set_xlim(low, high)
        self.axes.set_xticks(ticks, [text(tick) for tick in ticks])
        self.axes.set_xticks([], minor=True)
        self.axes.set_xlabel(label, color=self.theme.ink, fontsize=NORMAL)

    def point(self, x: float, row: float, series: Series, size: float = 6.5) -> None:
        self.axes.plot([x], [row], marker=series.marker, markersize=size, color=self.color(series), linestyle="none", clip_on=False, zorder=4)

    def beyond(self, values: dict[Series, float], row: float) -> None:
        """Values right of the scale, as numbers with an arrow."""
        for place, (series, x) in enumerate(reversed(sorted(values.items(), key=lambda item: item[1]))):
            self.axes.annotate(f"{x:.1f} \u25b8", (self.axes.get_xlim()[1], row), xytext=(-36 * place, 0), textcoords="offset points", ha="right",
                               va="center_baseline", fontsize=SMALL, color=self.color(series), zorder=5)

    def band(self, low: float, high: float, row: float, series: Series) -> None:
        self.axes.plot([low, high], [row, row], color=self.color(series), linewidth=4, alpha=0.4, solid_capstyle="butt", zorder=3)

    def bar(self, length: float, row: float, height: float, colour: str, text: str) -> None:
        """A bar from 0 with its value at the inner end."""
        self.axes.barh([row], [length], height=height, color=colour)
        self.axes.annotate(text, (length, row), xytext=(-4, 0), textcoords="offset points", ha="right", va="center_baseline", fontsize=SMALL, color=self.theme.paper)

    def note(self, x: float, row: float, text: str) -> None:
        self.axes.annotate(text, (x, row), xytext=(7, 0), textcoords="offset points", va="center_baseline", fontsize=SMALL, color=self.theme.ink)

    def svg(self) -> str:
        file = io.StringIO()
        self.figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        return tidy(file.getvalue())


def tidy(svg: str) -> str:
    """The system's own fonts instead of the one that was measured with, and no comment that repeats each text."""
    svg = re.sub(r"\n *<!-- .*? -->", "", svg)
    svg = re.sub(r"font: ([^;\"]*?)'DejaVu Sans'[^;\"]*", lambda m: f"font: {m[1]}{FONTS}", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def nice_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten within a logarithmic scale."""
    return [m * 10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5) if low <= m * 10.0 ** e <= high]
