"""The command-line tool in the package: `python -m inlayrt COMMAND ...`."""
from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import inlayrt

HERE = pathlib.Path(__file__).parent
DIGITS = HERE.parents[2] / "examples/digits/digits.onnx"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(pathlib.Path(inlayrt.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])}


def words_of(*words: object) -> list[str]:
    return [sys.executable, "-m", "inlayrt", *map(str, words)]


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words_of(*words), capture_output=True, text=True, check=False, timeout=120, env=ENVIRONMENT)


def test_the_tool_s_commands_are_the_package_s():
    plan = run("plan", DIGITS, "--providers", "cpu", "--json")
    assert plan.returncode == 0, plan.stderr
    session = inlayrt.InferenceSession(DIGITS, providers=["cpu"])
    assert json.loads(plan.stdout)["nodes"] == session.plan().data["nodes"]
    assert run("operators").returncode == 0
    assert run("--version").stdout == f"inlay {inlayrt.version}\n"
    assert "serve MODELS" in run("--help").stdout


def test_its_exit_statuses_are_those_of_the_program():
    unknown = run("plann", DIGITS)
    assert unknown.returncode == 2 and "did you mean `plan`?" in unknown.stderr
    missing = run("plan", "missing.onnx")
    assert missing.returncode == 10 and "missing.onnx" in missing.stderr


def test_an_interrupt_ends_it_as_it_ends_a_program():
    running = subprocess.Popen(words_of("bench", DIGITS, "--seconds", 100), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
    time.sleep(3)  # by then it measures; a signal that came before would end it as well
    assert running.poll() is None, running.communicate()
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == -signal.SIGINT


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are closed without a signal there")
def test_a_closed_pipe_ends_it_without_a_message():
    running = subprocess.Popen(words_of("operators", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
    assert running.stdout is not None and running.stderr is not None
    running.stdout.close()
    messages = running.stderr.read()
    running.stderr.close()
    assert running.wait(timeout=60) == -signal.SIGPIPE and messages == b""
