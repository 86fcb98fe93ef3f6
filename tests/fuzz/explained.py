"""Differences that have a reason, each with it. They are counted aloud, and fail nothing."""
from __future__ import annotations

import re
from dataclasses import dataclass

from case import Case


@dataclass(frozen=True)
class Reason:
    name: str
    why: str
    kind: str              # of the finding: wrong, error, no_provider, ...
    text: str              # a regular expression that the finding's text has
    operators: frozenset[str] = frozenset()  # the graph has all of them


REASONS: tuple[Reason, ...] = ()  # what ONNX Runtime is known to do differently, the generator leaves out, with a comment


def explanation(case: Case, finding: dict[str, str]) -> str | None:
    """The name of the reason, with what a refusal says but for the node's own name."""
    used = {node.op_type for node in case.model.graph.node}
    for reason in REASONS:
        if reason.kind == finding["kind"] and reason.operators <= used and re.search(reason.text, finding["text"]):
            return f"{reason.name}: {re.sub(r'^.*?[(]', '(', finding['text'])[:100]}"
    return None
