#!/usr/bin/env python3
"""chain.py FILE NODES: an ONNX model of so many nodes, in layers and blocks with residual links, written without the onnx package."""
import sys


def varint(x: int) -> bytes:
    out = b""
    while x > 127:
        out += bytes([x & 127 | 128])
        x >>= 7
    return out + bytes([x])


def number(field: int, x: int) -> bytes:
    return varint(field << 3) + varint(x)


def message(field: int, x: bytes | str) -> bytes:
    x = x.encode() if isinstance(x, str) else x
    return varint(field << 3 | 2) + varint(len(x)) + x


def node(op: str, name: str, inputs: list[str], output: str) -> bytes:
    return b"".join(message(1, i) for i in inputs) + message(2, output) + message(3, name) + message(4, op)


def main(file: str, count: int) -> None:
    nodes, before, skip = [], "x", "x"
    for k in range(count):
        layer, block, at = k // 50, k // 10 % 5, k % 10
        name, op = f"layer{layer}/block{block}/node_{at}", ["Softmax", "Tanh"][at % 2]  # no two that fuse
        inputs = [before]
        if at == 0:
            skip = before
        if at == 9:
            op, inputs = "Add", [before, skip]
        nodes.append(node(op, name, inputs, f"v{k}"))
        before = f"v{k}"
    tensor = message(2, message(1, number(1, 1) + message(2, message(1, number(1, 4)))))
    graph = b"".join(message(1, n) for n in nodes) + message(2, "chain") + message(11, message(1, "x") + tensor) + message(12, message(1, before) + tensor)
    with open(file, "wb") as out:
        out.write(number(1, 8) + message(7, graph) + message(8, message(1, "") + number(2, 17)))


main(sys.argv[1], int(sys.argv[2]))
