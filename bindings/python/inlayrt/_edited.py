"""Changes of SessionOptions to a model file before it is read, by the package onnx: pip install 'inlayrt[backend]'."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _inlayrt
from ._errors import InvalidArgument, InvalidProtobuf, NoSuchFile, NotImplemented, RuntimeException


def _onnx(purpose: str) -> Any:
    try:
        import onnx
        import onnx.external_data_helper
        import onnx.numpy_helper
    except ImportError as missing:
        text = f"inlay: {purpose} needs the package onnx, which cannot be imported: {missing}"
        raise NotImplemented(text, code="unsupported_model", hint="pip install 'inlayrt[backend]'") from missing
    return onnx


def _parsed(file: bytes) -> Any:
    """The model of a file's bytes; external data stays where it is."""
    onnx = _onnx("a changed model")
    try:
        return onnx.load_model_from_string(file)
    except Exception as broken:  # protobuf's DecodeError, and whatever other versions of it raise
        raise InvalidProtobuf(f"inlay: the file is no ONNX model: {broken}", code="invalid_model") from broken


def _serialized(model: Any) -> bytes:
    try:
        return bytes(model.SerializeToString())
    except Exception as too_large:  # of more than 2 GiB; which exception depends on the version of protobuf
        text = f"inlay: the changed model cannot be written: {too_large}"
        raise RuntimeException(text, code="limit_exceeded", hint="keep the weights in a file of external data") from too_large


def _replace(tensor: Any, value: Any) -> None:
    """Replaces an initializer by an OrtValue of the same type and shape."""
    shape = list(value.shape())
    if value.element_type() != tensor.data_type or shape != list(tensor.dims):
        raise InvalidArgument(
            f"inlay: the initializer `{tensor.name}` has elements of type {tensor.data_type} in ONNX's numbers and the shape "
            f"{list(tensor.dims)}; the OrtValue has type {value.element_type()} and shape {shape}",
            code="type_mismatch" if shape == list(tensor.dims) else "shape_mismatch",
        )
    tensor.CopyFrom(_onnx("add_initializer()").numpy_helper.from_array(value.numpy(), tensor.name))


def _part(tensor: Any, location: str, file: bytes, entries: dict[str, str]) -> bytes:
    """The bytes of a file that an initializer names."""
    try:
        start = int(entries.get("offset", "0"))
        length = int(entries.get("length", str(len(file) - start)))
    except ValueError as broken:
        raise InvalidProtobuf(f"inlay: the external data of `{tensor.name}`: {broken}", code="invalid_model") from broken
    if start < 0 or length < 0 or start + length > len(file):
        raise InvalidArgument(
            f"inlay: the initializer `{tensor.name}` is {length} bytes from byte {start} of `{location}`, which has {len(file)}"
        )
    return file[start : start + length]


def with_initializers(source: str | os.PathLike[str] | bytes, values: dict[str, Any], files: dict[str, bytes]) -> bytes:
    """The bytes of the model with OrtValues in place of initializers, and files of external data taken from memory.

    Raises InvalidArgument where a type, shape or place does not fit, or the model has no such initializer or file.
    """
    model = _parsed(bytes_of(source))
    unused = {f"initializer `{name}`" for name in values} | {f"file of external data `{name}`" for name in files}
    for tensor in model.graph.initializer:
        entries = {e.key: e.value for e in tensor.external_data}
        location = entries.get("location", "")
        if tensor.name in values:
            unused.discard(f"initializer `{tensor.name}`")
            _replace(tensor, values[tensor.name])
        elif location in files and tensor.data_location == tensor.EXTERNAL:
            unused.discard(f"file of external data `{location}`")
            tensor.raw_data = _part(tensor, location, files[location], entries)
            tensor.data_location = tensor.DEFAULT
            del tensor.external_data[:]
    if unused:
        raise InvalidArgument(f"inlay: the model has no {', no '.join(sorted(unused))}", code="not_found")
    return _serialized(model)


def sizes_by_denotation(source: str | os.PathLike[str] | bytes, requested: dict[str, int]) -> dict[str, int]:
    """The sizes of free dimensions by name, for sizes by the denotations of the inputs' dimensions.

    Raises InvalidArgument where no dimension has that denotation, or one has another size.
    """
    sizes: dict[str, int] = {}
    unused = set(requested)
    for port in _parsed(bytes_of(source)).graph.input:
        for axis, dim in enumerate(port.type.tensor_type.shape.dim):
            if dim.denotation not in requested:
                continue
            unused.discard(dim.denotation)
            size = requested[dim.denotation]
            name = dim.dim_param or f"{port.name}[{axis}]"
            has = dim.dim_value if dim.HasField("dim_value") else sizes.get(name, size)
            if has != size:
                raise InvalidArgument(
                    f"inlay: dimension {axis} of input `{port.name}` denotes {dim.denotation}, which is to be {size}, but is {has}",
                    code="shape_mismatch",
                )
            if not dim.HasField("dim_value"):
                sizes[name] = size
    if unused:
        raise InvalidArgument(f"inlay: no dimension of an input denotes {', '.join(sorted(unused))}", code="not_found")
    return sizes


def bytes_of(source: str | os.PathLike[str] | bytes) -> bytes:
    """A file's bytes. Raises NoSuchFile."""
    if isinstance(source, bytes):
        return source
    try:
        with open(source, "rb") as file:
            return file.read()
    except OSError as error:
        raise NoSuchFile(f"inlay: {os.fspath(source)}: {error.strerror}", code="not_found") from error


def move_initializers(path: str, name: str, at_least: int) -> None:
    """Writes a model file again, with initializers of so many bytes in a file of external data next to it."""
    onnx = _onnx("session.optimized_model_external_initializers_file_name")
    if name == os.path.basename(path):
        raise InvalidArgument(f"inlay: `{name}` cannot be the model and its file of external data")
    beside = os.path.join(os.path.dirname(path), name)
    model = onnx.load(path)
    if os.path.exists(beside):
        os.remove(beside)
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) >= at_least:
            onnx.external_data_helper.set_external_data(tensor, name)
    onnx.save(model, path)  # writes what is now external data to that file


def check_file_name(name: str) -> None:
    """Raises InvalidArgument for what is no name of a file next to a model."""
    if name in ("", ".", "..") or os.path.basename(name) != name:
        raise InvalidArgument(f"inlay: a file of external data stands next to the model, under a name alone, not `{name}`")


def same_length(names: Sequence[object], *lists: Sequence[object]) -> None:
    """Raises InvalidArgument where lists that belong together differ in length."""
    if any(len(o) != len(names) for o in lists):
        raise InvalidArgument(f"inlay: {len(names)} names come with {', '.join(str(len(o)) for o in lists)} values")


def node_names(path: str) -> list[str]:
    """The names of a model's nodes, empty ones too."""
    return [str(node.name) for node in _onnx("nodes_to_quantize").load(path, load_external_data=False).graph.node]


def locate_initializers(path: str, locate: Any, info: Any) -> None:
    """Writes a model file again, with initializers as external data where the function returns a place for them.

    - locate: function(name, OrtValue, where it is or None) -> where it is, or None for in the model
    - info: the class of those places
    """
    onnx = _onnx("get_initializer_location_func")
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        value = _inlayrt.OrtValue.ortvalue_from_numpy(onnx.numpy_helper.to_array(tensor))
        place = locate(tensor.name, value, None)
        if place is None:
            continue
        if not isinstance(place, info):
            raise InvalidArgument(f"inlay: the place of `{tensor.name}` is an {info.__name__} or None, not {place!r}")
        name, kind, dims = tensor.name, tensor.data_type, list(tensor.dims)
        tensor.Clear()
        tensor.name, tensor.data_type, tensor.data_location = name, kind, tensor.EXTERNAL
        tensor.dims.extend(dims)
        for key, text in (("location", place.filepath), ("offset", place.file_offset), ("length", place.byte_size)):
            tensor.external_data.add(key=key, value=str(text))
    with open(path, "wb") as file:
        file.write(_serialized(model))
