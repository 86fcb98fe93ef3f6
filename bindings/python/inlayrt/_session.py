"""InferenceSession, as ONNX Runtime's programs use it, and the features that only Inlay has."""
from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from . import _inlayrt
from ._adapters import merged
from ._device import OrtDevice
from ._devices import OrtEpDevice, get_ep_devices, provider_of_devices
from ._edited import move_initializers
from ._errors import EPFail, Fail, InvalidArgument, NotImplemented
from ._inner import InnerSession
from ._io_binding import IOBinding, OrtValueVector
from ._memory import OrtAllocatorType, OrtMemoryInfo, OrtMemType
from ._profiling import RunLog
from ._options import EXTERNAL_LEAST, EXTERNAL_NAME, RECORD_ASSIGNMENT, RunOptions, SessionOptions
from ._providers import Provider, ProviderName, choices
from ._warnings import INFO, no_meaning, warn
from ._reports import (
    Comparison,
    Compiled,
    MemoryReport,
    OrtEpAssignedSubgraph,
    Plan,
    Profile,
    assigned_subgraphs,
    compare_outputs,
)

Chosen = list[tuple[ProviderName, dict[str, str]]]
ModelSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "_inlayrt.Model"]

_HOST = OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_DEVICE_ALLOCATOR, 0, OrtMemType.DEFAULT)


@dataclass(frozen=True)
class NodeArg:
    """An input or output of a model.

    - name: as the model has it
    - type: as ONNX writes it: "tensor(float)", "seq(map(int64,tensor(float)))"
    - shape: of a tensor, for each axis its size, the name of a free dimension, or None; [] also where nothing is known
    """

    name: str
    shape: list[int | str | None]
    type: str

    def __repr__(self) -> str:
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"


@dataclass(frozen=True)
class ModelMetadata:
    """The metadata of a model file."""

    producer_name: str
    producer_version: str
    graph_name: str
    domain: str
    description: str
    version: int
    ir_version: int
    opsets: dict[str, int] = field(repr=False)
    custom_metadata_map: dict[str, str] = field(repr=False)
    graph_description: str = ""  # of the graph itself, which Inlay does not keep: always empty


def load_model(
    source: ModelSource,
    sess_options: SessionOptions | None = None,
    disabled_optimizers: Sequence[str] = (),
) -> _inlayrt.Model:
    """Reads a model once, for several sessions, which then share its packed weights.

    - source: a path, or the bytes of a file

    Raises NoSuchFile, InvalidProtobuf (also an InvalidGraph) for what is no valid model, NotImplemented for unknown
    operators, RuntimeException where a limit is exceeded.
    """
    if isinstance(source, _inlayrt.Model):
        return source
    options = sess_options or SessionOptions()
    file = bytes(source) if isinstance(source, (bytes, bytearray, memoryview)) else os.fspath(source)
    arguments = options._of_model(file, disabled_optimizers)
    changed = options._source(file)
    if isinstance(changed, bytes):
        return _inlayrt.Model(changed, origin="" if isinstance(file, bytes) else file, **arguments)
    return _inlayrt.Model(file, **arguments)


def _named(provider: ProviderName, name: str | None) -> bool:
    spelled = provider if isinstance(provider, str) else provider.name
    return name is not None and _inlayrt.names_provider(spelled, name)


class InferenceSession(_inlayrt.Session):
    """A model over an ordered list of providers; the order is the priority.

    - path_or_bytes: a path, the bytes of a model file, or a Model from load_model()
    - sess_options: a SessionOptions
    - providers: names, or (name, options); "cpu" and "CPUExecutionProvider" are the same. None: the CPU
    - provider_options: a dict for each provider, instead of those in the list
    - disabled_optimizers: names of passes that are left out when the model is loaded

    Raises what load_model() raises, InvalidArgument for unknown providers and options, NotImplemented where no provider
    runs a node.
    """

    def __init__(
        self,
        path_or_bytes: ModelSource,
        sess_options: SessionOptions | None = None,
        providers: Sequence[Provider] | str | None = None,
        provider_options: Sequence[Mapping[Any, Any]] | None = None,
        *,
        disabled_optimizers: Sequence[str] | None = None,
        enable_fallback: int | bool = True,
        read_config_from_model: int | bool = False,
    ) -> None:
        if read_config_from_model:
            raise InvalidArgument("inlay: read_config_from_model: options are those of the program, not of the model")
        options = sess_options if sess_options is not None else SessionOptions()
        options._tell_quiet()
        model = load_model(path_or_bytes, options, tuple(disabled_optimizers or ()))
        self._options = options
        self._model = model
        self._model_path = os.fspath(path_or_bytes) if isinstance(path_or_bytes, (str, os.PathLike)) else None
        self._enable_fallback = bool(enable_fallback)
        self._adapted: dict[tuple[int, ...], tuple[Any, InferenceSession]] = {}
        self._inputs_meta = [NodeArg(*p) for p in model.inputs()]
        self._outputs_meta = [NodeArg(*p) for p in model.outputs()]
        self._make(self._chosen(providers, provider_options), super().__init__)
        self._log: RunLog | None = None
        self._write_as_told()
        if options.enable_profiling:
            self._log = RunLog(options.profile_file_prefix)
            self.run = self._logged_run  # type: ignore[method-assign]  # run() itself is not slowed down

    def _chosen(
        self, providers: Sequence[Provider] | str | None, provider_options: Sequence[Mapping[Any, Any]] | None
    ) -> Chosen:
        """The providers of a session: those of its list, else those added to the options, else its policy's."""
        options = self._options
        listed = choices(providers, provider_options, options._tell, options._strict())
        if listed or providers or options._providers or options._policy is None:
            return listed or (list(options._providers) if not providers else [])
        metadata = {key: str(value) for key, value in self._model.describe().items() if not isinstance(value, dict)}
        devices = options._policy(get_ep_devices(), metadata)
        unknown = [device for device in devices if not isinstance(device, OrtEpDevice)]
        if unknown:
            raise InvalidArgument(f"inlay: a policy chooses devices of get_ep_devices(), not {unknown}")
        return choices([pair for device in devices for pair in provider_of_devices([device], {})], None, options._tell)

    def _make(self, choice_list: Chosen, make: Callable[..., None]) -> None:
        """Creates the session; providers that cannot be opened are left out with a warning, as in ONNX Runtime."""
        options = self._options
        while True:
            try:
                make(self._model, self._complete(choice_list, options), **options._of_session())
                return
            except EPFail as failure:
                rest = [(provider, texts) for provider, texts in choice_list if not _named(provider, failure.provider)]
                if failure.code != "provider_unavailable" or options._strict() or len(rest) == len(choice_list):
                    raise
                warn(f"left out of the list of providers: {failure}")
                choice_list = rest

    def _write_as_told(self) -> None:
        """Writes the model after the passes, where the options say so."""
        options = self._options
        if options.optimized_model_filepath:
            if self._model_path is None:
                raise InvalidArgument("inlay: optimized_model_filepath needs a model that was loaded from a file")
            self._write_optimized(self._model_path, options.optimized_model_filepath)
            if EXTERNAL_NAME in options._entries:  # of the file that was just written
                least = int(options._entries.get(EXTERNAL_LEAST, "1024"))
                move_initializers(options.optimized_model_filepath, options._entries[EXTERNAL_NAME], least)
        elif EXTERNAL_NAME in options._entries:
            no_meaning(EXTERNAL_NAME, "SessionOptions.optimized_model_filepath is not set")

    def __repr__(self) -> str:
        def ports(listed: Sequence[NodeArg]) -> str:
            return ", ".join(f"{p.name}: {p.type}{p.shape}" for p in listed)

        if not hasattr(self, "_log"):  # its construction failed
            return "<inlayrt.InferenceSession that could not be made>"
        place = self._model_path or self._model.describe()["graph_name"] or "bytes"
        return (
            f"<inlayrt.InferenceSession of {place!r}, ({ports(self._inputs_meta)}) -> ({ports(self._outputs_meta)}), "
            f"over {', '.join(self.get_providers())}>"
        )

    @staticmethod
    def _complete(choice_list: Chosen, options: SessionOptions) -> Chosen:
        """The list with the session configuration entries for the CPU's provider."""
        if options._entries.get("session.set_denormal_as_zero") != "1":
            return choice_list
        name = "CPUExecutionProvider"
        complete: Chosen = choice_list or [(name, {})]
        return [
            (provider, {"flush_denormals": "true", **texts} if isinstance(provider, str) and _inlayrt.names_provider(provider, name) else texts)
            for provider, texts in complete
        ]

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that a run needs; constants are none of them."""
        return self._inputs_meta

    def get_outputs(self) -> list[NodeArg]:
        """The outputs, in the order in which a run gives them."""
        return self._outputs_meta

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Always empty: a constant of the model is a constant, even one that the file also lists among the inputs."""
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """The metadata of the model file."""
        return ModelMetadata(**self._model.describe())

    def get_session_options(self) -> SessionOptions:
        """The options that the session was created with."""
        return self._options

    def set_providers(
        self,
        providers: Sequence[Provider] | str | None = None,
        provider_options: Sequence[Mapping[Any, Any]] | None = None,
    ) -> None:
        """Recreates the session over these providers, from the same loaded model; runs in progress continue unchanged.

        On an error the session stays as it was.
        """
        options = self._options
        choice_list = choices(providers, provider_options, options._tell, options._strict())
        self._make(choice_list, lambda model, complete, **settings: self.set_choices(complete))
        self._adapted.clear()

    def disable_fallback(self) -> None:
        """There is no fallback here unless SessionOptions.fallback says so: an error of a run is raised."""
        self._enable_fallback = False

    def enable_fallback(self) -> None:
        """As disable_fallback(): an error of a run is raised in any case."""
        self._enable_fallback = True

    @property
    def _sess(self) -> Any:
        """ONNX Runtime's inner session, as programs call it."""
        return InnerSession(self)

    @property
    def _providers(self) -> list[str]:
        return self.get_providers()

    @property
    def _fallback_providers(self) -> list[str]:
        return ["CPUExecutionProvider"]

    @property
    def _provider_options(self) -> dict[str, dict[str, str]]:
        return self.get_provider_options()

    @property
    def _sess_options(self) -> SessionOptions:
        return self._options

    @property
    def _sess_options_initial(self) -> SessionOptions:
        return self._options

    @property
    def _model_meta(self) -> ModelMetadata:
        return self.get_modelmeta()

    @property
    def _overridable_initializers(self) -> list[NodeArg]:
        return self.get_overridable_initializers()

    def get_input_memory_infos(self) -> list[OrtMemoryInfo]:
        """The memory that run() reads each input from: the host's."""
        return [_HOST for _ in self._inputs_meta]

    def get_output_memory_infos(self) -> list[OrtMemoryInfo]:
        """The memory that run() leaves each output in: the host's."""
        return [_HOST for _ in self._outputs_meta]

    def get_input_epdevices(self) -> list[None]:
        """None for each input: a provider has one device, which get_provider_options() names."""
        return [None for _ in self._inputs_meta]

    def get_provider_graph_assignment_info(self) -> list[OrtEpAssignedSubgraph]:
        """Which provider has which nodes: those of a region that a provider compiled in one, others each alone.

        plan() has this and more, and needs no configuration entry.
        Raises Fail where the session was created without session.record_ep_graph_assignment_info = 1.
        """
        if self._options._entries.get(RECORD_ASSIGNMENT) != "1":
            raise Fail(
                f"inlay: Session configuration entry '{RECORD_ASSIGNMENT}' must be set to \"1\"; plan() needs none",
                code="invalid_option",
            )
        return assigned_subgraphs(self.plan())

    def io_binding(self) -> IOBinding:
        """For runs over memory that the caller chooses."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: _inlayrt.IoBinding, run_options: RunOptions | None = None) -> None:
        """Runs with what is bound; iobinding.get_outputs() has the results. Raises what run() raises."""
        if run_options is not None and run_options._adapters:
            raise NotImplemented("inlay: active adapters are for run() and run_with_ort_values()", code="unsupported_model")
        iobinding._run(run_options)

    def run_with_ortvaluevector(
        self,
        run_options: RunOptions | None,
        feed_names: Sequence[str],
        feeds: Sequence[_inlayrt.OrtValue],
        fetch_names: Sequence[str],
        fetches: OrtValueVector,
        fetch_devices: Sequence[OrtDevice],
    ) -> None:
        """Runs over values in the order of the names, and leaves the results in `fetches`.

        Where `fetches` has a value for each name, its memory is written; where it is empty, results are in the memory of
        the devices. Raises InvalidArgument where lists differ in length, and what run() raises.
        """
        lengths = {len(fetch_names), len(fetches) or len(fetch_names), len(fetch_devices) or len(fetch_names)}
        if len(feed_names) != len(feeds) or len(lengths) > 1:
            raise InvalidArgument(
                f"inlay: {len(feed_names)} inputs with {len(feeds)} values, {len(fetch_names)} outputs with {len(fetches)} values "
                f"and {len(fetch_devices)} devices"
            )
        binding = self.io_binding()
        for name, value in zip(feed_names, feeds):
            binding.bind_ortvalue_input(name, value)
        for k, name in enumerate(fetch_names):
            if fetches:
                binding.bind_ortvalue_output(name, fetches[k])
            else:
                binding.bind_output(name, fetch_devices[k] if fetch_devices else "cpu")
        self.run_with_iobinding(binding, run_options)
        fetches[:] = binding.get_outputs()

    def create_ortvalue_from_shape_and_type(
        self, shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> _inlayrt.OrtValue:
        """OrtValue.ortvalue_from_shape_and_type(): memory belongs to no session."""
        return _inlayrt.OrtValue.ortvalue_from_shape_and_type(shape, element_type, device_type, device_id, vendor_id)

    def set_ep_dynamic_options(self, options: Mapping[str, str]) -> None:
        """Has no effect, as with ONNX Runtime's providers without such options; the log reports it at severity 1."""
        for key, value in options.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError("inlay: set_ep_dynamic_options() takes a dict of str to str")
            self._options._tell(INFO, f"the dynamic option {key} = {value} has no effect: no provider of the session has it")

    def get_tuning_results(self) -> list[dict[str, Any]]:
        """Always empty: nothing is tuned while a session runs."""
        return []

    def set_tuning_results(self, results: Sequence[Mapping[str, Any]], *, error_on_invalid: bool = False) -> None:
        """Has no effect; with error_on_invalid results are an error, InvalidArgument."""
        if results and error_on_invalid:
            raise InvalidArgument("inlay: tuning results are of kernels that Inlay has not")

    def release_captured_graph(self, graph_annotation_id: int = 0) -> None:
        """Has no effect: a graph that a device's provider captured is its session's."""

    def _with_adapters(self, options: RunOptions) -> tuple[InferenceSession, dict[str, _inlayrt.OrtValue], RunOptions]:
        """The session that has the active adapters' parameters as its constants, those that are inputs, and options."""
        parameters = merged(options._adapters)
        inputs = {p.name for p in self._inputs_meta}
        constants = {name: value for name, value in parameters.items() if name not in inputs}
        rest = RunOptions()
        rest.terminate, rest.seconds = options.terminate, options.seconds
        session = self
        if constants:
            key = tuple(id(adapter) for adapter in options._adapters)
            if key not in self._adapted:
                self._adapted[key] = (list(options._adapters), self._with_constants(constants))
            session = self._adapted[key][1]
        return session, {name: value for name, value in parameters.items() if name in inputs}, rest

    def _with_constants(self, constants: Mapping[str, _inlayrt.OrtValue]) -> InferenceSession:
        if self._model_path is None:
            raise NotImplemented("inlay: adapters whose parameters are a model's constants need a model that was loaded from a file", code="unsupported_model")
        options = copy.copy(self._options)
        options._initializers = {**options._initializers, **constants}
        options.optimized_model_filepath, options.enable_profiling = "", False
        providers: list[Provider] = [(name, texts) for name, texts in self.get_provider_options().items()]
        return InferenceSession(self._model_path, options, providers)

    def _run_adapted(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: RunOptions) -> list[Any]:
        """run() with active adapters."""
        session, feeds, rest = self._with_adapters(run_options)
        return list(session.run(output_names, {**feeds, **input_feed}, rest))

    def _run_adapted_values(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, _inlayrt.OrtValue], run_options: RunOptions
    ) -> list[_inlayrt.OrtValue]:
        """run_with_ort_values() with active adapters."""
        session, feeds, rest = self._with_adapters(run_options)
        return session.run_with_ort_values(output_names, {**feeds, **input_feed}, rest)

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Callable[[list[Any], Any, str], object],
        user_data: Any,
        run_options: RunOptions | None = None,
    ) -> None:
        """Runs in a thread of its own, which then calls callback(results, user_data, error).

        - error: empty, or the text of what run() raised; results are empty then.
        """

        def work() -> None:
            results: list[Any] = []
            text = ""
            try:
                results = self.run(output_names, input_feed, run_options)
            except Exception as error:  # noqa: BLE001: passed to the callback, whatever it is
                text = str(error) or repr(error)
            callback(results, user_data, text)

        threading.Thread(target=work, name="inlay.run_async").start()

    def _logged_run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: _inlayrt.RunOptions | None = None,
    ) -> list[Any]:
        """run() of a session with enable_profiling."""
        assert self._log is not None
        begun = self._log.now()
        results, trace = self._timed_run(output_names, input_feed, run_options)
        self._log.add(begun, trace)
        return list(results)

    def end_profiling(self) -> str:
        """Writes the times of the steps of all runs, and returns the name of the file.

        The file has Chrome's format of traces: chrome://tracing and Perfetto draw it. Only runs by run() are in it.
        Raises InvalidArgument where the session was created without SessionOptions.enable_profiling.
        """
        if self._log is None:
            raise InvalidArgument("inlay: the session was made without SessionOptions.enable_profiling")
        return self._log.write()

    def get_profiling_start_time_ns(self) -> int:
        """When the profile began, in nanoseconds of time.monotonic_ns(). Raises as end_profiling()."""
        if self._log is None:
            raise InvalidArgument("inlay: the session was made without SessionOptions.enable_profiling")
        return self._log.start_ns

    def plan(self, shapes: Mapping[str, Sequence[int]] | None = None) -> Plan:
        """Which node runs where, and why not elsewhere.

        - shapes: of inputs with free dimensions; None: those of the last run, else the model's own.

        A notebook draws it; str() is the text of the command-line tool.
        """
        return Plan(*self._plan(dict(shapes) if shapes else None))

    def memory(self, shapes: Mapping[str, Sequence[int]] | None = None) -> MemoryReport:
        """Where each value lives and how long, in bytes and steps.

        - shapes: as in plan(). Raises InvalidArgument where free dimensions leave too much open.
        """
        return MemoryReport(self._memory(dict(shapes) if shapes else None))

    def profile(
        self, input_feed: Mapping[str, Any], runs: int = 10, run_options: RunOptions | None = None
    ) -> Profile:
        """The time of each step in so many runs on these inputs, after one that is not timed. Inputs are tensors."""
        return Profile(*self._profile(input_feed, runs, run_options))

    def compare(
        self,
        other: InferenceSession | Sequence[Provider] | str,
        input_feed: Mapping[str, Any],
        rtol: float = 1e-3,
        atol: float = 1e-5,
    ) -> Comparison:
        """Runs the same inputs here and on another side, and compares the outputs.

        - other: a session with outputs of the same names, or providers for a session over the same model:
          "reference" has a reference kernel for every operator
        - rtol, atol: an element differs where |here - there| > atol + rtol * |there|
        """
        reference = other
        if not isinstance(reference, InferenceSession):
            quiet = SessionOptions()
            quiet.log_severity_level = 3
            reference = InferenceSession(self._model, quiet, reference)
        names = [o.name for o in self._outputs_meta]
        return compare_outputs(names, self.run(names, input_feed), reference.run(names, input_feed), rtol, atol)

    def compile(
        self,
        name: str,
        folder: str | os.PathLike[str],
        shapes: Mapping[str, int | tuple[int, int]] | None = None,
        *,
        weights: str = "embed",
        precision: str = "standard",
    ) -> Compiled:
        """Writes the model as a C++ type, inlay::models::NAME, for inlay::embedded.

        - folder: gets inlay/models/NAME.hpp, NAME.weights and NAME.S
        - shapes: of each free dimension its size, or (minimum, maximum)
        - weights: where the program has them: "embed", "file" or "mapped"
        - precision: "standard", "strict" or "bfloat16"

        Raises InvalidArgument, and NotImplemented for what an embedded model cannot hold.
        """
        bounds = {d: (s, s) if isinstance(s, int) else (int(s[0]), int(s[1])) for d, s in (shapes or {}).items()}
        source = os.path.basename(self._model_path) if self._model_path else self._model.describe()["graph_name"]
        return Compiled(**self._compile(name, os.fspath(folder), bounds, weights, precision, source))

    def save(
        self,
        file: str | os.PathLike[str],
        shapes: Mapping[str, Sequence[int]] | None = None,
        *,
        embed: bool = True,
        keep_original: bool = True,
    ) -> dict[str, Any]:
        """Writes the model with what engines compiled from it, so that a session over that file compiles nothing.

        - embed: in the file itself; else in files next to it
        - keep_original: the graph as it was, too

        Returns {"regions": how many, "bytes": their size, "left_out": why others are not in it}.
        """
        return self._save(os.fspath(file), embed, keep_original, dict(shapes) if shapes else None)
