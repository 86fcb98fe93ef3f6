"""SessionOptions and RunOptions: their effects, and that options without effect say so."""
from __future__ import annotations

import json
import pathlib
import re
import warnings

import numpy as np
import onnx
import pytest

import inlayrt as ort
from inlayrt._known import how_to_get

CHAIN = "g (float[N,4] x) => (float[N,4] y) <float[4,4] w = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}> { i = Identity(x) a = MatMul(i, w) y = Relu(a) }"


def test_the_number_of_threads_is_that_of_the_options(double):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 3
    session = ort.InferenceSession(double, options, providers=["CPUExecutionProvider"])
    assert session.get_provider_options()["CPUExecutionProvider"]["threads"] == "3" or session.plan().data["threads"] == 3
    assert session.get_session_options() is options


def test_threads_are_made_for_more_than_one_and_the_caller_counts(make):
    def tasks() -> int:
        return len(list(pathlib.Path("/proc/self/task").iterdir()))

    for threads in (1, 4):
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        before = tasks()
        session = ort.InferenceSession(make(CHAIN), options)
        session.run(None, {"x": np.ones((2, 4), np.float32)})
        assert tasks() - before == threads - 1
        del session


def test_levels_of_optimisation_leave_out_passes(make):
    def kinds(level: ort.GraphOptimizationLevel) -> tuple[int, int]:
        options = ort.SessionOptions()
        options.graph_optimization_level = level
        assert options.graph_optimization_level == level
        session = ort.InferenceSession(make(CHAIN), options)
        session.run(None, {"x": np.ones((2, 4), np.float32)})
        nodes = session.plan().nodes
        return len(nodes), sum(bool(n["fused_into"]) for n in nodes)

    level = ort.GraphOptimizationLevel
    assert kinds(level.ORT_DISABLE_ALL) == (3, 0)
    assert kinds(level.ORT_ENABLE_BASIC) == (2, 0)
    assert kinds(level.ORT_ENABLE_ALL) == kinds(level.ORT_ENABLE_EXTENDED) == (2, 2)
    with pytest.raises(ValueError):
        ort.SessionOptions().graph_optimization_level = 5


def test_passes_are_left_out_by_name(make):
    session = ort.InferenceSession(make(CHAIN), disabled_optimizers=["eliminate_identity"])
    assert [n["op"] for n in session.plan().nodes] == ["Identity", "MatMul", "Relu"]
    with pytest.raises(ort.InvalidArgument, match="no pass `eliminate_everything`"):
        ort.InferenceSession(make(CHAIN), disabled_optimizers=["eliminate_everything"])


def test_the_model_as_it_was_rewritten_is_written_to_a_file(tmp_path, make):
    source, target = tmp_path / "chain.onnx", tmp_path / "optimised.onnx"
    source.write_bytes(make(CHAIN))
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(str(source), options)
    written = onnx.load(target)
    onnx.checker.check_model(written)
    assert [n.op_type for n in written.graph.node] == ["MatMul", "Relu"]
    with pytest.raises(ort.InvalidArgument, match="loaded from a file"):
        ort.InferenceSession(source.read_bytes(), options)


def test_free_dimensions_get_sizes_by_name(make):
    options = ort.SessionOptions()
    options.add_free_dimension_override_by_name("N", 2)
    session = ort.InferenceSession(make(CHAIN), options)
    assert session.get_inputs()[0].shape == [2, 4]
    with pytest.raises(ort.InvalidArgument):
        session.run(None, {"x": np.ones((3, 4), np.float32)})
    options.add_free_dimension_override_by_name("M", 2)
    with pytest.raises(ort.Error, match="no free dimension `M`"):
        ort.InferenceSession(make(CHAIN), options)


def test_a_node_that_may_not_leave_the_first_provider_is_an_error(make):
    model = make('g (float[4] x) => (float[4] y) { y = unknown.Knows(x) }', '<ir_version: 8, opset_import: ["" : 17, "unknown" : 1]> ')
    with pytest.raises(ort.NotImplemented):
        ort.InferenceSession(model)
    options = ort.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    assert options.get_session_config_entry("session.disable_cpu_ep_fallback") == "1"
    session = ort.InferenceSession(make(CHAIN), options, providers=["reference"])
    assert session.get_providers() == ["ReferenceExecutionProvider"]
    plain = ort.InferenceSession(make(CHAIN), providers=["reference"])
    assert plain.get_providers() == ["ReferenceExecutionProvider", "CPUExecutionProvider"]
    with pytest.raises(ort.InvalidArgument, match="is 0 or 1"):
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "yes")
    with pytest.raises(ort.InvalidArgument, match="configuration with key: nothing"):
        options.get_session_config_entry("nothing")


def test_denormal_numbers_are_flushed_where_the_configuration_says_so(double):
    options = ort.SessionOptions()
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    for providers in (None, ["CPUExecutionProvider"], "cpu"):
        session = ort.InferenceSession(double, options, providers=providers)
        assert session.get_provider_options()["CPUExecutionProvider"]["flush_denormals"] == "true"


@pytest.mark.parametrize(
    ("name", "default", "other"),
    [("inter_op_num_threads", 0, 2), ("enable_cpu_mem_arena", True, False), ("enable_mem_pattern", True, False), ("enable_mem_reuse", True, False),
     ("log_verbosity_level", 0, 1), ("use_per_session_threads", True, False)],
)  # fmt: skip
def test_options_that_change_no_result_are_told_in_the_log_at_level_1(double, name, default, other):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert log_of(double, lambda options: setattr(options, name, default)) == []
        messages = log_of(double, lambda options: setattr(options, name, other))
        assert log_of(double, lambda options: setattr(options, name, other), level=2) == []
    assert [text for text in messages if text.startswith(f"SessionOptions.{name} = {other} has no effect")], messages


def log_of(model, change, level=1, **session):
    """The log of a session with changed options, without its plans."""
    messages: list[str] = []
    options = ort.SessionOptions()
    options.log_severity_level = level
    options.log = lambda severity, text: messages.append(text)
    change(options)
    ort.InferenceSession(model, options, **session)
    return [text for text in messages if not text.startswith("planned ")]


def test_modes_orders_and_entries_that_change_no_result_are_told_in_the_log_at_level_1(double):
    def change(options):
        options.execution_mode = ort.ExecutionMode.ORT_PARALLEL
        options.execution_order = ort.ExecutionOrder.PRIORITY_BASED
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        messages = "\n".join(log_of(double, change))
        run = ort.RunOptions()
        run.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        run.only_execute_path_to_fetches = True
    assert run.get_run_config_entry("memory.enable_memory_arena_shrinkage") == "cpu:0"
    for text in ("ORT_PARALLEL has no effect", "PRIORITY_BASED has no effect", "session.intra_op.allow_spinning = 0 has no meaning"):
        assert text in messages
    with pytest.warns(UserWarning, match="set_seed"):
        ort.set_seed(1)


def test_entries_that_onnx_runtime_has_not_warn():
    with pytest.warns(UserWarning, match="session.no_such_thing = 1 has no effect"):
        ort.SessionOptions().add_session_config_entry("session.no_such_thing", "1")
    with pytest.warns(UserWarning, match="no_such_thing = 1 has no effect"):
        ort.RunOptions().add_run_config_entry("no_such_thing", "1")


def test_options_of_onnx_runtimes_provider_are_told_in_the_log_and_wrong_names_are_errors(double):
    providers = [("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested", "use_arena": True})]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        messages = log_of(double, lambda options: None, providers=providers)
    assert [text.split(" of ONNX")[0] for text in messages] == [
        "CPUExecutionProvider: the option arena_extend_strategy = kSameAsRequested",
        "CPUExecutionProvider: the option use_arena = true",
    ]
    with pytest.raises(ort.InvalidArgument, match="no option `use_arenas`") as wrong:
        ort.InferenceSession(double, providers=[("CPUExecutionProvider", {"use_arenas": 1})])
    assert wrong.value.code == "unknown_option"


def test_a_known_provider_that_the_build_lacks_is_a_warning_that_says_how_to_get_it(double, x):
    lacking = next(name for name in ("CUDAExecutionProvider", "JsExecutionProvider") if name not in ort.get_available_providers())
    for providers in ([lacking], [(lacking, {"device_id": 0}), "CPUExecutionProvider"]):
        with pytest.warns(UserWarning, match=f"left out of the list of providers: .*{lacking}") as warning:
            session = ort.InferenceSession(double, providers=providers)
        assert warning[0].filename == __file__ and session.get_providers() == ["CPUExecutionProvider"]
        np.testing.assert_array_equal(session.run(None, {"X": x})[0], 2 * x)

    def never(options):
        options.fallback = "never"

    def strict(options):
        options.strict_providers = True

    for change in (never, strict, lambda options: options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")):
        with pytest.raises(ort.InvalidArgument, match=lacking) as failure:
            log_of(double, change, providers=[lacking, "CPUExecutionProvider"])
        assert failure.value.code == "unknown_provider"


def test_the_command_that_gets_a_provider_names_a_folder_that_pip_installs_and_an_option_of_the_build():
    source = pathlib.Path(__file__).parents[3]
    for name in ("CUDAExecutionProvider", "ROCMExecutionProvider", "OpenVINOExecutionProvider"):
        command = re.search(r"source folder, pip install (\S+) --config-settings=cmake\.define\.(INLAY_\w+)=ON", how_to_get(name))
        assert command, how_to_get(name)
        folder, option = command.groups()
        assert (source / folder / "pyproject.toml").exists()
        texts = (file.read_text() for file in (source / "src/provider").glob("*/provider.cmake"))
        assert any(f"option({option} " in text or f"inlay_engine_option({option[6:].lower()} " in text for text in texts)


def test_providers_of_the_options_are_those_of_a_session_without_a_list(double):
    options = ort.SessionOptions()
    assert not options.has_providers()
    options.add_provider("reference", {})
    assert options.has_providers()
    assert ort.InferenceSession(double, options).get_providers()[0] == "ReferenceExecutionProvider"
    assert ort.InferenceSession(double, options, providers=["cpu"]).get_providers() == ["CPUExecutionProvider"]


def test_the_log_tells_of_each_node_when_a_session_is_made_though_a_dimension_is_free(make):
    messages = log_of(make(CHAIN), lambda options: None, level=0)
    assert any("(MatMul) -> CPUExecutionProvider" in text for text in messages), messages


def test_the_log_tells_of_each_node_at_level_0_and_goes_to_a_function(make, capfd):
    messages: list[tuple[int, str]] = []
    options = ort.SessionOptions()
    options.log_severity_level = 0
    options.log = lambda severity, text: messages.append((severity, text))
    session = ort.InferenceSession(make(CHAIN), options)
    session.run(None, {"x": np.ones((2, 4), np.float32)})
    lines = [text for severity, text in messages if severity == 0]
    assert any("MatMul" in line and "CPUExecutionProvider" in line for line in lines), messages
    options.log = None
    options.logid = "mine"
    ort.InferenceSession(make(CHAIN), options).run(None, {"x": np.ones((2, 4), np.float32)})
    assert "mine: verbose: " in capfd.readouterr().err


def test_the_default_severity_is_that_of_sessions_without_one(make, capfd):
    with pytest.raises(ort.InvalidArgument, match="0 to 4"):
        ort.set_default_logger_severity(9)
    ort.set_default_logger_severity(0)
    try:
        ort.InferenceSession(make(CHAIN)).run(None, {"x": np.ones((2, 4), np.float32)})
    finally:
        ort.set_default_logger_severity(2)
    assert "MatMul" in capfd.readouterr().err
    ort.InferenceSession(make(CHAIN)).run(None, {"x": np.ones((2, 4), np.float32)})
    assert capfd.readouterr().err == ""


def test_the_default_log_function_is_told_of_sessions_without_one(make):
    messages: list[tuple[object, ...]] = []
    ort.set_default_logger_callback(lambda *arguments: messages.append(arguments), severity=0)
    try:
        options = ort.SessionOptions()
        options.logid = "mine"
        ort.InferenceSession(make(CHAIN), options).run(None, {"x": np.ones((2, 4), np.float32)})
    finally:
        ort.set_default_logger_callback(None)
        ort.set_default_logger_severity(2)
    assert any("MatMul" in str(message) for *_, message in messages)
    assert {entry[:4] for entry in messages} >= {(0, "inlay", "mine", "")}
    for wrong in ({"callback": "no function"}, {"callback": None, "severity": 5}, {"callback": None, "severity": -1}):
        with pytest.raises(ort.InvalidArgument):
            ort.set_default_logger_callback(**wrong)


def test_a_log_function_that_raises_is_reported_and_ends_nothing(make, monkeypatch):
    import sys

    failures: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: failures.append(info.exc_value))
    options = ort.SessionOptions()
    options.log_severity_level = 0
    options.log = lambda severity, text: 1 // 0
    ort.InferenceSession(make(CHAIN), options).run(None, {"x": np.ones((2, 4), np.float32)})
    assert failures and all(isinstance(failure, ZeroDivisionError) for failure in failures)


def test_progress_is_told_and_false_ends_the_loading(make):
    stages: list[tuple[str, int, int]] = []
    options = ort.SessionOptions()
    options.progress = lambda stage, count, total: stages.append((stage, count, total)) or True
    ort.InferenceSession(make(CHAIN), options).run(None, {"x": np.ones((2, 4), np.float32)})
    assert {stage for stage, _, _ in stages} == {"load", "passes", "partition", "plan", "pack"}
    options.progress = lambda stage, count, total: stage != "passes"
    with pytest.raises(ort.ModelLoadCanceled):
        ort.InferenceSession(make(CHAIN), options)
    options.progress = lambda stage, count, total: 1 // 0
    with pytest.raises(ZeroDivisionError):
        ort.InferenceSession(make(CHAIN), options)


def test_portable_determinism_is_told_by_the_plan_and_another_word_is_an_error(make):
    options = ort.SessionOptions()
    options.determinism = "portable"
    assert "and over all processors with" in str(ort.InferenceSession(make(CHAIN), options).plan())
    assert "not over instruction sets" in str(ort.InferenceSession(make(CHAIN)).plan())
    options.determinism = "always"
    with pytest.raises(Exception, match="machine or portable"):
        ort.InferenceSession(make(CHAIN), options)


def test_profiling_writes_the_steps_of_every_run(tmp_path, make):
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "run_")
    session = ort.InferenceSession(make(CHAIN), options)
    assert session.get_profiling_start_time_ns() > 0
    x = np.array([[1, -2, 3, -4]], np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(session.run(["y"], {"x": x})[0], [[1, 0, 3, 0]])
    path = session.end_profiling()
    assert path.startswith(str(tmp_path / "run_")) and path.endswith(".json")
    events = json.loads(pathlib.Path(path).read_text())
    assert [e["name"] for e in events].count("run 0") == 3 and len(events) >= 6
    assert all({"pid", "tid", "dur", "ts", "ph", "name", "args", "cat"} <= set(e) for e in events)
    starts = [e["ts"] for e in events if e["name"] == "run 0"]
    assert starts == sorted(starts) and starts[0] > 0
    with pytest.raises(ort.InvalidArgument, match="enable_profiling"):
        ort.InferenceSession(make(CHAIN)).end_profiling()
