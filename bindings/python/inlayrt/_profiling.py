"""The profile that a session with SessionOptions.enable_profiling records of its runs."""
from __future__ import annotations

import json
import os
import threading
import time
from typing import Any


class RunLog:
    """Events of runs, in Chrome's format of traces, until they are written."""

    def __init__(self, prefix: str) -> None:
        self.start_ns = time.monotonic_ns()
        self._file = f"{prefix}{time.strftime('%Y-%m-%d_%H-%M-%S')}_{os.getpid()}_{id(self):x}.json"
        self._events: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def now(self) -> float:
        """Microseconds since the log began."""
        return (time.monotonic_ns() - self.start_ns) / 1000

    def add(self, begun: float, trace: str) -> None:
        """Adds the events of a run that began then; `trace` has them as Inlay writes them."""
        thread = threading.get_ident()
        events = json.loads(trace)["traceEvents"]
        for event in events:
            event["ts"] = event.get("ts", 0) + begun
            event["pid"], event["tid"] = os.getpid(), thread
            event.setdefault("args", {})
        with self._lock:
            self._events += events

    def write(self) -> str:
        """One event a line; recording continues, and the next file has everything again."""
        with self._lock:
            lines = ",\n".join(json.dumps(event) for event in self._events)
        with open(self._file, "w", encoding="utf-8") as file:
            file.write(f"[\n{lines}\n]\n")
        return self._file
