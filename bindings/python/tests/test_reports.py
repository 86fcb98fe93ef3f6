"""Features that only Inlay has: plans, memory, profiles, decoders' caches, comparison, C++ headers."""
from __future__ import annotations

import json

import numpy as np
import pytest

import inlayrt as ort

NET = "g (float[N,4] x) => (float[N,4] y) <float[4,4] w = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}> { [product] a = MatMul(x, w) [positive] y = Relu(a) }"
DECODER = """g (float[1,N,2] x, float[1,P,2] past) => (float[1,T,2] present, float[1,2] sum) <int64[1] rows = {1}> {
    present = Concat<axis = 1>(past, x) sum = ReduceSum<keepdims = 0>(present, rows) }"""


def test_a_plan_tells_who_runs_each_node_as_text_json_and_in_a_notebook(make):
    session = ort.InferenceSession(make(NET), providers=["cpu", "reference"])
    plan = session.plan({"x": [3, 4]})
    assert [n["name"] for n in plan.nodes] == ["product", "positive"]
    assert plan.count("CPUExecutionProvider") == 2 and plan.count("ReferenceExecutionProvider") == 0
    assert "product" in str(plan) and "plan of g for x[3,4]" in str(plan)
    assert json.loads(plan.to_json()) == plan.data and plan.data["schema"] == "inlay.plan"
    page = plan._repr_html_()
    assert page.count("<tr>") == 3 and "<td>product</td>" in page and "CPUExecutionProvider: 2 nodes" in page
    with pytest.raises(ort.InvalidArgument):
        session.plan({"q": [3, 4]})


def test_what_a_model_names_is_text_in_a_notebook(make):
    import onnx

    model = onnx.load_from_string(make(NET))
    model.graph.node[0].name = "<script>alert(1)</script>"
    page = ort.InferenceSession(model.SerializeToString()).plan()._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_memory_tells_the_arena_and_who_lives_in_it(make):
    session = ort.InferenceSession(make(NET), disabled_optimizers=["fuse_matmul"])
    memory = session.memory({"x": [3, 4]})
    assert memory.data["schema"] == "inlay.memory" and memory.arena_bytes >= 48
    assert "a" in {v["value"] for s in memory.data["spaces"] for v in s["values"]}
    assert "<td>" in memory._repr_html_()


def test_a_profile_has_the_time_of_each_step(make):
    session = ort.InferenceSession(make(NET))
    profile = session.profile({"x": np.ones((3, 4), np.float32)}, runs=5)
    assert profile.data["schema"] == "inlay.profile" and profile.data["runs"] == 5
    assert profile.seconds > 0 and sum(s["op"] == "FusedMatMul" for s in profile.steps) == 1
    assert len([e for e in json.loads(profile.to_trace())["traceEvents"] if e["name"].startswith("run ")]) == 5
    assert "<td>" in profile._repr_html_()
    with pytest.raises(ort.InvalidArgument, match="one run at least"):
        session.profile({"x": np.ones((3, 4), np.float32)}, runs=0)


def test_a_cache_holds_what_a_decoder_gives_back(make):
    session = ort.InferenceSession(make(DECODER))
    cache = session.make_cache(8)
    assert cache.rows == 0 and cache.room == 8
    tokens = np.zeros((1, 0, 2), np.float32)
    for n in (3, 1, 1):
        x = np.full((1, n, 2), n, np.float32)
        (total,) = session.run_with_cache(None, {"x": x}, cache)
        tokens = np.concatenate([tokens, x], 1)
        np.testing.assert_array_equal(total, tokens.sum(1))
    assert cache.rows == 5
    np.testing.assert_array_equal(cache.past("past"), tokens)
    (past, present, in_place, reason) = cache.pairs()[0]
    assert (past, present) == ("past", "present") and (in_place or reason)
    cache.keep(2)
    assert cache.rows == 2
    cache.assign({"past": tokens[:, :4]})
    np.testing.assert_array_equal(session.run_with_cache(["sum"], {"x": x}, cache)[0], (tokens[:, :4].sum(1) + x[:, 0]))
    with pytest.raises(ort.InvalidArgument, match="the cache holds output"):
        session.run_with_cache(["present"], {"x": x}, cache)
    with pytest.raises(ort.Error):
        session.run_with_cache(None, {"x": np.ones((1, 9, 2), np.float32)}, cache)
    assert cache.rows == 5
    session.set_providers("reference")
    with pytest.raises(ort.InvalidArgument, match="of another session"):
        session.run_with_cache(None, {"x": x}, cache)


@pytest.mark.parametrize("power", [36, 52, 55, 61, 62])
def test_a_cache_of_more_rows_than_memory_can_hold_is_an_error(make, power):
    with pytest.raises(ort.RuntimeException, match="the cache would hold `past`") as raised:
        ort.InferenceSession(make(DECODER)).make_cache(2**power)
    assert raised.value.code == "limit_exceeded"


def test_two_sides_are_compared_output_by_output(make):
    session = ort.InferenceSession(make(NET))
    x = np.array([[1, -2, 3, 4]], np.float32)
    same = session.compare("reference", {"x": x})
    assert same and [o.name for o in same.outputs] == ["y"] and same.outputs[0].elements == 4
    peer = ort.InferenceSession(make(NET.replace("1,0,0,0, 0", "1.5,0,0,0, 0")))
    differs = session.compare(peer, {"x": x})
    assert not differs and differs.outputs[0].wrong == 1 and differs.outputs[0].largest_absolute == 0.5
    assert session.compare(peer, {"x": x}, atol=1)
    assert "1 of 4" in differs._repr_html_()


def test_values_that_are_no_tensors_are_compared_part_by_part(make):
    text = "g (float[2,3] x) => (seq(map(int64, float)) z) {{ z = ai.onnx.ml.ZipMap<classlabels_int64s = [5, 6, {}]>(x) }}"
    first, second = (ort.InferenceSession(make(text.format(k))) for k in (7, 8))
    x = np.ones((2, 3), np.float32)
    assert first.compare("reference", {"x": x})
    assert not first.compare(second, {"x": x})


def test_a_model_becomes_a_type_of_cpp(tmp_path, make):
    session = ort.InferenceSession(make(NET))
    output = session.compile("net", tmp_path, {"N": (1, 8)})
    header = tmp_path / "inlay" / "models" / "net.hpp"
    assert output.header == str(header) and output.changed and "struct net" in header.read_text()
    assert (tmp_path / "net.weights").stat().st_size == output.weight_bytes and (tmp_path / "net.S").exists()
    assert not session.compile("net", tmp_path, {"N": (1, 8)}).changed
    for name, shapes, extra in (("class", {"N": 1}, {}), ("net", {}, {}), ("net", {"M": 1}, {}), ("net", {"N": 1}, {"weights": "nowhere"}), ("net", {"N": 1}, {"precision": "half"})):
        with pytest.raises(ort.Error):
            session.compile(name, tmp_path, shapes, **extra)


def test_saving_what_engines_compiled_says_that_there_is_nothing_where_there_are_none(tmp_path, make):
    session = ort.InferenceSession(make(NET))
    with pytest.raises(ort.EPFail, match="nothing to save"):
        session.save(tmp_path / "saved.onnx", {"x": [2, 4]})


def test_memory_of_runs_that_are_over_is_given_back_and_later_runs_take_it_again(make):
    session = ort.InferenceSession(make("g (float[N] x) => (float[N] y) { a = Exp(x) y = Neg(a) }"))
    x = np.linspace(-1, 1, 100_000, dtype=np.float32)
    before = session.run(None, {"x": x})[0]
    assert session.memory().data["bytes"]["held"] > 0
    session.release_memory()
    assert session.memory().data["bytes"]["held"] == 0
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], before)
