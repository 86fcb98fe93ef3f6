#!/usr/bin/env python3
"""Writes the first inputs of the fuzzers other than fuzz_load and fuzz_shapes: small_seeds.py FOLDER [MODEL.onnx...]

FOLDER gets one folder for each target. Models: small ones for fuzz_load and fuzz_quantize; one with EPContext nodes
goes to fuzz_contexts. What libFuzzer keeps of these and of what it made is in corpus/: -merge=1 -max_len=2000.
"""
from __future__ import annotations

import io
import pathlib
import random
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def files() -> dict[str, bytes]:
    seeds = {}
    arrays = {"floats": np.arange(6, dtype=np.float32).reshape(2, 3), "longs": np.array(7), "none": np.zeros((0, 2)), "words": np.array(["a", "bcd"]),
              "bytes": np.array([b"a", b"bc"]), "big": np.arange(3, dtype=">i4"), "columns": np.asfortranarray(np.ones((2, 2))), "flags": np.array([True, False])}
    for name, array in arrays.items():
        out = io.BytesIO()
        np.save(out, array)
        seeds[f"npy_{name}"] = b"\0" + out.getvalue()
    for name, save in (("stored", np.savez), ("deflated", np.savez_compressed)):
        out = io.BytesIO()
        save(out, a=np.arange(4), b=np.ones((2, 2), np.float32))
        seeds[f"npz_{name}"] = b"\1" + out.getvalue()
    tensor = numpy_helper.from_array(np.arange(4, dtype=np.int64), "t")
    words = helper.make_tensor("w", TensorProto.STRING, [2], [b"a", b"b"])
    seeds["pb_tensor"] = b"\2" + tensor.SerializeToString()
    seeds["pb_words"] = b"\2" + words.SerializeToString()
    seeds["pb_half"] = b"\2" + helper.make_tensor("h", TensorProto.FLOAT16, [2], [1.0, 2.0]).SerializeToString()
    seeds["pb_packed"] = b"\2" + helper.make_tensor("q", TensorProto.INT4, [3], [1, 2, 3]).SerializeToString()
    seeds["pb_sequence"] = b"\3" + numpy_helper.from_list([np.ones(2), np.zeros(1)], "s").SerializeToString()
    seeds["pb_map"] = b"\4" + numpy_helper.from_dict({1: np.array(1.5), 2: np.array(2.5)}, "m").SerializeToString()
    seeds["pb_optional"] = b"\5" + numpy_helper.from_optional(np.ones(2), "o").SerializeToString()
    seeds["pb_nothing"] = b"\5" + numpy_helper.from_optional(None, "o").SerializeToString()
    return seeds


def texts() -> dict[str, bytes]:
    words = [["ij,jk->ik", "...j,jk", "ij,jk", "ab,bc->", "ij->ij"], ["bii->b", "...ii->...i", "bij->bji"], ["i,ij,j->", "i, ij ,j -> i"], [" ", ",", ""], ["en_US", "C"],
             ["LOWER", "UPPER", "NONE"], ["a.*", "[a-z]+", "(a|b){2,3}"], ["[a-z]", "."], ["SAME_UPPER", "VALID", "NOTSET"], ["reflect", "edge", "wrap"],
             ["add", "mul", "max"], ["tanh", "none"], ["border", "zeros"], ["DCR", "CRD"], ["forward", "bidirectional", "reverse"], ["1.0"], ["MAX", "L1", "L2"], ["TO_FLOAT"]]
    return {f"{place}_{k}": bytes([place]) + text.encode() for place, list_ in enumerate(words) for k, text in enumerate(list_)}


def bytes_at_random(seed: int, count: int, most: int) -> dict[str, bytes]:
    rng = random.Random(seed)
    return {f"bytes_{k}": bytes(rng.randrange(256) for _ in range(rng.randrange(most // 4, most))) for k in range(count)}


def models(paths: list[str], ending: bytes = b"") -> dict[str, bytes]:
    seeds = {}
    for path in map(pathlib.Path, paths):
        data = path.read_bytes()
        if len(data) <= 2000:
            for k, byte in enumerate(ending or [None]):
                seeds[f"{path.stem}_{k}"] = data + (bytes([byte]) if ending else b"")
    return seeds


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    contexts = [p for p in sys.argv[2:] if any(n.op_type == "EPContext" for n in onnx.load(p).graph.node)]
    plain = [p for p in sys.argv[2:] if p not in contexts]
    targets = {"fuzz_files": files(), "fuzz_text": texts(), "fuzz_c": bytes_at_random(1, 40, 300), "fuzz_plugin": bytes_at_random(2, 40, 120),
               "fuzz_load": models(plain), "fuzz_quantize": models(plain, b"\0\1\2"), "fuzz_contexts": models(contexts)}
    for target, seeds in targets.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, data in seeds.items():
            (folder / target / f"{name}.bin").write_bytes(data)
        print(f"{len(seeds)} seeds of {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
