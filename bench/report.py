"""What the scripts that write tables of measured times share."""
import difflib
import math
import pathlib
import re
import statistics
import sys
import textwrap
from collections.abc import Iterable

# The other runtimes are called from Python, which costs them some microseconds per run: a shorter run says nothing
# about the runtime.
SHORTEST_MS = 0.1


def geometric_mean(ratios: Iterable[float]) -> float:
    return math.exp(statistics.mean(map(math.log, ratios)))


def band(ratios: list[float]) -> dict[str, float]:
    """Their median, and what holds 10 to 90 % of them."""
    tenths = statistics.quantiles(ratios, n=10, method="inclusive")
    return {"ratio": statistics.median(ratios), "low": tenths[0], "high": tenths[-1]}


def spread(e: dict) -> str:
    return f"{e['ratio']:.2f} ({e['low']:.2f}-{e['high']:.2f})"


def processor() -> str:
    info = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*:\s*(.*)", info)
    return name[1] if name else "an unnamed processor"


def wrapped(page: str) -> str:
    """The page with its paragraphs and items at most 120 columns wide; tables, headings and code stay as they are."""
    lines: list[str] = []
    paragraph: list[str] = []

    def end_paragraph() -> None:
        if paragraph:
            indent = "  " * paragraph[0].startswith("- ")
            filled = textwrap.fill(" ".join(paragraph), 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
            lines.append(re.sub(r"(\n *)([-+*] )", r"\1\\\2", filled))  # a minus at the beginning of a line is no item
        paragraph.clear()

    for line in page.split("\n"):
        if not line or line.startswith(("|", "#", "!", "    ")) or line.lstrip().startswith("<"):
            end_paragraph()
            lines.append(line)
            continue
        if line.startswith("- "):
            in_text = bool(paragraph) and not paragraph[0].startswith("- ")
            end_paragraph()
            lines += [""] * in_text  # a list begins after an empty line
        paragraph.append(line.strip())
    end_paragraph()
    return "\n".join(lines)


def between_marks(page: str, topic: str) -> re.Match[str]:
    """What stands between the lines `<!-- TOPIC: written by ... -->` and `<!-- /TOPIC -->`, as the group `text`."""
    match = re.search(rf"<!-- {topic}: written by \S+ -->\n(?P<text>.*?)(?P<end>\n?<!-- /{topic} -->)", page, re.DOTALL)
    if not match:
        raise SystemExit(f"the page lacks the marks <!-- {topic}: written by ... --> and <!-- /{topic} -->")
    return match


def put_between_marks(path: pathlib.Path, topic: str, text: str) -> None:
    page = path.read_text()
    old = between_marks(page, topic)
    path.write_text(page[:old.start("text")] + text + "\n" + page[old.start("end"):].lstrip("\n"))


def is_between_marks(path: pathlib.Path, topic: str, text: str) -> int:
    """The status of a check: 1, with the differences, where the page has another text."""
    content = between_marks(path.read_text(), topic)["text"]
    sys.stdout.writelines(difflib.unified_diff(content.splitlines(True), text.splitlines(True), str(path), "from the stored results"))
    return int(content != text)
