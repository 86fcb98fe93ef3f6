#!/usr/bin/env python3
"""Runtimes that bench/compare, zoo_reference.py and embedded_table.py time, each with one model in a process of its
own.

  peers.py RUNTIME MODEL DATA_DIR THREADS    # inlay (its Python package), onnxruntime (with _inlay: with the library $INLAY_ONNXRUNTIME_EP), openvino (float32 throughout) or openvino_default (may compute in bf16);
                                             # of bench/nodes.py: onnxruntime_bound
                                             # of bench/gpu_compare: torch, torch_compile, onnxruntime_cuda, each with
                                             # _tf32 too

Such a process loads the model, runs it once and prints a line with a JSON object of facts (any, for instance {"load_s":
0.1}). Then it answers every line "N" on stdin with one line, the JSON array of the seconds that each of N runs took,
and ends when stdin does. `inlay serve-bench` speaks the same protocol.
"""
from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

# --- in the process of a runtime --------------------------------------------------------------------------------------

def load_inlay(model: str, inputs: list, threads: int):
    import inlayrt
    options = inlayrt.SessionOptions()
    options.intra_op_num_threads = threads
    session = inlayrt.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {value.name: tensor for value, tensor in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def load_onnxruntime(model: str, inputs: list, threads: int, library: str = ""):
    """With `library`, Inlay's provider from that file stands in front of ONNX Runtime's own."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    if library:
        onnxruntime.register_execution_provider_library("inlay", library)
        devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == "InlayExecutionProvider"]
        options.add_provider_for_devices(devices, {"threads": str(threads)})
    session = onnxruntime.InferenceSession(model, options, **({} if library else {"providers": ["CPUExecutionProvider"]}))
    feeds = {value.name: tensor for value, tensor in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def load_onnxruntime_bound(model: str, inputs: list, threads: int):
    """Outputs stay where they are: a run copies none, so that times of single nodes mean something."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for port, x in zip(session.get_inputs(), inputs):
        binding.bind_ortvalue_input(port.name, onnxruntime.OrtValue.ortvalue_from_numpy(x))
    for port in session.get_outputs():
        binding.bind_output(port.name)
    session.run_with_iobinding(binding)
    for port, y in zip(session.get_outputs(), binding.get_outputs()):
        binding.bind_ortvalue_output(port.name, y)
    return lambda: session.run_with_iobinding(binding)


def load_openvino(model: str, inputs: list, threads: int, **precision):
    import openvino
    core = openvino.Core()
    graph = core.read_model(model)
    if graph.is_dynamic():
        graph.reshape({i: list(tensor.shape) for i, tensor in enumerate(inputs)})
    config = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "ENABLE_CPU_PINNING": False, **precision}
    request = core.compile_model(graph, "CPU", config).create_infer_request()
    feeds = dict(enumerate(inputs))
    return lambda: request.infer(feeds, share_inputs=True, share_outputs=True)


# On a GPU: inputs and outputs stay in its memory, work is recorded once as a CUDA graph and replayed, and a run ends
# when the GPU has.

def load_torch(model: str, inputs: list, threads: int, compiled: bool = False, tf32: bool = False):
    import torch
    from onnx_torch import Graph
    from torch.fx.experimental.proxy_tensor import make_fx
    torch.set_grad_enabled(False)
    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    device = os.environ.get("INLAY_TORCH_DEVICE", "cuda")  # cpu: to try the scripts where there is no GPU
    arguments = [torch.tensor(x, device=device) for x in inputs]
    module = make_fx(Graph(model, arguments).eval())(*arguments)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    replay = lambda: module(*arguments)
    if compiled:
        torch._inductor.config.freezing = True  # weights are constants
        fast = torch.compile(module, mode="reduce-overhead")
        replay = lambda: fast(*arguments)
    elif device == "cuda":
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(3):
                module(*arguments)
        wait()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            module(*arguments)
        replay = graph.replay

    def run():
        replay()
        wait()
    for _ in range(4 * compiled):  # compiles, and records
        run()
    return run


def load_onnxruntime_cuda(model: str, inputs: list, threads: int, tf32: bool = False):
    import onnxruntime
    from onnxruntime import OrtValue
    def session_of(**more):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(model, options, providers=[("CUDAExecutionProvider", {"use_tf32": str(int(tf32)), **more})])
    plain = session_of()
    results = plain.run(None, {port.name: x for port, x in zip(plain.get_inputs(), inputs)})
    session = session_of(enable_cuda_graph="1")
    if session.get_providers()[0] != "CUDAExecutionProvider":
        raise SystemExit("onnxruntime has no CUDA here")
    binding = session.io_binding()
    for port, x in zip(session.get_inputs(), inputs):
        binding.bind_ortvalue_input(port.name, OrtValue.ortvalue_from_numpy(x, "cuda", 0))
    for port, y in zip(session.get_outputs(), results):
        binding.bind_ortvalue_output(port.name, OrtValue.ortvalue_from_shape_and_type(y.shape, y.dtype, "cuda", 0))
    return lambda: session.run_with_iobinding(binding)


LOADERS = {"inlay": load_inlay, "onnxruntime": load_onnxruntime, "onnxruntime_bound": load_onnxruntime_bound,
           "onnxruntime_inlay": lambda *arguments: load_onnxruntime(*arguments, os.environ["INLAY_ONNXRUNTIME_EP"]),
           "openvino_default": load_openvino,
           "openvino": lambda *arguments: load_openvino(*arguments, INFERENCE_PRECISION_HINT="f32"),
           "torch": load_torch, "torch_tf32": lambda *arguments: load_torch(*arguments, tf32=True),
           "torch_compile": lambda *arguments: load_torch(*arguments, compiled=True), "torch_compile_tf32": lambda *arguments: load_torch(*arguments, compiled=True, tf32=True),
           "onnxruntime_cuda": load_onnxruntime_cuda, "onnxruntime_cuda_tf32": lambda *arguments: load_onnxruntime_cuda(*arguments, tf32=True)}


def package(runtime: str) -> str:
    return runtime.split("_")[0]


def installed(runtime: str) -> bool:
    return importlib.util.find_spec(package(runtime)) is not None


def input_files(data: pathlib.Path) -> list[pathlib.Path]:
    return sorted(data.glob("input_*.pb"), key=lambda f: int(f.stem[6:]))


def memory_mib(field: str) -> float:
    """Resident memory of this process: VmRSS now, VmHWM at most."""
    return int(re.search(rf"{field}:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024


def serve(runtime: str, model: str, data: str, threads: str) -> None:
    import onnx
    version = importlib.import_module(package(runtime)).__version__.split("-")[0]
    inputs = [onnx.numpy_helper.to_array(onnx.load_tensor(f)) for f in input_files(pathlib.Path(data))]
    with contextlib.suppress(OSError):
        pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak of the imports is not the model's
    base, start = memory_mib("VmRSS"), time.perf_counter()
    run = LOADERS[runtime](model, inputs, int(threads))
    load_s = time.perf_counter() - start
    run()
    print(json.dumps({"load_s": load_s, "base_mib": base, "peak_mib": memory_mib("VmHWM"), "version": version}), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        print(json.dumps(times), flush=True)


# --- in the process that measures -------------------------------------------------------------------------------------

def command(runtime: str) -> list[str]:
    return [sys.executable, __file__, runtime]


class PeerDied(Exception):
    """Arguments: which peer, and its last words."""


class Peer:
    """One runtime with one model loaded, in a process of its own."""

    def __init__(self, name: str, command: list[str]):
        self.name = name
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.facts = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            raise PeerDied(self.name, self.errors.read().strip()[-300:] or f"status {self.process.returncode}")
        return json.loads(line)

    def run(self, count: int) -> list[float]:
        """Milliseconds of each run, after one that is not counted: the other runtime had the caches since."""
        with contextlib.suppress(BrokenPipeError):  # then answer() reports the reason
            print(count + 1, file=self.process.stdin, flush=True)
        return [1e3 * s for s in self.answer()[1:]]

    def close(self) -> None:
        with contextlib.suppress(OSError):  # it may have died
            self.process.stdin.close()
        self.process.wait()


def alternate(peers: dict[str, Peer], seconds: float, most_runs: int, slices: int, shares: dict[str, float]) -> dict[str, list[list[float]]]:
    """Run times by peer and slice. Another peer goes first in every slice; `shares` are of the seconds, 1 where none is
    given."""
    budget = {name: 1e3 * seconds / slices * shares.get(name, 1) for name in peers}
    counts = {name: max(1, min(most_runs // slices, int(budget[name] / statistics.median(peer.run(3))))) for name, peer in peers.items()}
    times = {name: [] for name in peers}
    names = list(peers)
    for i in range(slices):
        for name in names[i % len(names):] + names[:i % len(names)]:
            times[name].append(peers[name].run(counts[name]))
    return times


@dataclasses.dataclass
class Measured:
    slices: dict[str, list[list[float]]]  # milliseconds; empty if a peer died on the way
    facts: dict[str, dict]
    errors: dict[str, str]


def measure(commands: dict[str, list[str]], seconds: float, most_runs: int, slices: int, shares: dict[str, float] | None = None) -> Measured:
    peers, measured = {}, Measured({}, {}, {})
    try:
        for name, words in commands.items():
            try:
                peers[name] = Peer(name, words)
                measured.facts[name] = peers[name].facts
            except (OSError, PeerDied, ValueError) as error:
                measured.errors[name] = str(error.args[-1])
        if peers:
            measured.slices = alternate(peers, seconds, most_runs, slices, shares or {})
    except PeerDied as death:
        name, words = death.args
        measured.errors[name] = words
    finally:
        for peer in peers.values():
            peer.close()
    return measured


if __name__ == "__main__":
    serve(*sys.argv[1:])
