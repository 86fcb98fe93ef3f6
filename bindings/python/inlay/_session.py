"""InferenceSession, as ONNX Runtime's programs use it, and what only Inlay has."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from . import _inlay
from ._errors import InvalidArgument
from ._options import Provider, RunOptions, SessionOptions, choices

ModelSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "_inlay.Model"]


@dataclass(frozen=True)
class NodeArg:
    """An input or output of a model.

    name: as the model has it
    type: as ONNX writes it: "tensor(float)", "seq(map(int64,tensor(float)))"
    shape: of a tensor, for each axis its size, the name of a free dimension, or None; [] also where nothing is known
    """

    name: str
    shape: list[int | str | None]
    type: str

    def __repr__(self) -> str:
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"


@dataclass(frozen=True)
class ModelMetadata:
    """What a model file tells of itself."""

    producer_name: str
    producer_version: str
    graph_name: str
    domain: str
    description: str
    version: int
    ir_version: int
    opsets: dict[str, int] = field(repr=False)
    custom_metadata_map: dict[str, str] = field(repr=False)


def load_model(
    source: ModelSource,
    sess_options: SessionOptions | None = None,
    disabled_optimizers: Sequence[str] = (),
) -> _inlay.Model:
    """Reads a model once, for several sessions, which then share its packed weights.

    source: a path, or the bytes of a file
    Raises NoSuchFile, InvalidProtobuf (also an InvalidGraph) for what is no valid model, NotImplemented for operators
    that there are not, RuntimeException where a limit is exceeded.
    """
    if isinstance(source, _inlay.Model):
        return source
    arguments = (sess_options or SessionOptions())._of_model(disabled_optimizers)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _inlay.Model(bytes(source), folder="", **arguments)
    return _inlay.Model(os.fspath(source), **arguments)


class InferenceSession(_inlay.Session):
    """A model over an ordered list of providers; the order is the priority.

    path_or_bytes: a path, the bytes of a model file, or a Model that load_model() gave
    sess_options: a SessionOptions
    providers: names, or (name, options); "cpu" and "CPUExecutionProvider" are the same. None: the CPU
    provider_options: a dict for each provider, instead of those in the list
    disabled_optimizers: names of passes that are left out when the model is loaded

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
        model = load_model(path_or_bytes, options, tuple(disabled_optimizers or ()))
        chosen = choices(providers, provider_options) or list(options._providers)
        super().__init__(model, self._complete(chosen, options), **options._of_session())
        self._options = options
        self._model = model
        self._model_path = os.fspath(path_or_bytes) if isinstance(path_or_bytes, (str, os.PathLike)) else None
        self._inputs = [NodeArg(*p) for p in model.inputs()]
        self._outputs = [NodeArg(*p) for p in model.outputs()]
        self._enable_fallback = bool(enable_fallback)

    @staticmethod
    def _complete(
        chosen: list[tuple[Any, dict[str, str]]], options: SessionOptions
    ) -> list[tuple[Any, dict[str, str]]]:
        """The list with what session configuration entries say of the CPU's provider."""
        if options._entries.get("session.set_denormal_as_zero") != "1":
            return chosen
        name = "CPUExecutionProvider"
        complete = chosen or [(name, {})]
        return [
            (who, {"flush_denormals": "true", **given} if isinstance(who, str) and _inlay.names_provider(who, name) else given)
            for who, given in complete
        ]

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that a run needs; constants are none of them."""
        return self._inputs

    def get_outputs(self) -> list[NodeArg]:
        """The outputs, in the order in which a run gives them."""
        return self._outputs

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Always empty: a constant of the model is a constant, even one that the file also lists among the inputs."""
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """What the model file tells of itself."""
        return ModelMetadata(**self._model.describe())

    def get_session_options(self) -> SessionOptions:
        """The options that the session was made with."""
        return self._options

    def set_providers(
        self,
        providers: Sequence[Provider] | str | None = None,
        provider_options: Sequence[Mapping[Any, Any]] | None = None,
    ) -> None:
        """Makes the session anew over these providers, from the same loaded model; runs that have begun go on as they were.

        On an error the session stays as it was.
        """
        self.set_choices(self._complete(choices(providers, provider_options), self._options))

    def disable_fallback(self) -> None:
        """Nothing falls back here unless SessionOptions.fallback says so: an error of a run is raised."""
        self._enable_fallback = False

    def enable_fallback(self) -> None:
        """As disable_fallback(): what a run raises is raised, whatever is said here."""
        self._enable_fallback = True

    def io_binding(self) -> _inlay.IoBinding:
        """For runs over memory that the caller chooses."""
        return _inlay.IoBinding(self)

    def run_with_iobinding(self, iobinding: _inlay.IoBinding, run_options: RunOptions | None = None) -> None:
        """Runs with what is bound; iobinding.get_outputs() has the results. Raises what run() raises."""
        iobinding._run(run_options)
