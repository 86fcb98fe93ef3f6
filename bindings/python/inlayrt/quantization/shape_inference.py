"""Called by ONNX Runtime's programs before quantizing."""
from __future__ import annotations

import os
from typing import Any

from .._errors import InvalidArgument
from .._options import GraphOptimizationLevel, SessionOptions
from .._session import InferenceSession
from .quantize import model_file


def quant_pre_process(
    input_model: str | os.PathLike[str] | Any = None,
    output_model_path: str | os.PathLike[str] | None = None,
    skip_optimization: bool = False,
    skip_onnx_shape: bool = False,
    skip_symbolic_shape: bool = False,
    auto_merge: bool = False,
    int_max: int = 2**31 - 1,
    guess_output_rank: bool = False,
    verbose: int = 0,
    save_as_external_data: bool = False,
    all_tensors_to_one_file: bool = False,
    external_data_location: str | None = None,
    external_data_size_threshold: int = 1024,
    **deprecated: Any,
) -> None:
    """Writes the model after Inlay's passes (all except the fusion of nodes), ready to be quantized.

    Shapes need not be in the file, for quantize_static() infers them itself: options about them have no effect.
    save_as_external_data: the initializers go to external_data_location, a file next to the model
    Raises what loading a model does, and InvalidArgument without output_model_path.
    """
    source = input_model if input_model is not None else deprecated.get("input_model_path")
    if source is None or output_model_path is None:
        raise InvalidArgument("inlay: quant_pre_process() needs input_model and output_model_path")
    options = SessionOptions()
    off = GraphOptimizationLevel.ORT_DISABLE_ALL if skip_optimization else GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.graph_optimization_level = off
    options.optimized_model_filepath = os.fspath(output_model_path)
    if save_as_external_data:
        name = external_data_location or os.path.basename(options.optimized_model_filepath) + ".data"
        options.add_session_config_entry("session.optimized_model_external_initializers_file_name", name)
        options.add_session_config_entry(
            "session.optimized_model_external_initializers_min_size_in_bytes", str(external_data_size_threshold)
        )
    with model_file(source) as path:
        InferenceSession(path, options)
