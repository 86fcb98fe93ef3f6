"""Queries of programs for ONNX Runtime about the build."""
from __future__ import annotations

from collections.abc import Sequence


def find_cudart_versions(build_env: bool = False, build_cuda_version: str | None = None) -> Sequence[str]:
    """Empty: the CUDA runtime is known only when a session opens the provider."""
    return []
