#!/usr/bin/env python3
"""What users of Inlay's provider in ONNX Runtime rely on, one test each: options, refusals, shapes, errors, threads,
loading and unloading."""
from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest

from peer import LIBRARY, NAME, assigned, np, onnx, ort, options_with, pathlib, register, session
from onnx import TensorProto, helper

FLOAT, INT64, STRING, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING, TensorProto.BOOL
devices = register()


def value(name: str, shape, kind: int = FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, initializers=(), opset: int = 21, ir: int = 10, name: str = "g"):
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], ir_version=ir)


def node(op: str, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, name=f"{op}_{outputs[0]}", **attributes)


def constant(name: str, array) -> TensorProto:
    return onnx.numpy_helper.from_array(np.asarray(array), name)


def both(m, feeds: dict) -> tuple[list, list]:
    """What Inlay gives, and ONNX Runtime alone."""
    return session(m, devices).run(None, feeds), session(m, []).run(None, feeds)


def logged(program: str) -> str:
    """What a Python program with this module's names prints to standard error."""
    head = "import sys; sys.path.insert(0, sys.argv[1]); from behaviour import *\n"
    done = subprocess.run([sys.executable, "-c", head + program, str(pathlib.Path(__file__).parent)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stderr


RELU = model([node("Relu", ["x"], ["y"])], [value("x", ["n", 3])], [value("y", ["n", 3])])
# Sequences stay with ONNX Runtime, here between nodes that Inlay runs.
SPLIT = model([node("Relu", ["x"], ["a"]), node("SequenceConstruct", ["a", "x"], ["s"]), node("SequenceAt", ["s", "one"], ["b"]), node("Add", ["a", "b"], ["c"]),
               node("Mul", ["a", "x"], ["d"])],
              [value("x", [2, 3])], [value("c", [2, 3]), value("d", [2, 3])], [constant("one", np.array(1))])


class Devices(unittest.TestCase):
    def test_the_library_offers_its_provider_for_the_processor(self):
        self.assertEqual([(d.ep_name, d.ep_vendor, d.device.type.name) for d in devices], [(NAME, "Inlay", "CPU")])

    def test_a_session_has_the_provider_in_front_of_that_of_onnx_runtime(self):
        self.assertEqual(session(RELU, devices).get_providers(), [NAME, "CPUExecutionProvider"])


class Options(unittest.TestCase):
    def refusal(self, options: dict[str, str], entries: dict[str, str] | None = None) -> str:
        with self.assertRaises(Exception) as raised:
            session(RELU, devices, options, entries)
        return str(raised.exception)

    def test_every_option_of_the_cpu_provider_is_taken(self):
        for options in ({}, {"threads": "2"}, {"isa": "sse2"}, {"flush_denormals": "true"}, {"precision": "strict"}, {"all_nodes": "1"}):
            with self.subTest(options):
                made = session(RELU, devices, options)
                self.assertEqual(made.run(None, {"x": np.array([[-1, 0, 2]], np.float32)})[0].tolist(), [[0, 0, 2]])

    def test_a_misspelt_option_is_an_error_that_names_the_right_one(self):
        text = self.refusal({"thread": "2"})
        self.assertIn("InlayExecutionProvider: no option `thread`; did you mean `threads`?", text)

    def test_a_value_that_is_none_is_an_error(self):
        self.assertIn("many", self.refusal({"threads": "many"}))
        self.assertIn("avx1024", self.refusal({"isa": "avx1024"}))

    def test_an_instruction_set_that_the_machine_lacks_is_an_error(self):
        if "amx_tile" in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("this machine has all of them")
        self.assertIn("this machine lacks the instruction set", self.refusal({"isa": "amx"}))

    def test_a_model_with_compiled_contexts_is_refused_and_not_written(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "compiled.onnx"
            self.assertIn("leave ep.context_enable unset", self.refusal({}, {"ep.context_enable": "1", "ep.context_file_path": str(file)}))
            self.assertFalse(file.exists())

    def test_the_precision_bfloat16_changes_what_products_are_computed_with(self):
        rng = np.random.default_rng(1)
        x, w = rng.standard_normal((64, 256), np.float32), rng.standard_normal((256, 64), np.float32)
        m = model([node("MatMul", ["x", "w"], ["y"])], [value("x", [64, 256])], [value("y", [64, 64])], [constant("w", w)])
        exact = x.astype(np.float64) @ w
        errors = {p: abs(session(m, devices, {"threads": "1", "precision": p}).run(None, {"x": x})[0] - exact).max() for p in ("standard", "bfloat16")}
        self.assertLess(errors["standard"], 1e-3)
        self.assertLess(errors["bfloat16"], 1)
        if "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text():
            self.assertGreater(errors["bfloat16"], 1e-3)


class Claims(unittest.TestCase):
    def test_nodes_on_both_sides_of_one_that_stays_with_onnx_runtime_are_two_regions(self):
        x = np.array([[-1, 0.5, 2], [3, -4, 0.1]], np.float32)
        made = session(SPLIT, devices)
        owners = [(graph.ep_name, sorted(n.op_type for n in graph.get_nodes())) for graph in made.get_provider_graph_assignment_info()]
        self.assertEqual(sorted(owners), [("CPUExecutionProvider", ["SequenceAt"]), ("CPUExecutionProvider", ["SequenceConstruct"]), (NAME, ["Add"]), (NAME, ["Mul", "Relu"])])
        for got, wanted in zip(made.run(None, {"x": x}), session(SPLIT, []).run(None, {"x": x})):
            np.testing.assert_allclose(got, wanted, 1e-6)

    def test_the_log_tells_why_a_node_is_left(self):
        text = logged("o = options_with(devices); o.log_severity_level = 2; ort.InferenceSession(SPLIT.SerializeToString(), o)")
        self.assertIn("Inlay takes 3 of 5 nodes, in 2 regions; `SequenceConstruct_s` (SequenceConstruct): `s` is no tensor", text)
        self.assertIn("; `SequenceAt_b` (SequenceAt): `s` is no tensor", text)

    def test_the_log_tells_which_operator_inlay_lacks(self):
        # Snpe is of a library for phones: here ONNX Runtime has no kernel for it either.
        m = model([helper.make_node("Snpe", ["x"], ["y"], name="phone", domain="com.microsoft", DLC="d")], [value("x", [1])], [value("y", [1])])
        text = logged(f"o = options_with(devices); o.log_severity_level = 2\ntry:\n    ort.InferenceSession({m.SerializeToString()!r}, o)\nexcept Exception as e:\n    pass")
        self.assertIn("Inlay takes 0 of 1 nodes, in 0 regions; `phone` (Snpe): Inlay has no operator com.microsoft.Snpe of version 1", text)

    def test_the_log_tells_nothing_of_a_model_that_is_taken_whole(self):
        text = logged("o = options_with(devices); o.log_severity_level = 2; ort.InferenceSession(RELU.SerializeToString(), o)")
        self.assertNotIn("Inlay takes", text)

    def test_sequences_stay_with_onnx_runtime_and_tensors_around_them_do_not(self):
        m = model([node("Relu", ["x"], ["a"]), node("SequenceConstruct", ["a", "x"], ["s"]), node("ConcatFromSequence", ["s"], ["b"], axis=0), node("Neg", ["b"], ["y"])],
                  [value("x", [2, 3])], [value("y", [4, 3])])
        x = np.arange(-3, 3, dtype=np.float32).reshape(2, 3)
        made = session(m, devices)
        self.assertEqual(assigned(made), (2, 4))
        np.testing.assert_array_equal(made.run(None, {"x": x})[0], -np.concatenate([np.maximum(x, 0), x]))

    def test_a_body_reads_values_and_constants_of_the_graph_around_it(self):
        branches = [helper.make_graph([helper.make_node(op, ["a", "w"], [out])], out, [], [value(out, None)]) for op, out in (("Add", "t"), ("Mul", "e"))]
        m = model([node("Relu", ["x"], ["a"]), node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])],
                  [value("x", [3]), value("c", [], BOOL)], [value("y", [3])], [constant("w", np.array([2, 3, 4], np.float32))])
        self.assertEqual(assigned(session(m, devices))[0], 2)
        for c in (True, False):
            got, wanted = both(m, {"x": np.array([-1, 1, 2], np.float32), "c": np.array(c)})
            np.testing.assert_array_equal(got[0], wanted[0])

    def test_a_body_whose_node_is_left_is_looked_into(self):
        body = helper.make_graph([helper.make_node("Identity", ["cond"], ["more"]), helper.make_node("Exp", ["state"], ["grown"]),
                                  helper.make_node("SequenceInsert", ["list", "grown"], ["longer"])], "body",
                                 [value("i", [], INT64), value("cond", [], BOOL), value("state", [2]), helper.make_tensor_sequence_value_info("list", FLOAT, None)],
                                 [value("more", [], BOOL), value("grown", [2]), helper.make_tensor_sequence_value_info("longer", FLOAT, None)])
        m = model([helper.make_node("SequenceEmpty", [], ["none"]), helper.make_node("Loop", ["count", "", "x", "none"], ["last", "all"], body=body),
                   helper.make_node("ConcatFromSequence", ["all"], ["y"], axis=0)],
                  [value("x", [2]), value("count", [], INT64)], [value("y", None), value("last", [2])])
        text = logged(f"import onnx\no = options_with(devices); o.log_severity_level = 2\nort.InferenceSession({m.SerializeToString()!r}, o)")
        self.assertIn("Inlay takes 2 of 3 nodes, in 1 region", text)
        got, wanted = both(m, {"x": np.array([0.1, 0.2], np.float32), "count": np.array(3)})
        for g, w in zip(got, wanted):
            np.testing.assert_allclose(g, w, 1e-6)

    def test_a_default_of_an_input_may_be_overridden(self):
        m = model([node("Add", ["x", "w"], ["y"])], [value("x", [2]), value("w", [2])], [value("y", [2])], [constant("w", np.array([1, 2], np.float32))])
        made = session(m, devices)
        x = np.array([10, 20], np.float32)
        self.assertEqual(assigned(made), (1, 1))
        self.assertEqual(made.run(None, {"x": x})[0].tolist(), [11, 22])
        self.assertEqual(made.run(None, {"x": x, "w": np.array([5, 6], np.float32)})[0].tolist(), [15, 26])

    def test_attributes_of_every_kind_arrive(self):
        m = model([node("LabelEncoder", ["k"], ["v"], domain="ai.onnx.ml", keys_strings=["a", "", "schön"], values_int64s=[1, 2, 3], default_int64=-9),
                   node("LeakyRelu", ["x"], ["r"], alpha=0.5), node("Transpose", ["r"], ["t"], perm=[1, 0]),
                   node("ConstantOfShape", ["s"], ["f"], value=constant("", np.array([7], np.int32))),
                   node("TreeEnsembleRegressor", ["x"], ["p"], domain="ai.onnx.ml", n_targets=1, nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0],
                        nodes_values=[0.5, 0.0, 0.0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
                        target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[10.0, 20.0])],
                  [value("k", [4], STRING), value("x", [2, 1]), value("s", [1], INT64)],
                  [value("v", [4], INT64), value("t", [1, 2]), value("f", [2], TensorProto.INT32), value("p", [2, 1])])
        m.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
        feeds = {"k": np.array(["schön", "b", "", "a"], object), "x": np.array([[-1], [1]], np.float32), "s": np.array([2])}
        self.assertEqual(assigned(session(m, devices)), (5, 5))
        for g, w in zip(*both(m, feeds)):
            np.testing.assert_array_equal(g, w)


    def reversed_rows(self) -> onnx.ModelProto:  # by an operator that has only a reference kernel
        nodes = [node("ReverseSequence", ["x", "n"], ["r"], batch_axis=0, time_axis=1), node("Exp", ["r"], ["y"])]
        return model(nodes, [value("x", [64, 8, 16]), value("n", [64], TensorProto.INT64)], [value("y", [64, 8, 16])], [])

    def test_what_onnx_runtime_computes_faster_is_left_to_it_unless_all_nodes_are_asked_for(self):
        m, rng = self.reversed_rows(), np.random.default_rng(6)
        feeds = {"x": rng.standard_normal((64, 8, 16)).astype(np.float32), "n": rng.integers(1, 9, 64)}
        alone = session(m, []).run(None, feeds)[0]
        for options, wanted in (({}, 1), ({"all_nodes": "true"}, 2)):
            made = session(m, devices, {"threads": "1"} | options)
            self.assertEqual(assigned(made), (wanted, 2))
            np.testing.assert_allclose(made.run(None, feeds)[0], alone, 1e-5)
        text = logged("o = options_with(devices); o.log_severity_level = 2; ort.InferenceSession(Claims().reversed_rows().SerializeToString(), o)")
        self.assertIn("`ReverseSequence_r` (ReverseSequence): Inlay has a reference kernel for it, which is slower than ONNX Runtime; the option `all_nodes` takes it", text)

    def test_a_convolution_between_quantised_values_is_taken_with_what_quantises_them(self):
        rng = np.random.default_rng(7)
        initializers = [constant("w", rng.integers(-128, 127, (4, 3, 3, 3), np.int8)), constant("s", np.float32(0.02)), constant("z", np.uint8(128)), constant("zw", np.int8(0))]
        nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["a"]), node("DequantizeLinear", ["w", "s", "zw"], ["b"]),
                 node("Conv", ["a", "b"], ["c"]), node("Relu", ["c"], ["r"]), node("QuantizeLinear", ["r", "s", "z"], ["p"]),
                 node("DequantizeLinear", ["p", "s", "z"], ["d"]), node("Exp", ["d"], ["y"])]
        m = model(nodes, [value("x", [1, 3, 8, 8])], [value("y", [1, 4, 6, 6])], initializers)
        x = rng.standard_normal((1, 3, 8, 8)).astype(np.float32)
        made = session(m, devices)
        self.assertEqual(assigned(made), (8, 8))
        np.testing.assert_allclose(made.run(None, {"x": x})[0], session(m, []).run(None, {"x": x})[0], 0.03)  # a step of 0.02 more or less


class Shapes(unittest.TestCase):
    def test_every_run_may_have_other_shapes(self):
        made = session(RELU, devices)
        for n in [*range(12), 3, 11]:
            x = np.random.default_rng(n).standard_normal((n, 3)).astype(np.float32)
            np.testing.assert_array_equal(made.run(None, {"x": x})[0], np.maximum(x, 0))

    def test_outputs_whose_shapes_come_from_data_are_right_from_run_to_run(self):
        m = model([node("Abs", ["x"], ["a"]), node("NonZero", ["a"], ["z"]), node("Transpose", ["z"], ["y"], perm=[1, 0])], [value("x", [5])], [value("y", None, INT64), value("a", [5])])
        made = session(m, devices)
        self.assertEqual(assigned(made), (3, 3))
        for x in ([0, 1, 0, 2, 3], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, -4]):
            y, a = made.run(None, {"x": np.array(x, np.float32)})
            self.assertEqual(y.tolist(), [[i] for i, v in enumerate(x) if v])
            self.assertEqual(a.tolist(), [abs(v) for v in x])

    def test_strings_go_in_and_come_out(self):
        m = model([node("StringConcat", ["a", "b"], ["y"])], [value("a", ["n"], STRING), value("b", [1], STRING)], [value("y", ["n"], STRING)])
        self.assertEqual(assigned(session(m, devices)), (1, 1))
        for a in (["x", "", "käse" * 50], []):
            got, wanted = both(m, {"a": np.array(a, object), "b": np.array(["!"], object)})
            self.assertEqual(got[0].tolist(), wanted[0].tolist())

    def test_scalars_and_tensors_without_elements_pass(self):
        m = model([node("ReduceSum", ["x"], ["y"], keepdims=0), node("Relu", ["x"], ["z"])], [value("x", ["n", 3])], [value("y", []), value("z", ["n", 3])])
        for n in (0, 2):
            y, z = session(m, devices).run(None, {"x": np.ones((n, 3), np.float32)})
            self.assertEqual((y.shape, float(y), z.shape), ((), 3.0 * n, (n, 3)))

    def test_an_output_may_be_an_input_a_constant_or_read_on(self):
        m = model([node("Identity", ["x"], ["same"]), node("Identity", ["w"], ["fixed"]), node("Relu", ["x"], ["r"]), node("Neg", ["r"], ["n"])],
                  [value("x", [2])], [value("same", [2]), value("fixed", [2]), value("r", [2]), value("n", [2])], [constant("w", np.array([7, 8], np.float32))])
        for x in ([1, -2], [-3, 4]):
            for g, w in zip(*both(m, {"x": np.array(x, np.float32)})):
                np.testing.assert_array_equal(g, w)

    def test_free_dimensions_that_are_overridden_are_fixed(self):
        options = options_with(devices)
        options.add_free_dimension_override_by_name("n", 4)
        made = ort.InferenceSession(RELU.SerializeToString(), options)
        self.assertEqual(made.get_inputs()[0].shape, [4, 3])
        self.assertEqual(made.run(None, {"x": -np.ones((4, 3), np.float32)})[0].tolist(), np.zeros((4, 3)).tolist())

    def test_a_bound_output_is_written_where_the_caller_has_it(self):
        made = session(RELU, devices)
        binding = made.io_binding()
        x, y = (ort.OrtValue.ortvalue_from_numpy(a) for a in (np.array([[-1, 2, 3]], np.float32), np.full((1, 3), 9, np.float32)))
        binding.bind_ortvalue_input("x", x)
        binding.bind_ortvalue_output("y", y)
        for _ in range(2):
            made.run_with_iobinding(binding)
        self.assertEqual(y.numpy().tolist(), [[0, 2, 3]])
        self.assertEqual(binding.get_outputs()[0].data_ptr(), y.data_ptr())


class Errors(unittest.TestCase):
    GATHER = model([node("Gather", ["x", "i"], ["y"])], [value("x", [3]), value("i", [1], INT64)], [value("y", [1])])

    def test_a_run_that_fails_tells_inlays_reason_and_the_next_one_works(self):
        made = session(self.GATHER, devices)
        x = np.array([5, 6, 7], np.float32)
        for _ in range(2):
            with self.assertRaises(Exception) as raised:
                made.run(None, {"x": x, "i": np.array([3])})
            self.assertRegex(str(raised.exception), "Gather_y.*Gather")
            self.assertEqual(made.run(None, {"x": x, "i": np.array([2])})[0].tolist(), [7])
        self.assertEqual(made.get_providers()[0], NAME)

    def test_shapes_that_do_not_fit_each_other_are_an_error_of_the_run(self):
        m = model([node("Add", ["a", "b"], ["y"])], [value("a", ["n"]), value("b", ["m"])], [value("y", None)])
        made = session(m, devices)
        with self.assertRaises(Exception) as raised:
            made.run(None, {"a": np.ones(2, np.float32), "b": np.ones(3, np.float32)})
        self.assertIn("Add_y", str(raised.exception))
        self.assertEqual(made.run(None, {"a": np.ones(2, np.float32), "b": np.ones(1, np.float32)})[0].tolist(), [2, 2])

    def test_a_model_that_nobody_runs_is_an_error_of_onnx_runtime(self):
        with self.assertRaises(Exception) as raised:
            session(model([helper.make_node("Nothing", ["x"], ["y"], domain="com.microsoft")], [value("x", [1])], [value("y", [1])]), devices)
        self.assertIn("Nothing", str(raised.exception))


class Threads(unittest.TestCase):
    def test_one_session_runs_on_many_threads_at_once(self):
        rng = np.random.default_rng(3)
        w = rng.standard_normal((32, 16)).astype(np.float32)
        m = model([node("MatMul", ["x", "w"], ["a"]), node("Relu", ["a"], ["y"])], [value("x", ["n", 32])], [value("y", ["n", 16])], [constant("w", w)])
        made, wrong = session(m, devices, {"threads": "2"}), []

        def work(seed: int) -> None:
            own = np.random.default_rng(seed)
            for _ in range(60):
                x = own.standard_normal((int(own.integers(1, 6)), 32)).astype(np.float32)
                if not np.allclose(made.run(None, {"x": x})[0], np.maximum(x @ w, 0), 1e-4, 1e-4):
                    wrong.append(seed)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_two_sessions_do_not_know_of_each_other(self):
        a, b = session(RELU, devices), session(RELU, devices, {"threads": "2", "isa": "sse2"})
        x = np.array([[-1, 1, 2]], np.float32)
        first = a.run(None, {"x": x})[0]
        del a
        self.assertEqual(first.tolist(), b.run(None, {"x": x})[0].tolist())


class Document(unittest.TestCase):
    def test_the_code_of_the_document_runs(self):
        text = (pathlib.Path(__file__).parents[2] / "docs/how-to/onnxruntime.md").read_text()
        programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        package = pathlib.Path(__file__).parents[2] / "bindings/onnxruntime/onnxruntime_ep_inlay/__init__.py"
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "onnxruntime_ep_inlay").mkdir()
            (place / "onnxruntime_ep_inlay/__init__.py").symlink_to(package)
            for library in (place, place / "onnxruntime_ep_inlay"):
                (library / "libinlay_onnxruntime_ep.so").symlink_to(LIBRARY)
            onnx.save(RELU, f"{folder}/model.onnx")
            for program in programs:
                with self.subTest(program):
                    code = program.replace('"libinlay', f'"{folder}/libinlay') + "\nprint(session.get_providers())\n"
                    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
                    self.assertEqual((done.stdout.strip(), done.returncode), (f"['{NAME}', 'CPUExecutionProvider']", 0), done.stderr)
        self.assertEqual(len(programs), 2)

    def test_its_options_are_those_that_a_misspelt_one_is_compared_with(self):
        text = (pathlib.Path(__file__).parents[2] / "docs/how-to/onnxruntime.md").read_text()
        rows = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
        for option in re.findall(r"`(\w+)`", " ".join(rows)):
            with self.assertRaises(Exception) as raised:
                session(RELU, devices, {option + "x": "1"})
            self.assertIn(f"did you mean `{option}`?", str(raised.exception))


class Loading(unittest.TestCase):
    def test_the_library_may_be_unloaded_and_loaded_again(self):
        logged("del devices[:]\n" + "for _ in range(3):\n"
               "    ort.unregister_execution_provider_library('inlay')\n"
               "    assert not [d for d in ort.get_ep_devices() if d.ep_name == NAME]\n"
               "    again = register()\n"
               "    assert len(again) == 1\n"
               "    assert session(RELU, again).run(None, {'x': np.ones((1, 3), np.float32)})[0].tolist() == [[1, 1, 1]]\n")

    def test_a_copy_of_the_library_elsewhere_works_too(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "inlay.so"
            copy.write_bytes(pathlib.Path(LIBRARY).read_bytes())
            done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); from peer import *; print(len(register('other', {str(copy)!r})))"],
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.strip(), "1")

    def test_only_the_two_entry_points_are_exported(self):
        done = subprocess.run(["nm", "--dynamic", "--defined-only", LIBRARY], capture_output=True, text=True, check=True)
        self.assertEqual(sorted(line.split()[-1] for line in done.stdout.splitlines()), ["CreateEpFactories", "ReleaseEpFactory"])

    def test_the_library_links_no_onnx_runtime(self):
        done = subprocess.run(["objdump", "-p", LIBRARY], capture_output=True, text=True, check=True)
        self.assertFalse(re.findall(r"NEEDED\s+\S*onnxruntime\S*", done.stdout))


if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    unittest.main(verbosity=1)
