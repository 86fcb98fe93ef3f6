#!/usr/bin/env python3
"""Draw the badges of README.md into docs/pictures/badges, each from the file that decides it. They need no other host.

  badges.py --write
  badges.py --check    # status 1 where one is not what the files give
"""
from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
PICTURES = SOURCE / "docs/pictures/badges"
MARGIN = 7  # pixels
# Of glyphs, about, by the first class that has them; the text is stretched to its place, so that each font fits.
WIDTHS = {"[A-Z+]": 8.4, "[mw]": 10, "[ilft.,() -]": 4.2, ".": 6.8}


def found(file: str, pattern: str) -> str:
    match = re.search(pattern, (SOURCE / file).read_text(), re.MULTILINE)
    if not match:
        raise SystemExit(f"{file} does not say {pattern}")
    return match[1]


def stored(name: str) -> dict:
    return json.loads((SOURCE / f"bench/results/{name}.json").read_text())


def licence() -> str:
    found("LICENSE", r"(Apache License)")
    return "Apache-" + found("LICENSE", r"^\s*Version (\d\.\d),")


def platforms() -> str:
    """Those on which the tests have passed, by their processors, and whether these were emulated."""
    rows = [row["platform"] for row in stored("platforms")["platforms"]]
    processors = [match[0] + " (qemu)" * ("qemu" in row) for row in rows if (match := re.match("x86-64|aarch64", row))]
    return "Linux " + ", ".join(dict.fromkeys(processors))


# Name: label, value, and the page that the badge leads to.
BADGES = {
    "version": ("version", found("CMakeLists.txt", r"^project\(inlay VERSION (\S+)"), "CHANGELOG.md"),
    "licence": ("licence", licence(), "LICENSE"),
    "standard": ("C++", found("CMakeLists.txt", r"target_compile_features\(inlay_headers INTERFACE cxx_std_(\d+)\)"), "docs/start/install.md"),
    "onnx": ("ONNX", found("scripts/setup", r"^onnx_version=(\S+)"), "docs/reference/operators/index.md"),
    "platforms": ("tested on", platforms(), "#platforms"),
    "measured": ("measured", stored("float32")["date"], "docs/explanation/performance.md"),
}


def file_of(name: str) -> pathlib.Path:
    return PICTURES / f"{name}.svg"


def width_of(text: str) -> int:
    return round(sum(next(width for glyphs, width in WIDTHS.items() if re.match(glyphs, glyph)) for glyph in text))


def svg(label: str, value: str) -> str:
    texts, left = [], 0
    for text, colour in ((label, "#4a5260"), (value, "#1f6f8b")):
        width = width_of(text) + 2 * MARGIN
        texts.append(f'<rect x="{left}" width="{width}" height="20" fill="{colour}"/>'
                     f'<text x="{left + MARGIN}" y="14" textLength="{width - 2 * MARGIN}">{text}</text>')
        left += width
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left}" height="20" role="img" aria-label="{label}: {value}">'
            f'<title>{label}: {value}</title><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
            + "".join(texts) + "</g></svg>\n")


def line() -> str:
    """Markdown of all badges, for README."""
    return " ".join(f"[![{label} {value}]({file_of(name).relative_to(SOURCE)})]({target})" for name, (label, value, target) in BADGES.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    args = parser.parse_args()
    drawn = {file_of(name): svg(label, value) for name, (label, value, _) in BADGES.items()}
    if args.write:
        for file, picture in drawn.items():
            file.write_text(picture)
        return 0
    others = {*drawn, *PICTURES.glob("*.svg")}
    stale = [file for file in others if file not in drawn or not file.exists() or file.read_text() != drawn[file]]
    for file in sorted(stale):
        print(f"{file.relative_to(SOURCE)} is not what bench/badges.py --write draws")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
