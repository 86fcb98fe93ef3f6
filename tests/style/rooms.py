#!/usr/bin/env python3
"""Lists the includes that go from a room of the source tree to one that it may not know: rooms.py FILE...; exits with 1
if there is one.

ROOMS has the rooms from the ground up, each with its places and the rooms that its files may include. A room may name
only rooms before it, so that there is no circle and no arrow upwards. A file belongs to the longest place that its path
begins with; of include, kernels, src, bindings and examples every source has a room. EXCEPTIONS are the includes that
stand against the table, each with its reason. That list only shrinks: an exception that is no longer needed is an
error, and so is one more than MOST. Packages, the folders of src/provider, do not include each other. Paths are
relative to the source tree, from which this runs. --page FILE.md says whether a page has ROOMS between its marks,
--write FILE.md puts it there; --self-test checks the rules on the sources below.
"""
from __future__ import annotations

import os
import pathlib
import re
import sys

ROOMS = {
    "system": (["include/inlay/impl/"], []),
    "sdk": ([f"include/inlay/{name}" for name in (
        "sdk/", "checked_size.hpp", "device.hpp", "dlpack.hpp", "element.hpp", "error.hpp", "isa.hpp", "plugin.h", "run_options.hpp",
        "shape.hpp", "tensor.hpp", "thread_pool.hpp", "value_type.hpp",
        "impl/compiled.hpp", "impl/device.cpp", "impl/isa.cpp", "impl/tensor.cpp", "impl/thread_pool.cpp")], []),
    "platform": (["src/platform/"], []),
    "support": (["src/support/", "src/stage_progress.hpp", "include/inlay/progress.hpp"], []),
    "kernels": (["kernels/"], []),
    "kernel modules": (["src/kernels/"], ["platform", "kernels"]),
    "plan": (["include/inlay/plan/"], []),
    "provider headers": (["include/inlay/provider/", "src/kernels/stock.cpp"], ["kernels"]),
    "embedded": (["include/inlay/embedded/", "include/inlay/embedded.hpp", "include/inlay/embedded_context.hpp", "include/inlay/impl/weights_file.cpp"],
                 ["kernels", "plan", "provider headers"]),
    "interface": (["include/inlay/"], ["support", "provider headers"]),
    "engine": (["src/engine/"], ["platform", "support", "plan", "provider headers", "interface"]),
    "subgraphs": (["src/subgraphs/"], ["kernels", "engine"]),
    "report": (["src/report/"], ["support", "interface", "engine"]),
    "lowering": (["src/lowering/"], ["platform", "support", "kernels", "plan"]),
    "contract": (["src/contract/"], ["support", "plan", "interface", "lowering"]),
    "provider": (["src/provider/"], ["platform", "support", "kernels", "plan", "provider headers", "interface", "contract", "lowering"]),
    "passes": (["src/passes/"], ["support", "kernels", "interface", "engine"]),
    "onnx": (["src/onnx/"], ["platform", "support", "kernels", "interface", "engine", "passes"]),
    "quantize": (["src/quantize/"], ["provider headers", "interface", "engine", "passes", "onnx"]),
    "compile": (["src/compile/"], ["platform", "support", "plan", "provider headers", "embedded", "interface", "engine", "passes"]),
    "provider_conformance": (["src/provider_conformance/"], ["support", "interface"]),
    "built": (["src/built/", "include/inlay/built_providers.hpp"], ["interface"]),
    "compat/ort/host": (["src/compat/ort/host/", "include/inlay/ort_provider.hpp", "include/inlay/ort/"], ["onnx"]),
    "compat/ort/api": (["src/compat/ort/api/", "include/inlay/ort.hpp", "include/inlay/ort/api/"], ["platform", "interface", "engine", "built"]),
    "compat/ort/plugin": (["src/compat/ort/plugin/"], ["provider headers", "interface", "engine", "onnx"]),
    "tool": (["src/tool/"], ["platform", "support", "kernels", "interface", "engine", "report", "contract", "passes", "onnx", "compile", "built"]),
    "bindings/c": (["bindings/c/", "include/inlay.h"], ["interface", "report", "built"]),
    "bindings/node": (["bindings/node/"], ["bindings/c"]),
    "bindings/python": (["bindings/python/"], ["platform", "interface", "engine", "passes", "compile", "built", "compat/ort/api", "tool"]),
    "bindings/java": (["bindings/java/"], ["bindings/c"]),
    "examples": (["examples/"], ["kernels", "embedded", "interface", "compat/ort/host", "compat/ort/api", "bindings/c"]),
}
GROUND = ("system", "sdk")  # every room may include these, but system nothing
ROOTS = ("include", "kernels", "src")  # include folders
CHECKED = (*ROOTS, "bindings", "examples")
SOURCES = (".hpp", ".h", ".cpp", ".c", ".cu", ".cuh")

# (file, what it includes): why it stands yet.
CONVERSION = "a conversion of layouts is a kernel, which plans and embedded models name"
CONTROL_FLOW = "issue 41: that a node has bodies should be a fact of its operator"
EXCEPTIONS = {
    ("include/inlay/plan/conversion.hpp", "kernels/inlay/cpu/support/relayout.hpp"): CONVERSION,
    ("include/inlay/plan/conversion.hpp", "kernels/inlay/support/relayout.hpp"): CONVERSION,
    ("include/inlay/plan/partition.hpp", "kernels/inlay/onnx/control_flow.hpp"): CONTROL_FLOW,
    ("src/engine/restored_region.cpp", "include/inlay/embedded_context.hpp"): "what an embedded model carries of an engine is restored by the engine's code",
    ("src/contract/predict.cpp", "src/engine/specialise.hpp"): "specialises the model and queries the engine for the work of its nodes",
    ("src/provider/rocm/open.cpp", "src/provider/cuda/runtime.hpp"): "ROCm's provider is CUDA's sources, compiled again",
}
MOST = 6  # exceptions; lowered with each that is removed


def room_of(path: str) -> str | None:
    """The room whose place is the longest that the path begins with."""
    places = [(place, room) for room, (all_places, _) in ROOMS.items() for place in all_places if path == place or place.endswith("/") and path.startswith(place)]
    return max(places, key=lambda candidate: len(candidate[0]))[1] if places else None


def allowed(room: str) -> list[str]:
    """The rooms that the room's files may include."""
    return [*(ground for ground in GROUND[:(*GROUND, room).index(room)]), *ROOMS[room][1]]


def package_of(path: str) -> str | None:
    """The folder of src/provider that the file is in."""
    parts = path.split("/")
    return parts[2] if parts[:2] == ["src", "provider"] and len(parts) > 3 else None


def included(path: str, text: str, paths: set[str]) -> list[str]:
    """The files of the tree that a source includes: next to it, or in an include folder."""
    targets = []
    for mark, name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', text, re.MULTILINE):
        beside = [os.path.dirname(path)] if mark == '"' else []
        places = [os.path.normpath(os.path.join(folder, name)) for folder in (*beside, *ROOTS)]
        targets += next(([place] for place in places if place in paths), [])
    return targets


def arrow_problem(path: str, target: str) -> str | None:
    """Why the file may not include the other one; None: it may."""
    room, target_room = room_of(path), room_of(target)
    if package_of(target) and package_of(path) not in (None, package_of(target)):
        return f"the package {package_of(path)} includes one of {package_of(target)}"
    if room is None or target_room is None or room == target_room or target_room in allowed(room):
        return None
    return f"{room} may not include {target_room}"


def check(sources: dict[str, str], exceptions: dict[tuple[str, str], str], most: int) -> list[str]:
    """What is wrong of the sources, by path."""
    paths, wrong, needed = set(sources), [], set()
    for path, text in sources.items():
        if room_of(path) is None:
            wrong.append(f"{path} is in no room")
        for target in included(path, text, paths):
            problem = arrow_problem(path, target)
            if problem and (path, target) in exceptions:
                needed.add((path, target))
            elif problem:
                wrong.append(f"{path} -> {target}: {problem}")
    wrong += [f"{path} -> {target} needs no exception any more" for path, target in exceptions if (path, target) not in needed]
    if len(exceptions) != most:
        wrong.append(f"there are {len(exceptions)} exceptions, and MOST is {most}: it is lowered with each that goes, and none is added")
    return wrong


def check_table() -> list[str]:
    """Rooms that name one that is not before them."""
    names = list(ROOMS)
    return [f"{room} names {target_room}, which is not before it" for at, room in enumerate(names) for target_room in allowed(room) if target_room not in names[:at]]


def table() -> str:
    """ROOMS for docs/explanation/architecture.md, the highest first."""
    def where(room: str) -> str:
        rest = ", and the plain types next to it" if room == "sdk" else ", the headers that are in no other room" if room == "interface" else ""
        return ", ".join(f"`{place}`" for place in (ROOMS[room][0][:1] if rest else ROOMS[room][0])) + rest
    rows = [f"| `{room}` | {where(room)} | {', '.join(ROOMS[room][1])} |" for room in reversed(ROOMS)]
    return "\n".join(["| room | where | may include |", "|---|---|---|", *rows])


def page(text: str) -> str:
    """The page with this table between its marks."""
    return re.sub(r"(<!-- rooms: [^\n]*-->\n).*?(?=<!-- /rooms)", lambda mark: mark[1] + table() + "\n", text, flags=re.DOTALL)


def check_page(path: pathlib.Path) -> int:
    text = path.read_text()
    good = "<!-- rooms:" in text and page(text) == text
    if not good:
        print(f"the table of rooms in {path} is not that of ROOMS: tests/style/rooms.py --write {path}")
    return int(not good)


def self_test() -> int:
    """Sources with what is wrong of them."""
    tree = {
        "include/inlay/shape.hpp": "#include <vector>\n",
        "include/inlay/session.hpp": "#include <inlay/shape.hpp>\n",
        "include/inlay/plan/plan.hpp": '#include "../shape.hpp"\n',
        "src/engine/core.hpp": "#include <inlay/session.hpp>\n#include <inlay/plan/plan.hpp>\n",
        "src/onnx/build.cpp": '#include "engine/core.hpp"\n#include "proto.hpp"\n',
        "src/onnx/proto.hpp": "#pragma once\n",
        "src/provider/a/engine.cpp": '#include "library.hpp"\n#include <provider/shared.hpp>\n',
        "src/provider/a/library.hpp": "",
        "src/provider/shared.hpp": "",
        "src/provider/b/engine.cpp": "",
    }
    upwards = ("src/engine/x.cpp", "src/onnx/proto.hpp")
    cases: list[tuple[dict[str, str], dict[tuple[str, str], str], list[str]]] = [
        ({}, {}, []),
        ({upwards[0]: "#include <onnx/proto.hpp>\n"}, {}, ["src/engine/x.cpp -> src/onnx/proto.hpp: engine may not include onnx"]),
        ({upwards[0]: "#include <onnx/proto.hpp>\n"}, {upwards: "why"}, []),
        ({upwards[0]: "// #include <onnx/proto.hpp>\n"}, {upwards: "why"}, ["src/engine/x.cpp -> src/onnx/proto.hpp needs no exception any more"]),
        ({"include/inlay/plan/x.hpp": '#  include "inlay/session.hpp"\n'}, {}, ["include/inlay/plan/x.hpp -> include/inlay/session.hpp: plan may not include interface"]),
        ({"src/provider/b/x.cpp": "#include <provider/a/library.hpp>\n"}, {}, ["src/provider/b/x.cpp -> src/provider/a/library.hpp: the package b includes one of a"]),
        ({"src/new/x.cpp": ""}, {}, ["src/new/x.cpp is in no room"]),
        ({"src/support/x.cpp": "#include <inlay/any_session.hpp>\n", "include/inlay/any_session.hpp": ""}, {},
         ["src/support/x.cpp -> include/inlay/any_session.hpp: support may not include interface"]),
    ]
    wrong = [(more, result) for more, exceptions, expected in cases if (result := check({**tree, **more}, exceptions, len(exceptions))) != expected]
    if len(check(tree, {}, 1)) != 1:
        wrong.append(({}, ["one exception less than MOST is not seen"]))
    for case in wrong:
        print(f"wrong: {case}")
    return int(bool(wrong))


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:2] == ["--page"]:
        return check_page(pathlib.Path(sys.argv[2]))
    if sys.argv[1:2] == ["--write"]:
        pathlib.Path(sys.argv[2]).write_text(page(pathlib.Path(sys.argv[2]).read_text()))
        return 0
    paths = [path for path in sys.argv[1:] if path.endswith(SOURCES) and path.split("/")[0] in CHECKED]
    if not paths:
        print("no sources here")
        return 1
    wrong = check_table() + check({path: pathlib.Path(path).read_text(errors="replace") for path in paths}, EXCEPTIONS, MOST)
    for line in wrong:
        print(line)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
