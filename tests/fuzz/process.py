"""Programs that answer one line with one line: the runner, and the workers of the fuzzer."""
from __future__ import annotations

import json
import os
import selectors
import subprocess
import time


class Died(Exception):
    """It crashed or gave no answer in time; the text says during what."""


class LineProcess:
    """A program that is started by the first request, and again after it died. What it is about to do, it says in
    lines that begin with '#'."""

    def __init__(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        self.command = command
        self.environment = {**os.environ, **(environment or {})}
        self.process: subprocess.Popen[bytes] | None = None
        self.rest = b""

    def ask(self, line: str, seconds: float) -> dict:
        self.send(line)
        return self.answer(seconds)

    def send(self, line: str) -> None:
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            env=self.environment)
            self.rest = b""
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() finds out

    def answer(self, seconds: float) -> dict:
        end, doing = time.monotonic() + seconds, "start"
        while True:
            line = self.line(end - time.monotonic())
            if line is None:
                raise Died(f"{self.kill()} during {doing}")
            if not line.startswith("#"):
                return json.loads(line)
            doing = line[1:].strip()

    def line(self, seconds: float) -> str | None:
        """The next line; None: there is none in time, or never will be."""
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as wait:
            wait.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                if not wait.select(max(0.0, end - time.monotonic())):
                    return None
                data = os.read(self.process.stdout.fileno(), 65536)
                if not data:
                    return None
                self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode(errors="replace")

    def kill(self) -> str:
        """Ends the program; says how it ended if it already had."""
        try:
            self.process.wait(0.5)
            reason = f"crash (status {self.process.returncode})"
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            reason = "hang"
        self.close()
        return reason

    def close(self) -> None:
        if self.process is None:
            return
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.process = None
