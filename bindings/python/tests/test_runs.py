"""How runs end early, and go on at once in several threads."""
from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import inlayrt as ort

# Doubles and halves x as often as n says: a run lasts as long as a test requires.
LONG = """g (float[N] x, int64 n) => (float[N] y) <bool yes = {1}, float two = {2}, float half = {0.5}> {
    y = Loop(n, yes, x) <body = b (int64 i, bool go, float[N] v) => (bool again, float[N] next) { again = Identity(go) d = Mul(v, two) next = Mul(d, half) }> }"""
FOREVER = np.array(1 << 40)


@pytest.fixture
def long(make) -> ort.InferenceSession:
    return ort.InferenceSession(make(LONG))


def test_a_run_is_ended_from_another_thread_by_its_options(long):
    options = ort.RunOptions()
    assert options.terminate is False
    timer = threading.Timer(0.2, setattr, (options, "terminate", True))
    timer.start()
    x = np.ones(4, np.float32)
    with pytest.raises(ort.Fail) as raised:
        long.run(None, {"x": x, "n": FOREVER}, options)
    assert raised.value.code == "stopped"
    with pytest.raises(ort.Fail):
        long.run(None, {"x": x, "n": FOREVER}, options)
    options.terminate = False
    assert long.run(None, {"x": x, "n": np.array(3)}, options)[0].tolist() == [1] * 4


def test_runs_of_other_threads_are_ended_by_their_options_too(long):
    options, raised = ort.RunOptions(), []

    def work() -> None:
        try:
            long.run(None, {"x": np.ones(4, np.float32), "n": FOREVER}, options)
        except ort.Fail as error:
            raised.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    time.sleep(0.1)
    options.terminate = True
    for t in threads:
        t.join(30)
    assert len(raised) == 3


def test_a_run_that_takes_too_long_is_ended(long):
    options = ort.RunOptions()
    options.seconds = 0.1
    began = time.monotonic()
    with pytest.raises(ort.Fail) as raised:
        long.run(None, {"x": np.ones(4, np.float32), "n": FOREVER}, options)
    assert raised.value.code == "deadline_passed" and time.monotonic() - began < 20


def interrupt_soon() -> threading.Timer:
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_ends_a_run_of_the_main_thread_and_the_session_goes_on(long):
    feeds = {"x": np.ones(4, np.float32), "n": FOREVER}
    for options in (None, ort.RunOptions()):
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            long.run(None, feeds, options)
        assert long.run(None, {**feeds, "n": np.array(2)}, options)[0].tolist() == [1] * 4


def test_ctrl_c_reaches_the_handler_of_the_program_and_the_run_goes_on_where_it_does_not_raise(long):
    came = []
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        options = ort.RunOptions()
        interrupt_soon()
        threading.Timer(0.6, setattr, (options, "terminate", True)).start()
        with pytest.raises(ort.Fail):
            long.run(None, {"x": np.ones(4, np.float32), "n": FOREVER}, options)
        assert came == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        long.run(None, {"x": np.ones(4, np.float32), "n": FOREVER})


def test_ctrl_c_ends_bound_runs_and_a_process(long, make):
    binding = long.io_binding()
    binding.bind_cpu_input("x", np.ones(4, np.float32))
    binding.bind_cpu_input("n", FOREVER)
    binding.bind_ortvalue_output("y", ort.OrtValue.ortvalue_from_shape_and_type([4], np.float32))
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        long.run_with_iobinding(binding)
    program = f"""if True:
        import sys, numpy as np, inlayrt
        print("begins", flush=True)
        inlayrt.InferenceSession({make(LONG)!r}).run(None, {{"x": np.ones(4, np.float32), "n": np.array(1 << 40)}})"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "begins\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors and process.returncode == -signal.SIGINT


def test_other_threads_run_python_while_a_run_is_made(long):
    options, ticks = ort.RunOptions(), 0
    options.seconds = 0.5
    thread = threading.Thread(target=lambda: pytest.raises(ort.Fail, long.run, None, {"x": np.ones(4, np.float32), "n": FOREVER}, options))
    thread.start()
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 50


def test_concurrent_runs_give_each_thread_its_own_results(make):
    session = ort.InferenceSession(make("g (float[N,64] x) => (float[N,64] y, float[N] s) <int64[1] last = {1}> { y = Softmax(x) s = ReduceSum<keepdims = 0>(x, last) }"))
    wrong: list[object] = []

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for k in range(200):
            x = random.standard_normal((1 + (seed + k) % 5, 64)).astype(np.float32)
            y, s = session.run(None, {"x": x})
            e = np.exp(x - x.max(1, keepdims=True))
            if not (np.allclose(y, e / e.sum(1, keepdims=True), 1e-4, 1e-6) and np.allclose(s, x.sum(1), 1e-3, 1e-3)):
                wrong.append((seed, k))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_providers_may_be_set_while_other_threads_run(make):
    session = ort.InferenceSession(make("g (float[N] x) => (float[N] y) { y = Neg(x) }"))
    stop, wrong = threading.Event(), []

    def work() -> None:
        x = np.arange(100, dtype=np.float32)
        while not stop.is_set():
            if not np.array_equal(session.run(None, {"x": x})[0], -x):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for k in range(30):
        session.set_providers(["reference"] if k % 2 else ["cpu"])
    stop.set()
    for t in threads:
        t.join()
    assert not wrong and session.get_providers()[0] == "ReferenceExecutionProvider"
