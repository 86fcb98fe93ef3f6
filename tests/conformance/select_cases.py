#!/usr/bin/env python3
"""Print the cases of the ONNX backend test-suite that use no operator beyond a list, one category/case per line.

  select_cases.py SUITE > cases.txt                      # the operators of operators.txt, next to this file
  select_cases.py SUITE --operators mine.txt --why       # on stderr, per missing operator, the cases that need it

SUITE holds CATEGORY/CASE/model.onnx.  The list has one operator per line, with its domain in front where that is not
ONNX's own (ai.onnx.ml.Scaler); # starts a comment.  Operators in subgraphs and in the model's own functions count.  A
call of such a function counts as its body, an operator that the standard defines by a function as itself.
"""
from __future__ import annotations

import argparse
import collections
import pathlib
import sys
from collections.abc import Iterable, Iterator

import onnx


def nodes_within(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The nodes themselves and, at any depth, those of their subgraphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in [attribute.g, *attribute.graphs]:
                yield from nodes_within(graph.node)


def qualified(domain: str, name: str) -> str:
    return name if domain in ("", "ai.onnx") else f"{domain}.{name}"


def operators_of(model: onnx.ModelProto) -> set[str]:
    bodies = [model.graph.node, *(f.node for f in model.functions)]
    used = {qualified(n.domain, n.op_type) for nodes in bodies for n in nodes_within(nodes)}
    return used - {qualified(f.domain, f.name) for f in model.functions}


def read_operators(path: pathlib.Path) -> set[str]:
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return {line for line in lines if line}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("--operators", type=pathlib.Path, default=pathlib.Path(__file__).with_name("operators.txt"))
    parser.add_argument("--why", action="store_true", help="tell on stderr what the other cases lack")
    args = parser.parse_args()

    models = sorted(args.suite.glob("*/*/model.onnx"))
    if not models:
        parser.error(f"{args.suite} holds no CATEGORY/CASE/model.onnx")
    operators, counts = read_operators(args.operators), collections.Counter()
    for path in models:
        missing = operators_of(onnx.load(path, load_external_data=False)) - operators
        counts.update(missing)
        if not missing:
            print(path.parent.relative_to(args.suite).as_posix())
    if args.why:
        for operator, count in counts.most_common():
            print(f"{count:5} {operator}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
