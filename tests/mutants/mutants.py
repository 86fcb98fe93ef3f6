#!/usr/bin/env python3
"""Seeded faults, one at a time, in a copy of the repository: is each found by the tests of its source?

  mutants.py [--count 200] [--seed 1] [--list] [--only NUMBER]

A fault changes one expression of one line: a bound, a sum, a comparison, an operand, a check. One that does not compile
is no fault and another one takes its place; nor are those of no_faults.json, which change no result. First each fault
is tried where it is cheap: the few objects of the libraries that read the source are compiled again, and the tests of
its name run until one fails. Then what was found by none of them is compiled into everything that reads it, and tried
with all tests of its folder, those of sessions and models, and those of hostile files.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HOME = SOURCE / "build/mutants"
TREE = HOME / "tree"
BUILD = TREE / "build/release"  # as in the repository itself, so that ccache has what that compiled
TARGETS = ["sdk_tests", "plan_tests", "embedded_tests", "kernels_tests", "onnx_tests", "session_tests", "faults_models"]
MEMORY = 12 << 30  # bytes that a test may request: a fault may request all there is
# Where faults are put, and which share of them.
AREAS = {"kernels": (["kernels/inlay/onnx/*.hpp", "kernels/inlay/ml/*.hpp", "kernels/inlay/microsoft/*.hpp", "kernels/inlay/cpu/onnx/*.hpp", "kernels/inlay/cpu/fused/*.hpp",
                      "kernels/inlay/cpu/isa/*.cpp"], 120),
         "planner": (["include/inlay/plan/*.hpp", "include/inlay/sdk/*.hpp", "include/inlay/embedded/*.hpp", "src/engine/*.cpp", "src/subgraphs/*.cpp"], 40),
         "loader": (["src/onnx/*.cpp", "src/passes/*.cpp"], 40)}
LEFT_OUT = re.compile(r"operators\.hpp$|gradient|region_file|write_contexts|plugin")

Rule = tuple[str, str, str]
NO_FAULTS = {(entry["file"], entry["before"], entry["after"]) for entry in json.loads((SOURCE / "tests/mutants/no_faults.json").read_text())}
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


def candidates(area: str, root: pathlib.Path) -> list[tuple[str, int, str, str, str]]:
    faults_of_file = []
    for pattern in AREAS[area][0]:
        for path in sorted(root.glob(pattern)):
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
                            faults_of_file.append((str(path.relative_to(root)), number, kind, line, changed + line[len(code):]))
    return faults_of_file


def faults(seed: int, count: int, root: pathlib.Path) -> list[Fault]:
    """More than are wanted: some will not compile. Areas and kinds take turns, files are drawn before lines. Each has
    chance for itself, so that a change of one source leaves the faults of the others what they were."""
    per_area = {}
    for area in AREAS:
        by_kind: dict[str, dict[str, list]] = {k: {} for k in KINDS}
        for c in candidates(area, root):
            by_kind[c[2]].setdefault(c[0], []).append(c)
        per_area[area] = by_kind
    shares = [a for a, (_, share) in AREAS.items() for _ in range(share)]
    random.Random(seed).shuffle(shares)
    drawn, keys = [], set()
    for k in range(count * 3):
        area, kind = shares[k % len(shares)], KINDS[k % len(KINDS)]
        files = per_area[area][kind]
        if not files:
            continue
        rng = random.Random(f"{seed}.{k}")
        file = rng.choice(sorted(files))
        place = rng.choice(files[file])
        if (place[0], place[1], place[4]) not in keys:
            keys.add((place[0], place[1], place[4]))
            drawn.append(Fault(len(drawn), area, *place))
    return drawn


def stem_of(file: str) -> str:
    return re.sub(r"[^a-z0-9_].*", "", pathlib.Path(file).stem)


def suite_of(file: str) -> str:
    return ("kernels" if file.startswith("kernels/") else pathlib.PurePath(file).parts[2] if file.startswith("include/")
            else "session" if file.startswith("src/engine") else "onnx")


def callers(root: pathlib.Path, header: str) -> set[str]:
    """The operators whose fast kernels include this header of kernels/, directly or through others there."""
    folder = root / "kernels"
    readers_of: dict[pathlib.Path, list[pathlib.Path]] = {}
    for path in folder.glob("inlay/cpu/**/*.hpp"):
        for quote, name in re.findall(r'^#include (["<])(.*)[">]', path.read_text(), re.MULTILINE):
            target = (path.parent if quote == '"' else folder) / name
            readers_of.setdefault(pathlib.Path(os.path.normpath(target)), []).append(path)
    reached, pending = set(), [folder / header]
    while pending:
        for path in readers_of.get(pending.pop(), []):
            if path not in reached:
                reached.add(path)
                pending.append(path)
    return {path.stem for path in reached if path.parent.name not in ("isa", "support")}


def own_tests(file: str, root: pathlib.Path = TREE) -> str:
    """The tests of its name, and of the part of its name before the first _: kernels/inlay/cpu/isa/gemm_u8s8.cpp has
    gemm's. Where there are none, as for sample_f32.cpp, those of the operators that call it."""
    stem = stem_of(file)
    names = [stem] + ([stem.split("_")[0]] if file.startswith("kernels/") else [])
    if file.startswith("kernels/inlay/cpu/isa/") and not any(
            path.stem in names for path in (root / "tests/kernels").glob("*/*.cpp")):
        names += sorted(callers(root, str(pathlib.PurePath(file).with_suffix(".hpp").relative_to("kernels"))))
    return f"^{suite_of(file)}\\.({'|'.join(dict.fromkeys(names))})$"


def wider_tests(file: str) -> list[tuple[str, str]]:
    """Targets and all tests of them that may call this source, quickest first."""
    suites = ([suite_of(file)] if suite_of(file) != "kernels" else []) + (["embedded"] if suite_of(file) == "plan" else []) + ["session", "onnx", "hostile", suite_of(file)]
    return [(f"{suite}_tests", f"^{suite}\\.") for suite in dict.fromkeys(suites)]


def readers() -> dict[str, list[str]]:
    """Which objects read a source, of what the compiler reported to ninja."""
    objects: dict[str, list[str]] = {}
    now = ""
    for line in subprocess.run(["ninja", "-C", str(BUILD), "-t", "deps"], capture_output=True, text=True, check=True).stdout.splitlines():
        if line and not line[0].isspace():
            now = line.split(": #deps")[0]
        elif line.strip():
            path = os.path.normpath(BUILD / line.strip())
            if path.startswith(f"{TREE}/"):
                objects.setdefault(path[len(str(TREE)) + 1:], []).append(now)
    return objects


def near_objects(file: str, reading: dict[str, list[str]]) -> list[str]:
    """Those of the libraries and the tests of its suite, each if they are few, and the tests of its name at least; of a
    kernel these alone, and not those that stand in for a device."""
    pattern = re.compile(own_tests(file).split("\\.", 1)[1].rstrip("$") + r"\.cpp\.o$")
    tests = [o for o in reading.get(file, []) if o.startswith(f"tests/CMakeFiles/{suite_of(file)}_tests.dir/")]
    if suite_of(file) == "kernels" or len(tests) > 12:
        tests = [o for o in tests if pattern.fullmatch(o.rpartition("/")[2])]
    libraries = [o for o in reading.get(file, []) if re.match(r"CMakeFiles/inlay_(kernels|isa_\w+|engine|onnx)\.dir/", o)]
    return tests + (libraries if len(libraries) <= 12 else [])


def run(words: list, seconds: float, folder: str | None = None, environment: dict[str, str] | None = None) -> tuple[int, str]:
    variables = {"CMAKE_BUILD_PARALLEL_LEVEL": "2"} | os.environ | {"CCACHE_BASEDIR": str(TREE), "CCACHE_NOHASHDIR": "1"} | (environment or {})
    try:
        process = subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", timeout=seconds, env=variables, cwd=folder, check=False,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
        return process.returncode, process.stdout + process.stderr
    except subprocess.TimeoutExpired as e:
        return 124, f"no end within {seconds} s: {e.cmd}"


def prepare() -> None:
    HOME.mkdir(parents=True, exist_ok=True)
    if not TREE.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(SOURCE), str(TREE)], check=True)
    for words in (["git", "-C", TREE, "fetch", "--quiet", "origin", "HEAD"], ["git", "-C", TREE, "reset", "--quiet", "--hard", "FETCH_HEAD"],
                  ["cmake", "--preset", "release", "-DINLAY_JOIN_SOURCES=OFF"],
                  ["cmake", "--build", BUILD, "--target", *TARGETS]):
        status, text = run(words, 7200, str(TREE))
        if status:
            sys.exit(f"mutants: {' '.join(map(str, words))}: {text[-3000:]}")


def tests_named(pattern: str) -> list[dict]:
    return json.loads(run(["ctest", "--test-dir", BUILD, "-R", pattern, "--show-only=json-v1"], 60)[1])["tests"]


def first_failure(tests: list[dict]) -> str:
    """Its name; Catch2 stops at the first assertion."""
    for test in tests:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        environment = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
        words = test["command"] + (["--abort"] if test["command"][0].endswith("_tests") else [])
        status, _ = run(words, 120, properties.get("WORKING_DIRECTORY", str(BUILD)), environment)
        if status not in (0, 77):  # 77: a case is skipped
            return test["name"]
    return ""


def try_near(f: Fault, objects: list[str]) -> dict:
    """Only `objects` are compiled again: the source keeps its time, so that nothing else seems older than it."""
    path = TREE / f.file
    original, times = path.read_text(), path.stat()
    lines = original.split("\n")
    assert lines[f.line] == f.before, f"{f.file}:{f.line + 1} is not what it was"
    lines[f.line] = f.after
    started = time.monotonic()
    answer = {"end": "not tried near", "by": ""}
    try:
        path.write_text("\n".join(lines))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        for o in objects:
            (BUILD / o).unlink(missing_ok=True)
        if objects:
            status, _ = run(["cmake", "--build", BUILD, "--target", f"{suite_of(f.file)}_tests"], 1800)
            tests = tests_named(own_tests(f.file))
            if suite_of(f.file) != "kernels":  # whose tests take minutes
                tests += [t for t in tests_named(f"^{suite_of(f.file)}\\.") if t["name"] not in {test["name"] for test in tests}]
            failed = "" if status else first_failure(tests)
            end = "does not compile" if status else "found" if failed else "survived near" if tests else "not tried near"
            answer = {"end": end, "by": failed}
    finally:
        path.write_text(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        for o in objects:
            (BUILD / o).unlink(missing_ok=True)
    return answer | {"seconds": round(time.monotonic() - started)}


def try_wide(f: Fault) -> dict:
    """Whatever reads the source is compiled again."""
    path = TREE / f.file
    original = path.read_text()
    lines = original.split("\n")
    lines[f.line] = f.after
    started = time.monotonic()
    answer = {"end": "survived", "by": ""}
    try:
        path.write_text("\n".join(lines))
        for target, pattern in wider_tests(f.file):
            status, _ = run(["cmake", "--build", BUILD, "--target", target], 1800)
            failed = "" if status else first_failure(tests_named(pattern))
            if status or failed:
                answer = {"end": "does not compile" if status else "found", "by": failed}
                break
    finally:
        path.write_text(original)
    return answer | {"seconds": round(time.monotonic() - started)}


def forget_broken(answers: dict[str, dict], file: pathlib.Path) -> None:
    """A test that fails without a fault, too, has found none."""
    names = sorted({a["by"] for a in answers.values() if a["end"] == "found"})
    run(["cmake", "--build", BUILD, "--target", *TARGETS], 7200)
    for name in names:
        if first_failure(tests_named(f"^{re.escape(name)}$")):
            print(f"{name} fails without a fault: what it found is tried again the next time")
            for number in [n for n, a in answers.items() if a["by"] == name]:
                del answers[number]
    file.write_text(json.dumps(answers, indent=1))


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
    if args.list:
        print(*map(tell, faults(args.seed, args.count, SOURCE)[:args.count]), sep="\n")
        return 0
    started = time.monotonic()
    prepare()
    commit = subprocess.run(["git", "-C", str(TREE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    drawn, reading = faults(args.seed, args.count, TREE), readers()
    if args.only is not None:
        f = drawn[args.only]
        print(tell(f), json.dumps(try_near(f, near_objects(f.file, reading))), json.dumps(try_wide(f)), sep="\n")
        return 0
    file = HOME / f"answers-{args.seed}.json"
    answers = json.loads(file.read_text()) if file.exists() else {}

    def late() -> bool:
        return time.monotonic() - started > 60 * args.minutes

    def answer(f: Fault, now: dict) -> None:
        answers[str(f.number)] = now | dataclasses.asdict(f) | {"commit": commit}
        file.write_text(json.dumps(answers, indent=1))
        if now["end"] != "does not compile":
            print(tell(f), f"    {now['end']} {now['by']} ({now['seconds']} s)", sep="\n", flush=True)

    judged: list[Fault] = []
    for f in drawn:
        if len(judged) == args.count or late():
            break
        if any(answers.get(str(f.number), {}).get(k) != v for k, v in dataclasses.asdict(f).items() if k != "line"):
            answer(f, try_near(f, near_objects(f.file, reading)))
        if answers[str(f.number)]["end"].startswith("survived") and (f.file, f.before.strip(), f.after.strip()) in NO_FAULTS:
            answers[str(f.number)]["end"] = "no fault"
        if answers[str(f.number)]["end"] not in ("does not compile", "no fault"):
            judged.append(f)
    for f in judged:
        if not late() and answers[str(f.number)]["end"].endswith("near"):
            answer(f, try_wide(f))
    forget_broken(answers, file)
    judged = [f for f in judged if str(f.number) in answers]
    ends = [answers[str(f.number)]["end"] for f in judged]
    found_count, survived, open_ = ends.count("found"), ends.count("survived"), sum(e.endswith("near") for e in ends)
    print(f"seed {args.seed}: {found_count + survived} of {args.count} faults tried, {found_count} found ({100 * found_count / max(1, found_count + survived):.1f} %), {survived} survived; "
          f"{open_} more were not found by the tests of their name and not tried with others yet, {sum(a['end'] == 'no fault' for a in answers.values())} are no faults")
    return int(found_count + survived == 0 or 100 * found_count / (found_count + survived) < args.least)


if __name__ == "__main__":
    sys.exit(main())
