"""What programs for ONNX Runtime ask of the build."""
from __future__ import annotations

from collections.abc import Sequence


def find_cudart_versions(build_env: bool = False, build_cuda_version: str | None = None) -> Sequence[str]:
    """Empty: which CUDA runtime is there is known when a session opens the provider."""
    return []
