#!/usr/bin/env python3
"""A thousand requests to mlserver on loopback, which is killed and started again while they run.

    restarts.py TESTS DIGITS.onnx PYTHON

TESTS: the program of the tests, which makes the requests; PYTHON: that of an environment with mlserver and onnxruntime, as
scripts/setup --provider makes it: the server's model is ONNX Runtime's. Skipped where there is none.
"""
from __future__ import annotations

import collections
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

RUNTIME = """
import mlserver, mlserver.codecs, onnxruntime

class Digits(mlserver.MLModel):
    async def load(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(self.settings.parameters.uri, options)
        return True

    async def predict(self, payload):
        inputs = {one.name: mlserver.codecs.NumpyCodec.decode_input(one) for one in payload.inputs}
        results = self.session.run(["scores"], inputs)
        outputs = [mlserver.codecs.NumpyCodec.encode_output("scores", results[0])]
        return mlserver.types.InferenceResponse(model_name=self.name, outputs=outputs)
"""
KILLED_AFTER = (150, 450)  # right answers
KINDS = ("unreachable: ", "timed out: ", "wrong answer: it is cut", "server error: ")


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Server:
    """mlserver with the digits model, as a process."""

    def __init__(self, folder: pathlib.Path, model: str, python: str) -> None:
        self._folder, self._python = folder, python
        self.http, grpc, metrics = free_ports(3)
        (folder / "digits_runtime.py").write_text(RUNTIME)
        settings = {"host": "127.0.0.1", "http_port": self.http, "grpc_port": grpc, "metrics_port": metrics, "parallel_workers": 0}
        (folder / "settings.json").write_text(json.dumps(settings))
        ports = {
            "inputs": [{"name": "image", "datatype": "FP32", "shape": [-1, 1, 8, 8]}],
            "outputs": [{"name": "scores", "datatype": "FP32", "shape": [-1, 10]}],
        }
        (folder / "model-settings.json").write_text(json.dumps({"name": "digits", "implementation": "digits_runtime.Digits", "parameters": {"uri": model}, **ports}))
        self.start()

    def start(self) -> None:
        words = [str(pathlib.Path(self._python).with_name("mlserver")), "start", str(self._folder)]
        environment = {**os.environ, "PYTHONPATH": str(self._folder), "PYTHONDONTWRITEBYTECODE": "1"}
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log, env=environment, cwd=self._folder)

    def wait_until_ready(self, seconds: float = 180) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.http}/v2/models/digits/ready", timeout=10) as reply:
                    if reply.status == 200:
                        return
            except OSError:
                time.sleep(0.2)
        sys.exit("the server is not ready:\n" + self.log())

    def log(self) -> str:
        return (self._folder / "log").read_text()[-3000:]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def has_server(python: str) -> bool:
    question = [python, "-c", "import mlserver, onnxruntime"]
    return os.path.exists(python) and subprocess.run(question, capture_output=True, check=False).returncode == 0


def main() -> int:
    tests, model, python = sys.argv[1:]
    if not has_server(python):
        print(f"skipped: {python} has no mlserver and onnxruntime; scripts/setup --provider remote makes it")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        server = Server(pathlib.Path(folder), model, python)
        try:
            server.wait_until_ready()
            environment = {**os.environ, "INLAY_TEST_ENDPOINT": f"http://127.0.0.1:{server.http}", "INLAY_TEST_MODEL": model}
            process = subprocess.Popen([tests, "[.requests]"], stdout=subprocess.PIPE, text=True, env=environment)
            return judge(process, server)
        finally:
            server.kill()


def judge(process: subprocess.Popen[str], server: Server) -> int:
    """Kills the server while the requests run, and tells what became of them."""
    counts: collections.Counter[str] = collections.Counter()
    strange, since_restart, rest = [], 0, []
    assert process.stdout
    for line in process.stdout:
        if line.startswith("right"):
            counts["right"] += 1
            since_restart += 1
            if counts["right"] in KILLED_AFTER:
                server.kill()
                server.start()
                since_restart = 0
        elif line.startswith("error: "):
            kind = next((k for k in KINDS if k in line), None)
            counts[kind or "strange"] += 1
            if not kind or not line.startswith("error: provider_failed: "):
                strange.append(line)
        else:
            rest.append(line)
    status = process.wait()
    print(f"{counts.total()} requests: {dict(counts)}; {since_restart} right ones after the last restart")
    answered = status == 0 and counts.total() == 1000 and not strange
    killed = counts["right"] < 1000 and since_restart > 100  # and came back
    if not answered or not killed:
        print("".join([*strange[:5], *rest]), "the server's log:", server.log(), sep="\n")
    return 0 if answered and killed else 1


if __name__ == "__main__":
    sys.exit(main())
