"""ModelCompiler: InferenceSession.save(), which stores what engines compile, by ONNX Runtime's names."""
from __future__ import annotations

import enum
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._edited import locate_initializers, move_initializers
from ._errors import EPFail, Fail, InvalidArgument, NotImplemented
from ._inlayrt import OrtValue
from ._options import GraphOptimizationLevel, SessionOptions
from ._session import InferenceSession


_NOTHING = "there is nothing to save"  # in the words of InferenceSession.save()


class OrtCompileApiFlags(enum.IntFlag):
    """Restrictions of a ModelCompiler."""

    NONE = 0
    ERROR_IF_NO_NODES_COMPILED = 1
    ERROR_IF_OUTPUT_FILE_EXISTS = 2


@dataclass(frozen=True)
class OrtExternalInitializerInfo:
    """The place of an initializer in a file of external data, whose path is relative to the model."""

    filepath: str
    file_offset: int
    byte_size: int


GetInitializerLocation = Callable[[str, OrtValue, "OrtExternalInitializerInfo | None"], "OrtExternalInitializerInfo | None"]


class ModelCompiler:
    """Compiles a model for the providers of the options and writes it: a session over the result compiles nothing.

    - embed_compiled_data_into_model: in the file itself; else in files next to it
    - external_initializers_file_path: a file next to the compiled one that gets the initializers of at least
      external_initializers_size_threshold bytes
    - get_initializer_location_func: returns instead for each initializer where its caller has put it; None: in the model
    """

    def __init__(
        self,
        sess_options: SessionOptions,
        input_model_path_or_bytes: str | os.PathLike[str] | bytes,
        embed_compiled_data_into_model: bool = False,
        external_initializers_file_path: str | os.PathLike[str] | None = None,
        external_initializers_size_threshold: int = 1024,
        flags: int = OrtCompileApiFlags.NONE,
        graph_optimization_level: GraphOptimizationLevel = GraphOptimizationLevel.ORT_DISABLE_ALL,
        get_initializer_location_func: GetInitializerLocation | None = None,
    ) -> None:
        if not isinstance(input_model_path_or_bytes, (str, os.PathLike, bytes)):
            raise TypeError(f"inlay: a model is a path or bytes, not {type(input_model_path_or_bytes)}")
        if not input_model_path_or_bytes:
            raise InvalidArgument("inlay: the path or the bytes of the model are empty")
        if get_initializer_location_func is not None and external_initializers_file_path:
            raise InvalidArgument("inlay: external_initializers_file_path and get_initializer_location_func exclude each other")
        self._source = input_model_path_or_bytes
        self._options = sess_options
        self._embed = bool(embed_compiled_data_into_model)
        self._file = os.fspath(external_initializers_file_path) if external_initializers_file_path else ""
        self._threshold = int(external_initializers_size_threshold)
        self._flags = OrtCompileApiFlags(flags)
        self._level = GraphOptimizationLevel(graph_optimization_level)
        self._locate = get_initializer_location_func

    def compile_to_file(self, output_model_path: str | os.PathLike[str] | None = None) -> None:
        """Writes the compiled model; without a path next to the source: model_ctx.onnx for model.onnx.

        Raises InvalidArgument where there is no path, and Fail for model contents that the flags forbid.
        """
        if output_model_path is None:
            if isinstance(self._source, bytes):
                raise InvalidArgument("inlay: a model of bytes needs output_model_path")
            stem, _ = os.path.splitext(os.fspath(self._source))
            output_model_path = f"{stem}_ctx.onnx"
        path = os.fspath(output_model_path)
        if OrtCompileApiFlags.ERROR_IF_OUTPUT_FILE_EXISTS in self._flags and os.path.exists(path):
            raise Fail(f"inlay: {path} exists already", code="invalid_argument")
        self._write(path, self._embed)

    def compile_to_bytes(self) -> bytes:
        """The compiled model, including its compiled data."""
        if self._file:
            raise InvalidArgument("inlay: external_initializers_file_path needs compile_to_file()")
        with tempfile.TemporaryDirectory(prefix="inlay-") as folder:
            path = os.path.join(folder, "model.onnx")
            self._write(path, embed=True)
            with open(path, "rb") as file:
                return file.read()

    def compile_to_stream(self, write_function: Callable[[bytes], Any]) -> None:
        """compile_to_bytes(), given to a function."""
        write_function(self.compile_to_bytes())

    def set_ep_context_data_write_func(self, write_func: Callable[[str, Any], None]) -> None:
        """Raises NotImplemented: compile_to_file() writes compiled data to files next to the model."""
        raise NotImplemented("inlay: what was compiled goes to the model or to files next to it, not to a function", code="unsupported_model")

    def clear_ep_context_data_write_func(self) -> None:
        """Has no effect."""

    def _write_uncompiled(self, session: InferenceSession, path: str) -> None:
        """Writes the model of a session none of whose providers compiles: unchanged."""
        if OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED in self._flags:
            raise Fail(
                "inlay: no provider of the list compiled a node; those that compile are engines in libraries of others",
                code="no_provider",
            )
        if isinstance(self._source, bytes):
            with open(path, "wb") as file:
                file.write(self._source)
        else:
            session._write_optimized(os.fspath(self._source), path)

    def _write(self, path: str, embed: bool) -> None:
        level = self._options.graph_optimization_level
        self._options.graph_optimization_level = self._level
        try:
            session = InferenceSession(self._source, self._options)
        finally:
            self._options.graph_optimization_level = level
        try:
            session.save(path, embed=embed, keep_original=False)
        except EPFail as failure:
            if _NOTHING not in str(failure):
                raise
            self._write_uncompiled(session, path)
        if self._locate is not None:
            locate_initializers(path, self._locate, OrtExternalInitializerInfo)
        elif self._file:
            if os.path.dirname(self._file) not in ("", os.path.dirname(path)):
                raise InvalidArgument(f"inlay: {self._file} must stand next to {path}")
            move_initializers(path, os.path.basename(self._file), self._threshold)
