"""What bench/zoo_table.py and tests/zoo/run.py ask of one model folder: MODEL/{model.onnx, test_data_set_N/input_I.pb}."""
import json
import pathlib
import subprocess

import onnx


def data_sets(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(folder.glob("test_data_set_*"))


def input_shapes(folder: pathlib.Path) -> dict[str, list[int]]:
    """Of the first data set, by the names of the model's inputs."""
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    weights = {t.name for t in graph.initializer}
    names = [i.name for i in graph.input if i.name not in weights]
    tensors = [onnx.load_tensor(data_sets(folder)[0] / f"input_{i}.pb") for i in range(len(names))]
    return {name: list(t.dims) for name, t in zip(names, tensors)}


def plan_of(tool: str, folder: pathlib.Path) -> dict:
    """`inlay plan --json` for these shapes and one thread."""
    shapes = [a for name, dims in input_shapes(folder).items() for a in ("--shape", f"{name}={','.join(map(str, dims))}")]
    done = subprocess.run([tool, "plan", folder / "model.onnx", "--json", "--threads", "1", *shapes], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def heap_calls(program: str, folder: pathlib.Path) -> float:
    """Heap calls per bound run, as build/release/bin/heap_calls counts them."""
    done = subprocess.run([program, folder / "model.onnx", data_sets(folder)[0]], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["heap_calls_per_run"]
