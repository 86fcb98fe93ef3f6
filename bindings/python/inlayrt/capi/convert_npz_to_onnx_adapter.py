"""python -m inlayrt.capi.convert_npz_to_onnx_adapter: converts a .npz file to a file of an adapter's parameters."""
from __future__ import annotations

import argparse
import os
import sys

import numpy as np

from .._adapters import AdapterFormat
from .._inlayrt import OrtValue


def export_lora_parameters(
    npz_file_path: str | os.PathLike[str], adapter_version: int, model_version: int, output_file_path: str | os.PathLike[str]
) -> None:
    """Writes the arrays of the .npz file, by their names."""
    adapter = AdapterFormat()
    adapter.set_adapter_version(adapter_version)
    adapter.set_model_version(model_version)
    with np.load(npz_file_path) as data:
        adapter.set_parameters({name: OrtValue.ortvalue_from_numpy(array) for name, array in data.items()})
    adapter.export_adapter(output_file_path)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--npz_file_path", type=str, required=True)
    parser.add_argument("--output_file_path", type=str, required=True)
    parser.add_argument("--adapter_version", type=int, required=True)
    parser.add_argument("--model_version", type=int, required=True)
    words = parser.parse_args()
    export_lora_parameters(words.npz_file_path, words.adapter_version, words.model_version, words.output_file_path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
