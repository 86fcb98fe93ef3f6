"""The code of ONNX Runtime's documents in ../shared/documents, which lost its indentation and some blanks on the way.

    extract.py FOLDER OUT     # OUT/program.hpp, OUT/interface.hpp and OUT/provider.hpp: the C++ code, as tests/documents/*.cpp include it

What is mended: blanks within C++ tokens, the bodies of Python's `if` and `for`, and calls that lost a part. What is changed: the package
that is imported, the header that is included.
"""
from __future__ import annotations

import ast
import pathlib
import re
import sys

HEADER = "<inlay/ort.hpp>"  # for <onnxruntime_cxx_api.h>
PACKAGE = "inlayrt"  # for onnxruntime

# Calls of Python that lost a part, and what they were: the other documents have them whole.
_LOST = (
    (r"= ?\[output_name\],", "= sess.run([output_name],"),
    (r"sess\.run\(\[output_name\], \)", "sess.run([output_name], {input_name: image_data})"),
    (r"fromarray\(image\)\"", 'fromarray(image)\nimage.save("'),
    (r"cpu_detection = *$", "cpu_detection = sess.run(...)"),
    (r"sess\.run\(\.\.\.\)", "sess.run([output_name], {input_name: image_data})"),
)
# Where code may begin, which a sentence may stand before.
_PYTHON_START = re.compile(r"(?:^|: )((?:import onnxruntime as|\w+ = ort\.|\w*(?:options|providers) = [{\[(]|# (?:Warmup|TensorRT)|\{ ').*)$")


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def _indented(lines: list[str]) -> str:
    """Lines after one that ends in a colon are its body, up to a comment."""
    code, inside = [], False
    for line in lines:
        inside = inside and not line.startswith("#")
        code.append("    " + line if inside else line)
        inside = inside or re.match(r"(if|for) .*:$", line) is not None
    return "\n".join(code)


def _mended(line: str) -> str:
    for lost, whole in _LOST:
        line = re.sub(lost, whole, line)
    return re.sub(r"^import onnxruntime as", f"import {PACKAGE} as", line)


def _is_prose(line: str) -> bool:
    words_alone = re.fullmatch(r"[A-Za-z0-9 ]+", line) is not None and not line.startswith("import ")
    return words_alone or line.startswith(("#include", "##"))


def python_examples(page: str) -> list[str]:
    """The programs and parts of programs of a page, each as long as it can be."""
    lines = [_mended(line) for line in page.splitlines()]
    examples: list[str] = []
    at = 0
    while at < len(lines):
        start = _PYTHON_START.search(lines[at].replace(f"import {PACKAGE} as", "import onnxruntime as"))
        if not start:
            at += 1
            continue
        lines_taken, whole, end = [_mended(start[1])], "", at + 1
        while True:
            code = _indented([line for text in lines_taken for line in text.split("\n")])
            if _parses(code):
                whole, end = code, at + len(lines_taken)
            following = lines[at + len(lines_taken)] if at + len(lines_taken) < len(lines) else "```"
            closed = whole == code
            if following.startswith("```") or (closed and _is_prose(following)) or len(lines_taken) > 60:
                break
            lines_taken.append(following)
        if whole.strip():
            examples.append(whole)
        at = max(end, at + 1)
    return examples


def _tokens_mended(line: str) -> str:
    return re.sub(r'\bL "', 'L"', re.sub(r"(\d) (ULL|UL|LL|U|L)\b", r"\1\2", line))


def cxx_blocks(page: str) -> list[str]:
    """Programs from their #include on, and classes from the comment before them on."""
    blocks: list[str] = []
    block: list[str] = []
    for line in page.splitlines():
        starts = line.startswith(("#include", "// Simplified"))
        if not block and not starts:
            continue
        is_class = bool(block) and block[0].startswith("// Simplified")
        if block and not is_class and not line.startswith("//") and not line.rstrip().endswith(";"):
            blocks.append("\n".join(block))
            block = []
            continue
        block.append(_tokens_mended(line))
        if is_class and line.strip() == "};":
            blocks.append("\n".join(block))
            block = []
    return blocks


def pages(folder: pathlib.Path) -> list[str]:
    return [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.txt"))]


def main(folder: str, out: str) -> None:
    blocks = [block for page in pages(pathlib.Path(folder)) for block in cxx_blocks(page)]
    program = [block for block in blocks if block.startswith("#include")]
    interface = [block for block in blocks if "class IExecutionProvider" in block]
    provider = [block for block in blocks if "class CustomExecutionProvider" in block]
    if [len(kind) for kind in (program, interface, provider)] != [1, 1, 1]:
        sys.exit(f"extract.py: {folder} has {len(program)} programs, {len(interface)} interfaces and {len(provider)} providers in C++")
    includes, body = program[0].split("\n", 1)
    includes = includes.replace("<onnxruntime_cxx_api.h>", HEADER)
    files = {
        "program.hpp": f"{includes}\ninline void documents_program() {{\n{body}\n}}\n",
        "interface.hpp": interface[0] + "\n",
        "provider.hpp": provider[0] + "\n",
    }
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (pathlib.Path(out) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
