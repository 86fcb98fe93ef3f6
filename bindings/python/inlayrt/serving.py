"""Serving: models of Inlay in mlserver, by the Open Inference Protocol, version 2, over REST and gRPC.

    python -m inlayrt serve MODELS            # every model.onnx below the folder; docs/how-to/serving.md

It needs the package mlserver.
"""
# mypy: allow-subclassing-any, no-warn-unused-ignores, disable-error-code="import-untyped,import-not-found"
from __future__ import annotations

import asyncio
import contextlib
import glob
import ipaddress
import json
import multiprocessing
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mlserver
import mlserver.batching
import mlserver.errors
import mlserver.logging
import mlserver.repository
import mlserver.utils
import numpy as np
import prometheus_client
from mlserver.types import (
    InferenceRequest,
    InferenceResponse,
    MetadataTensor,
    Parameters,
    RequestInput,
    ResponseOutput,
)

from ._errors import Error, InvalidArgument
from ._options import RunOptions, SessionOptions
from ._session import InferenceSession, NodeArg
from ._token import GuardedServer, Token

ServingError = mlserver.errors.MLServerError
MODEL_FILE = "model.onnx"
SETTINGS_FILE = "model-settings.json"
IMPLEMENTATION = "inlayrt.serving.InlayModel"

# mlserver.log() has a registry of its own, which a server without workers does not show. A reload of the module, which
# mlserver does for a model with a file of settings, keeps what is registered.
RUN_SECONDS: Any = globals().get("RUN_SECONDS") or prometheus_client.Histogram(
    "inlay_run_seconds", "time of a run of the session, of one request or a batch of them", ["model", "version"]
)

# The types that the protocol has; its BYTES are strings.
_DTYPES: dict[str, Any] = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
    "BYTES": np.object_,
}
_DATATYPES = {
    "tensor(bool)": "BOOL",
    "tensor(uint8)": "UINT8",
    "tensor(uint16)": "UINT16",
    "tensor(uint32)": "UINT32",
    "tensor(uint64)": "UINT64",
    "tensor(int8)": "INT8",
    "tensor(int16)": "INT16",
    "tensor(int32)": "INT32",
    "tensor(int64)": "INT64",
    "tensor(float16)": "FP16",
    "tensor(float)": "FP32",
    "tensor(double)": "FP64",
    "tensor(string)": "BYTES",
}


def _refuse(text: str) -> mlserver.errors.InferenceError:
    return mlserver.errors.InferenceError(f"inlay: {text}")


def _metadata_of(port: NodeArg) -> MetadataTensor:
    """The protocol's description of an input or output; -1 is a free dimension."""
    if port.type not in _DATATYPES:
        raise ServingError(
            f"inlay: `{port.name}` is a {port.type}, which the protocol does not have; "
            "convert it in the model, or leave an output out by parameters.extra.outputs"
        )
    shape = [d if isinstance(d, int) else -1 for d in port.shape]
    return MetadataTensor(name=port.name, datatype=_DATATYPES[port.type], shape=shape)


def _strings(data: list[Any], subject: str) -> np.ndarray[Any, Any]:
    array = np.empty(len(data), dtype=np.object_)
    for at, item in enumerate(data):
        if not isinstance(item, (str, bytes)):
            raise _refuse(f"{subject} must have strings, not {type(item).__name__}")
        try:
            array[at] = item.decode("utf-8") if isinstance(item, bytes) else item
        except UnicodeDecodeError as error:
            raise _refuse(f"{subject} must have strings in UTF-8: {error}") from error
    return array


def _flat(data: Any, subject: str, depth: int = 0) -> list[Any]:
    """Strings in one list, however they were nested."""
    if depth > 64:  # as deep as NumPy's arrays
        raise _refuse(f"{subject} has lists in lists, more than 64 deep")
    if not isinstance(data, list):
        return [data]
    nested = any(isinstance(item, list) for item in data)
    return [leaf for item in data for leaf in _flat(item, subject, depth + 1)] if nested else data


def _numbers(data: Any, datatype: str, subject: str) -> np.ndarray[Any, Any]:
    """An array of the datatype; a number that it cannot represent is an error, and null means NaN."""
    dtype = np.dtype(_DTYPES[datatype])
    refusal = _refuse(f"{subject} has data that is no {datatype}")
    try:
        # NumPy converts a list of large and small integers to floats, where it may choose.
        numbers = np.array(data, dtype=np.object_ if datatype == "UINT64" else None)
        if numbers.dtype.kind not in "biufO" or any(isinstance(item, (str, bytes)) for item in numbers.flat if numbers.dtype == object):
            raise refusal
        with np.errstate(over="raise", invalid="ignore"):
            array = numbers.astype(np.float64).astype(dtype) if dtype.kind == "f" else numbers.astype(dtype)
    except (ValueError, TypeError, OverflowError, FloatingPointError) as error:
        raise _refuse(f"{subject} has data that is no {datatype}: {error}") from error
    if dtype.kind != "f" and numbers.size and (numbers.dtype.kind == "f" or not np.array_equal(array, numbers)):
        raise refusal
    return array


def _array_of(request_input: RequestInput, expected: MetadataTensor) -> np.ndarray[Any, Any]:
    """The data of an input, checked against what the model has."""
    subject = f"the input `{request_input.name}`"
    datatype = str(expected.datatype)
    if request_input.datatype != datatype:
        raise _refuse(f"{subject} is {request_input.datatype}, but the model has {datatype}")
    fits = len(request_input.shape) == len(expected.shape) and all(
        d >= 0 and e in (-1, d) for d, e in zip(request_input.shape, expected.shape)
    )
    if not fits:
        raise _refuse(f"{subject} has the shape {request_input.shape}, but the model has {expected.shape}")
    content_type = request_input.parameters.content_type if request_input.parameters else None
    if content_type not in (None, "np", "str"):
        raise _refuse(f"{subject} has the content type `{content_type}`; it may be np, str or none")
    data = getattr(request_input.data, "root", request_input.data)
    if isinstance(data, (str, bytes)) and datatype == "BYTES":
        data = [data]
    if not isinstance(data, list):
        raise _refuse(f"{subject} has no list of data")
    array = _strings(_flat(data, subject), subject) if datatype == "BYTES" else _numbers(data, datatype, subject)
    if array.size != np.prod(request_input.shape, dtype=np.int64):
        raise _refuse(f"{subject} has the shape {request_input.shape}, but {array.size} elements")
    return array.reshape(request_input.shape)


def _output_of(name: str, array: np.ndarray[Any, Any], datatype: str) -> ResponseOutput:
    flat = array.reshape(-1)
    data: list[Any] = [text.encode("utf-8") for text in flat] if datatype == "BYTES" else flat.tolist()
    content_type = "str" if datatype == "BYTES" else "np"
    return ResponseOutput(
        name=name,
        shape=list(array.shape),
        datatype=datatype,
        data=data,
        parameters=Parameters(content_type=content_type),
    )


@contextlib.contextmanager
def _protocol_errors() -> Iterator[None]:
    """Errors of Inlay as the server reports them: 400 for the caller's input, 504 for a deadline, else 500."""
    try:
        yield
    except InvalidArgument as error:
        raise mlserver.errors.InferenceError(str(error)) from error
    except Error as error:
        raise ServingError(str(error), 504 if error.code == "deadline_passed" else 500) from error


class _Settings:
    """parameters.extra of a model's settings.

    - providers: a list of names or [name, {option: value}]; the CPU without it
    - threads: of a run on the CPU, 0 (the default) for one per core
    - concurrent_runs: how many runs may go on at once; by default one per core
    - outputs: names of the outputs that are served; by default all
    - seconds: how long a run may take; by default without limit
    """

    _TYPES: Mapping[str, tuple[type, ...]] = {
        "providers": (list,),
        "threads": (int,),
        "concurrent_runs": (int,),
        "outputs": (list,),
        "seconds": (int, float),
    }

    def __init__(self, extra: Mapping[str, Any]) -> None:
        for name, value in extra.items():
            if name not in self._TYPES:
                raise ServingError(f"inlay: parameters.extra has `{name}`; there are {', '.join(self._TYPES)}")
            if not isinstance(value, self._TYPES[name]) or isinstance(value, bool):
                raise ServingError(f"inlay: parameters.extra.{name} cannot be {value!r}")
        listed = extra.get("providers", [])
        self.providers = [tuple(p) if isinstance(p, list) else p for p in listed]
        self.threads = int(extra.get("threads", 0))
        self.concurrent_runs = int(extra.get("concurrent_runs", len(os.sched_getaffinity(0))))
        self.outputs: list[str] | None = extra.get("outputs")
        self.seconds: float | None = extra.get("seconds")
        if self.threads < 0 or self.concurrent_runs < 1 or (self.seconds is not None and self.seconds <= 0):
            raise ServingError("inlay: parameters.extra: threads >= 0, concurrent_runs >= 1, seconds > 0")


class InlayModel(mlserver.MLModel):
    """A model of Inlay in mlserver.

    parameters.uri of its settings is the file, or a folder with model.onnx; parameters.extra is described in docs/how-to/serving.md.
    Runs are in threads of the server's process, which release the GIL: parallel_workers = 0 is enough for all cores.
    With max_batch_size and max_batch_time, requests that wait are run as one; then every input and output of the model has
    a free first dimension, and no other.
    """

    _session: Any = None
    _pool: ThreadPoolExecutor | None = None
    _requests = 0  # that have begun, those that wait for their batch too
    _unloading = False

    async def load(self) -> bool:
        """Makes the session. Raises MLServerError for settings that are wrong, and what InferenceSession does."""
        self._idle = asyncio.Event()
        self._unloading = False
        uri = await mlserver.utils.get_model_uri(self.settings, wellknown_filenames=[MODEL_FILE])
        self._own = _Settings((self.settings.parameters.extra or {}) if self.settings.parameters else {})
        options = SessionOptions()
        options.intra_op_num_threads = self._own.threads
        self._session = await asyncio.to_thread(InferenceSession, uri, options, self._own.providers or None)
        self._describe()
        self._pool = ThreadPoolExecutor(self._own.concurrent_runs, thread_name_prefix=f"inlay-{self.name}")
        if self.settings.max_batch_size > 1:
            await self._start_batching()
        return True

    def _describe(self) -> None:
        ports = {o.name: o for o in self._session.get_outputs()}
        served = list(ports) if self._own.outputs is None else self._own.outputs
        unknown = [name for name in served if name not in ports]
        if unknown or not served:
            raise ServingError(f"inlay: parameters.extra.outputs: {unknown or 'none'}; the model has {list(ports)}")
        self.inputs = [_metadata_of(i) for i in self._session.get_inputs()]
        self.outputs = [_metadata_of(ports[name]) for name in served]
        self.settings.platform = "onnx_inlay"
        if self.version and not self.settings.versions:
            self.settings.versions = [self.version]

    async def _start_batching(self) -> None:
        """Wraps mlserver's batching so that callers do not affect each other.

        mlserver uses one request's shape, outputs and parameters for all of a batch, and gives an error of one to all.
        """
        name = f"{self.name}: max_batch_size = {self.settings.max_batch_size}"
        if self.settings.max_batch_time <= 0:
            raise ServingError(f"inlay: {name} needs a max_batch_time above 0 seconds")
        if multiprocessing.parent_process() is not None:
            raise ServingError(f"inlay: {name} needs parallel_workers = 0: runs release the GIL, so that threads are enough")
        for tensor in [*self.inputs, *self.outputs]:
            if not tensor.shape or tensor.shape[0] != -1 or -1 in tensor.shape[1:]:
                raise ServingError(
                    f"inlay: {name}: `{tensor.name}` has the shape {tensor.shape}; for batches every input and output "
                    "has a free first dimension, and no other"
                )
        if "predict" not in vars(self):  # mlserver does not do it for a model that is loaded again
            await mlserver.batching.load_batching(self)
        self._batched = self.predict
        self.predict = self._predict_batched  # type: ignore[method-assign]

    def _feeds(self, request: InferenceRequest) -> dict[str, np.ndarray[Any, Any]]:
        inputs = {i.name: i for i in request.inputs}
        if len(inputs) != len(request.inputs) or inputs.keys() != self._inputs_index.keys():
            names = [i.name for i in request.inputs]
            raise _refuse(f"the request has the inputs {names}, but the model has {list(self._inputs_index)}")
        return {name: _array_of(request_input, self._inputs_index[name]) for name, request_input in inputs.items()}

    def _wanted(self, request: InferenceRequest) -> list[str]:
        if not request.outputs:
            return list(self._outputs_index)
        names = [o.name for o in request.outputs]
        unknown = [name for name in names if name not in self._outputs_index]
        if unknown:
            raise _refuse(f"the request names {unknown}, but the model has {list(self._outputs_index)}")
        return names

    @contextlib.asynccontextmanager
    async def _request(self) -> AsyncIterator[None]:
        """A request that unload() waits for. Raises MLServerError, 503, where unload() has begun."""
        if self._unloading:
            raise ServingError(f"inlay: {self.name} is being unloaded", 503)
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1
            if self._requests == 0:
                self._idle.set()

    async def _run(self, feeds: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
        """A run in a thread of the model's."""
        options = RunOptions()
        options.seconds = self._own.seconds
        begun = time.perf_counter()
        with _protocol_errors():
            results = await asyncio.get_running_loop().run_in_executor(self._pool, self._session.run, names, feeds, options)
        RUN_SECONDS.labels(self.name, self.version or "").observe(time.perf_counter() - begun)
        return dict(zip(names, results))

    def _response(self, results: Mapping[str, Any], names: list[str]) -> InferenceResponse:
        outputs = [_output_of(name, results[name], str(self._outputs_index[name].datatype)) for name in names]
        return InferenceResponse(model_name=self.name, model_version=self.version, outputs=outputs)

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        """Runs a request, or a batch that mlserver formed from those that _predict_batched() gave it."""
        if payload.inputs and isinstance(_first_of(payload), np.ndarray):
            return await self._predict_merged(payload)
        async with self._request():
            names = self._wanted(payload)
            return self._response(await self._run(self._feeds(payload), names), names)

    async def _predict_batched(self, payload: InferenceRequest) -> InferenceResponse:
        """A request as one of a batch, whose error it gets: a run that failed, or took too long, is not repeated."""
        names = self._wanted(payload)
        feeds = self._feeds(payload)
        if any(array.shape[0] != next(iter(feeds.values())).shape[0] for array in feeds.values()):
            raise _refuse(f"the inputs differ in their first dimension, the batch: {({n: list(a.shape) for n, a in feeds.items()})}")
        inputs = [
            RequestInput(name=n, shape=list(feeds[n].shape), datatype=t.datatype, data=feeds[n].reshape(-1))
            for n, t in self._inputs_index.items()
        ]
        async with self._request():
            # Shielded, for a caller that goes away would cancel the others of its batch, too.
            batch = await asyncio.shield(asyncio.ensure_future(self._batched(InferenceRequest(inputs=inputs))))
        results = {o.name: np.asarray(o.data.root).reshape(o.shape) for o in batch.outputs}
        return self._response(results, names)

    async def _predict_merged(self, merged: InferenceRequest) -> InferenceResponse:
        """The batch: of each input, the arrays of all its requests."""
        feeds = {i.name: np.concatenate(_arrays(i)).reshape(i.shape) for i in merged.inputs}
        results = await self._run(feeds, list(self._outputs_index))
        rows = merged.inputs[0].shape[0]
        wrong = [name for name, array in results.items() if array.shape[:1] != (rows,)]
        if wrong:
            raise ServingError(f"inlay: {self.name}: {wrong} do not have a row for each of the batch's", 500)
        outputs = [
            ResponseOutput(name=name, shape=list(array.shape), datatype=self._outputs_index[name].datatype, data=array.reshape(-1))
            for name, array in results.items()
        ]
        return InferenceResponse(model_name=self.name, model_version=self.version, outputs=outputs)

    async def unload(self) -> bool:
        """Refuses further requests, and ends the threads when those that have begun are answered."""
        self._unloading = True
        while self._requests:
            self._idle.clear()
            await self._idle.wait()
        if self._pool is not None:  # loading may have failed before
            await asyncio.to_thread(self._pool.shutdown)
        self._session = None
        return True


def _arrays(merged: RequestInput) -> list[np.ndarray[Any, Any]]:
    data = merged.data.root
    return data if isinstance(data, list) else [data]


def _first_of(payload: InferenceRequest) -> Any:
    data = getattr(payload.inputs[0].data, "root", payload.inputs[0].data)
    return data[0] if isinstance(data, list) and data else data


ModelList = list[mlserver.ModelSettings]


class InlayRepository(mlserver.repository.ModelRepository):
    """The models below a folder: model.onnx itself, NAME/model.onnx, NAME/VERSION/model.onnx; and what has a model-settings.json.

    VERSION is a number. A model-settings.json next to the file, or in NAME for all its versions, has the rest.
    """

    def __init__(self, root: str, defaults: Mapping[str, Any] | None = None) -> None:
        self._root = os.path.abspath(root)
        self._defaults = dict(defaults or {})

    def _settings_in(self, folder: str) -> dict[str, Any]:
        path = os.path.join(folder, SETTINGS_FILE)
        if not os.path.isfile(path):
            return {}
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
        except ValueError as error:
            raise ServingError(f"inlay: {path}: {error}") from error
        if not isinstance(content, dict):
            raise ServingError(f"inlay: {path}: not an object")
        return content

    def _model_in(self, folder: str) -> mlserver.ModelSettings:
        base = os.path.basename(folder)
        versioned = base.isdigit() and folder != self._root
        above = os.path.dirname(folder)
        file_settings = {**(self._settings_in(above) if versioned else {}), **self._settings_in(folder)}
        settings = {**self._defaults, **file_settings}
        parameters = {**self._defaults.get("parameters", {}), **file_settings.get("parameters", {})}
        extra = {**self._defaults.get("parameters", {}).get("extra", {}), **file_settings.get("parameters", {}).get("extra", {})}
        settings.setdefault("implementation", IMPLEMENTATION)
        settings.setdefault("name", os.path.basename(above) if versioned else base)
        if versioned:
            parameters.setdefault("version", base)
        uri = os.path.normpath(os.path.join(folder, parameters.get("uri", "")))  # relative to the settings, or absolute
        try:
            return mlserver.ModelSettings(**{**settings, "parameters": {**parameters, "extra": extra, "uri": uri}})
        except ValueError as error:
            raise ServingError(f"inlay: the settings of {folder}: {error}") from error

    def _folders(self) -> list[str]:
        def below(name: str) -> set[str]:
            return {os.path.dirname(path) for path in glob.glob(os.path.join(glob.escape(self._root), "**", name), recursive=True)}

        models = below(MODEL_FILE)
        # Settings above versions belong to these.
        alone = {f for f in below(SETTINGS_FILE) - models if not any(os.path.dirname(m) == f and os.path.basename(m).isdigit() for m in models)}
        return sorted(models | alone)

    async def list(self) -> ModelList:
        """The settings of all models. Raises MLServerError where they are wrong, there are none, or two have one name and version."""
        models = [self._model_in(folder) for folder in self._folders()]
        if not models:
            raise ServingError(f"inlay: no {MODEL_FILE} and no {SETTINGS_FILE} below {self._root}")
        names = [(model.name, model.version) for model in models]
        twice = sorted({f"{name} {version or ''}".strip() for name, version in names if names.count((name, version)) > 1})
        if twice:
            raise ServingError(f"inlay: more than one model of the name and version: {', '.join(twice)}")
        return models

    async def find(self, name: str) -> ModelList:
        """The settings of all versions of a model. Raises ModelNotFound."""
        models = [model for model in await self.list() if model.name == name]
        if not models:
            raise mlserver.errors.ModelNotFound(name)
        return models


def server_settings(folder: str, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> mlserver.Settings:
    """mlserver's settings: settings.json in the folder, overridden by `given`; `defaults` are for models' settings.

    Where none names a host, the server listens on this machine's loopback alone.
    """
    path = os.path.join(folder, "settings.json")
    settings: dict[str, Any] = {"debug": False, "parallel_workers": 0, "server_name": "inlay", "host": "127.0.0.1"}
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            settings.update(json.load(file))
    settings.update(options)
    settings["model_repository_implementation"] = InlayRepository
    settings["model_repository_root"] = folder
    settings["model_repository_implementation_args"] = {"defaults": dict(defaults)}
    return mlserver.Settings(**settings)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _token_in(path: str) -> Token:
    """The token in a file's first line. Raises InvalidArgument where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.readline().strip()
    except OSError as error:
        raise InvalidArgument(f"inlay: {path}: {error.strerror}", code="not_found") from error
    if not text:
        raise InvalidArgument(f"inlay: {path} has no token in its first line")
    return Token(text)


async def serve(folder: str, options: Mapping[str, Any], defaults: Mapping[str, Any], token_file: str | None = None) -> None:
    """Serves the models below the folder until a signal ends it; arguments as of server_settings().

    - token_file: its first line is what callers must send as `Authorization: Bearer TOKEN`; None: the server answers
      all callers
    """
    if not os.path.isdir(folder):
        raise InvalidArgument(f"inlay: there is no folder {folder}", code="not_found")
    settings = server_settings(folder, options, defaults)
    token = _token_in(token_file) if token_file is not None else None
    models = await InlayRepository(folder, defaults).list()
    if token is None and not _is_loopback(settings.host):
        mlserver.logging.logger.warning(
            f"the server listens on {settings.host} and answers every client that reaches it: it has no token (--token-file), and speaks no TLS"
        )
    server = mlserver.MLServer(settings) if token is None else GuardedServer(settings, token)
    await server.start(models)
