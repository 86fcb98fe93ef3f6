"""The sizes of ONNX Runtime's global thread pools, for sessions without threads of their own."""
from __future__ import annotations

from ._errors import InvalidArgument
from ._log import no_effect

_sizes = {"intra": 0}


def set_global_thread_pool_sizes(intra_op_num_threads: int = 0, inter_op_num_threads: int = 0) -> None:
    """How many threads sessions have whose options say use_per_session_threads = False; 0: one per core.

    Each of them still has a pool of its own. inter_op_num_threads has no effect: steps run one after another.
    Raises InvalidArgument for a negative number.
    """
    if intra_op_num_threads < 0 or inter_op_num_threads < 0:
        raise InvalidArgument(f"inlay: {min(intra_op_num_threads, inter_op_num_threads)} threads cannot be had", code="invalid_option")
    if inter_op_num_threads > 1:
        no_effect(f"inter_op_num_threads = {inter_op_num_threads}", "steps run one after another, each on all threads")
    _sizes["intra"] = int(intra_op_num_threads)


def global_threads() -> int | None:
    """The number set by set_global_thread_pool_sizes(); None: one per core."""
    return _sizes["intra"] or None
