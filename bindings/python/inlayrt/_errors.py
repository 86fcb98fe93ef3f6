"""The exceptions of Inlay, with the names that programs for ONNX Runtime catch."""
from __future__ import annotations


class Error(RuntimeError):
    """The base of all errors: what went wrong, where, and a hint.

    Fields that do not apply are None:

    - code: its kind, in a word: "shape_mismatch", "not_found", "invalid_model", ...
    - node, op, version: of the model's node; version is that of the operator's schema
    - provider: that failed or refused
    - shapes: the shapes in question, as text
    - hint: what may help
    """

    code: str
    node: str | None
    op: str | None
    version: int | None
    provider: str | None
    shapes: str | None
    hint: str | None

    def __init__(
        self,
        text: str,
        code: str = "invalid_argument",
        node: str = "",
        op: str = "",
        version: int = 0,
        provider: str = "",
        shapes: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(text if not hint or hint in text else f"{text}; {hint}")
        self.code = code
        self.node = node or None
        self.op = op or None
        self.version = version or None
        self.provider = provider or None
        self.shapes = shapes or None
        self.hint = hint or None


class Fail(Error):
    """A run that was ended, by RunOptions.terminate or a deadline; also the base of errors of a model file."""


class InvalidArgument(Error, ValueError):
    """What the caller passed does not fit: a name, type, shape, option, or a value in an input."""


class NotFound(InvalidArgument):
    """An unknown name: of an input, an output, a provider, a file."""


class NoSuchFile(NotFound):
    """There is no such file, or it cannot be read."""


class NoModel(Error):
    """A session without a model. Inlay does not raise it; programs that catch it work unchanged."""


class EngineError(Error):
    """Inlay does not raise it; programs that catch it work unchanged."""


class RuntimeException(Error):
    """There was not enough memory, or a limit was exceeded."""


class InvalidGraph(Fail):
    """The model breaks ONNX's rules."""


class InvalidProtobuf(InvalidGraph):
    """The file is no model, or one that breaks ONNX's rules: Inlay checks while it reads, and does not distinguish."""


class ModelLoaded(Error):
    """Inlay does not raise it; programs that catch it work unchanged."""


class NotImplemented(Error):  # noqa: A001: ONNX Runtime's name
    """No provider of the list runs a node of the model, or Inlay cannot do what was requested."""


class EPFail(Error):
    """A provider failed, its device was lost, or it is not available on this machine."""


class ModelLoadCanceled(Error):
    """Loading a model, or creating a session, was ended by the progress function."""


class ModelRequiresCompilation(Error):
    """Inlay does not raise it; programs that catch it work unchanged."""


_BY_CODE: dict[str, type[Error]] = {
    "invalid_argument": InvalidArgument,
    "not_found": NotFound,
    "invalid_model": InvalidProtobuf,
    "unsupported_model": NotImplemented,
    "limit_exceeded": RuntimeException,
    "no_provider": NotImplemented,
    "duplicate_provider": InvalidArgument,
    "unknown_provider": InvalidArgument,
    "unknown_option": InvalidArgument,
    "invalid_option": InvalidArgument,
    "no_such_level": InvalidArgument,
    "shape_mismatch": InvalidArgument,
    "type_mismatch": InvalidArgument,
    "wrong_memory_space": InvalidArgument,
    "out_of_memory": RuntimeException,
    "provider_failed": EPFail,
    "invalid_value": InvalidArgument,
    "stopped": Fail,
    "deadline_passed": Fail,
    "provider_unavailable": EPFail,
    "out_of_memory_limit": RuntimeException,
    "device_lost": EPFail,
    # Only for reading a model; in a run the same error codes mean something else:
    "no_such_file": NoSuchFile,
    "load_stopped": ModelLoadCanceled,
}


def of(code: str, text: str, node: str, op: str, version: int, provider: str, shapes: str, hint: str) -> Error:
    """The exception for an error of the library."""
    code_of_library = {"no_such_file": "not_found", "load_stopped": "stopped"}.get(code, code)
    return _BY_CODE[code](text, code_of_library, node, op, version, provider, shapes, hint)
