#!/usr/bin/env python3
"""Time single nodes in Inlay and in ONNX Runtime.

  bench/nodes.py                        # build/release/bin/inlay, one thread, all cases
  bench/nodes.py --tool PROGRAM --seconds 2 --cases col2im

A case is one node with random inputs, written as a model; its name has the sizes. The runtimes are processes of their
own and take turns in short slices (bench/peers.py), with outputs that stay where they are. A time is the minimum of a
slice: the ratio is ONNX Runtime's over Inlay's of the same slice, its median over the slices and the band of 10 to 90
%. Above 1 Inlay is faster. The status is 1 if results differ.
"""
from __future__ import annotations

import argparse
import dataclasses
import pathlib
import sys
import tempfile

import peers
from report import band, spread

SLICES, MOST_RUNS = 15, 15_000
SOURCE = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass
class Case:
    kind: str
    version: int
    attributes: dict
    inputs: dict  # arrays; None: left out
    constants: dict = dataclasses.field(default_factory=dict)
    outputs: list[str] = dataclasses.field(default_factory=lambda: ["y"])
    domain: str = ""


def col2im(image: list[int], block: list[int], channels: int, batch: int = 1, **attributes):
    """An image of columns, as Unfold makes them."""
    import numpy as np
    count, axes = 1, len(image)
    strides, dilations, pads = (attributes.get(k, [d] * n) for k, d, n in (("strides", 1, axes), ("dilations", 1, axes), ("pads", 0, 2 * axes)))
    for i in range(axes):
        count *= (image[i] + pads[i] + pads[i + axes] - (block[i] - 1) * dilations[i] - 1) // strides[i] + 1
    x = np.random.default_rng(1).standard_normal((batch, channels * int(np.prod(block)), count), dtype=np.float32)
    sizes = {"image_shape": np.array(image), "block_shape": np.array(block)}
    return Case("Col2Im", 18, attributes, {"x": x}, sizes)


def inverse(batch: int, size: int):
    import numpy as np
    x = np.random.default_rng(1).standard_normal((batch, size, size), dtype=np.float32) + 2 * np.eye(size, dtype=np.float32)
    return Case("Inverse", 1, {}, {"x": x}, domain="com.microsoft")


def decode(past: int, heads: int, groups: int, size: int, kind: str):
    """Attention of one token after `past`, which gives back all keys and values."""
    import numpy as np
    random = np.random.default_rng(1)
    noise = lambda *dims: random.standard_normal(dims, dtype=np.float32).astype(kind)
    inputs = {"q": noise(1, heads, 1, size), "k": noise(1, groups, 1, size), "v": noise(1, groups, 1, size), "": None,
              "past_key": noise(1, groups, past, size), "past_value": noise(1, groups, past, size)}
    return Case("Attention", 23, {"is_causal": 0}, inputs, outputs=["y", "present_key", "present_value"])


def decode_grouped(past: int, heads: int, groups: int, size: int, kind: str):
    """The same by GroupQueryAttention."""
    import numpy as np
    random = np.random.default_rng(1)
    noise = lambda *dims: random.standard_normal(dims, dtype=np.float32).astype(kind)
    inputs = {"q": noise(1, 1, heads * size), "k": noise(1, 1, groups * size), "v": noise(1, 1, groups * size),
              "past_key": noise(1, groups, past, size), "past_value": noise(1, groups, past, size)}
    lengths = {"seqlens_k": np.array([past], np.int32), "total_sequence_length": np.array(past + 1, np.int32)}
    return Case("GroupQueryAttention", 1, {"num_heads": heads, "kv_num_heads": groups}, inputs, lengths,
                ["y", "present_key", "present_value"], "com.microsoft")


CASES = {
    "col2im fold 3x3 pad 1, 64 channels 56x56": lambda: col2im([56, 56], [3, 3], 64, pads=[1, 1, 1, 1]),
    "col2im fold 3x3 pad 1, 3 channels 224x224": lambda: col2im([224, 224], [3, 3], 3, pads=[1, 1, 1, 1]),
    "col2im fold 3x3 pad 1, 256 channels 7x7": lambda: col2im([7, 7], [3, 3], 256, pads=[1, 1, 1, 1]),
    "col2im fold 3x3 stride 2 pad 1, 64 channels 112x112": lambda: col2im([112, 112], [3, 3], 64, strides=[2, 2], pads=[1, 1, 1, 1]),
    "col2im patches 2x2, 64 channels 112x112": lambda: col2im([112, 112], [2, 2], 64, strides=[2, 2]),
    "col2im patches 16x16, 3 channels 224x224": lambda: col2im([224, 224], [16, 16], 3, strides=[16, 16]),
    "col2im overlapping 7x7 stride 3 pad 3, 64 channels 224x224": lambda: col2im([224, 224], [7, 7], 64, strides=[3, 3], pads=[3, 3, 3, 3]),
    "col2im overlapping 8x8 stride 4, 16 channels 128x128": lambda: col2im([128, 128], [8, 8], 16, strides=[4, 4]),
    "col2im dilated 3x3 by 2, 64 channels 56x56": lambda: col2im([56, 56], [3, 3], 64, dilations=[2, 2], pads=[2, 2, 2, 2]),
    "col2im overlap-add 512 by 128, 2 channels 64000": lambda: col2im([1, 64000], [1, 512], 2, strides=[1, 128]),
    "col2im overlap-add 400 by 160, 80000": lambda: col2im([80080], [400], 1, strides=[160]),
    "col2im 3x3x3 pad 1, 8 channels 32x32x32": lambda: col2im([32, 32, 32], [3, 3, 3], 8, pads=[1] * 6),
    **{f"{name} {kind}, 32 heads, 8 of keys, of 128, behind {past}": lambda make=make, kind=kind, past=past: make(past, 32, 8, 128, kind)
       for name, make in (("attention", decode), ("group_query_attention", decode_grouped))
       for kind in ("float16", "float32") for past in (512, 4096)},
    "inverse 4096x3x3": lambda: inverse(4096, 3),
    "inverse 4096x4x4": lambda: inverse(4096, 4),
    "inverse 512x16x16": lambda: inverse(512, 16),
    "inverse 32x64x64": lambda: inverse(32, 64),
    "inverse 1x256x256": lambda: inverse(1, 256),
    "inverse 1x512x512": lambda: inverse(1, 512),
}


def write_model(case: Case, folder: pathlib.Path) -> None:
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
    node = helper.make_node(case.kind, [*case.inputs, *case.constants], case.outputs, domain=case.domain, **case.attributes)
    typed = lambda name, x: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
    inputs = {name: x for name, x in case.inputs.items() if x is not None}
    graph = helper.make_graph([node], case.kind, [typed(n, x) for n, x in inputs.items()], [helper.make_empty_tensor_value_info(n) for n in case.outputs],
                              [numpy_helper.from_array(x, n) for n, x in case.constants.items()])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(case.domain, case.version)] if case.domain else [helper.make_opsetid("", case.version)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    # ONNX Runtime's results give the outputs' types and sizes, and are what Inlay's are compared with.
    results = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, inputs)
    del model.graph.output[:]
    model.graph.output.extend(typed(n, y) for n, y in zip(case.outputs, results))
    onnx.save(model, folder / "model.onnx")
    data = folder / "test_data_set_0"
    data.mkdir()
    for kind, tensors in ("input", inputs), ("output", dict(zip(case.outputs, results))):
        for i, (name, x) in enumerate(tensors.items()):
            (data / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(x, name).SerializeToString())


def measure(name: str, folder: pathlib.Path, args) -> bool:
    """Prints a row; whether all went well."""
    data = folder / "test_data_set_0"
    checked = peers.subprocess.run([args.tool, "test", folder / "model.onnx", data, "--rtol", "1e-3", "--atol", "1e-3", "--quiet"])
    arguments = [str(folder / "model.onnx"), str(data), str(args.threads)]
    beside = [args.beside, "serve-bench"] if args.beside else peers.command("onnxruntime_bound")
    commands = {"inlay": [args.tool, "serve-bench", *arguments], "beside": [*beside, *arguments]}
    measured = peers.measure(commands, args.seconds, MOST_RUNS, SLICES)
    if measured.errors:
        print(f"| {name} | failed: {measured.errors} |")
        return False
    least = {runtime: [min(part) for part in slices] for runtime, slices in measured.slices.items()}
    cells = [f"{1e3 * min(least[runtime]):.1f}" for runtime in commands]
    cells.append(spread(band([theirs / ours for ours, theirs in zip(least["inlay"], least["beside"])])))
    print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return checked.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(SOURCE / "build/release/bin/inlay"))
    parser.add_argument("--beside", default="", help="another inlay program, instead of ONNX Runtime")
    parser.add_argument("--seconds", type=float, default=2, help="of each runtime, for each case (default: 2)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cases", default="", help="those whose names contain this; default: all")
    args = parser.parse_args()
    good = True
    print(f"| node | Inlay us | {args.beside or 'ONNX Runtime'} us | ratio (10 to 90 %) |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        for i, (name, make) in enumerate(CASES.items()):
            if args.cases not in name:
                continue
            folder = pathlib.Path(work) / str(i)
            folder.mkdir()
            write_model(make(), folder)
            good &= measure(name, folder, args)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
