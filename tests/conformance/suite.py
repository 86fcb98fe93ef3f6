"""Writes the backend test-suite that the onnx package brings: CATEGORY/CASE/model.onnx, tolerance.json and
test_data_set_N/{input,output}_I.pb. Most cases exist as Python code only, so that a program cannot read them where they
are."""
import json
import pathlib
import shutil

import numpy as np
import onnx
from onnx import numpy_helper

CATEGORIES = ("node", "simple", "pytorch-converted", "pytorch-operator", "real")


def message(value, declared: onnx.TypeProto, name: str):
    """The protobuf message that holds a value of the declared type."""
    if isinstance(value, onnx.TensorProto):
        return value
    kind = declared.WhichOneof("value")
    write = {"sequence_type": numpy_helper.from_list, "map_type": numpy_helper.from_dict,
             "optional_type": numpy_helper.from_optional}.get(kind)
    return write(value, name) if write else numpy_helper.from_array(np.asarray(value), name)


def write_values(folder: pathlib.Path, stem: str, values, infos) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for i, (value, info) in enumerate(zip(values, infos)):
        (folder / f"{stem}_{i}.pb").write_bytes(message(value, info.type, info.name).SerializeToString())


def write_generated(case, folder: pathlib.Path) -> None:
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        write_values(data, "input", inputs, case.model.graph.input)
        write_values(data, "output", outputs, case.model.graph.output)


def write_light(case, folder: pathlib.Path) -> None:
    """A classic network with constant weights: the input is the runner's ramp, the outputs lie next to the model."""
    from onnx.backend.test.runner import Runner
    stored = pathlib.Path(onnx.__file__).parent.parent / case.url
    shutil.copy(stored, folder / "model.onnx")
    graph = onnx.load(stored).graph
    weights = {t.name for t in graph.initializer}
    inputs = [i for i in graph.input if i.name not in weights]
    write_values(folder / "test_data_set_0", "input", [Runner.generate_dummy_data(i) for i in inputs], inputs)
    for i in range(len(graph.output)):
        shutil.copy(stored.with_name(f"{stored.stem}_output_{i}.pb"), folder / f"test_data_set_0/output_{i}.pb")


def write_suite(suite: pathlib.Path) -> None:
    from onnx.backend.test.loader import load_model_tests
    np.random.seed(0)  # the cases draw their data while they are imported
    for category in CATEGORIES:
        for case in load_model_tests(kind=category):
            folder = suite / category / case.name
            folder.mkdir(parents=True)
            if case.model is not None:
                write_generated(case, folder)
            elif case.model_dir is not None:
                shutil.copytree(case.model_dir, folder, dirs_exist_ok=True)
            else:
                write_light(case, folder)
            (folder / "tolerance.json").write_text(json.dumps({"rtol": case.rtol, "atol": case.atol}) + "\n")
