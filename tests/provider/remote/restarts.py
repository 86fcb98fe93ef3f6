#!/usr/bin/env python3
"""A thousand requests to a server on loopback, which is killed and started again while they run; and strings.

    restarts.py TESTS DIGITS.onnx PYTHON mlserver|kserve json|binary|grpc

TESTS: the program of the tests, which makes the requests; PYTHON: that of an environment with the server and
onnxruntime, as scripts/setup --provider makes it: the server's model is ONNX Runtime's. Skipped where there is none.
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
import urllib.request

IMAGE = {"name": "image", "datatype": "FP32", "shape": [-1, 1, 8, 8]}
SCORES = {"name": "scores", "datatype": "FP32", "shape": [-1, 10]}
TEXTS = {"datatype": "BYTES", "shape": [-1]}

OF_MLSERVER = """
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

class Twice(mlserver.MLModel):
    async def predict(self, payload):
        texts = [one + one for one in mlserver.codecs.StringCodec.decode_input(payload.inputs[0])]
        output = mlserver.types.ResponseOutput(name="y", datatype="BYTES", shape=[len(texts)], data=texts)
        return mlserver.types.InferenceResponse(model_name=self.name, outputs=[output])
"""
OF_KSERVE = """
import json, sys
import kserve, numpy, onnxruntime

class Served(kserve.Model):
    def __init__(self, name, inputs, outputs):
        super().__init__(name)
        self.inputs, self.outputs, self.ready = inputs, outputs, True

    async def get_input_types(self):
        return self.inputs

    async def get_output_types(self):
        return self.outputs

    def predict(self, payload, headers=None, response_headers=None):
        result = self.run(payload.inputs[0].as_numpy())
        output = kserve.InferOutput(name=self.outputs[0]["name"], datatype=self.outputs[0]["datatype"], shape=list(result.shape))
        output.set_data_from_numpy(result, binary_data=False)  # by gRPC numbers in the message's own fields, and bytes where they are requested
        return kserve.InferResponse(response_id="1", model_name=self.name, infer_outputs=[output], requested_outputs=payload.request_outputs)

class Digits(Served):
    def __init__(self, file, inputs, outputs):
        super().__init__("digits", inputs, outputs)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(file, options)

    def run(self, images):
        return self.session.run(["scores"], {"image": images})[0]

class Twice(Served):
    def run(self, texts):
        return numpy.array([one + one for one in texts], dtype=numpy.object_)

if __name__ == "__main__":
    file, http, grpc, image, scores, texts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *map(json.loads, sys.argv[4:])
    models = [Digits(file, [image], [scores]), Twice("twice", [{"name": "x", **texts}], [{"name": "y", **texts}])]
    kserve.ModelServer(http_port=http, grpc_port=grpc, workers=1).start(models)
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
    """A server with the model of digits, and one that writes strings twice, as a process."""

    module: str

    def __init__(self, folder: pathlib.Path, model: str, python: str) -> None:
        self.folder, self.model, self.python = folder, model, python
        self.http, self.grpc, self.metrics = free_ports(3)
        self.prepare()
        self.start()

    def prepare(self) -> None:
        """Writes what the server reads."""

    def words(self) -> list[str]:
        """The command that starts it."""
        raise NotImplementedError

    def start(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(self.words(), stdout=log, stderr=log, env=environment, cwd=self.folder)

    def _is_ready(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.grpc), timeout=10).close()
            for model in ("digits", "twice"):
                with urllib.request.urlopen(f"http://127.0.0.1:{self.http}/v2/models/{model}/ready", timeout=10) as reply:
                    if reply.status != 200:
                        return False
        except OSError:
            return False
        return True

    def wait_until_ready(self, seconds: float = 180) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._process.poll() is None:
            if self._is_ready():
                return
            time.sleep(0.2)
        sys.exit("the server is not ready:\n" + self.log())

    def log(self) -> str:
        return (self.folder / "log").read_text()[-3000:]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class Mlserver(Server):
    module = "mlserver"

    def prepare(self) -> None:
        (self.folder / "test_runtime.py").write_text(OF_MLSERVER)
        settings = {"host": "127.0.0.1", "http_port": self.http, "grpc_port": self.grpc, "metrics_port": self.metrics, "parallel_workers": 0}
        (self.folder / "settings.json").write_text(json.dumps(settings))
        self._add("digits", "Digits", [IMAGE], [SCORES], {"uri": self.model})
        self._add("twice", "Twice", [{"name": "x", **TEXTS}], [{"name": "y", **TEXTS}], {})

    def _add(self, name: str, kind: str, inputs: list[object], outputs: list[object], parameters: dict[str, str]) -> None:
        (self.folder / name).mkdir()
        settings = {"name": name, "implementation": f"test_runtime.{kind}", "parameters": parameters, "inputs": inputs, "outputs": outputs}
        (self.folder / name / "model-settings.json").write_text(json.dumps(settings))

    def words(self) -> list[str]:
        return [str(pathlib.Path(self.python).with_name("mlserver")), "start", str(self.folder)]


class Kserve(Server):
    module = "kserve"

    def prepare(self) -> None:
        (self.folder / "test_server.py").write_text(OF_KSERVE)

    def words(self) -> list[str]:
        return [self.python, str(self.folder / "test_server.py"), self.model, str(self.http), str(self.grpc), *map(json.dumps, (IMAGE, SCORES, TEXTS))]


def has_server(python: str, module: str) -> bool:
    question = [python, "-c", f"import {module}, onnxruntime"]
    return os.path.exists(python) and subprocess.run(question, capture_output=True, check=False).returncode == 0


def main() -> int:
    tests, model, python, name, form = sys.argv[1:]
    kind = {"mlserver": Mlserver, "kserve": Kserve}[name]
    if not has_server(python, kind.module):
        print(f"skipped: {python} has no {name} and onnxruntime; scripts/setup --provider remote makes it")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        server = kind(pathlib.Path(folder), model, python)
        endpoint = f"grpc://127.0.0.1:{server.grpc}" if form == "grpc" else f"http://127.0.0.1:{server.http}"
        environment = {**os.environ, "INLAY_TEST_ENDPOINT": endpoint, "INLAY_TEST_MODEL": model, "INLAY_TEST_BINARY": str(int(form == "binary"))}
        try:
            server.wait_until_ready()
            if subprocess.run([tests, "[.strings]"], env=environment, check=False).returncode:
                print("the server's log:", server.log(), sep="\n")
                return 1
            return judge(subprocess.Popen([tests, "[.requests]"], stdout=subprocess.PIPE, text=True, env=environment), server)
        finally:
            server.kill()


def judge(process: subprocess.Popen[str], server: Server) -> int:
    """Kills the server while the requests run, and prints what became of them."""
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
