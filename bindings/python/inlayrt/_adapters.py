"""LoRA adapters: files of parameters by name (*.onnx_adapter), which a run uses in place of a model's own.

The file is a FlatBuffer: a table of three versions and a list of tables (name, dims, type, bytes). Every offset of a file
is checked before it is followed.
"""
from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from typing import Any


from ._errors import InvalidArgument, InvalidProtobuf, NoSuchFile
from ._inlayrt import OrtValue

_IDENTIFIER = b"TORT"
_FORMAT_VERSION = 1
_VTABLE = struct.pack("<6H", 12, 20, 4, 8, 12, 16)  # of both tables: four members of four bytes


class _Reader:
    """The members of a FlatBuffer's tables."""

    def __init__(self, file: bytes, name: str) -> None:
        self._file, self._name = file, name

    def bad(self, reason: str) -> InvalidProtobuf:
        return InvalidProtobuf(f"inlay: {self._name} is no file of an adapter: {reason}", code="invalid_model")

    def number(self, kind: str, at: int) -> int:
        size = struct.calcsize(kind)
        if at < 0 or at + size > len(self._file):
            raise self.bad(f"an offset leads to byte {at} of {len(self._file)}")
        return int(struct.unpack_from(kind, self._file, at)[0])

    def member(self, table: int, index: int) -> int | None:
        """The position of a member of a table; None: the table does not have it."""
        vtable = table - self.number("<i", table)
        if 4 + 2 * index >= self.number("<H", vtable):
            return None
        offset = self.number("<H", vtable + 4 + 2 * index)
        return table + offset if offset else None

    def integer(self, table: int, index: int) -> int:
        at = self.member(table, index)
        return 0 if at is None else self.number("<i", at)

    def vector(self, table: int, index: int, size: int) -> tuple[int, int]:
        """The position of a vector's elements, and their number."""
        at = self.member(table, index)
        if at is None:
            return 0, 0
        start = at + self.number("<I", at)
        count = self.number("<I", start)
        if start + 4 + count * size > len(self._file):
            raise self.bad(f"a list of {count} elements goes beyond the end")
        return start + 4, count

    def bytes_of(self, table: int, index: int) -> bytes:
        start, count = self.vector(table, index, 1)
        return self._file[start : start + count]


def _value_of(reader: _Reader, table: int) -> tuple[str, OrtValue]:
    name = reader.bytes_of(table, 0).decode("utf-8", "replace")
    start, rank = reader.vector(table, 1, 8)
    dims = [reader.number("<q", start + 8 * k) for k in range(rank)]
    raw = reader.bytes_of(table, 3)
    if rank > 64 or any(d < 0 for d in dims):
        raise reader.bad(f"the parameter `{name}` has the shape {dims[:64]}")
    elements = 1
    for d in dims:
        elements *= d
    if elements > 8 * len(raw):
        raise reader.bad(f"the parameter `{name}` of shape {dims} has {len(raw)} bytes")
    try:
        value = OrtValue.ortvalue_from_shape_and_type(dims, reader.integer(table, 2))
    except InvalidArgument as wrong:
        raise reader.bad(f"the parameter `{name}`: {wrong}") from wrong
    if value.tensor_size_in_bytes() != len(raw) or value.data_type() == "tensor(string)":
        raise reader.bad(f"the parameter `{name}`, a {value.data_type()} of shape {dims}, has {len(raw)} bytes")
    value._write_bytes(raw)
    return name, value


class _Writer:
    """Appends tables, vectors and texts one after another, each of which a member before it points to."""

    def __init__(self) -> None:
        self.file = bytearray(struct.pack("<I4s", 0, _IDENTIFIER))
        self._vtable = self._aligned(2)
        self.file += _VTABLE

    def _aligned(self, alignment: int, ahead: int = 0) -> int:
        while (len(self.file) + ahead) % alignment:
            self.file.append(0)
        return len(self.file)

    def table(self, members: tuple[int, int, int, int]) -> int:
        at = self._aligned(4)
        self.file += struct.pack("<5i", at - self._vtable, *members)
        return at

    def point(self, member: int, to: int) -> None:
        struct.pack_into("<I", self.file, member, to - member)

    def vector(self, member: int, count: int, content: bytes, alignment: int) -> int:
        """Appends a vector that a member points to; returns the position of its elements."""
        start = self._aligned(alignment, 4) if alignment > 4 else self._aligned(4)
        self.point(member, start)
        self.file += struct.pack("<I", count) + content
        return start + 4


class AdapterFormat:
    """The contents of an adapter's file: versions, and parameters by name."""

    def __init__(self, adapter: AdapterFormat | None = None) -> None:
        self._format_version = _FORMAT_VERSION
        self._adapter_version = adapter._adapter_version if adapter else 0
        self._model_version = adapter._model_version if adapter else 0
        self._parameters: dict[str, OrtValue] = dict(adapter._parameters) if adapter else {}

    @staticmethod
    def read_adapter(file_path: str | os.PathLike[str]) -> AdapterFormat:
        """Reads a file. Raises NoSuchFile, and InvalidProtobuf if it is no such file."""
        name = os.fspath(file_path)
        try:
            with open(name, "rb") as file:
                content = file.read()
        except OSError as error:
            raise NoSuchFile(f"inlay: {name}: {error.strerror}", code="not_found") from error
        reader = _Reader(content, name)
        if content[4:8] != _IDENTIFIER:
            raise reader.bad(f"it does not begin with {_IDENTIFIER.decode()}")
        root = reader.number("<I", 0)
        adapter = AdapterFormat()
        adapter._format_version = reader.integer(root, 0)
        if adapter._format_version != _FORMAT_VERSION:
            raise reader.bad(f"its format has the version {adapter._format_version}, not {_FORMAT_VERSION}")
        adapter._adapter_version, adapter._model_version = reader.integer(root, 1), reader.integer(root, 2)
        start, count = reader.vector(root, 3, 4)
        for at in range(start, start + 4 * count, 4):
            parameter, value = _value_of(reader, at + reader.number("<I", at))
            adapter._parameters[parameter] = value
        return adapter

    def export_adapter(self, file_path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        writer = _Writer()
        root = writer.table((self._format_version, self._adapter_version, self._model_version, 0))
        writer.point(0, root)
        names = sorted(self._parameters)
        first = writer.vector(root + 16, len(names), bytes(4 * len(names)), 4)
        for k, name in enumerate(names):
            value = self._parameters[name]
            table = writer.table((0, 0, value.element_type(), 0))
            writer.point(first + 4 * k, table)
            text, dims, raw = name.encode(), value.shape(), value._bytes()
            writer.vector(table + 4, len(text), text + b"\0", 4)
            writer.vector(table + 8, len(dims), struct.pack(f"<{len(dims)}q", *dims), 8)
            writer.vector(table + 16, len(raw), raw, 8)
        with open(file_path, "wb") as file:
            file.write(writer.file)

    def get_format_version(self) -> int:
        """The version of the file's layout."""
        return self._format_version

    def set_adapter_version(self, adapter_version: int) -> None:
        """A number chosen by the caller."""
        self._adapter_version = int(adapter_version)

    def get_adapter_version(self) -> int:
        """The number set by set_adapter_version(), or read from the file."""
        return self._adapter_version

    def set_model_version(self, model_version: int) -> None:
        """A number chosen by the caller for the model that the parameters belong to."""
        self._model_version = int(model_version)

    def get_model_version(self) -> int:
        """The number set by set_model_version(), or read from the file."""
        return self._model_version

    def set_parameters(self, params: Mapping[str, OrtValue]) -> None:
        """The parameters by name. Raises InvalidArgument for what is no tensor of numbers."""
        for name, value in params.items():
            if not value.is_tensor() or value.data_type() == "tensor(string)":
                raise InvalidArgument(f"inlay: the parameter `{name}` of an adapter is a tensor of numbers, not a {value.data_type()}")
        self._parameters = dict(params)

    def get_parameters(self) -> dict[str, OrtValue]:
        """The parameters by name."""
        return dict(self._parameters)


class LoraAdapter:
    """Parameters of a file, for RunOptions.add_active_adapter()."""

    def __init__(self) -> None:
        self._parameters: dict[str, OrtValue] = {}

    def Load(self, file_path: str | os.PathLike[str]) -> None:  # noqa: N802: ONNX Runtime's name
        """Reads a file that AdapterFormat.export_adapter() wrote. Raises NoSuchFile and InvalidProtobuf."""
        self._parameters = AdapterFormat.read_adapter(file_path).get_parameters()


def merged(adapters: list[LoraAdapter]) -> dict[str, OrtValue]:
    """The parameters of several adapters. Raises InvalidArgument where two have one name."""
    parameters: dict[str, Any] = {}
    for adapter in adapters:
        if twice := parameters.keys() & adapter._parameters.keys():
            raise InvalidArgument(f"inlay: two active adapters have the parameters {sorted(twice)}")
        parameters.update(adapter._parameters)
    return parameters


