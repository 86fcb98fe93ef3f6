#!/usr/bin/env python3
"""Inlay in mlserver compared with ONNX Runtime in mlserver: throughput, latency and memory at 1, 8 and 64 callers over
REST.

  serving.py MODEL.onnx --seconds 5 --callers 1 8 64     # PYTHONPATH has the package inlay; mlserver and onnxruntime are installed

mlserver has no form for ONNX Runtime on PyPI: OrtModel below is one of the least code, with mlserver's own codecs.
Servers have one process each, and their measurements are interleaved. Callers are threads of one process, in a closed
loop, of one row per request. Prints rows of a table of docs/how-to/serving.md.
"""
from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import mlserver
import numpy as np
from mlserver.codecs import NumpyCodec


class OrtModel(mlserver.MLModel):
    async def load(self) -> bool:
        import onnxruntime

        self._session = onnxruntime.InferenceSession(self.settings.parameters.uri)
        self._names = [o.name for o in self._session.get_outputs()]
        return True

    async def predict(self, payload: mlserver.types.InferenceRequest) -> mlserver.types.InferenceResponse:
        feeds = {i.name: self.decode(i, NumpyCodec) for i in payload.inputs}
        results = await asyncio.get_running_loop().run_in_executor(None, self._session.run, self._names, feeds)
        outputs = [NumpyCodec.encode_output(n, r) for n, r in zip(self._names, results)]
        return mlserver.types.InferenceResponse(model_name=self.name, outputs=outputs)


def settings(kind: str, model: pathlib.Path) -> dict:
    options = {"name": "m", "implementation": "serving.OrtModel" if kind == "onnxruntime" else "inlayrt.serving.InlayModel"}
    if kind.endswith("batching"):
        options |= {"max_batch_size": 32, "max_batch_time": 0.002}
    return options | {"parameters": {"uri": str(model)}}


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Server:
    def __init__(self, kind: str, model: pathlib.Path, folder: pathlib.Path, copies: int = 0) -> None:
        folder.mkdir()
        for k in range(copies):  # further models over the same file
            (folder / str(k)).mkdir()
            (folder / str(k) / "model-settings.json").write_text(json.dumps(settings(kind, model) | {"name": f"m{k}"}))
        ports = {"http_port": free_port(), "grpc_port": free_port(), "metrics_port": free_port()}
        (folder / "settings.json").write_text(json.dumps({"parallel_workers": 0, "debug": False, "host": "127.0.0.1", **ports}))
        (folder / "model-settings.json").write_text(json.dumps(settings(kind, model)))
        self.port = ports["http_port"]
        bench_folder = str(pathlib.Path(__file__).resolve().parent)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([bench_folder, os.environ.get("PYTHONPATH", "")])}
        words = [sys.executable, "-c", "from mlserver.cli import main; main()", "start", "."]
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, env=env)
        end = time.monotonic() + 120
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() > end:
                raise SystemExit((folder / "log").read_text())
            time.sleep(0.1)

    def _ready(self) -> bool:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            connection.request("GET", "/v2/models/m/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def figure(self, name: str) -> int:
        """VmRSS or VmHWM in KiB."""
        text = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith(name)))

    def processor_seconds(self) -> float:
        fields = pathlib.Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def load(server: Server, body: bytes, callers: int, seconds: float) -> dict[str, float]:
    """Requests per second, latencies in ms, and the server's processor time per request in ms."""
    times: list[float] = []
    failures: list[str] = []
    end = time.monotonic() + seconds

    def caller() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        durations = []
        while (begun := time.monotonic()) < end:
            connection.request("POST", "/v2/models/m/infer", body, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            text = reply.read()
            if reply.status != 200:
                failures.append(text.decode())
                break
            durations.append(time.monotonic() - begun)
        times.extend(durations)

    before, begun = server.processor_seconds(), time.monotonic()
    threads = [threading.Thread(target=caller) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.monotonic() - begun
    if failures or len(times) < 10:
        raise SystemExit(f"{len(times)} answers, {len(failures)} errors: {failures[:1]}")
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    used = (server.processor_seconds() - before) / len(times)
    return {"rate": len(times) / passed, "p50": cuts[49] * 1e3, "p99": cuts[98] * 1e3, "cpu": used * 1e3}


def memory_per_model(model: pathlib.Path, body: bytes, work: pathlib.Path, kinds: list[str], copies: int = 8) -> None:
    """Prints what a server's resident memory grows by for each further model, when every one has answered a request."""
    for kind in kinds:
        grown = []
        for count in (0, copies):
            server = Server(kind, model, work / f"{kind}-{count}", count)
            for name in ["m", *(f"m{k}" for k in range(count))]:
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
                connection.request("POST", f"/v2/models/{name}/infer", body, {"Content-Type": "application/json"})
                reply = connection.getresponse()
                text = reply.read()
                connection.close()  # or the server waits for it when it is to end
                if reply.status != 200:
                    raise SystemExit(f"{kind}: {name}: {text.decode()}")
            grown.append(server.figure("VmRSS") / 1024)
            server.stop()
        print(f"| {kind} | {grown[0]:.0f} | {(grown[1] - grown[0]) / copies:.1f} |", flush=True)


def body_for(model: pathlib.Path) -> bytes:
    import inlayrt

    random = np.random.default_rng(1)
    inputs = []
    for port in inlayrt.InferenceSession(str(model)).get_inputs():
        if port.type != "tensor(float)":
            raise SystemExit(f"{port.name} is a {port.type}; this script feeds tensor(float)")
        shape = [d if isinstance(d, int) else 1 for d in port.shape]
        inputs.append({"name": port.name, "shape": shape, "datatype": "FP32", "data": random.random(shape, np.float32).ravel().tolist()})
    return json.dumps({"inputs": inputs}).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many, interleaved")
    parser.add_argument("--memory", nargs="+", choices=["inlay", "onnxruntime"], help="measure the memory per model of these servers instead")
    args = parser.parse_args()
    model = args.model.resolve()
    body = body_for(model)
    if args.memory:
        with tempfile.TemporaryDirectory() as work:
            memory_per_model(model, body, pathlib.Path(work), args.memory)
        return
    kinds = ["inlay", "inlay, batching", "onnxruntime"]
    print("| callers | server | requests/s | p50 ms | p99 ms | processor ms per request | memory MiB |\n|---:|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        servers = {kind: Server(kind, model, pathlib.Path(work) / str(k)) for k, kind in enumerate(kinds)}
        for server in servers.values():
            load(server, body, 8, 1)
        for callers in args.callers:
            figures: dict[str, list[dict[str, float]]] = {kind: [] for kind in kinds}
            for _ in range(args.rounds):
                for kind in kinds:
                    figures[kind].append(load(servers[kind], body, callers, args.seconds))
            for kind, all_rounds in figures.items():
                best = max(all_rounds, key=lambda r: r["rate"])
                memory = servers[kind].figure("VmRSS") / 1024
                print(f"| {callers} | {kind} | {best['rate']:.0f} | {best['p50']:.1f} | {best['p99']:.1f} | {best['cpu']:.2f} | {memory:.0f} |", flush=True)
        for server in servers.values():
            server.stop()


if __name__ == "__main__":
    main()
