#!/usr/bin/env python3
"""Makes a failing graph small: fewer sizes, outputs and nodes, smaller dimensions, as long as something is still wrong.

  shrink.py --runner RUNNER --keep FOLDER < seeds

A node is removed by making what it gave an input of the graph (or a constant, if it was one), with the contents that
ONNX Runtime calculated. So nothing needs to be calculated again, but for smaller dimensions.
"""
from __future__ import annotations

import argparse
import copy
import itertools
import json
import pathlib
import sys
import tempfile
from collections.abc import Iterator

import numpy as np
import onnx
from onnx import numpy_helper

from case import Case, as_whole, has_bfloat16
from evaluate import names_read, value_info
from generate import generate
from text_case import write_text
from trial import Runner
from values import Rejected

BROKEN = {"crash", "hang"}


def kind_of(findings: list[dict[str, str]]) -> set[str]:
    """What shrinking has to keep: the kinds, and whether the reference kernels are wrong too."""
    return {f"{f['kind']} {'loops' if f['configuration'] in ('plain', 'reference') else 'cpu'}" for f in findings}


class Shrinker:
    def __init__(self, runner: Runner, case: Case) -> None:
        self.runner, self.case = runner, case
        self.kind = kind_of(runner.sorted_findings(case)[0])
        self.trials = 0
        constants = {i.name for i in case.model.graph.initializer}
        self.constants = constants | {n.output[0] for n in case.model.graph.node if n.op_type == "Constant"}

    def better(self, candidate: Case | None) -> bool:
        """Takes the candidate if it still fails in the same way."""
        if candidate is None or self.trials > 600:
            return False
        self.trials += 1
        now = kind_of(self.runner.sorted_findings(candidate)[0])
        if not now or not (now <= self.kind):
            return False
        if any("cpu" in k for k in now) and not any("loops" in k for k in self.kind) and any("loops" in k for k in now):
            return False
        self.case = candidate
        return True

    def shrink(self) -> Case:
        if not self.kind:
            return self.case
        self.one_size()
        self.one_output()
        while self.inline_branches():
            pass
        self.earlier_output()
        while self.fewer_nodes():
            pass
        self.static()
        while self.smaller_dimensions():
            pass
        while self.fewer_nodes():
            pass
        return self.case

    def one_size(self) -> None:
        for k in range(len(self.case.inputs)):
            if len(self.case.inputs) > 1 and self.better(with_sizes(self.case, [k])):
                return
        for k in reversed(range(len(self.case.inputs))):
            if len(self.case.inputs) > 1:
                self.better(with_sizes(self.case, [j for j in range(len(self.case.inputs)) if j != k]))

    def one_output(self) -> None:
        for k in range(len(self.case.outputs[0])):
            if len(self.case.outputs[0]) > 1 and self.better(with_outputs(self.case, [k])):
                return
        for k in reversed(range(len(self.case.outputs[0]))):
            if len(self.case.outputs[0]) > 1:
                self.better(with_outputs(self.case, [j for j in range(len(self.case.outputs[0])) if j != k]))

    def earlier_output(self) -> None:
        """The first value, in the order of the nodes, that is wrong when it is the only output."""
        if len(self.case.outputs[0]) > 1:
            return
        for name in [name for node in self.case.model.graph.node for name in node.output]:
            if name in self.case.contents and self.better(with_output(self.case, name)):
                return

    def inline_branches(self) -> bool:
        """The nodes of a taken branch in the place of the If; true if that could be done once."""
        return any(node.op_type == "If" and self.better(inlined(self.case, k))
                   for k, node in enumerate(self.case.model.graph.node))

    def fewer_nodes(self) -> bool:
        """Removes runs of nodes, longer ones first; true if any could go."""
        before = len(self.case.model.graph.node)
        width = max(1, before // 2)
        while width:
            at = 0
            while at < len(self.case.model.graph.node):
                if not self.better(without_nodes(self.case, at, at + width, self.constants)):
                    at += width
            width //= 2
        return len(self.case.model.graph.node) < before

    def static(self) -> None:
        """Declares the inputs' dimensions, if it fails then, too."""
        if len(self.case.inputs) > 1:
            return
        candidate = copy.deepcopy(self.case)
        for port, array in zip(candidate.model.graph.input, candidate.inputs[0]):
            port.CopyFrom(value_info(port.name, array, list(array.shape)))
        self.better(candidate)

    def smaller_dimensions(self) -> bool:
        """Cuts all axes of one size at once, then single axes."""
        if has_bfloat16(self.case) or len(self.case.inputs) > 1 or has_bodies(self.case):
            return False  # bodies declare sizes
        sizes = {d for a in tensors(self.case).values() for d in a.shape if d > 1}
        for size in sorted(sizes, reverse=True):
            for smaller in (1, 2, size // 2, size - 1):
                if 0 < smaller < size and self.better(resized(self.case, size, smaller, None)):
                    return True
        for name, array in tensors(self.case).items():
            for axis, size in enumerate(array.shape):
                for smaller in {1, size - 1}:
                    if 0 < smaller < size and self.better(resized(self.case, size, smaller, (name, axis))):
                        return True
        return False


def has_bodies(case: Case) -> bool:
    return any(a.HasField("g") for node in case.model.graph.node for a in node.attribute)


def inlined(case: Case, at: int) -> Case | None:
    """None: not the same branch at every size, or ONNX Runtime refuses the result."""
    node = case.model.graph.node[at]
    condition = node.input[0]
    conditions = {bool(a.reshape(-1)[0]) for a in case.contents.get(condition, [])}
    if len(conditions) != 1 or has_bfloat16(case):
        return None
    branch_name = "then_branch" if conditions.pop() else "else_branch"
    branch = next(a.g for a in node.attribute if a.name == branch_name)
    pairs = [(o.name, name) for o, name in zip(branch.output, node.output) if name]
    renamed = [onnx.helper.make_node("Identity", [inner], [outer]) for inner, outer in pairs]
    smaller = copy.deepcopy(case)
    graph = smaller.model.graph
    nodes = [*graph.node[:at], *branch.node, *renamed, *graph.node[at + 1:]]
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(branch.initializer)
    return with_inner_contents(pruned(smaller), [name for n in branch.node for name in n.output if name])


def with_inner_contents(case: Case, names: list[str]) -> Case | None:
    """Gets from ONNX Runtime the values that were inside a branch."""
    node_outputs = {name for node in case.model.graph.node for name in node.output}
    names = [name for name in names if name in node_outputs and name not in case.contents]
    extended = copy.deepcopy(case)
    extended.model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
    try:
        results = as_whole(extended)
    except Rejected:
        return None
    for k, name in enumerate(names):
        case.contents[name] = [arrays[len(case.outputs[0]) + k] for arrays in results]
    return case


def with_sizes(case: Case, sizes: list[int]) -> Case:
    smaller = copy.deepcopy(case)
    smaller.inputs = [case.inputs[k] for k in sizes]
    smaller.outputs = [case.outputs[k] for k in sizes]
    smaller.contents = {name: [arrays[k] for k in sizes] for name, arrays in case.contents.items()}
    return smaller


def with_outputs(case: Case, indices: list[int]) -> Case:
    smaller = copy.deepcopy(case)
    del smaller.model.graph.output[:]
    smaller.model.graph.output.extend(case.model.graph.output[k] for k in indices)
    smaller.outputs = [[arrays[k] for k in indices] for arrays in case.outputs]
    smaller.tolerances = [case.tolerances[k] for k in indices]
    return pruned(smaller)


def with_output(case: Case, name: str) -> Case:
    smaller = copy.deepcopy(case)
    arrays = case.contents[name]
    del smaller.model.graph.output[:]
    ranks = {a.ndim for a in arrays}
    shape = [f"{name}_{k}" for k in range(arrays[0].ndim)] if len(ranks) == 1 else None
    smaller.model.graph.output.append(value_info(name, arrays[0], shape))
    smaller.outputs = [[a] for a in arrays]
    smaller.tolerances = [max(case.tolerances + [1e-3])]
    return pruned(smaller)


def without_nodes(case: Case, first: int, end: int, constants: set[str]) -> Case | None:
    """The nodes of [first, end) that make no output go; None: there is none."""
    kept_outputs = {o.name for o in case.model.graph.output}
    nodes = list(case.model.graph.node)
    gone = [n for n in nodes[first:end] if not kept_outputs & set(n.output) and all(
        name in case.contents for name in n.output if name)]
    if not gone:
        return None
    smaller = copy.deepcopy(case)
    del smaller.model.graph.node[:]
    smaller.model.graph.node.extend(n for n in nodes if n not in gone)
    for name in [name for n in gone for name in n.output if name]:
        if name in constants:
            smaller.model.graph.initializer.append(numpy_helper.from_array(case.contents[name][0], name))
            continue
        arrays = case.contents[name]
        columns = enumerate(zip(*(a.shape for a in arrays)))
        symbolic = [column[0] if len(set(column)) == 1 else f"{name}_{k}" for k, column in columns]
        smaller.model.graph.input.append(value_info(name, arrays[0], symbolic))
        for inputs, array in zip(smaller.inputs, arrays):
            inputs.append(array)
    return pruned(smaller)


def pruned(case: Case) -> Case:
    """Without the nodes, constants and inputs that no output needs."""
    graph = case.model.graph
    needed = {o.name for o in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if needed & set(node.output):
            nodes.append(node)
            needed |= set(names_read(node))
    initializers = [i for i in graph.initializer if i.name in needed]
    used = [k for k, port in enumerate(graph.input) if port.name in needed]
    ports = [graph.input[k] for k in used]
    case.inputs = [[arrays[k] for k in used] for arrays in case.inputs]
    for to, parts in ((graph.node, nodes[::-1]), (graph.initializer, initializers), (graph.input, ports)):
        items = [copy.deepcopy(x) for x in parts]
        del to[:]
        to.extend(items)
    return case


def tensors(case: Case) -> dict[str, np.ndarray]:
    """The inputs and initializers, by name."""
    arrays = {i.name: numpy_helper.to_array(i) for i in case.model.graph.initializer}
    arrays |= {port.name: array for port, array in zip(case.model.graph.input, case.inputs[0])}
    return arrays


def resized(case: Case, size: int, smaller: int, only: tuple[str, int] | None) -> Case | None:
    """Axes of one size cut, and the same number in lists of integers replaced; None: ONNX Runtime refuses that."""
    candidate = copy.deepcopy(case)
    graph = candidate.model.graph

    def cut(name: str, array: np.ndarray) -> np.ndarray:
        if only is None and array.dtype == np.int64 and array.ndim <= 1:
            array = np.where(array == size, np.int64(smaller), array)
        for axis, length in enumerate(array.shape):
            if length == size and only in (None, (name, axis)):
                array = np.take(array, range(smaller), axis)
        return array

    for tensor in graph.initializer:
        array = cut(tensor.name, numpy_helper.to_array(tensor))
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    candidate.inputs = [[cut(port.name, a) for port, a in zip(graph.input, candidate.inputs[0])]]
    for port, array in zip(graph.input, candidate.inputs[0]):
        dims = [d.dim_param or n for d, n in zip(port.type.tensor_type.shape.dim, array.shape)]
        port.CopyFrom(value_info(port.name, array, dims))
    for port in graph.output:
        for k, dim in enumerate(port.type.tensor_type.shape.dim):
            dim.dim_param = f"{port.name}_{k}"
    candidate.contents = {}
    try:
        candidate.outputs = as_whole(candidate)
    except Rejected:
        return None
    return candidate


def cause_of(case: Case) -> str:
    """The operators that are left, in order: shrunk graphs of one cause mostly have the same."""
    def operators(graph: onnx.GraphProto) -> Iterator[str]:
        for node in graph.node:
            if node.op_type != "Constant":
                yield node.op_type
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    yield "{" + " ".join(operators(attribute.g)) + "}"
    return " ".join(itertools.islice(operators(case.model.graph), 12))


def shrink_seed(runner: Runner, seed: int, keep: pathlib.Path) -> dict[str, str]:
    shrinker = Shrinker(runner, generate(seed))
    small = shrinker.shrink()
    findings = runner.sorted_findings(small)[0]
    cause = cause_of(small)
    folder = keep / f"seed_{seed}"
    small.write(folder)
    notes = sorted({f"{f['configuration']}, {f['phase']}: {f['kind']}: {f['text']}" for f in findings})
    write_text(small, folder.with_suffix(".txt"), [f"seed {seed}: {cause}", *notes[:11]])
    return {"cause": f"{'/'.join(sorted(kind_of(findings)))}: {cause}"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--keep", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(args.runner, pathlib.Path(folder) / "case")
        for line in sys.stdin:
            print(json.dumps(shrink_seed(runner, int(line), args.keep)), flush=True)
        runner.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
