#!/usr/bin/env python3
"""No sentence of the documents has more than 40 words: who reads it should not have to begin again.

  long_sentences.py FILE.md...
  long_sentences.py --self-test

Sentences end with a full stop, a question or exclamation mark, and with their paragraph or item of a list. prose.py says
what has none; a piece of code between backticks is one word. Exits with 1 where one is too long.
"""
from __future__ import annotations

import pathlib
import re
import sys

from prose import prose_lines

LONGEST = 40
ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")
END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\.\.)[.!?][)\"'*_]*(?=\s|$)")


def paragraphs(text: str) -> list[tuple[int, str]]:
    """Each with the number of its first line; items of lists are paragraphs too."""
    found: list[tuple[int, list[str]]] = []
    goes_on = False
    for number, line in enumerate(prose_lines(text), 1):
        if not line.strip():
            goes_on = False
            continue
        item = ITEM.match(line)
        if not goes_on or item:
            found.append((number, []))
        found[-1][1].append(line[item.end():] if item else line)
        goes_on = True
    return [(number, "\n".join(lines)) for number, lines in found]


def sentences(paragraph: str) -> list[str]:
    ends = [0, *(match.end() for match in END.finditer(paragraph)), len(paragraph)]
    return [paragraph[begin:end] for begin, end in zip(ends, ends[1:]) if begin < end]


def words_of(sentence: str) -> list[str]:
    prose = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", sentence))
    return [word for word in prose.split() if re.search(r"\w", word)]


def long_sentences(text: str) -> list[tuple[int, int, str]]:
    """The line, the number of words and the beginning of each that is too long."""
    found = []
    for number, paragraph in paragraphs(text):
        for sentence in sentences(paragraph):
            words = words_of(sentence)
            if len(words) > LONGEST:
                white = re.match(r"\s*", sentence)[0]
                found.append((number + white.count("\n"), len(words), " ".join(words[:6])))
            number += sentence.count("\n")
    return found


def self_test() -> None:
    def lines(text: str) -> list[int]:
        return [line for line, _, _ in long_sentences(text)]

    short, long = "word " * 39 + "end.", "word " * 40 + "end."
    assert lines(f"{short}\n{long}\n\n{long}") == [2, 4]
    assert lines(f"{short} {short.capitalize()} ({short}) {short}") == [] and lines(f"{short[:-1]}; {short}") == [1]
    assert lines(f"{'word ' * 30}e.g. {'word ' * 30}") == [1]
    assert lines(f"- {long}\n- {short}\n  {long.capitalize()}\n1. {long}\n") == [1, 3, 4]
    assert lines(f"# {long}\n{long}\n```\n{long}\n```\n{long}\n") == [2, 6]
    assert lines(f"{'word ' * 30}`{long}` {'word ' * 8}end.") == [] and lines(f"{'word ' * 39}[one two](three four)") == [1]
    assert lines(f"An end without a full stop\n\n{'word ' * 39}") == []


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    bad = 0
    for name in sys.argv[1:]:
        for line, words, beginning in long_sentences(pathlib.Path(name).read_text()):
            print(f"{name}:{line}: a sentence of {words} words, at most {LONGEST} are allowed: {beginning} ...")
            bad += 1
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
