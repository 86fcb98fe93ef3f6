"""What the scripts that write tables of measured times share."""
import math
import pathlib
import re
import statistics
from collections.abc import Iterable

# The other runtimes are called from Python, which costs them some microseconds per run: a shorter run tells nothing of the runtime.
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


def put_between_marks(path: pathlib.Path, topic: str, text: str) -> None:
    """Replaces what stands between the lines `<!-- TOPIC: written by ... -->` and `<!-- /TOPIC -->`."""
    there = path.read_text()
    found = re.search(rf"(<!-- {topic}: written by \S+ -->\n).*(<!-- /{topic} -->)", there, re.DOTALL)
    if not found:
        raise SystemExit(f"{path} lacks the marks <!-- {topic}: written by ... --> and <!-- /{topic} -->")
    path.write_text(there[:found.end(1)] + text + "\n" + there[found.start(2):])
