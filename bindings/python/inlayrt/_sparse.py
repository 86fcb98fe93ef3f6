"""Sparse tensors as values of programs: COO and CSR over NumPy's arrays.

Models have only dense tensors: sparse constants are made dense when a model is loaded, and a sparse value that is fed
to a model is dense there.
"""
from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._device import OrtDevice
from ._errors import InvalidArgument, NotImplemented
from ._inlayrt import OrtValue

Indices = npt.NDArray[np.int64]


class OrtSparseFormat(enum.IntEnum):
    """The formats of the indices of a sparse tensor."""

    ORT_SPARSE_UNDEFINED = 0
    ORT_SPARSE_COO = 1
    ORT_SPARSE_CSRC = 2
    ORT_SPARSE_BLOCK_SPARSE = 4


class SparseCooView:
    """Where the values of a tensor in COO are."""

    def __init__(self, indices: Indices) -> None:
        self._indices = indices

    def indices(self) -> Indices:
        """A number for each value, counted in row-major order, or its row and column."""
        return self._indices


class SparseCsrView:
    """Where the values of a matrix in CSR are."""

    def __init__(self, inner: Indices, outer: Indices) -> None:
        self._inner, self._outer = inner, outer

    def inner(self) -> Indices:
        """The column of each value."""
        return self._inner

    def outer(self) -> Indices:
        """Where in the values each row begins, and where the last one ends."""
        return self._outer


def _indices_of(values: Any, subject: str) -> Indices:
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise InvalidArgument(f"inlay: {subject} of a sparse tensor are whole numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)


class SparseTensor:
    """Values and their positions in a tensor of zeros; see sparse_coo_from_numpy() and sparse_csr_from_numpy()."""

    def __init__(self, dense_shape: Sequence[int], values: npt.NDArray[Any], view: SparseCooView | SparseCsrView) -> None:
        self._shape = tuple(int(d) for d in dense_shape)
        self._values = values
        self._view = view

    @classmethod
    def _checked(cls, dense_shape: Any, values: Any, device: OrtDevice, ranks: tuple[int, ...]) -> tuple[tuple[int, ...], npt.NDArray[Any]]:
        shape = tuple(int(d) for d in dense_shape)
        array = np.ascontiguousarray(values)
        if len(shape) not in ranks or any(d < 0 for d in shape):
            raise InvalidArgument(f"inlay: a sparse tensor of this format cannot have the shape {list(shape)}", code="shape_mismatch")
        if array.ndim != 1:
            raise InvalidArgument(f"inlay: the values of a sparse tensor have one dimension, not {array.ndim}", code="shape_mismatch")
        if device.device_type() != OrtDevice.cpu():
            raise InvalidArgument(f"inlay: sparse tensors are in the host's memory, not in that of {device!r}", code="wrong_memory_space")
        return shape, array

    @classmethod
    def sparse_coo_from_numpy(
        cls, dense_shape: Any, values: npt.NDArray[Any], coo_indices: Any, ort_device: OrtDevice
    ) -> SparseTensor:
        """A tensor in COO: for each value its number in row-major order, or, with twice as many indices, row and column.

        Raises InvalidArgument where indices and values do not fit, or an index is outside the shape.
        """
        shape, array = cls._checked(dense_shape, values, ort_device, (1, 2, 3, 4, 5, 6, 7, 8))
        indices = _indices_of(coo_indices, "indices")
        if indices.size not in (array.size, 2 * array.size) or (indices.size != array.size and len(shape) != 2):
            raise InvalidArgument(
                f"inlay: Index size: {indices.size} must be equal to or twice the values size: {array.size}; twice for a matrix alone"
            )
        if indices.size != array.size:
            indices = indices.reshape(-1, 2)
            inside = bool(((indices >= 0) & (indices < np.array(shape))).all())
        else:
            inside = bool(((indices >= 0) & (indices < np.prod(shape, dtype=np.int64))).all())
        if not inside:
            raise InvalidArgument(f"inlay: an index of the sparse tensor is outside its shape {list(shape)}", code="invalid_value")
        return cls(shape, array, SparseCooView(indices))

    @classmethod
    def sparse_csr_from_numpy(
        cls, dense_shape: Any, values: npt.NDArray[Any], inner_indices: Any, outer_indices: Any, ort_device: OrtDevice
    ) -> SparseTensor:
        """A matrix in CSR: the column of each value, and where in the values each row begins.

        Raises InvalidArgument where indices and values do not fit, or a column is outside the shape.
        """
        shape, array = cls._checked(dense_shape, values, ort_device, (2,))
        inner, outer = _indices_of(inner_indices, "inner indices").reshape(-1), _indices_of(outer_indices, "outer indices").reshape(-1)
        if inner.size != array.size or outer.size != shape[0] + 1:
            raise InvalidArgument(
                f"inlay: a matrix of {shape[0]} rows and {array.size} values has {array.size} inner and {shape[0] + 1} outer "
                f"indices, not {inner.size} and {outer.size}"
            )
        grows = outer[0] == 0 and outer[-1] == array.size and bool((np.diff(outer) >= 0).all())
        if not grows or not bool(((inner >= 0) & (inner < shape[1])).all()):
            raise InvalidArgument(f"inlay: an index of the sparse matrix is outside its shape {list(shape)}", code="invalid_value")
        return cls(shape, array, SparseCsrView(inner, outer))

    def values(self) -> npt.NDArray[Any]:
        """The values that are not zero."""
        return self._values

    def as_coo_view(self) -> SparseCooView:
        """Raises InvalidArgument where the tensor is in another format, as the other views do."""
        if not isinstance(self._view, SparseCooView):
            raise InvalidArgument("inlay: this sparse tensor does not contain COO format")
        return self._view

    def as_csrc_view(self) -> SparseCsrView:
        """Raises InvalidArgument where the tensor is in another format."""
        if not isinstance(self._view, SparseCsrView):
            raise InvalidArgument("inlay: this sparse tensor does not contain CSR(C) format")
        return self._view

    def as_blocksparse_view(self) -> Any:
        """Raises InvalidArgument: sparse tensors in blocks are not supported."""
        raise InvalidArgument("inlay: this sparse tensor does not contain BlockSparse format")

    def to_cuda(self, ort_device: OrtDevice) -> SparseTensor:
        """Raises NotImplemented: sparse tensors are in the host's memory."""
        raise NotImplemented(f"inlay: sparse tensors are in the host's memory; none can be moved to {ort_device!r}", code="unsupported_model")

    def format(self) -> OrtSparseFormat:
        """COO or CSR."""
        coo = isinstance(self._view, SparseCooView)
        return OrtSparseFormat.ORT_SPARSE_COO if coo else OrtSparseFormat.ORT_SPARSE_CSRC

    def dense_shape(self) -> list[int]:
        """The shape of the tensor."""
        return list(self._shape)

    def data_type(self) -> str:
        """As ONNX writes it: "sparse_tensor(float)"."""
        return f"sparse_{OrtValue.ortvalue_from_numpy(self._values).data_type()}"

    def device_name(self) -> str:
        """ "cpu"."""
        return "cpu"

    def to_dense(self) -> npt.NDArray[Any]:
        """The tensor with its zeros, as an array."""
        text = self._values.dtype.kind in "OUS"
        dense = np.full(self._shape, "", dtype=object) if text else np.zeros(self._shape, dtype=self._values.dtype)
        if isinstance(self._view, SparseCsrView):
            rows = np.repeat(np.arange(self._shape[0]), np.diff(self._view.outer()))
            dense[rows, self._view.inner()] = self._values
        elif self._view.indices().ndim == 2:
            dense[self._view.indices()[:, 0], self._view.indices()[:, 1]] = self._values
        else:
            dense.reshape(-1)[self._view.indices()] = self._values
        return dense


class SparseOrtValue(OrtValue):
    """An OrtValue that holds a sparse tensor; a model that it is fed to reads the dense one."""

    def __init__(self, sparse: SparseTensor) -> None:
        super().__init__(OrtValue.ortvalue_from_numpy(sparse.to_dense()))
        self._sparse = sparse

    def as_sparse_tensor(self) -> SparseTensor:
        """The tensor itself."""
        return self._sparse

    def is_sparse_tensor(self) -> bool:
        """True."""
        return True

    def is_tensor(self) -> bool:
        """False: what ONNX calls a tensor is dense."""
        return False

    def data_type(self) -> str:
        """As ONNX writes it: "sparse_tensor(float)"."""
        return self._sparse.data_type()

    def numpy(self) -> Any:
        """Raises InvalidArgument: as_sparse_tensor().to_dense() gives an array."""
        raise InvalidArgument("inlay: only OrtValues that are tensors are convertible to NumPy's arrays; as_sparse_tensor().to_dense() is one")
