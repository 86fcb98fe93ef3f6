#!/usr/bin/env python3
"""Calls of the system that fail, one after another, under the command-line tool.

  calls.py --tool TOOL --library failing_calls.so --models FOLDER --digits FILE --plugin FILE [--most 6] [--only write]

Each command runs with each call of its run failing (--most of them, spread evenly; 0: all). Expected: the process ends
by itself; status 0 only with the whole result, else 2, 10, 11 or 77 with one line that says what is wrong; a file that
was there before is as it was, or the new one, whole; nothing else is left in the folder.
"""
from __future__ import annotations

import argparse
import collections
import errno
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FAILURES = {
    "open": ["EINTR", "EACCES", "EMFILE", "ENOSPC"],
    "read": ["short", "EINTR", "EIO"],
    "write": ["short", "EINTR", "ENOSPC", "EIO"],
    "close": ["EIO", "ENOSPC"],
    "fsync": ["EIO"],
    "rename": ["EACCES", "EXDEV"],
    "mkdir": ["ENOSPC"],
    "ftruncate": ["ENOSPC"],
    "stat": ["EACCES", "EIO"],
    "mmap": ["ENOMEM"],
    "madvise": ["EINVAL"],
    "pthread_create": ["EAGAIN"],
    "dlopen": ["ENOENT"],
}
HARMLESS = {("read", "short"), ("write", "short"), ("madvise", "EINVAL")}  # nothing that the result depends on
STATUSES = {2, 10, 11, 77}
OLD = b"what was there before\n"
WORDS = ("cannot", "no ", "not ", "failed", "error", "memory")


def commands(args) -> dict[str, tuple[list[str], list[str]]]:
    """Each with the files that it writes into the folder where it runs."""
    digits, models = str(args.digits), args.models
    return {
        "inspect": (["inspect", digits, "--json"], []),
        "plan": (["plan", digits, "--threads", "3", "--html", "plan.html"], ["plan.html"]),
        "plugin": (["plan", digits, "--providers", "RectifierExecutionProvider,cpu", "--plugin", str(args.plugin)], []),
        "run": (["run", digits, "--random", "--seed", "3", "--threads", "3", "--out", ".", "--quiet"], ["output_0.npy"]),
        "run_npz": (["run", digits, "--random", "--seed", "3", "--out", ".", "--format", "npz", "--save-inputs", "--quiet"], ["outputs.npz", "inputs.npz"]),
        "run_inputs": (["run", digits, "--in", f"image={args.image}"], []),
        "optimize": (["optimize", digits, "--output", "out.onnx", "--quiet"], ["out.onnx"]),
        "quantize": (["quantize", digits, "-o", "out.onnx", "--form", "dynamic", "--speed", "0", "--quiet"], ["out.onnx"]),
        "compile": (["compile", digits, "--name", "digits", "--shape", "batch=1", "--depfile", "digits.d", "--quiet"],
                    ["digits.d", "digits.weights", "digits.S", "inlay/models/digits.hpp"]),
        "loop": (["run", str(models / "loop.onnx"), "--random", "--out", ".", "--quiet"], ["output_0.npy", "output_1.npy"]),
    }


class Trial:
    def __init__(self, args, name: str, words: list[str], files: list[str]) -> None:
        self.args, self.name, self.words, self.files = args, name, words, files
        self.expected: dict[str, bytes] = {}
        status, self.stdout, _, _ = self.run("", {})
        if status != 0:
            sys.exit(f"calls: inlay {' '.join(words)} does not run: {self.stdout}")

    def run(self, failing: str, before: dict[str, bytes]):
        """Status, standard output, standard error, what is in the folder afterwards."""
        with tempfile.TemporaryDirectory(prefix="inlay-calls-") as folder, tempfile.TemporaryDirectory() as log:
            work = pathlib.Path(folder)
            for name, data in before.items():
                (work / name).parent.mkdir(parents=True, exist_ok=True)
                (work / name).write_bytes(data)
            environment = os.environ | {"LD_PRELOAD": str(self.args.library), "FAILING_CALL": failing, "FAILING_CALL_LOG": f"{log}/calls"}
            try:
                process = subprocess.run([self.args.tool, *self.words], cwd=work, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
            except subprocess.TimeoutExpired:
                return "no end within 60 s", b"", b"", {}
            self.made = int(pathlib.Path(f"{log}/calls").read_text()) if os.path.exists(f"{log}/calls") else 0
            after = {str(p.relative_to(work)): p.read_bytes() for p in work.rglob("*") if p.is_file()}
            if not failing:
                self.expected = after
            return process.returncode, process.stdout, process.stderr, after

    def count(self, call: str) -> int:
        self.run(f"{call}:0:0", {})
        return self.made

    def problem(self, call: str, number: int, failure: str, later: bool) -> str | None:
        code = failure if failure == "short" else str(getattr(errno, failure))
        before = {name: OLD for name in self.files}
        status, stdout, stderr, after = self.run(f"{call}:{number}:{code}" + (":on" if later else ""), before)
        if isinstance(status, str) or status < 0:
            return f"{status if isinstance(status, str) else 'killed by signal ' + str(-status)}: {stderr.decode(errors='replace').strip()}"
        broken = [n for n in self.files if after.get(n) not in (OLD, self.expected[n])]
        if broken:
            return f"status {status}, and neither the old file nor the new one is there: {', '.join(broken)}"
        left = sorted(set(after) - set(self.files) - set(self.expected))
        if left:
            return f"status {status}, and left behind: {', '.join(left)}"
        if status == 0:
            if any(after[n] != self.expected[n] for n in self.files):
                return "status 0, and a file was not written"
            is_reported = b"no more threads for the session's pool" in stdout  # inspect: why there is no plan to report
            return None if is_reported or stdout == self.stdout else "status 0, and standard output is another"
        if status not in STATUSES:
            return f"status {status}: {stderr.decode(errors='replace').strip()}"
        lines = stderr.decode(errors="replace").strip().splitlines()
        if not lines or not any(w in lines[-1] for w in WORDS):
            return f"status {status}, and it does not say why: {lines}"
        return f"status {status} though nothing was lost: {lines[-1]}" if (call, failure) in HARMLESS else None


def spread(count: int, most: int) -> list[int]:
    if most <= 0 or count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(k * (count - 1) / (most - 1)) for k in range(most)})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "library", "models", "digits", "plugin"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--most", type=int, default=6, help="calls of a kind in a command; 0: all")
    parser.add_argument("--only", default="", help="calls, with commas")
    parser.add_argument("--commands", default="", help="names of commands, with commas")
    args = parser.parse_args()
    for name in ("tool", "library", "models", "digits", "plugin"):
        setattr(args, name, getattr(args, name).resolve())
    only = set(filter(None, args.only.split(",")))
    names = set(filter(None, args.commands.split(",")))
    home = pathlib.Path(tempfile.mkdtemp(prefix="inlay-calls-inputs-"))
    subprocess.run([args.tool, "run", args.digits, "--random", "--seed", "3", "--out", home, "--save-inputs", "--quiet"], check=True)
    args.image = home / "input_0.npy"
    trials, problems, by_call = 0, [], collections.Counter()
    for name, (words, files) in commands(args).items():
        if names and name not in names:
            continue
        trial = Trial(args, name, words, files)
        for call, failures in FAILURES.items():
            if only and call not in only:
                continue
            count = trial.count(call)
            for failure in failures:
                for number in spread(count, args.most):
                    for later in (False, True) if failure in ("ENOSPC", "short", "EMFILE", "EAGAIN") else (False,):
                        trials += 1
                        by_call[call] += 1
                        if reason := trial.problem(call, number, failure, later):
                            problems.append(f"{name}: {call} {number} of {count}{' and later' if later else ''}, {failure}: {reason}")
    shutil.rmtree(home)
    print(*problems, sep="\n")
    print(f"{trials} failing calls ({', '.join(f'{c} {n}' for c, n in by_call.items())}): {len(problems)} problems")
    return int(bool(problems) or trials == 0)


if __name__ == "__main__":
    sys.exit(main())
