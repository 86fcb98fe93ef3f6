"""inlayrt.serving in mlserver: by itself, and a server of `python -m inlayrt serve` over REST and gRPC."""
from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

mlserver = pytest.importorskip("mlserver", reason="mlserver is not installed: pip install inlayrt[serving]")
pytestmark = pytest.mark.filterwarnings("default")  # those of mlserver and what it imports

import grpc  # noqa: E402
import mlserver.batching  # noqa: E402
import mlserver.context  # noqa: E402
import mlserver.errors  # noqa: E402
from mlserver.grpc import converters, dataplane_pb2, dataplane_pb2_grpc  # noqa: E402
from mlserver.types import InferenceRequest, RequestInput, RequestOutput  # noqa: E402

import inlayrt  # noqa: E402
from conftest import model_bytes  # noqa: E402
from inlayrt.serving import InlayModel, InlayRepository  # noqa: E402

# Datatype of the protocol, ONNX's type, values that a copy must give back.
TYPES = [
    ("BOOL", "bool", [True, False, True]),
    ("UINT8", "uint8", [0, 1, 255]),
    ("UINT16", "uint16", [0, 1, 65535]),
    ("UINT32", "uint32", [0, 1, 4294967295]),
    ("UINT64", "uint64", [0, 1, 18446744073709551615]),
    ("INT8", "int8", [-128, 1, 127]),
    ("INT16", "int16", [-32768, 1, 32767]),
    ("INT32", "int32", [-2147483648, 1, 2147483647]),
    ("INT64", "int64", [-9223372036854775808, 1, 9223372036854775807]),
    ("FP16", "float16", [0.5, -2.0, 65504.0]),
    ("FP32", "float", [0.5, -2.0, 3.0]),
    ("FP64", "double", [0.1, -2.0, 1e300]),
    ("BYTES", "string", ["", "süß", "three"]),
]
DOUBLE = "g (float[N,2] x) => (float[N,2] y) <float two = {2}> { y = Mul(x, two) }"
TWICE = "g (float[N,2] x) => (float[N,2] y, float[N,2] z) <float two = {2}> { y = Mul(x, two) z = Neg(x) }"


def copy_of(onnx_type: str) -> str:
    return f"g ({onnx_type}[N] x) => ({onnx_type}[N] y) {{ y = Identity(x) }}"


def write(folder: pathlib.Path, text: str, settings: dict[str, Any] | None = None) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model_bytes(text))
    if settings is not None:
        (folder / "model-settings.json").write_text(json.dumps(settings))
    return folder


async def loaded(folder: pathlib.Path, **settings: Any) -> InlayModel:
    parameters = {"uri": str(folder), **settings.pop("parameters", {})}
    model_settings = mlserver.ModelSettings(name="m", implementation=InlayModel, parameters=parameters, **settings)
    mlserver.context.model_name_var.set("m")  # of this task, as the server does
    mlserver.context.model_version_var.set("")
    model = InlayModel(model_settings)
    await mlserver.batching.load_batching(model)  # as the server does before it loads
    model.ready = await model.load()
    return model


def request(data: Any, shape: list[int], datatype: str = "FP32", name: str = "x", outputs: list[str] | None = None) -> InferenceRequest:
    requested = [RequestOutput(name=o) for o in outputs] if outputs else None
    return InferenceRequest(inputs=[RequestInput(name=name, shape=shape, datatype=datatype, data=data)], outputs=requested)


def answer(folder: pathlib.Path, payload: InferenceRequest, **settings: Any) -> dict[str, Any]:
    async def go() -> dict[str, Any]:
        model = await loaded(folder, **settings)
        result = await model.predict(payload)
        await model.unload()
        return {o.name: (o.shape, o.datatype, o.data.root) for o in result.outputs}

    return asyncio.run(go())


@pytest.mark.parametrize(("datatype", "onnx_type", "values"), TYPES)
def test_every_type_of_the_protocol_goes_through_a_model(tmp_path: pathlib.Path, datatype: str, onnx_type: str, values: list[Any]) -> None:
    folder = write(tmp_path, copy_of(onnx_type))
    shape, type_name, data = answer(folder, request(values, [3], datatype))["y"]
    given_back = [text.decode() for text in data] if datatype == "BYTES" else data
    assert (shape, type_name, given_back) == ([3], datatype, values)


def test_metadata_is_the_models_own(tmp_path: pathlib.Path) -> None:
    async def go() -> Any:
        return await (await loaded(write(tmp_path, TWICE), parameters={"version": "7"})).metadata()

    metadata = asyncio.run(go())
    assert [(t.name, t.datatype, t.shape) for t in metadata.inputs] == [("x", "FP32", [-1, 2])]
    assert [t.name for t in metadata.outputs] == ["y", "z"]
    assert (metadata.platform, metadata.versions) == ("onnx_inlay", ["7"])


def test_outputs_are_those_that_a_request_asks_for_in_its_order(tmp_path: pathlib.Path) -> None:
    folder = write(tmp_path, TWICE)
    assert list(answer(folder, request([1, 2], [1, 2], outputs=["z", "y"]))) == ["z", "y"]
    assert list(answer(folder, request([1, 2], [1, 2], outputs=["z"]))) == ["z"]
    assert list(answer(folder, request([1, 2], [1, 2]), parameters={"extra": {"outputs": ["z"]}})) == ["z"]


def test_strings_in_lists_are_read_and_lists_without_end_are_an_error(tmp_path: pathlib.Path) -> None:
    folder = write(tmp_path, copy_of("string"))
    assert answer(folder, request([["a"], [["b"], "c"]], [3], "BYTES"))["y"][2] == [b"a", b"b", b"c"]
    deep: Any = ["a"]
    for _ in range(200):
        deep = [deep]
    with pytest.raises(mlserver.errors.InferenceError, match="more than 64 deep"):
        answer(folder, request(deep, [1], "BYTES"))


def test_nan_is_written_as_null_and_nested_lists_are_read(tmp_path: pathlib.Path) -> None:
    folder = write(tmp_path, DOUBLE)
    data = answer(folder, request([[1.0, None], [3, 4]], [2, 2]))["y"][2]
    np.testing.assert_array_equal(data, [2.0, np.nan, 6.0, 8.0])


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (request([1, 2], [1, 2], name="w"), r"has the inputs \['w'\], but the model has \['x'\]"),
        (request([1, 2], [1, 2], "FP64"), "is FP64, but the model has FP32"),
        (request([1, 2], [2]), r"has the shape \[2\], but the model has \[-1, 2\]"),
        (request([1, 2, 3], [1, 3]), r"has the shape \[1, 3\], but the model has \[-1, 2\]"),
        (request([1, 2, 3], [1, 2]), "but 3 elements"),
        (request([], [-1, 2]), r"has the shape \[-1, 2\]"),
        (request([1, "two"], [1, 2]), "data that is no FP32"),
        (request([[1], [2, 3]], [1, 2]), "data that is no FP32"),
        (request([1, 1e39], [1, 2]), "data that is no FP32"),
        (request("12", [1, 2]), "has no list of data"),
        (request([1, 2], [1, 2], outputs=["w"]), r"names \['w'\], but the model has \['y'\]"),
    ],
)
@pytest.mark.parametrize("batching", [{}, {"max_batch_size": 4, "max_batch_time": 0.01}])
def test_a_request_that_does_not_fit_is_a_typed_error(tmp_path: pathlib.Path, payload: InferenceRequest, text: str, batching: dict[str, Any]) -> None:
    with pytest.raises(mlserver.errors.InferenceError, match=text):
        answer(write(tmp_path, DOUBLE), payload, **batching)


@pytest.mark.parametrize(
    ("onnx_type", "datatype", "data"),
    [("uint8", "UINT8", [256]), ("uint8", "UINT8", [-1]), ("int64", "INT64", [1.5]), ("int64", "INT64", [None]), ("float", "FP32", ["1.5"]), ("float", "FP32", [None, "1.5"]), ("bool", "BOOL", [2]), ("string", "BYTES", [1]), ("string", "BYTES", [b"\xff"])],
)
def test_values_that_a_type_does_not_have_are_errors(tmp_path: pathlib.Path, onnx_type: str, datatype: str, data: list[Any]) -> None:
    with pytest.raises(mlserver.errors.InferenceError, match="data that is no|must have strings"):
        answer(write(tmp_path, copy_of(onnx_type)), request(data, [1], datatype))


@pytest.mark.parametrize(
    ("text", "settings", "error"),
    [
        (copy_of("bfloat16"), {}, r"tensor\(bfloat16\), which the protocol does not have"),
        (DOUBLE, {"parameters": {"extra": {"thread": 1}}}, "has `thread`; there are providers, threads"),
        (DOUBLE, {"parameters": {"extra": {"threads": "1"}}}, "threads cannot be '1'"),
        (DOUBLE, {"parameters": {"extra": {"concurrent_runs": 0}}}, "concurrent_runs >= 1"),
        (DOUBLE, {"parameters": {"extra": {"outputs": ["w"]}}}, "outputs"),
        (DOUBLE, {"max_batch_size": 2}, "needs a max_batch_time"),
        (DOUBLE.replace("N", "3"), {"max_batch_size": 2, "max_batch_time": 0.1}, "a free first dimension"),
        ("g (float[N,M] x) => (float[N,M] y) { y = Neg(x) }", {"max_batch_size": 2, "max_batch_time": 0.1}, "and no other"),
    ],
)
def test_settings_that_are_wrong_end_the_loading(tmp_path: pathlib.Path, text: str, settings: dict[str, Any], error: str) -> None:
    with pytest.raises(mlserver.errors.MLServerError, match=error):
        asyncio.run(loaded(write(tmp_path, text), **settings))


def test_a_model_that_is_broken_or_asks_for_unknown_providers_does_not_load(tmp_path: pathlib.Path) -> None:
    folder = write(tmp_path, DOUBLE)
    with pytest.raises(inlayrt.InvalidArgument, match="no_such_one"):
        asyncio.run(loaded(folder, parameters={"extra": {"providers": ["no_such_one"]}}))
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(inlayrt.InvalidProtobuf):
        asyncio.run(loaded(folder))


# --- batches

GATHER = "g (int64[N] x) => (int64[N] y) <int64[3] table = {10, 20, 30}> { y = Gather(table, x) }"


def together(folder: pathlib.Path, payloads: list[InferenceRequest], size: int) -> tuple[list[Any], int]:
    """The answers, or errors, to requests that wait for each other, and how many runs there were."""

    async def go() -> tuple[list[Any], int]:
        model = await loaded(folder, max_batch_size=size, max_batch_time=0.5)
        session, runs = model._session, 0

        class Counted:
            def run(self, *args: Any) -> Any:
                nonlocal runs
                runs += 1
                return session.run(*args)

        model._session = Counted()
        return await asyncio.gather(*(model.predict(p) for p in payloads), return_exceptions=True), runs

    return asyncio.run(go())


def values(result: Any, name: str = "y") -> list[Any]:
    return next(o.data.root for o in result.outputs if o.name == name)


def test_requests_that_wait_are_one_run_and_get_their_own_rows(tmp_path: pathlib.Path) -> None:
    rows = [[[1, 2]], [[3, 4], [5, 6]], [[7, 8]]]
    results, runs = together(write(tmp_path, DOUBLE), [request(r, [len(r), 2]) for r in rows], 3)
    assert runs == 1
    assert [values(r) for r in results] == [[2, 4], [6, 8, 10, 12], [14, 16]]
    assert [r.outputs[0].shape for r in results] == [[1, 2], [2, 2], [1, 2]]


def test_requests_of_one_batch_get_the_outputs_that_each_asks_for(tmp_path: pathlib.Path) -> None:
    payloads = [request([1, 2], [1, 2], outputs=["z"]), request([3, 4], [1, 2]), request([5, 6], [1, 2], outputs=["y"])]
    results, runs = together(write(tmp_path, TWICE), payloads, 3)
    assert runs == 1
    assert [[o.name for o in r.outputs] for r in results] == [["z"], ["y", "z"], ["y"]]
    assert (values(results[0], "z"), values(results[1], "z"), values(results[2])) == ([-1, -2], [-3, -4], [10, 12])


def test_a_batch_that_failed_is_not_run_again_and_all_its_requests_get_the_error(tmp_path: pathlib.Path) -> None:
    payloads = [request([k], [1], "INT64") for k in (0, 7, 2)]
    results, runs = together(write(tmp_path, GATHER), payloads, 3)
    assert runs == 1
    assert all(isinstance(r, mlserver.errors.InferenceError) and "Gather" in str(r) for r in results)


def test_a_batch_that_took_too_long_is_not_run_again(tmp_path: pathlib.Path) -> None:
    class Slow:
        runs = 0

        def run(self, *args: Any) -> Any:
            self.runs += 1
            raise inlayrt.Fail("inlay: the run took longer than its deadline", code="deadline_passed")

    async def go() -> tuple[list[Any], int]:
        model = await loaded(write(tmp_path, DOUBLE), max_batch_size=2, max_batch_time=0.5)
        model._session = slow = Slow()
        return await asyncio.gather(*(model.predict(request([1, 2], [1, 2])) for _ in range(2)), return_exceptions=True), slow.runs

    results, runs = asyncio.run(go())
    assert runs == 1 and [r.status_code for r in results] == [504, 504]


@pytest.mark.parametrize("batching", [{}, {"max_batch_size": 4, "max_batch_time": 0.2}])
def test_requests_that_have_begun_are_answered_before_a_model_is_gone_and_later_ones_refused(tmp_path: pathlib.Path, batching: dict[str, Any]) -> None:
    async def go() -> tuple[list[Any], Any]:
        model = await loaded(write(tmp_path, DOUBLE), **batching)
        session = model._session

        class Slow:
            def run(self, *args: Any) -> Any:
                time.sleep(0.2)
                return session.run(*args)

        model._session = Slow()
        begun = [asyncio.ensure_future(model.predict(request([k, k], [1, 2]))) for k in range(3)]
        await asyncio.sleep(0.05)
        unloading = asyncio.ensure_future(model.unload())
        await asyncio.sleep(0.05)
        late = await asyncio.gather(model.predict(request([1, 1], [1, 2])), return_exceptions=True)
        assert await asyncio.wait_for(unloading, 30)
        return [values(await task) for task in begun], late[0]

    answers, late = asyncio.run(go())
    assert answers == [[0, 0], [2, 2], [4, 4]]
    assert isinstance(late, mlserver.errors.MLServerError) and late.status_code == 503 and "is being unloaded" in str(late)


def test_strings_are_batched(tmp_path: pathlib.Path) -> None:
    payloads = [request(["a", "b"], [2], "BYTES"), request(["c"], [1], "BYTES")]
    results, runs = together(write(tmp_path, copy_of("string")), payloads, 2)
    assert (runs, [values(r) for r in results]) == (1, [[b"a", b"b"], [b"c"]])


def test_a_caller_that_goes_away_leaves_the_others_of_its_batch_alone(tmp_path: pathlib.Path) -> None:
    async def go() -> list[Any]:
        model = await loaded(write(tmp_path, DOUBLE), max_batch_size=3, max_batch_time=0.2)
        tasks = [asyncio.ensure_future(model.predict(request([k, k], [1, 2]))) for k in range(2)]
        await asyncio.sleep(0.05)
        tasks[0].cancel()
        return await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)

    results = asyncio.run(go())
    assert isinstance(results[0], asyncio.CancelledError)
    assert values(results[1]) == [2, 2]


def test_a_model_whose_outputs_have_no_row_for_each_of_the_batchs_is_an_error_not_a_mix_up(tmp_path: pathlib.Path) -> None:
    lengths = "g (int64[N] x) => (int64[M] y) { y = Unique(x) }"
    results, _ = together(write(tmp_path, lengths), [request([1], [1], "INT64"), request([1], [1], "INT64")], 2)
    assert all(isinstance(r, mlserver.errors.MLServerError) and "do not have a row for each" in str(r) for r in results)


# --- folders

def names_in(root: pathlib.Path, defaults: dict[str, Any] | None = None) -> dict[tuple[str, str | None], Any]:
    models = asyncio.run(InlayRepository(str(root), defaults).list())
    return {(model.name, model.version): model for model in models}


def test_models_are_found_by_their_folders(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "one", DOUBLE)
    write(tmp_path / "many" / "1", DOUBLE)
    write(tmp_path / "many" / "2", DOUBLE, {"max_batch_size": 9})
    (tmp_path / "many" / "model-settings.json").write_text('{"max_batch_size": 5, "parameters": {"extra": {"threads": 1}}}')
    models = names_in(tmp_path, {"max_batch_size": 3, "max_batch_time": 0.5, "parameters": {"extra": {"threads": 4, "seconds": 1}}})
    assert set(models) == {("one", None), ("many", "1"), ("many", "2")}
    assert [models["one", None].max_batch_size, models["many", "1"].max_batch_size, models["many", "2"].max_batch_size] == [3, 5, 9]
    assert models["many", "1"].parameters.extra == {"threads": 1, "seconds": 1}
    assert models["many", "2"].parameters.uri == str(tmp_path / "many" / "2")
    assert set(names_in(tmp_path / "one")) == {("one", None)}


def test_folders_without_models_with_broken_settings_or_two_models_of_one_name_are_errors(tmp_path: pathlib.Path) -> None:
    with pytest.raises(mlserver.errors.MLServerError, match="no model.onnx"):
        names_in(tmp_path)
    write(tmp_path / "a", DOUBLE, {"name": "same"})
    write(tmp_path / "b", DOUBLE, {"name": "same"})
    with pytest.raises(mlserver.errors.MLServerError, match="more than one model of the name and version: same"):
        names_in(tmp_path)
    (tmp_path / "b" / "model-settings.json").write_text("{")
    with pytest.raises(mlserver.errors.MLServerError, match="b/model-settings.json"):
        names_in(tmp_path)


# --- the server

def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for socket_of_port in sockets:
        socket_of_port.bind(("127.0.0.1", 0))
    ports = [socket_of_port.getsockname()[1] for socket_of_port in sockets]
    for socket_of_port in sockets:
        socket_of_port.close()
    return ports


class Server:
    """python -m inlayrt serve, as a process."""

    def __init__(self, folder: pathlib.Path, *options: str) -> None:
        self.http, self.grpc, metrics = free_ports(3)
        self.metrics = f"http://127.0.0.1:{metrics}/metrics"
        self._words = [sys.executable, "-m", "inlayrt", "serve", str(folder), "--http-port", str(self.http), "--grpc-port", str(self.grpc)]
        self._words += ["--metrics-port", str(metrics), *options]
        self._log = folder / "server.log"
        self.start()

    def start(self) -> None:
        self._file = self._log.open("ab")
        path = os.pathsep.join([str(pathlib.Path(inlayrt.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._process = subprocess.Popen(self._words, stdout=self._file, stderr=self._file, env={**os.environ, "PYTHONPATH": path}, cwd=self._log.parent)

    def wait_until_ready(self, seconds: float = 180) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self._process.poll() is None, self._log.read_text()
            with contextlib.suppress(OSError):
                if self.call("v2/health/ready")[0] == 200:
                    return
            time.sleep(0.1)
        pytest.fail(f"the server is not ready after {seconds} s:\n{self._log.read_text()}")

    def stop(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        status = self._process.wait(30)
        self._file.close()
        return status

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._file.close()

    token: str | None = None

    def call(self, path: str, body: Any = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        question = urllib.request.Request(f"http://127.0.0.1:{self.http}/{path}", data, headers)
        try:
            with urllib.request.urlopen(question, timeout=30) as reply:
                status, text = reply.status, reply.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text) if text else None

    def infer(self, model: str, data: Any, shape: list[int], datatype: str = "FP32") -> tuple[int, Any]:
        return self.call(f"v2/models/{model}/infer", {"inputs": [{"name": "x", "shape": shape, "datatype": datatype, "data": data}]})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("models")
    write(root / "double", DOUBLE)
    write(root / "versions" / "1", DOUBLE)
    write(root / "versions" / "2", DOUBLE.replace("{2}", "{3}"))
    write(root / "batched", DOUBLE, {"max_batch_size": 16, "max_batch_time": 0.05})
    for datatype, onnx_type, _ in TYPES:
        write(root / datatype.lower(), copy_of(onnx_type))
    instance = Server(root)
    instance.wait_until_ready()
    yield instance
    instance.kill()


def test_a_server_answers_over_rest_with_versions_health_and_metadata(server: Server) -> None:
    assert server.call("v2/health/live")[0] == server.call("v2/models/double/ready")[0] == 200
    status, reply = server.infer("double", [1, 2], [1, 2])
    assert (status, reply["outputs"][0]["data"]) == (200, [2.0, 4.0])
    assert server.infer("versions/versions/1", [1, 2], [1, 2])[1]["outputs"][0]["data"] == [2.0, 4.0]
    newest = server.infer("versions", [1, 2], [1, 2])[1]
    assert (newest["outputs"][0]["data"], newest["model_version"]) == ([3.0, 6.0], "2")
    assert server.call("v2/models/double")[1]["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 2]}]
    assert server.infer("nothing", [1, 2], [1, 2])[0] == 404
    status, reply = server.infer("double", [1, 2], [2])
    assert status == 400 and "has the shape [2]" in reply["error"]


@pytest.mark.parametrize(("datatype", "_", "values"), TYPES)
def test_every_type_goes_over_rest_and_grpc(server: Server, datatype: str, _: str, values: list[Any]) -> None:
    status, reply = server.infer(datatype.lower(), values, [3], datatype)
    assert (status, reply["outputs"][0]["data"]) == (200, values)
    question = converters.ModelInferRequestConverter.from_types(request(values, [3], datatype), datatype.lower(), use_raw=True)
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc}") as channel:
        raw = dataplane_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer(question, timeout=30)
    data = converters.ModelInferResponseConverter.to_types(raw).outputs[0].data.root
    assert [item.decode() if isinstance(item, bytes) else item for item in data] == values


def test_a_server_answers_errors_over_grpc_with_a_code_and_text(server: Server) -> None:
    question = converters.ModelInferRequestConverter.from_types(request([1.0, 2.0], [2]), "double")
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc}") as channel:
        stub = dataplane_pb2_grpc.GRPCInferenceServiceStub(channel)
        assert stub.ServerReady(dataplane_pb2.ServerReadyRequest(), timeout=30).ready
        with pytest.raises(grpc.RpcError) as error:
            stub.ModelInfer(question, timeout=30)
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "has the shape [2]" in error.value.details()


def test_callers_of_a_batching_server_get_their_own_answers_and_metrics_count_the_runs(server: Server) -> None:
    wrong: list[Any] = []

    def caller(k: int) -> None:
        for step in range(10):
            x = [k * 100 + step, -k]
            reply = server.infer("batched", x, [1, 2])
            if reply[0] != 200 or reply[1]["outputs"][0]["data"] != [2 * x[0], 2 * x[1]]:
                wrong.append((x, reply))

    threads = [threading.Thread(target=caller, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    with urllib.request.urlopen(server.metrics, timeout=30) as reply:
        lines = reply.read().decode().splitlines()
    count = {line.split()[0]: float(line.split()[1]) for line in lines if not line.startswith("#")}
    runs = next(v for k, v in count.items() if k.startswith("inlay_run_seconds_count") and '"batched"' in k)
    assert 10 <= runs < 80, "80 requests of 8 callers, of which none was run with another's"


def test_a_restart_under_load_loses_nothing_but_typed_errors(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "double", DOUBLE)
    instance = Server(tmp_path)
    instance.wait_until_ready()
    wrong: list[Any] = []
    good = [0, 0]  # before the restart, and after it
    errors = 0
    restarted, finished = threading.Event(), threading.Event()

    def caller(k: int) -> None:
        nonlocal errors
        while not finished.is_set():
            try:
                status, reply = instance.infer("double", [k, k + 1], [1, 2])
            except (ConnectionError, urllib.error.URLError):
                errors += 1
                time.sleep(0.05)
                continue
            if status == 200 and reply["outputs"][0]["data"] == [2 * k, 2 * k + 2]:
                good[restarted.is_set()] += 1
            elif status == 200 or "error" not in (reply or {}):
                wrong.append((status, reply))
            else:
                errors += 1

    threads = [threading.Thread(target=caller, args=(k,), daemon=True) for k in range(4)]
    try:
        for thread in threads:
            thread.start()
        time.sleep(1)
        instance.stop()
        instance.start()
        instance.wait_until_ready()
        restarted.set()
        time.sleep(1)
        finished.set()
        for thread in threads:
            thread.join(60)
        alive = [thread for thread in threads if thread.is_alive()]
    finally:
        finished.set()
        instance.kill()
    assert not alive and not wrong
    assert min(good) > 0 and errors > 0


def test_a_server_listens_on_loopback_unless_it_is_told_another_host(tmp_path: pathlib.Path) -> None:
    from inlayrt.serving import server_settings

    assert server_settings(str(tmp_path), {}, {}).host == "127.0.0.1"
    assert server_settings(str(tmp_path), {"host": "0.0.0.0"}, {}).host == "0.0.0.0"
    (tmp_path / "settings.json").write_text('{"host": "::"}')
    assert server_settings(str(tmp_path), {}, {}).host == "::"


def test_a_server_with_a_token_answers_callers_that_send_it_and_tells_its_health_to_all(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "double", DOUBLE)
    (tmp_path / "token").write_text("secret words\n")
    instance = Server(tmp_path, "--token-file", str(tmp_path / "token"))
    question = converters.ModelInferRequestConverter.from_types(request([1.0, 2.0], [1, 2]), "double")
    try:
        instance.wait_until_ready()  # without the token
        for token, status in ((None, 401), ("secret", 401), ("secret words", 200)):
            instance.token = token
            assert instance.infer("double", [1, 2], [1, 2])[0] == status
            metadata = [("authorization", f"Bearer {token}")] if token else []
            with grpc.insecure_channel(f"127.0.0.1:{instance.grpc}") as channel:
                stub = dataplane_pb2_grpc.GRPCInferenceServiceStub(channel)
                assert stub.ServerLive(dataplane_pb2.ServerLiveRequest(), timeout=30).live
                if status == 200:
                    assert len(stub.ModelInfer(question, timeout=30, metadata=metadata).outputs) == 1
                else:
                    with pytest.raises(grpc.RpcError) as failure:
                        stub.ModelInfer(question, timeout=30, metadata=metadata)
                    assert failure.value.code() == grpc.StatusCode.UNAUTHENTICATED
            metrics = urllib.request.Request(instance.metrics, headers={"Authorization": f"Bearer {token}"} if token else {})
            try:
                with urllib.request.urlopen(metrics, timeout=30) as reply:
                    assert reply.status == status
            except urllib.error.HTTPError as error:
                assert error.code == status
    finally:
        instance.kill()


@pytest.mark.parametrize("content", [None, "", "\n"])
def test_a_file_without_a_token_ends_the_start(tmp_path: pathlib.Path, content: str | None) -> None:
    write(tmp_path / "double", DOUBLE)
    if content is not None:
        (tmp_path / "token").write_text(content)
    instance = Server(tmp_path, "--token-file", str(tmp_path / "token"))
    assert instance._process.wait(60) == 1
    assert "inlay: " in (tmp_path / "server.log").read_text()
    instance._file.close()


def test_a_server_without_models_says_so_and_ends(tmp_path: pathlib.Path) -> None:
    instance = Server(tmp_path)
    assert instance._process.wait(60) == 1
    assert "no model.onnx" in (tmp_path / "server.log").read_text()
    instance._file.close()
