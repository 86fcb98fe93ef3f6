"""Reports of sessions: plans, memory, times, comparisons."""
from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table; its cells are plain text."""
    top = "".join(f"<th>{html.escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


class _Report:
    """A document of the library: `data` has its members, which docs/reference/tool.md describes."""

    def __init__(self, document: str) -> None:
        self._json = document
        self.data: dict[str, Any] = json.loads(document)

    def to_json(self) -> str:
        """The document as the command-line tool prints it with --json."""
        return self._json


class Plan(_Report):
    """Which node runs where, and why not elsewhere.

    - nodes: a dict for each node of the model: name, op, domain, version, provider, kernel, fused_into, answers
    - providers: a dict for each provider of the list: name, nodes (how many it has), implicit
    - data: all of it
    """

    def __init__(self, text: str, document: str) -> None:
        super().__init__(document)
        self.text = text

    @property
    def nodes(self) -> list[dict[str, Any]]:
        return list(self.data["nodes"])

    @property
    def providers(self) -> list[dict[str, Any]]:
        return list(self.data["providers"])

    def count(self, provider: str) -> int:
        """How many nodes the provider of that name has, those of bodies of control flow too."""
        return sum(int(p["nodes"]) for p in self.providers if p["name"] == provider)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        counts = ", ".join(f"{p['name']}: {p['nodes']}" for p in self.providers)
        return f"<inlayrt.Plan of {self.data['model']!r}: {counts}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                n["name"],
                n["op"],
                n["provider"] or "nobody",
                n["fused_into"] or n["kernel"],
                "; ".join(f"{a['provider']}: {a['text']}" for a in n["answers"]),
            )
            for n in self.nodes
        ]
        counts = ", ".join(f"{p['name']}: {p['nodes']} nodes" for p in self.providers)
        head = f"<p><b>{html.escape(self.data['model'])}</b>: {html.escape(counts)}</p>"
        return head + _table(("node", "operator", "provider", "kernel", "why"), rows)


@dataclass(frozen=True)
class OrtEpAssignedNode:
    """A node of the model."""

    name: str
    domain: str
    op_type: str


@dataclass(frozen=True)
class OrtEpAssignedSubgraph:
    """Nodes that a provider runs as one: a region that it compiled, or a single node."""

    ep_name: str
    nodes: list[OrtEpAssignedNode]

    def get_nodes(self) -> list[OrtEpAssignedNode]:
        return self.nodes


def assigned_subgraphs(plan: Plan) -> list[OrtEpAssignedSubgraph]:
    """The nodes that the plan has given to providers, in the order of the model."""
    regions = {n: k for k, s in enumerate(plan.data["schedule"]) if s["kind"] == "region" for n in s["nodes"]}
    subgraphs: dict[object, OrtEpAssignedSubgraph] = {}
    for k, node in enumerate(plan.nodes):
        if not node["provider"]:
            continue
        whole = subgraphs.setdefault(("region", regions[k]) if k in regions else k, OrtEpAssignedSubgraph(node["provider"], []))
        whole.nodes.append(OrtEpAssignedNode(node["name"], node["domain"], node["op"]))
    return list(subgraphs.values())


class MemoryReport(_Report):
    """Where each value lives, and how long, in bytes and steps. `data` has all of it."""

    @property
    def arena_bytes(self) -> int:
        """Of all memory spaces together: the bytes that a run needs for the values between inputs and outputs."""
        return sum(int(s["arena_bytes"]) for s in self.data["spaces"])

    def __repr__(self) -> str:
        return f"<inlayrt.MemoryReport of {self.data['model']!r}: arena of {self.arena_bytes} bytes>"

    def _repr_html_(self) -> str:
        rows = [
            (space["name"], v["value"], v["type"], v["shape"], v["offset"], v["bytes"], v["first"], v["last"])
            for space in self.data["spaces"]
            for v in space["values"]
        ]
        head = ("space", "value", "type", "shape", "offset", "bytes", "first step", "last step")
        return f"<p>{html.escape(repr(self))}</p>" + _table(head, rows)


class Profile(_Report):
    """The time of each step, in seconds: medians over the runs. `data` has all of it."""

    def __init__(self, document: str, trace: str) -> None:
        super().__init__(document)
        self._trace = trace

    @property
    def steps(self) -> list[dict[str, Any]]:
        return list(self.data["steps"])

    @property
    def seconds(self) -> float:
        """The total of the steps' medians."""
        return sum(float(s["seconds"]) for s in self.steps)

    def to_trace(self) -> str:
        """Every run for chrome://tracing and Perfetto, as JSON."""
        return self._trace

    def __repr__(self) -> str:
        return f"<inlayrt.Profile of {self.data['model']!r}: {len(self.steps)} steps, {self.seconds * 1e6:.1f} us>"

    def _repr_html_(self) -> str:
        steps = sorted(self.steps, key=lambda s: -float(s["seconds"]))
        rows = [(s["node"], s["op"], s["provider"], f"{float(s['seconds']) * 1e6:.2f}") for s in steps]
        return f"<p>{html.escape(repr(self))}</p>" + _table(("node", "operator", "provider", "microseconds"), rows)


@dataclass(frozen=True)
class Compiled:
    """The files that InferenceSession.compile() wrote. changed: False where they were up to date."""

    header: str
    weight_bytes: int
    changed: bool


@dataclass(frozen=True)
class OutputComparison:
    """The comparison of one output. wrong: how many elements differ by more than the tolerance."""

    name: str
    wrong: int
    elements: int
    largest_absolute: float
    largest_relative: float
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two sides on the same inputs. It is true where they agree."""

    outputs: list[OutputComparison] = field(default_factory=list)

    def __bool__(self) -> bool:
        return all(o.wrong == 0 and not o.note for o in self.outputs)

    def _repr_html_(self) -> str:
        rows = [
            (o.name, f"{o.wrong} of {o.elements}", o.largest_absolute, o.largest_relative, o.note) for o in self.outputs
        ]
        return _table(("output", "differ", "largest absolute error", "largest relative error", ""), rows)


def _compare_arrays(name: str, result: Any, expected: Any, rtol: float, atol: float) -> OutputComparison:
    if result.shape != expected.shape or result.dtype != expected.dtype:
        note = f"{result.dtype}{list(result.shape)} here, {expected.dtype}{list(expected.shape)} there"
        return OutputComparison(name, int(result.size), int(result.size), float("nan"), float("nan"), note)
    if result.dtype == object or result.dtype == bool:
        return OutputComparison(name, int(np.sum(result != expected)), int(result.size), 0.0, 0.0)
    wide = np.complex128 if result.dtype.kind == "c" else np.float64
    a, b = result.astype(wide), expected.astype(wide)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        error = np.where(same, 0.0, np.abs(a - b))
        error = np.where(np.isnan(error), np.inf, error)
        relative = np.where(error == 0, 0.0, error / np.abs(b))
        wrong = int(np.sum(error > atol + rtol * np.where(np.isfinite(b), np.abs(b), 0.0)))
    largest = float(error.max(initial=0.0)), float(relative.max(initial=0.0))
    return OutputComparison(name, wrong, int(result.size), *largest)


def _flat(value: Any) -> list[Any]:
    """The arrays of sequences and maps, in order, with numbers and strings as arrays of none dimensions."""
    if isinstance(value, dict):
        return [np.array(list(value), object), *(part for item in value.values() for part in _flat(item))]
    if isinstance(value, list):
        return [part for item in value for part in _flat(item)]
    return [] if value is None else [np.asarray(value)]


def compare_outputs(
    names: Sequence[str], results: Sequence[Any], expected: Sequence[Any], rtol: float, atol: float
) -> Comparison:
    outputs = []
    for name, a, b in zip(names, results, expected):
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            outputs.append(_compare_arrays(name, a, b, rtol, atol))
            continue
        parts, expected_parts = _flat(a), _flat(b)
        if len(parts) != len(expected_parts):
            note = f"{len(parts)} parts here, {len(expected_parts)} there"
            outputs.append(OutputComparison(name, 1, 1, float("nan"), float("nan"), note))
        outputs += [_compare_arrays(f"{name}[{k}]", p, q, rtol, atol) for k, (p, q) in enumerate(zip(parts, expected_parts))]
    return Comparison(outputs)
