"""A case in the runner: what goes wrong with it."""
from __future__ import annotations

import pathlib
import shutil

from case import Case
from explained import explanation
from process import Died, LineProcess

SECONDS = 30  # for all configurations of one graph


class Runner:
    """The C++ program that runs folders, and one folder that is written again for each case."""

    def __init__(self, program: str, folder: pathlib.Path) -> None:
        self.process = LineProcess([program])
        self.folder = folder

    def findings(self, case: Case) -> list[dict[str, str]]:
        """Each with configuration, phase, kind and text; a crash or a hang is one, too."""
        shutil.rmtree(self.folder, ignore_errors=True)
        case.write(self.folder)
        try:
            answer = self.process.ask(str(self.folder), SECONDS)
        except Died as death:
            kind = "hang" if "hang" in str(death) else "crash"
            return [{"configuration": "", "phase": "", "kind": kind, "text": str(death)}]
        if "broken" in answer:
            return [{"configuration": "", "phase": "", "kind": "broken", "text": answer["broken"]}]
        return answer["findings"]

    def sorted_findings(self, case: Case) -> tuple[list[dict[str, str]], list[str]]:
        """The unexplained findings, and the names of the reasons that explain the others."""
        unexplained, reasons = [], []
        for finding in self.findings(case):
            reason = explanation(case, finding)
            if reason:
                reasons.append(reason)
            else:
                unexplained.append(finding)
        return unexplained, sorted(set(reasons))

    def close(self) -> None:
        self.process.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def signature(findings: list[dict[str, str]]) -> str:
    """Findings that have it in common may have one cause: the kinds, and which configurations they are of."""
    kinds = sorted({f["kind"] for f in findings})
    of = {f["configuration"] for f in findings}
    loops = sorted(of & {"plain", "reference"})
    fast = ["cpu"] if of - {"plain", "reference"} else []
    phases = {f["phase"].split(" ")[0] for f in findings}
    return " ".join([*kinds, "of", *loops, *fast] + (["bound only"] if phases == {"bound"} else []))
