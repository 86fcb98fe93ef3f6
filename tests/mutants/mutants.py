#!/usr/bin/env python3
"""Seeded faults, one at a time, in a copy of the repository: is each found by the tests of its source?

  mutants.py [--count 200] [--seed 1] [--list] [--only NUMBER]

A fault changes one expression of one line: a bound, a sum, a comparison, an operand, a check. One that does not compile is
no fault and another one takes its place. What is found by no test of its own folder is then tried with the tests of the
sessions too, as scripts/test --quick would.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HOME = SOURCE / "build/mutants"
TREE = HOME / "tree"
BUILD = TREE / "build/release"  # as in the repository itself, so that ccache has what that compiled
# Where faults are put, and which share of them.
AREAS = {"kernels": (["kernels/inlay/onnx/*.hpp", "kernels/inlay/ml/*.hpp", "kernels/inlay/microsoft/*.hpp", "kernels/inlay/cpu/onnx/*.hpp", "kernels/inlay/cpu/fused/*.hpp",
                      "kernels/inlay/cpu/isa/*.cpp"], 120),
         "planner": (["include/inlay/core/*.hpp", "src/engine/*.cpp"], 40),
         "loader": (["src/onnx/*.cpp", "src/passes/*.cpp"], 40)}
LEFT_OUT = re.compile(r"operators\.hpp$|gradient|region_file|write_contexts|plugin")

Rule = tuple[str, str, str]
RULES: list[Rule] = [
    ("off by one", r"(?<=\w) < (?=\w)(?![^<]*>)", " <= "),
    ("off by one", r" <= ", " < "),
    ("off by one", r"(?<=[\w)\]]) \+ 1\b(?!\.)", ""),
    ("off by one", r"(?<=[\w)\]]) - 1\b(?!\.)", ""),
    ("off by one", r"= 0; (?=\w+ < )", "= 1; "),
    ("tail", r"(\w+) < (\w+); \+\+\1\)", r"\1 + 1 < \2; ++\1)"),
    ("tail", r"(\w+) \+ (\w+) <= (\w+)", r"\1 + \2 < \3"),
    ("lane", r"\[(\w+) \+ (\w+)\]", r"[\1]"),
    ("lane", r"\* (\w+) \+ (\w+)\]", r"* \1]"),
    ("swapped operand", r"\b(\w+) - (\w+)\b(?!\()", r"\2 - \1"),
    ("swapped operand", r"\b(\w+) / (\w+)\b(?!\()", r"\2 / \1"),
    ("swapped operand", r"\bstd::min\b", "std::max"),
    ("swapped operand", r"\bstd::max\b", "std::min"),
    ("swapped operand", r"(?<=[\w)\]]) \* (?=[\w(])", " + "),
    ("condition", r" && ", " || "),
    ("condition", r" \|\| ", " && "),
    ("condition", r" == ", " != "),
    ("condition", r" != ", " == "),
    ("missing check", r"\bif \((?!constexpr)(.+)\) (?=return|raise|throw|continue|break)", "if (false) "),
    ("missing check", r"\breturn no\(.*\);", ";"),
]
KINDS = sorted({kind for kind, _, _ in RULES})
CODE_ONLY = re.compile(r'^\s*(//|#|\*|/\*|static_assert|template|using|INLAY_|"|case .*"|struct |class |constexpr std::string_view)|"')


@dataclasses.dataclass
class Fault:
    number: int
    area: str
    file: str
    line: int
    kind: str
    before: str
    after: str


def candidates(area: str) -> list[tuple[str, int, str, str, str]]:
    found = []
    for pattern in AREAS[area][0]:
        for path in sorted(SOURCE.glob(pattern)):
            if LEFT_OUT.search(str(path)):
                continue
            for number, line in enumerate(path.read_text().splitlines()):
                code = line.split(" // ")[0]
                if CODE_ONLY.search(code) or len(code.strip()) < 6:
                    continue
                for kind, pattern_text, replacement in RULES:
                    for match in re.finditer(pattern_text, code):
                        changed = code[:match.start()] + match.expand(replacement) + code[match.end():]
                        if changed != code:
                            found.append((str(path.relative_to(SOURCE)), number, kind, line, changed + line[len(code):]))
    return found


def faults(seed: int, count: int) -> list[Fault]:
    """More than are wanted: some will not compile. Areas and kinds take turns, files are drawn before lines."""
    rng = random.Random(seed)
    per_area = {}
    for area in AREAS:
        by_kind: dict[str, dict[str, list]] = {k: {} for k in KINDS}
        for c in candidates(area):
            by_kind[c[2]].setdefault(c[0], []).append(c)
        per_area[area] = by_kind
    shares = [a for a, (_, share) in AREAS.items() for _ in range(share)]
    rng.shuffle(shares)
    drawn, seen = [], set()
    for k in range(count * 3):
        area, kind = shares[k % len(shares)], KINDS[k % len(KINDS)]
        files = per_area[area][kind]
        if not files:
            continue
        file = rng.choice(sorted(files))
        place = rng.choice(files[file])
        if (place[0], place[1], place[4]) not in seen:
            seen.add((place[0], place[1], place[4]))
            drawn.append(Fault(len(drawn), area, *place))
    return drawn


def tests_of(file: str) -> list[tuple[str, str]]:
    """Targets and the tests of them that ask for this source, nearest first."""
    stem = re.sub(r"[^a-z0-9_].*", "", pathlib.Path(file).stem)
    sessions = ("session_tests", "^session\\.")
    if file.startswith("kernels/"):
        own = "(" + "|".join(dict.fromkeys([stem, stem.split("_")[0]])) + ")"
        return [("kernels_tests", f"^kernels\\.{own}"), ("kernels_tests", "^kernels\\."), sessions]
    if file.startswith("include/inlay/core"):
        return [("core_tests", "^core\\."), sessions]
    if file.startswith("src/engine"):
        return [sessions]
    return [("onnx_tests", f"^onnx\\.{stem}"), ("onnx_tests", "^onnx\\."), sessions]


def run(words: list, seconds: float) -> tuple[int, str]:
    environment = os.environ | {"CCACHE_BASEDIR": str(TREE), "CCACHE_NOHASHDIR": "1"}
    try:
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", timeout=seconds, env=environment, check=False)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as e:
        return 124, f"no end within {seconds} s: {e.cmd}"


def prepare() -> None:
    HOME.mkdir(parents=True, exist_ok=True)
    if not TREE.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(SOURCE), str(TREE)], check=True)
    for words in (["git", "-C", TREE, "fetch", "--quiet", "origin", "HEAD"], ["git", "-C", TREE, "reset", "--quiet", "--hard", "FETCH_HEAD"],
                  ["cmake", "-S", TREE, "--preset", "release"],
                  ["cmake", "--build", BUILD, "--target", "core_tests", "kernels_tests", "onnx_tests", "session_tests"]):
        status, text = run(words, 7200)
        if status:
            sys.exit(f"mutants: {' '.join(map(str, words))}: {text[-3000:]}")


def try_fault(f: Fault, verbose: bool) -> dict:
    path = TREE / f.file
    original = path.read_text()
    lines = original.split("\n")
    assert lines[f.line] == f.before, f"{f.file}:{f.line + 1} is not what it was"
    lines[f.line] = f.after
    started = time.monotonic()
    answer = {"end": "survived", "by": ""}
    try:
        path.write_text("\n".join(lines))
        for target, pattern in tests_of(f.file):
            status, text = run(["cmake", "--build", BUILD, "--target", target], 1800)
            if status:
                answer = {"end": "does not compile", "by": ""}
                break
            status, text = run(["ctest", "--test-dir", BUILD, "-j2", "--timeout", "120", "-R", pattern, "--stop-on-failure"], 1800)
            if status and "No tests were found" not in text:
                answer = {"end": "found", "by": ", ".join(re.findall(r"\d+ - (\S+) \(", text)[:3])}
                if verbose:
                    print(text[-3000:])
                break
    finally:
        path.write_text(original)
    return answer | {"seconds": round(time.monotonic() - started)}


def tell(f: Fault) -> str:
    return f"{f.number}: {f.kind}, {f.file}:{f.line + 1}\n    - {f.before.strip()}\n    + {f.after.strip()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", type=int)
    parser.add_argument("--minutes", type=float, default=1e9, help="stops after the fault that is tried then")
    parser.add_argument("--least", type=float, default=95, help="percent that must be found")
    args = parser.parse_args()
    drawn = faults(args.seed, args.count)
    if args.list:
        print(*map(tell, drawn[:args.count]), sep="\n")
        return 0
    started = time.monotonic()
    prepare()
    kept = HOME / f"answers-{args.seed}.json"
    answers = json.loads(kept.read_text()) if kept.exists() else {}
    if args.only is not None:
        print(tell(drawn[args.only]), json.dumps(try_fault(drawn[args.only], True)), sep="\n")
        return 0
    judged = 0
    for f in drawn:
        if judged == args.count or time.monotonic() - started > 60 * args.minutes:
            break
        key = str(f.number)
        if answers.get(key, {}).get("after") != f.after:
            answers[key] = try_fault(f, False) | dataclasses.asdict(f)
            kept.write_text(json.dumps(answers, indent=1))
            if answers[key]["end"] != "does not compile":
                print(tell(f), f"    {answers[key]['end']} {answers[key]['by']} ({answers[key]['seconds']} s)", sep="\n", flush=True)
        judged += answers[key]["end"] != "does not compile"
    ends = [a["end"] for a in answers.values()]
    found, survived = ends.count("found"), ends.count("survived")
    total = found + survived
    print(f"seed {args.seed}: {total} of {args.count} faults tried, {found} found ({100 * found / max(1, total):.1f} %), {survived} survived; "
          f"{ends.count('does not compile')} more did not compile")
    return int(total == 0 or 100 * found / total < args.least)


if __name__ == "__main__":
    sys.exit(main())
