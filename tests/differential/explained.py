"""Differences that have a reason, each with it."""
from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    operators: str     # names, with spaces
    kind: str          # a regular expression that the finding's kind has
    case: str          # one that the case's line has
    text: str          # one that the finding's text has
    why: str


REASONS: tuple[Reason, ...] = ()


def explanation(operator: str, case: str, finding: dict[str, str]) -> str | None:
    for r in REASONS:
        if operator in r.operators.split() and re.search(r.kind, finding["kind"]) and re.search(r.case, case) and re.search(r.text, finding["text"]):
            return f"{operator}: {r.why}"
    return None
