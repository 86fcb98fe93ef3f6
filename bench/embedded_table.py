#!/usr/bin/env python3
"""Print what embedded models cost and how fast they are, compared with a session's binding and ONNX Runtime's binding.

  embedded_table.py ZOO                                                 # the models of the table, about 5 minutes
  embedded_table.py ZOO --models mlp,minilm --seconds 4 --json out.json
  embedded_table.py ZOO --shapes speech_gru:batch=1,time=100            # random inputs of that shape, not the data set's

ZOO holds MODEL/{model.onnx, test_data_set_0/{input,output}_I.pb}; digits is the example's model. BUILD (--build) holds
bin/inlay, bin/heap_calls and libinlay_kernels.a. All run on one thread. The three take turns in short slices, so that a
busy machine slows all; a ratio is the other's time over the embedded form's within a slice, above 1 where the embedded
form is faster: the median over the slices, and the band from 10 to 90 %.
"""
from __future__ import annotations

import argparse
import ctypes
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
from compile_times import cost
from embedded_programs import FLAGS, INCLUDES, STATIC, empty_text, text_of
from peers import Peer

SOURCE = pathlib.Path(__file__).resolve().parents[1]
MODELS = ["digits", "mobilenet_v2", "resnet50", "minilm", "speech_gru"]
TINY = "mlp"  # its runs are overhead
SLICES, STARTS = 31, 21


# --- the ONNX Runtime process: the protocol of bench/embedded_serve.cpp -----------------------------------------------

def serve_onnxruntime(model: str, data: str) -> None:
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    bound = session.io_binding()
    keep = []
    for k, value in enumerate(session.get_inputs()):
        keep.append(onnxruntime.OrtValue.ortvalue_from_numpy(onnx.numpy_helper.to_array(onnx.load_tensor(f"{data}/input_{k}.pb"))))
        bound.bind_ortvalue_input(value.name, keep[-1])
    for value, result in zip(session.get_outputs(), session.run(None, {v.name: k.numpy() for v, k in zip(session.get_inputs(), keep)})):
        keep.append(onnxruntime.OrtValue.ortvalue_from_numpy(result))  # outputs in place, as the others have them
        bound.bind_ortvalue_output(value.name, keep[-1])
    run, clock = session.run_with_iobinding, time.perf_counter
    run(bound)
    empty = [-(clock() - clock()) for _ in range(1001)]
    peak = int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
    print(json.dumps({"version": onnxruntime.__version__, "clock_s": statistics.median(empty), "peak_kib": peak}), flush=True)
    for line in sys.stdin:
        if line.startswith("heap"):
            count, calls = int(line.split()[1]), ctypes.CDLL(None).heap_calls
            before = calls()
            for _ in range(count):
                run(bound)
            print(calls() - before, flush=True)
            continue
        times = []
        for _ in range(int(line)):
            start = clock()
            run(bound)
            times.append(clock() - start)
        print(json.dumps(times), flush=True)


# --- building ---------------------------------------------------------------------------------------------------------

class Build:
    """The programs of one model, in a folder of their own."""

    def __init__(self, args, name: str, work: pathlib.Path):
        self.args, self.name, self.work = args, name, work
        self.model = SOURCE / "examples/digits/digits.onnx" if name == "digits" else args.zoo / name / "model.onnx"
        self.kernels = args.build / "libinlay_kernels.a"
        shapes = dict(text.split(":", 1) for text in args.shapes)
        self.data = self.random_data(shapes.get(name, "")) if name in shapes or name == "digits" else args.zoo / name / "test_data_set_0"
        self.write_inputs()

    def dimensions(self) -> dict[str, list]:
        graph = onnx.load(self.model, load_external_data=False).graph
        weights = {t.name for t in graph.initializer}
        return {i.name: [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in graph.input if i.name not in weights}

    def random_data(self, shapes: str) -> pathlib.Path:
        sizes = {k: int(v) for k, v in (part.split("=") for part in shapes.split(",") if part)}
        named = [f"{name}={','.join(str(sizes.get(d, 1) if isinstance(d, str) else d) for d in dims)}" for name, dims in self.dimensions().items()]
        subprocess.run([self.args.tool, "run", self.model, "--random", "--quiet", "--out", self.work / "data", "--format", "pb", "--save-inputs",
                        *(word for shape in named for word in ("--shape", shape))], check=True)
        return self.work / "data"

    def write_inputs(self) -> None:
        for file in self.data.glob("input_*.pb"):
            (self.work / file.with_suffix(".bin").name).write_bytes(onnx.numpy_helper.to_array(onnx.load_tensor(file)).tobytes())

    def sizes(self) -> list[str]:
        """The options of `inlay compile` that give the free dimensions the data's sizes."""
        input_sizes = {f"input_{k}": list(onnx.load_tensor(self.data / f"input_{k}.pb").dims) for k in range(len(self.dimensions()))}
        free = {d: size for dims, axis_sizes in zip(self.dimensions().values(), input_sizes.values()) for d, size in zip(dims, axis_sizes) if isinstance(d, str)}
        return ["--shapes", ",".join(f"{d}={size}" for d, size in free.items())] if free else []

    def compile(self, source: str) -> tuple[float, float]:
        """To an object file: processor seconds and peak MiB of the compiler."""
        return cost([self.args.cxx, *FLAGS, f"-I{self.work}", *INCLUDES, "-DMODEL=" + self.name, f"-DMODEL_HEADER=<inlay/models/{self.name}.hpp>",
                     "-c", SOURCE / "bench" / f"{source}.cpp", "-o", self.work / f"{source}.o"])

    def link(self, source: str, program: str, flags: list[str]) -> pathlib.Path:
        subprocess.run([self.args.cxx, self.work / f"{source}.o", self.work / "weights.o", self.kernels, *flags, "-o", self.work / program], check=True)
        return self.work / program

    def all(self) -> dict:
        subprocess.run([self.args.tool, "compile", self.model, "--name", self.name, "--out", self.work, "--quiet", *self.sizes()], check=True)
        subprocess.run([self.args.cxx, "-c", f"{self.name}.S", "-o", "weights.o"], cwd=self.work, check=True)
        seconds, mib = self.compile("embedded_app")
        self.compile("embedded_serve")
        self.link("embedded_serve", "serve", STATIC)
        self.link("embedded_serve", "shared", ["-Wl,--gc-sections"])  # a static program ignores what is preloaded
        weights = (self.work / f"{self.name}.weights").stat().st_size
        return {"compile_s": seconds, "compile_mib": mib, "weight_bytes": weights, "text_bytes": text_of(self.link("embedded_app", "app", STATIC)) - weights}

    def check(self) -> None:
        """What the first run wrote against the data set's outputs: a wrong result's time is no result."""
        for file in sorted(self.data.glob("output_*.pb")):
            expected = onnx.numpy_helper.to_array(onnx.load_tensor(file))
            result = numpy.fromfile(self.work / file.with_suffix(".bin").name, expected.dtype).reshape(expected.shape)
            if not numpy.allclose(result, expected, rtol=1e-3, atol=1e-3 * max(1.0, float(numpy.abs(expected).max()))):
                raise SystemExit(f"{self.name}: {file.stem} differs from what it must be by {numpy.abs(result - expected).max()}")


# --- measuring --------------------------------------------------------------------------------------------------------

def peers_of(b: Build) -> dict[str, Peer]:
    return {"embedded": Peer("embedded", [b.work / "serve", b.work]),
            "session": Peer("session", [b.args.serve, "serve-bench", b.model, b.data, "1"]),
            "onnxruntime": Peer("onnxruntime", [sys.executable, __file__, "--serve", b.model, b.data])}


def start_up(b: Build) -> dict:
    rows = []
    for _ in range(STARTS):
        begin = time.monotonic()  # the clock of the program's facts
        with subprocess.Popen([b.work / "serve", b.work], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as child:
            facts = json.loads(child.stdout.readline())
        rows.append((facts["main"] - begin, facts["ready_s"], facts["packing_s"]))
    exec_s, ready_s, packing_s = (statistics.median(column) for column in zip(*rows))
    return {"to_main_s": exec_s, "ready_s": ready_s, "packing_s": packing_s}


def heap(b: Build, counter: pathlib.Path, runs: int) -> dict:
    def answer(command: list) -> float:
        process = subprocess.run(command, input=f"heap {runs}\n", env={**os.environ, "LD_PRELOAD": str(counter)}, capture_output=True, text=True, check=True)
        return int(process.stdout.splitlines()[1]) / runs
    return {"embedded": answer([b.work / "shared", b.work]),
            "session": json.loads(subprocess.run([b.args.heap_calls, b.model, b.data, str(runs)], capture_output=True, text=True, check=True).stdout)["heap_calls_per_run"],
            "onnxruntime": answer([sys.executable, __file__, "--serve", b.model, b.data])}


def alternate(peers: dict[str, Peer], seconds: float) -> dict[str, list[float]]:
    """The median milliseconds of each slice, by peer."""
    counts = {name: max(1, int(1e3 * seconds / SLICES / statistics.median(peer.run(5)))) for name, peer in peers.items()}
    slices = {name: [] for name in peers}
    for _ in range(SLICES):
        for name, peer in peers.items():
            slices[name].append(statistics.median(peer.run(counts[name])))
    return slices


def ratio(ours: list[float], theirs: list[float]) -> dict:
    ratios = [their / our for our, their in zip(ours, theirs)]
    tenths = statistics.quantiles(ratios, n=10, method="inclusive")
    return {"median": statistics.median(ratios), "low": tenths[0], "high": tenths[-1]}


def measure(args, name: str, empty: int, counter: pathlib.Path) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        b = Build(args, name, pathlib.Path(folder))
        facts = b.all()
        facts["text_bytes"] -= empty
        facts |= {"shapes": " ".join(b.sizes()[1:]), "start": start_up(b)}
        b.check()
        facts["heap"] = heap(b, counter, 20)
        peers = peers_of(b)
        try:
            times = alternate(peers, args.seconds)
            facts["ms"] = {peer: statistics.median(t) for peer, t in times.items()}
            facts |= {f"ratio_{peer}": ratio(times["embedded"], times[peer]) for peer in ("session", "onnxruntime")}
            facts["peak_mib"] = {peer: p.facts.get("peak_mib", p.facts.get("peak_kib", 0) / 1024) for peer, p in peers.items()}
            facts["onnxruntime"] = peers["onnxruntime"].facts["version"]
            if name == TINY:
                facts["overhead_ns"] = overhead(peers)
        finally:
            for peer in peers.values():
                peer.close()
        return facts


def overhead(peers: dict[str, Peer], rounds: int = 10, runs: int = 100_000) -> dict:
    """Median ns over a million runs, less what reading the clock takes."""
    clock_ms = {"embedded": peers["embedded"].facts["clock_s"], "session": peers["embedded"].facts["clock_s"], "onnxruntime": peers["onnxruntime"].facts["clock_s"]}
    times = {name: [] for name in peers}
    for _ in range(rounds):
        for name, peer in peers.items():
            times[name] += peer.run(runs)
    return {name: 1e6 * statistics.median(t) - 1e9 * clock_ms[name] for name, t in times.items()}


# --- reporting --------------------------------------------------------------------------------------------------------

def band(r: dict) -> str:
    return f"{r['median']:.2f} ({r['low']:.2f}-{r['high']:.2f})"


def table(results: dict[str, dict]) -> str:
    head = ["model", "compile s", "compiler MB", "text kB", "start ms", "packing ms", "peak MB (session, ORT)", "run ms", "session / run", "ORT / run", "heap calls (session, ORT)"]
    rows = []
    for name, f in results.items():
        start, peak, calls = f["start"], f["peak_mib"], f["heap"]
        mb = {peer: mib * 1.048576 for peer, mib in peak.items()}
        rows.append([name, f"{f['compile_s']:.1f}", f"{f['compile_mib'] * 1.048576:.0f}", f"{f['text_bytes'] / 1e3:.0f}", f"{1e3 * (start['to_main_s'] + start['ready_s']):.2f}",
                     f"{1e3 * start['packing_s']:.2f}", f"{mb['embedded']:.0f} ({mb['session']:.0f}, {mb['onnxruntime']:.0f})", f"{f['ms']['embedded']:.3g}",
                     band(f["ratio_session"]), band(f["ratio_onnxruntime"]), f"{calls['embedded']:g} ({calls['session']:g}, {calls['onnxruntime']:g})"])
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|", *("| " + " | ".join(row) + " |" for row in rows)]
    for name, f in results.items():
        if ns := f.get("overhead_ns"):
            lines += ["", f"{name}, ns per run, median of a million: embedded {ns['embedded']:.0f}, session's binding {ns['session']:.0f}, ONNX Runtime's binding from Python {ns['onnxruntime']:.0f}"]
    return "\n".join(lines)


def main() -> int:
    if sys.argv[1:2] == ["--serve"]:
        serve_onnxruntime(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/release")
    parser.add_argument("--tool", help="with `compile`; default: BUILD/bin/inlay")
    parser.add_argument("--models", default=",".join([*MODELS, TINY]))
    parser.add_argument("--shapes", action="append", default=[], metavar="MODEL:NAME=SIZE,...", help="random inputs of this shape")
    parser.add_argument("--seconds", type=float, default=4.0, help="about this long per model and runtime")
    parser.add_argument("--cxx", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--json", type=pathlib.Path, help="keep what was measured")
    args = parser.parse_args()
    args.serve, args.heap_calls = args.build / "bin/inlay", args.build / "bin/heap_calls"
    args.tool = args.tool or args.serve

    results = {}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        subprocess.run([args.cxx, "-O2", "-shared", "-fPIC", SOURCE / "bench/embedded_heap.cpp", "-o", work / "heap.so"], check=True)
        empty = empty_text(args.cxx, work)
        for name in args.models.split(","):
            results[name] = measure(args, name, empty, work / "heap.so")
            print(f"{name}: {results[name]}", file=sys.stderr, flush=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
