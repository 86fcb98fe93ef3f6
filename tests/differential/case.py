"""The case of a seed and a number: always the same."""
from __future__ import annotations

import random

from onnx import defs

import nodes_attention  # noqa: F401
import nodes_control  # noqa: F401
import nodes_elementwise  # noqa: F401
import nodes_microsoft  # noqa: F401
import nodes_ml  # noqa: F401
import nodes_moves  # noqa: F401
import nodes_products  # noqa: F401
import nodes_quantised  # noqa: F401
import nodes_random  # noqa: F401
import nodes_searches  # noqa: F401
import nodes_spatial  # noqa: F401
import nodes_streams  # noqa: F401
from draw import GENERATORS, Draw, Unsuitable

NEWEST = {"": 28, "ai.onnx.ml": 5}  # opsets; of other domains the first one


def versions_of(domain: str, op: str) -> list[tuple[int, int]]:
    """Schema versions, each with the last opset that has it."""
    if domain == "com.microsoft" or not defs.has(op, domain=domain):
        return [(1, 1 if domain else 17)]
    versions = sorted(s.since_version for s in defs.get_all_schemas_with_history() if (s.domain, s.name) == (domain, op) and not s.deprecated)
    newest = NEWEST.get(domain, 1)
    every = sorted(s.since_version for s in defs.get_all_schemas_with_history() if (s.domain, s.name) == (domain, op))
    after = {v: min([u for u in every if u > v], default=newest + 1) - 1 for v in every}
    return [(v, after[v]) for v in versions]


VERSIONS = {key: versions_of(*key) for key in GENERATORS}


def turn(number: int, only: list[str] | None) -> tuple[str, str]:
    """Operators take turns, so that each has as many cases."""
    names = sorted(k for k in GENERATORS if not only or k[1] in only)
    return names[number % len(names)]


def operator_of(number: int, only: list[str] | None = None) -> str:
    return ":".join(part for part in turn(number, only) if part)


def case(seed: int, number: int, only: list[str] | None = None) -> Draw:
    domain, op = turn(number, only)
    for attempt in range(100):
        rng = random.Random(f"{seed} {number} {attempt}")
        since, until = rng.choices(VERSIONS[domain, op], [1 + k for k in range(len(VERSIONS[domain, op]))])[0]
        d = Draw(rng, domain, op, since, rng.choice([since, rng.randint(since, until)]))
        try:
            GENERATORS[domain, op](d)
            return d
        except Unsuitable:
            continue
    raise Unsuitable(f"{domain}:{op}: no legal case was found")
