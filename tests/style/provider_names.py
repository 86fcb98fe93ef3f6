#!/usr/bin/env python3
"""Lists the lines that name a provider outside its package: provider_names.py FILE...; exits with 1 if there is one.

Packages are the folders of src/provider. Their words are the folder's name and what provider.cmake declares in a line
`# words: ...`, in small letters, with a capital or all in capitals. They may stand in the package's own files, and in
those of EXCEPTIONS. A line `# others' words: ...` has names of others that the package's files may spell, such as options
that ONNX Runtime has; prose (docs, README.md, CONTRIBUTING.md) is not checked. Paths are relative to the source tree, from
which this runs. --self-test checks the rules on the sources below.
"""
from __future__ import annotations

import pathlib
import re
import sys

# Files and folders that may name any provider, and why.
EXCEPTIONS = {
    "CMakePresets.json": "a file of presets cannot be split; a package that is built apart has its preset there",
    "scripts/": "they build presets by name, and prepare machines that have a provider's device",
    "bench/": "other runtimes name their providers themselves",
    "include/inlay/dlpack.hpp": "DLPack's own constants",
    "tests/sdk/dlpack.cpp": "DLPack's own constants",
    "bindings/node/tests/": "programs as they are written for ONNX Runtime",
    "bindings/python/src/spaces.cpp": "DLPack's own constants, and the memory that each is",
    "bindings/python/README.md": "what pip installs",
    "tests/coverage/figures.json": "folders of the tree",
    "tests/python/serving.py": "the environment with a server, which setup installs for a provider",
    "tests/python/wheel.py": "what a wheel has, and whose libraries are tested with it",
    "bindings/python/inlayrt/__init__.py": "a name of ONNX Runtime's package",
    "bindings/python/inlayrt/_known.py": "ONNX Runtime's providers that a build may lack, and what they take",
    "bindings/python/inlayrt/_device.py": "the kinds of devices, by ONNX Runtime's names",
    "bindings/python/inlayrt/_sparse.py": "a method of ONNX Runtime's, which is refused",
    "bindings/python/inlayrt/capi/": "functions by ONNX Runtime's names",
    "bindings/python/tests/": "programs as they are written for ONNX Runtime",
    "bindings/java/src/main/java/ai/inlay/OrtProvider.java": "ONNX Runtime's names of providers",
    "bindings/java/src/main/java/ai/inlay/ProviderMethods.java": "ONNX Runtime's methods of single providers",
    "bindings/java/src/main/java/ai/inlay/providers/": "ONNX Runtime's options of single providers",
    "bindings/java/src/test/": "they are called by their names",
    "bindings/csharp/Inlay.ML/SessionOptions.Providers.cs": "ONNX Runtime's functions of single providers",
    "bindings/csharp/Inlay.ML/ProviderOptions.cs": "ONNX Runtime's classes of their options",
    "bindings/csharp/tests/OptionTests.cs": "they are called by their names",
    "include/inlay/ort/api/provider_options.hpp": "ONNX Runtime's functions and structs of single providers",
    "src/compat/ort/api/provider_options.cpp": "what they do",
    "tests/docs/site.py": "a flag of Chromium's",
    "tests/ort/options.cpp": "they are called by their names",
    "tests/documents/": "ONNX Runtime's documents name providers",
    "tests/contract/": "the contracts of all providers are held side by side",
    "tests/tool/contract.sh": "the same, by the tool",
    "examples/ort/": "programs as they are written for ONNX Runtime",
    "src/provider/cann/": "its library's functions begin with the name of another package",
    "tests/provider/cann/": "a library with these functions",
    "tests/style/provider_names.py": "the sources of the self-test",
    "tests/style/rooms.py": "a file of a package that includes one of another",
}


def words_of(name: str, cmake: str) -> list[str]:
    """The words that a package declares."""
    declared = re.search(r"^# words: (.+)$", cmake, re.MULTILINE)
    return [name, *(declared[1].split() if declared else [])]


def words_of_others(cmake: str) -> list[str]:
    """Names of others that the package's files may spell."""
    declared = re.search(r"^# others' words: (.+)$", cmake, re.MULTILINE)
    return declared[1].split() if declared else []


def pattern_of(words: list[str]) -> re.Pattern[str]:
    """Finds the words, also as parts of identifiers, but not at the end of longer words in small letters, nor in `cannot`."""
    return re.compile("|".join(rf"(?<![a-z])(?:{w}|{w.capitalize()})(?!ot)|{w.upper()}" for w in words))


def owns(name: str, path: str) -> bool:
    """Whether the file is one of the package's."""
    folders = (f"src/provider/{name}/", f"tests/provider/{name}/", f"kernels/inlay/{name}/")
    return path.startswith(folders) or path == f"include/inlay/provider/{name}.hpp"


def is_exception(path: str) -> bool:
    """Whether the file may name any provider."""
    return any(path == e or e.endswith("/") and path.startswith(e) for e in EXCEPTIONS)


def lines_with(path: str, text: str, packages: dict[str, list[str]], other_words: dict[str, list[str]] | None = None) -> list[str]:
    """The lines of a file that name a provider whose package it is not part of. Most files have none of the words, which is soon seen."""
    small = text.lower()
    patterns = [pattern_of(words) for name, words in packages.items() if not owns(name, path) and any(w.lower() in small for w in words)]
    for name, words in (other_words or {}).items():
        for word in words if owns(name, path) else []:
            text = text.replace(word, "")
    return [f"{path}:{number}: {line.strip()[:100]}" for number, line in enumerate(text.splitlines(), 1)
            if any(p.search(line) for p in patterns)]


def self_test() -> int:
    """Files with the number of lines that are wrong."""
    packages = {"cuda": words_of("cuda", "# CUDA\n# words: cudnn nvidia\nreturn()\n"), "acl": ["acl"]}
    cases = {
        ("src/engine/planner.cpp", "device::cuda x;\nint y;\n// NVIDIA's\n"): 2,
        ("src/engine/planner.cpp", "on_cuda(); // oracle\n"): 1,
        ("src/engine/planner.cpp", "CUDAExecutionProvider"): 1,
        ("src/engine/planner.cpp", "cudnnHandle_t h; AclExecutionProvider"): 1,
        ("src/engine/planner.cpp", "an oracle, a miracle, barracuda"): 0,
        ("src/provider/cuda/runtime.cpp", "cuda cudnn\nacl"): 1,
        ("include/inlay/provider/cuda.hpp", "cuda"): 0,
        ("include/inlay/provider/other.hpp", "cuda"): 1,
        ("tests/provider/cuda/plan.cpp", "CUDA"): 0,
        ("kernels/inlay/cuda/onnx/conv.hpp", "device::cuda"): 0,
        ("kernels/inlay/onnx/conv.hpp", "__CUDACC__"): 1,
    }
    wrong = [case for case, count in cases.items() if len(lines_with(*case, packages)) != count]
    spelt = ("src/provider/acl/engine.cpp", "enable_cuda_graph\ncuda_graph")
    if words_of_others("# words: acl\n# others' words: enable_cuda_graph x\n") != ["enable_cuda_graph", "x"] or \
            [len(lines_with(*spelt, packages, {name: ["enable_cuda_graph"]})) for name in ("acl", "tvm")] != [1, 2]:
        wrong.append(spelt)
    wrong += [e for e in ("CMakePresets.json", "scripts/test") if not is_exception(e)]
    wrong += [e for e in ("CMakePresets.json.in", "src/scripts/test") if is_exception(e)]
    for case in wrong:
        print(f"wrong: {case}")
    return int(bool(wrong))


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    folders = sorted(p.parent for p in pathlib.Path("src/provider").glob("*/provider.cmake"))
    if not folders:
        print("no src/provider/*/provider.cmake here")
        return 1
    declared = {f.name: (f / "provider.cmake").read_text() for f in folders}
    packages = {name: words_of(name, cmake) for name, cmake in declared.items()}
    other_words = {name: words_of_others(cmake) for name, cmake in declared.items()}
    hits = {path: lines_with(path, pathlib.Path(path).read_text(), packages, other_words) for path in sys.argv[1:]}
    wrong = [line for path, lines in hits.items() if not is_exception(path) for line in lines]
    for line in wrong:
        print(f"{line}  (a provider's name outside its package)")
    unused = [e for e in EXCEPTIONS
              if not any(lines for path, lines in hits.items() if path == e or e.endswith("/") and path.startswith(e))]
    for exception in unused:
        print(f"{exception} needs no exception any more")
    return int(bool(wrong or unused))


if __name__ == "__main__":
    sys.exit(main())
