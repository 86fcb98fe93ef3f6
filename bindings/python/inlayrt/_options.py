"""The options of sessions and runs, as ONNX Runtime's programs write them."""
from __future__ import annotations

import enum
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

from . import _inlayrt, _log
from ._adapters import LoraAdapter
from ._devices import OrtEpDevice, OrtExecutionProviderDevicePolicy, chosen_devices, provider_of_devices
from ._edited import check_file_name, same_length, sizes_by_denotation, with_initializers
from ._errors import InvalidArgument
from ._known import QUIET_ENTRIES, QUIET_RUN_ENTRIES
from ._providers import Provider, ProviderName, choices
from ._threads import global_threads
from ._warnings import INFO, no_meaning

T = TypeVar("T", int, bool)


class GraphOptimizationLevel(enum.IntEnum):
    """How much of the graph may be rewritten when a model is loaded."""

    ORT_DISABLE_ALL = 0  #: nothing: the graph runs as the file has it
    ORT_ENABLE_BASIC = 1  #: all but the fusion of nodes
    ORT_ENABLE_EXTENDED = 2  #: everything
    ORT_ENABLE_LAYOUT = 3  #: everything
    ORT_ENABLE_ALL = 99  #: everything, the default


class ExecutionMode(enum.IntEnum):
    """Inlay runs steps one after another, each on all threads of the session."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    """Inlay chooses the order of steps itself, so that values live for a short time."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


# The meaning of session configuration entries here; others are a warning.
_FLAGS = {"0": False, "1": True}
RECORD_ASSIGNMENT = "session.record_ep_graph_assignment_info"
EXTERNAL_NAME = "session.optimized_model_external_initializers_file_name"
EXTERNAL_LEAST = "session.optimized_model_external_initializers_min_size_in_bytes"


class _NoEffect(Generic[T]):
    """An option of ONNX Runtime that changes no result here, with its default and the reason. A session's log has other
    values, but for `also`, at severity 1; they can be read again."""

    def __init__(self, default: T, reason: str, also: T | None = None) -> None:
        self._default, self._why = default, reason
        self._silent = (default,) if also is None else (default, also)
        self.__doc__ = f"Has no effect: {reason}. Others than {default!r} are reported in the log, at severity 1."

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, options: None, owner: type) -> _NoEffect[T]: ...
    @overload
    def __get__(self, options: object, owner: type) -> T: ...
    def __get__(self, options: object, owner: type) -> _NoEffect[T] | T:
        if options is None:
            return self
        return type(self._default)(options.__dict__.get(self._name, self._default))

    def __set__(self, options: object, value: T) -> None:
        options.__dict__[self._name] = value

    def text(self, options: object) -> str | None:
        """The log's text for the value; None: it requests nothing."""
        value = options.__dict__.get(self._name, self._default)
        return None if value in self._silent else f"SessionOptions.{self._name} = {value} has no effect: {self._why}"


_Delegate = Callable[[Sequence[OrtEpDevice], dict[str, str], dict[str, str], int], Sequence[OrtEpDevice]]
_Policy = Callable[[Sequence[OrtEpDevice], dict[str, str]], Sequence[OrtEpDevice]]


class SessionOptions:
    """How a session is created. Options without effect are reported in its log; unsupported ones warn, or are errors.

    - intra_op_num_threads: threads of the CPU's provider, the caller included; 0: one per core that the process may use
    - graph_optimization_level: a GraphOptimizationLevel
    - enable_profiling, profile_file_prefix: each run is timed step by step; InferenceSession.end_profiling() writes a file
    - optimized_model_filepath: the model after the passes is written there when the session is created
    - log_severity_level: 0 verbose (a line per node with its provider), 1 info, 2 warning (the default), 3 error, 4 fatal
    - logid: precedes each line of the log

    Inlay's own options:

    - log: function(severity: int, text: str) that gets the log, instead of standard error
    - progress: function(stage: str, done: int, total: int) -> bool that gets the progress of loading; False ends it
    - fallback: "implicit_cpu" (the default): nodes that the first provider refuses go along the list, then to the CPU;
      "never": they are an error; "any": and a provider that fails is replaced; or a list of the operators that may
      leave the first provider
    - strict_providers: a provider of the list that this build lacks, or that cannot be opened, is an error, as with
      fallback = "never"; else a warning, and the rest of the list is used, in the end the CPU
    - partition: "order" (the default), or "cost": nodes go where measured times are best
    - determinism: "machine" (the default), or "portable": the same bits on every processor with AVX2, or Neon
    - plans: how many plans are cached, one for each set of input shapes
    - plan_only: plan for providers whose devices are not available; runs are errors
    """

    def __init__(self) -> None:
        self.intra_op_num_threads: int = 0
        self.profile_file_prefix: str = "onnxruntime_profile_"
        self.enable_profiling: bool = False
        self.optimized_model_filepath: str = ""
        self.log_severity_level: int = -1
        self.logid: str = ""
        self.log: Callable[[int, str], object] | None = None
        self.progress: Callable[[str, int, int], bool] | None = None
        self.fallback: str | Sequence[str] = "implicit_cpu"
        self.strict_providers: bool = False
        self.partition: str = "order"
        self.determinism: str = "machine"
        self.plans: int = 8
        self.plan_only: bool = False
        self._level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self._mode = ExecutionMode.ORT_SEQUENTIAL
        self._order = ExecutionOrder.DEFAULT
        self._entries: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        self._denoted: dict[str, int] = {}
        self._initializers: dict[str, _inlayrt.OrtValue] = {}
        self._files: dict[str, bytes] = {}
        self._providers: list[tuple[ProviderName, dict[str, str]]] = []
        self._policy: _Policy | None = None
        self._cancel = _inlayrt.RunOptions()  # its flag ends the loading
        self._libraries: list[_inlayrt.OperatorLibrary] = []

    inter_op_num_threads = _NoEffect(0, "steps run one after another, each on all threads of the session", also=1)
    enable_cpu_mem_arena = _NoEffect(True, "memory of a run is always planned, in one arena")
    enable_mem_pattern = _NoEffect(True, "memory of a run is always planned")
    enable_mem_reuse = _NoEffect(True, "memory of a run is always planned")
    log_verbosity_level = _NoEffect(0, "log_severity_level alone says what is logged")
    use_per_session_threads = _NoEffect(True, "each session has threads of its own, as many as the global pool's")

    @property
    def use_deterministic_compute(self) -> bool:
        """Always True: results do not depend on the number of threads."""
        return True

    @use_deterministic_compute.setter
    def use_deterministic_compute(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError("inlay: use_deterministic_compute is a bool")

    @property
    def graph_optimization_level(self) -> GraphOptimizationLevel:
        """How much of the graph may be rewritten when the model is loaded."""
        return self._level

    @graph_optimization_level.setter
    def graph_optimization_level(self, value: int) -> None:
        self._level = GraphOptimizationLevel(value)

    @property
    def execution_mode(self) -> ExecutionMode:
        """Has no effect: steps run one after another, each on all threads of the session."""
        return self._mode

    @execution_mode.setter
    def execution_mode(self, value: int) -> None:
        self._mode = ExecutionMode(value)

    @property
    def execution_order(self) -> ExecutionOrder:
        """Has no effect: Inlay chooses the order of steps."""
        return self._order

    @execution_order.setter
    def execution_order(self, value: int) -> None:
        self._order = ExecutionOrder(value)

    def add_free_dimension_override_by_name(self, name: str, value: int) -> None:
        """Gives the inputs' free dimension `name` a size: then more is computed when the model is loaded."""
        self._sizes[name] = int(value)

    def add_free_dimension_override_by_denotation(self, denotation: str, value: int) -> None:
        """The same for all dimensions of inputs with this denotation; the package onnx reads them with the model.

        A denotation that no dimension has is an error then, and one of another size.
        """
        self._denoted[denotation] = int(value)

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Sets one of these. Other keys of ONNX Runtime without effect are reported in the log, others warn; all can be
        read again:

        - session.disable_cpu_ep_fallback = 1: a node that the first provider refuses is an error
        - session.set_denormal_as_zero = 1: the CPU's provider flushes denormal numbers to zero
        - session.record_ep_graph_assignment_info = 1: enables InferenceSession.get_provider_graph_assignment_info()
        - session.optimized_model_external_initializers_file_name: a file next to optimized_model_filepath that gets the
          initializers of at least session.optimized_model_external_initializers_min_size_in_bytes bytes (1024); the
          package onnx writes it
        """
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError("inlay: add_session_config_entry() takes two str")
        if key in ("session.disable_cpu_ep_fallback", "session.set_denormal_as_zero", RECORD_ASSIGNMENT):
            if value not in _FLAGS:
                raise InvalidArgument(f"inlay: {key} is 0 or 1, not `{value}`", code="invalid_option")
        elif key == EXTERNAL_LEAST:
            if not value.isdecimal():
                raise InvalidArgument(f"inlay: {key} is a number of bytes, not `{value}`", code="invalid_option")
        elif key == EXTERNAL_NAME:
            check_file_name(value)
        elif key not in QUIET_ENTRIES:
            no_meaning(f"the session configuration {key} = {value}", "Inlay has nothing that it stands for")
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """The value set by add_session_config_entry(). Raises InvalidArgument where there is none."""
        if key not in self._entries:
            raise InvalidArgument(f"inlay: SessionOptions does not have configuration with key: {key}", code="not_found")
        return self._entries[key]

    def add_provider(self, provider_name: str, provider_options: Mapping[Any, Any]) -> None:
        """Appends a provider to the list of sessions that are created without one."""
        self._add([(provider_name, provider_options)])

    def add_provider_for_devices(self, ep_devices: Sequence[OrtEpDevice], provider_options: Mapping[Any, Any]) -> None:
        """Appends the provider that these devices of get_ep_devices() belong to, on them.

        Raises InvalidArgument where there are none, or they belong to more than one provider.
        """
        self._add(provider_of_devices(ep_devices, provider_options))

    def _add(self, providers: Sequence[Provider]) -> None:
        self._providers += choices(providers, None, self._tell, self._strict())

    def set_provider_selection_policy(self, policy: OrtExecutionProviderDevicePolicy) -> None:
        """How the devices of a session with an empty list of providers are chosen. The CPU is the last one always."""
        choice = OrtExecutionProviderDevicePolicy(policy)
        self._policy = lambda devices, metadata: chosen_devices(choice, devices)

    def set_provider_selection_policy_delegate(self, delegate: _Delegate) -> None:
        """The same by a function(devices, model's metadata, {}, maximum number) -> devices, in order of priority."""
        self._policy = lambda devices, metadata: delegate(devices, metadata, {}, len(devices) + 1)

    def set_load_cancellation_flag(self, is_canceled: bool) -> None:
        """True ends the loading of models and sessions with these options, from any thread: it raises ModelLoadCanceled."""
        self._cancel.terminate = bool(is_canceled)

    def has_providers(self) -> bool:
        """Whether providers were added, or a policy chooses them."""
        return bool(self._providers) or self._policy is not None

    def add_initializer(self, name: str, ortvalue: _inlayrt.OrtValue) -> None:
        """Replaces the model's initializer of that name by a value of the same type and shape.

        It is copied when the model is read, which needs the package onnx; a name that the model does not have is an
        error then.
        """
        if not isinstance(ortvalue, _inlayrt.OrtValue):
            raise InvalidArgument(f"inlay: the initializer `{name}` is an OrtValue, not {ortvalue!r}")
        self._initializers[name] = ortvalue

    def add_external_initializers(self, names: Sequence[str], values: Sequence[_inlayrt.OrtValue]) -> None:
        """add_initializer() for each, which may be one whose external data is not there."""
        same_length(names, values)
        for name, value in zip(names, values):
            self.add_initializer(name, value)

    def add_external_initializers_from_files_in_memory(
        self, names: Sequence[str], buffers: Sequence[bytes], lengths: Sequence[int]
    ) -> None:
        """Files of external data, by their names in the model: so many of a buffer's first bytes are each.

        They are copied when the model is read, which needs the package onnx; a file that no initializer is in
        is an error then.
        """
        same_length(names, buffers, lengths)
        for name, buffer, length in zip(names, buffers, lengths):
            if not 0 <= length <= len(buffer):
                raise InvalidArgument(f"inlay: `{name}` cannot have {length} bytes: its buffer has {len(buffer)}")
            self._files[name] = bytes(buffer[:length])

    def register_custom_ops_library(self, path: str | os.PathLike[str]) -> None:
        """Opens a library of operators for ONNX Runtime's C interface, as onnxruntime_extensions.get_library_path() names.

        Models that are loaded with these options have its operators, which run on the CPU. Raises NoSuchFile where there
        is no such file, and InvalidArgument where it is no library of operators.
        """
        self._libraries.append(_inlayrt.OperatorLibrary(os.fspath(path)))

    def _strict(self) -> bool:
        """Whether a provider that is not available is an error."""
        return self.strict_providers or self._may_not_fall_back()

    def _may_not_fall_back(self) -> bool:
        return self.fallback == "never" or self._entries.get("session.disable_cpu_ep_fallback") == "1"

    def _severity(self) -> int:
        return _log.default_severity if self.log_severity_level < 0 else self.log_severity_level

    def _logger(self) -> _log.Logger | None:
        logid, callback = self.logid, _log.default_callback
        if self.log is None and callback is not None:
            return lambda severity, text: callback(severity, "inlay", logid, "", text)
        if self.log is not None or not logid:
            return self.log
        return lambda severity, text: _log.to_standard_error(severity, text, logid)

    def _tell(self, severity: int, text: str) -> None:
        """A line of the log of sessions with these options."""
        if severity >= self._severity():
            (self._logger() or _log.to_standard_error)(severity, text)

    def _tell_quiet(self) -> None:
        """Reports to the log the options of ONNX Runtime that are set and change no result."""
        options = [option.text(self) for option in vars(type(self)).values() if isinstance(option, _NoEffect)]
        if self._mode == ExecutionMode.ORT_PARALLEL:
            options.append("ExecutionMode.ORT_PARALLEL has no effect: steps run one after another, each on all threads")
        if self._order != ExecutionOrder.DEFAULT:
            options.append(f"ExecutionOrder.{self._order.name} has no effect: Inlay chooses the order of steps")
        options += [
            f"the session configuration {key} = {value} has no meaning here, and changes no result"
            for key, value in self._entries.items()
            if key in QUIET_ENTRIES
        ]
        for text in filter(None, options):
            self._tell(INFO, text)

    def _threads(self) -> int | None:
        """Threads of the CPU's provider; None: one per core."""
        return self.intra_op_num_threads or (None if self.use_per_session_threads else global_threads())

    def _of_session(self) -> dict[str, Any]:
        """The options for _inlayrt.Session."""
        policy: str | Sequence[str] = "never" if self._may_not_fall_back() else self.fallback
        listed = not isinstance(policy, str)
        return {
            "threads": self._threads(),
            "fallback": "only" if listed else policy,
            "may_fall": list(policy) if listed else [],
            "partition": self.partition,
            "determinism": self.determinism,
            "plan_only": self.plan_only,
            "refuse_contexts": False,
            "plans": self.plans,
            "log_severity_level": self._severity(),
            "log": self._logger(),
            "progress": self.progress,
            "cancel": self._cancel,
            "operators": self._libraries,
        }

    def _source(self, source: str | os.PathLike[str] | bytes) -> str | os.PathLike[str] | bytes:
        """The model to read: the given one, or its bytes with the initializers that were added."""
        if not self._initializers and not self._files:
            return source
        return with_initializers(source, self._initializers, self._files)

    def _all_sizes(self, source: str | os.PathLike[str] | bytes) -> dict[str, int]:
        """Sizes of free dimensions by name, those that were given by denotation too."""
        denoted = sizes_by_denotation(source, self._denoted) if self._denoted else {}
        for name in denoted.keys() & self._sizes.keys():
            if denoted[name] != self._sizes[name]:
                raise InvalidArgument(
                    f"inlay: the dimension `{name}` is to be {self._sizes[name]} by its name, {denoted[name]} by what it denotes"
                )
        return {**denoted, **self._sizes}

    def _of_model(self, source: str | os.PathLike[str] | bytes, disabled: Sequence[str]) -> dict[str, Any]:
        """The options for _inlayrt.Model."""
        without = list(disabled)
        if self._level == GraphOptimizationLevel.ORT_ENABLE_BASIC:
            without += [name for name in _inlayrt.pass_names() if name.startswith("fuse") and name not in without]
        return {
            "optimize": self._level != GraphOptimizationLevel.ORT_DISABLE_ALL,
            "without": without,
            "sizes": self._all_sizes(source),
            "progress": self.progress,
            "cancel": self._cancel,
            "operators": self._libraries,
        }


class RunOptions(_inlayrt.RunOptions):
    """How a run ends early.

    - terminate: True ends the runs that have these options, from any thread; they raise Fail
    - seconds: how long a run may take; None: no limit
    """

    def __init__(self) -> None:
        super().__init__()
        self.log_severity_level = -1  # runs log nothing
        self.log_verbosity_level = 0
        self.logid = ""
        self._entries: dict[str, str] = {}
        self._fetches_only = False
        self._adapters: list[LoraAdapter] = []

    def add_active_adapter(self, adapter: LoraAdapter) -> None:
        """Runs with these options use the adapter's parameters for the model's inputs or constants of their names.

        For constants a session of its own is created at the first run, which needs the package onnx, and cached.
        """
        if not isinstance(adapter, LoraAdapter):
            raise InvalidArgument(f"inlay: add_active_adapter() takes a LoraAdapter, not {adapter!r}")
        self._adapters.append(adapter)

    @property
    def only_execute_path_to_fetches(self) -> bool:
        """Has no effect: a run computes all outputs of the model."""
        return self._fetches_only

    @only_execute_path_to_fetches.setter
    def only_execute_path_to_fetches(self, value: bool) -> None:
        self._fetches_only = bool(value)

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Has no effect, and a key unknown to ONNX Runtime warns. It can be read again."""
        if key not in QUIET_RUN_ENTRIES:
            no_meaning(f"the run configuration {key} = {value}", "Inlay has nothing that it stands for")
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """The value set by add_run_config_entry(). Raises InvalidArgument where there is none."""
        if key not in self._entries:
            raise InvalidArgument(f"inlay: the run configuration has no entry `{key}`", code="not_found")
        return self._entries[key]
