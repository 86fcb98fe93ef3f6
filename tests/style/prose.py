#!/usr/bin/env python3
"""What of a Markdown document is prose: no code, comment, table, heading, tag or picture. For wide_lines.py,
long_sentences.py and words.py. prose.py --self-test checks it on the documents below."""
from __future__ import annotations

import re
import sys

# Code between fences or indented after a blank line, and comments. The first group is the fence.
BLOCKS = r"^ *(```|~~~).*?^ *\1[^\n]*$|(?:\A|(?<=\n\n))(?: {4}[^\n]*(?:\n|\Z))+|<!--.*?-->"
BLOCK = re.compile(BLOCKS, re.DOTALL | re.MULTILINE)
OTHER_LINES = ("|", "#", "<", "![", "[![")


def prose_lines(text: str) -> list[str]:
    """Every line of the text, empty where it is no prose."""
    text = BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)
    return ["" if line.lstrip().startswith(OTHER_LINES) else line for line in text.split("\n")]


def self_test() -> int:
    """Documents with the numbers of their lines of prose."""
    cases = {
        "prose\n\n- prose\n  prose\n": [1, 3, 4],
        "| table |\n# heading\n<img alt='picture'>\n![picture](a.svg)\n[![badge](a.svg)](b)\n": [],
        "```\ncode\n```\nprose\n~~~ text\ncode\n\n```\n  ~~~\n[prose](link)\n": [4, 10],
        "prose:\n\n    code\n    code\n\n    code\n\nprose\n    prose goes on\n": [1, 8, 9],
        "    code\n<!-- comment\ncomment -->\nprose <!-- comment -->\n\n    code": [4],
    }
    wrong = 0
    for text, expected in cases.items():
        numbers = [number for number, line in enumerate(prose_lines(text), 1) if line.strip()]
        if numbers != expected or len(prose_lines(text)) != text.count("\n") + 1:
            print(f"{numbers} instead of {expected}:\n{text}")
            wrong += 1
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(self_test())
