#!/usr/bin/env python3
"""Refuses words that a reader of this field would have to translate: words.py [--write | --list ROOM...].

WORDS has the patterns, each with what to write instead. They are looked for in comments and docstrings, in documents
(Markdown, without code and links), and in texts: string literals of several words. words.json next to this file has the
rooms that are not yet clean, with the number of their refused words; a room that is not in it has none. A number only
falls: a room with more words fails, and so does one with fewer until --write has lowered its number. --list prints the
places of rooms, of all where none is named; --self-test checks the rules on the sources below. Runs from the source
tree; exits with 1 if a number is another one.
"""
from __future__ import annotations

import collections
import json
import os
import pathlib
import re
import sys
from collections.abc import Callable

Hit = tuple[str, int, str, str]  # kind of text, line, word, what to write instead
Place = tuple[str, str]          # room and kind of text
Counts = dict[str, dict[str, int]]
TABLE = pathlib.Path(__file__).with_name("words.json")
SELF = "tests/style/words.py"  # it has to name them
ROOTS = (".ci", "CHANGELOG.md", "CMakeLists.txt", "CONTRIBUTING.md", "README.md", "SECURITY.md", "bench", "bindings",
         "cmake", "conanfile.py", "docs", "examples", "include", "kernels", "scripts", "src", "test_package", "tests")
SPLIT = ("bindings", "src", "tests")  # a room is a folder of these, or a whole root
LEFT_OUT = {"__pycache__", "build", "node_modules", "results", "target"}

# A space stands for any white space.
QUANTIZED = r"scales?|zero points?|quanti[sz]\w+|saturat\w+|8 bits|8-bit|4-bit|uint8|int8"
CODES = "".join(rf"(?<!{kind}\s)" for kind in ("error", "exit", "Huffman", "status", "operation", "machine")) + "codes"
CODES_NEAR = rf"(?:{QUANTIZED})[^.;:|#\0]{{0,40}} {CODES}|{CODES} [^.;:|#\0]{{0,40}}(?:{QUANTIZED})"
WORDS = {
    rf"(?:8-bit|4-bit|quanti[sz]ed|integer) codes|codes? of (?:8|4|2|eight|four) bits|{CODES_NEAR}": "quantized values",
    r"decode and encode|decoded and encoded": "dequantize and quantize",
    r"floats? (?:of|in) (?:16|8|32|64|sixteen|eight) bits|half floats?|16-bit floats?": "fp16, bf16, float32, float64",
    r"plain loops?": "reference kernel",
    r"products of (?:matrices|integers|floats)|matrix products?|sums of products": "matmul, GEMM; accumulators",
    r"(?<!packed.)pairs of (?:bf16|bfloat16|16 bits)": "packed bf16 pairs",
    r"(?<!line.)(?<!file.)(?<!file's.)endings?": "epilogue",
    r"told|tells": "reports, returns, shows, given",
    r"asks|asked": "queries, requests, calls; queried, requested",
    r"wants": "requires, needs, expects",
    r"nobody|somebody|whoever": "no provider, the caller, which",
    r"beside": "next to, compared with, as well as",
    r"anew": "again",
    r"late (?:shape|node|value|result|step|size|dimension)s?|shapes? (?:that )?comes? late": "data-dependent shapes",
    r"laws?": "conformance tests",
    r"in turns": "interleaved",
    r"the least of": "the minimum of",
    r"dear(?:er|est)?": "expensive",
    r"lent": "borrowed",
    r"growths": "in-place KV cache",
    r"lockstep": "barrier",
    r"twin runs?": "shadow run",
    r"(?-i:[Zz]oo)": "model suite",
}
# In code, paths and names (`laws.cpp`, `tests/laws`, `laws::check`) they are no words.
BEFORE, AFTER = r"(?<![\w/.:-])(?<!namespace.)", r"(?![\w/(]|\.\w|::|-\w)"
PATTERNS = [(re.compile(f"{BEFORE}(?:{words}){AFTER}".replace(" ", r"\s+"), re.IGNORECASE), instead)
            for words, instead in WORDS.items()]

# How each language writes comments (group c) and literals (group t). A shell's literals end with their line: what a
# program in another language has in it is read as the shell's.
STRING = r'"(?P<t>(?:\\.|[^"\\\n])*)"'
C = re.compile(rf'R"(?P<d>\w*)\((?P<raw>.*?)\)(?P=d)"|{STRING}' r"|(?<!\w)'(?:\\.|[^'\\\n])*'"
               r"|//(?P<c>[^\n]*)|/\*(?P<block>.*?)\*/", re.DOTALL)
PYTHON = re.compile(r"""^[ \t]*[rR]?(?P<q>\"{3}|'{3})(?P<doc>.*?)(?P=q)|(?P<q2>\"{3}|'{3})(?P<raw>(?:\\.|.)*?)(?P=q2)"""
                    rf"""|{STRING}|'(?P<t2>(?:\\.|[^'\\\n])*)'|\#(?P<c>[^\n]*)""", re.DOTALL | re.MULTILINE)
SHELL = re.compile(rf"""{STRING}|'(?P<t2>[^'\n]*)'|(?<!\S)\#(?P<c>[^\n]*)""", re.DOTALL)
CMAKE = re.compile(r'"(?P<t>(?:\\.|[^"\\])*)"|\#\[\[(?P<block>.*?)\]\]|\#(?P<c>[^\n]*)', re.DOTALL)
LANGUAGES = {
    **dict.fromkeys((".c", ".cpp", ".cs", ".cu", ".cuh", ".h", ".hpp", ".java", ".js", ".proto"), C),
    **dict.fromkeys((".py", ".python3"), PYTHON), **dict.fromkeys((".sh", ".bash"), SHELL),
    **dict.fromkeys((".cmake", ".cmake.in", ".map", "CMakeLists.txt"), CMAKE),
}
COMMENTS, TEXTS = ("c", "block", "doc"), ("t", "t2", "raw")
CODE_IN_PROSE = re.compile(r"`[^`\n]+`|https?:\S+")
NO_PROSE = re.compile(rf"^ *(```|~~~).*?^ *\1[^\n]*$|(?<=\n\n)(?: {{4}}[^\n]*\n?)+|{CODE_IN_PROSE.pattern}"
                      r"|\]\([^)\n]*\)|<!--.*?-->", re.DOTALL | re.MULTILINE)


def blank(text: str) -> str:
    """The ends of its lines alone, and a sign that ends a sentence unless the text is white space."""
    return ("\0" if text.strip() else " ") + "\n" * text.count("\n")


def language_of(path: str, text: str) -> re.Pattern[str] | None:
    """By the file's name, or by the program that its first line names."""
    name = os.path.basename(path)
    shebang = re.match(r"#!.*?(\w+)\n", text) if "." not in name[1:] else None
    ending = f".{shebang[1]}" if shebang else name
    return next((pattern for suffix, pattern in LANGUAGES.items() if ending.endswith(suffix)), None)


def only(text: str, language: re.Pattern[str], groups: tuple[str, ...]) -> str:
    """What these groups hold, on the same lines, with blanks for the rest: a sentence goes on from line to line."""
    kept, end = [], 0
    for token in language.finditer(text):
        group = next((g for g in groups if token.groupdict().get(g)), None)
        if group is None:
            continue
        words = token[group]
        if group in TEXTS:
            words = re.sub(r"\\(.|(\n))", r" \2", words) if " " in words.strip() else blank(words)
        else:
            words = re.sub(r"(?m)^[ \t]*\*", " ", CODE_IN_PROSE.sub("\0", words))
        kept += [blank(text[end : token.start()]), words, " "]
        end = token.end()
    return "".join(kept)


def prose(path: str, text: str) -> dict[str, str]:
    """What of a file is read for words, by kind."""
    if path.endswith(".md"):
        return {"documents": NO_PROSE.sub(lambda m: blank(m[0]), text)}
    language = language_of(path, text)
    return {"comments": only(text, language, COMMENTS), "texts": only(text, language, TEXTS)} if language else {}


def words_in(path: str, text: str) -> list[Hit]:
    return [(kind, words.count("\n", 0, hit.start()) + 1, " ".join(hit[0].split()), instead)
            for kind, words in prose(path, text).items()
            for pattern, instead in PATTERNS for hit in pattern.finditer(words)]


def room_of(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in SPLIT and len(parts) > 2 else parts[0]


def files() -> list[str]:
    found = [root for root in ROOTS if os.path.isfile(root)]
    for root in ROOTS:
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(f for f in folders if f not in LEFT_OUT and not f.startswith((".", "build-")))
            found += [f"{folder}/{name}" for name in sorted(names)]
    return [path for path in found if path != SELF]


def read(path: str) -> str:
    """Empty, where the file is no text."""
    data = pathlib.Path(path).read_bytes() if not path.endswith((".bin", ".onnx", ".json", ".svg")) else b""
    return "" if b"\0" in data[:4096] else data.decode(errors="replace")


def counts_of(hits: dict[str, list[Hit]]) -> Counts:
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for path, words in hits.items():
        counts[room_of(path)].update(kind for kind, *_ in words)
    return {room: dict(sorted(kinds.items())) for room, kinds in sorted(counts.items()) if kinds}


def check(counts: Counts, table: Counts) -> tuple[dict[Place, str], dict[Place, str]]:
    """Where there are more words than the table says, and where fewer, with what to print."""
    more, fewer = {}, {}
    places = {(room, kind) for numbers in (counts, table) for room, kinds in numbers.items() for kind in kinds}
    for room, kind in sorted(places):
        now, said = (numbers.get(room, {}).get(kind, 0) for numbers in (counts, table))
        if now != said:
            text = f"{room}: {now} refused words in {kind}, {TABLE.name} says {said}"
            (more if now > said else fewer)[room, kind] = text
    return more, fewer


def written(table: Counts) -> str:
    """A room a line, so that branches that clean different rooms can be merged."""
    rooms = [f" {json.dumps(room)}: {json.dumps(kinds)}" for room, kinds in table.items()]
    return "{\n" + ",\n".join(rooms) + "\n}\n"


def show(hits: dict[str, list[Hit]], shown: Callable[[str, str], bool]) -> None:
    for path, words in hits.items():
        for kind, line, word, instead in words:
            if shown(room_of(path), kind):
                print(f"{path}:{line}: `{word}` in {kind}: {instead}")


def self_test() -> int:
    """Files with the lines of their refused words, a falling table, and rooms."""
    cases: list[tuple[str, str, list[tuple[str, int]]]] = [
        ("a.cpp", "// a plain\n// loop\nint laws;  /* nobody\n * beside */\n",
         [("comments", 1), ("comments", 3), ("comments", 4)]),
        ("a.cpp", 's = "is told"; key = "told"; r = R"(nobody\nwho asks)";  // "told"\n',
         [("comments", 2), ("texts", 1), ("texts", 1), ("texts", 2)]),
        ("a.cu", "int n = 1'000;  // `anew`, laws.cpp, tests/laws, law::kept(), a::told, zoo/x, namespace laws\n", []),
        ("a.c", "char c = '\"';\n// in turns\n", [("comments", 2)]),
        ("a.hpp", "// Many codes, exit codes of int8, Huffman codes: its ending. Line endings.\n", [("comments", 1)]),
        ("a.hpp", "// 8-bit codes; codes of 4 bits; the scales and codes; codes by scales\n", [("comments", 1)] * 4),
        ("a.py", '"""A\nplain loop."""\nx = \'it asks\'  # lent\ny = f"""growths\nof dear {x}"""\nz = "#"  # law\n',
         [("comments", line) for line in (2, 3, 6)] + [("texts", line) for line in (3, 4, 5)]),
        ("a", "#!/bin/sh\n# half floats\necho \"${x#anew} $# is told\" 'it''s'  # nobody\n",
         [("comments", 2), ("comments", 3), ("texts", 3), ("texts", 3)]),
        ("a", '#!/usr/bin/env python3\n"""Whoever."""\n', [("comments", 2)]),
        ("a.cmake", "#[[ late\nshapes ]] set(x \"whoever\nis #told\")  # asked\n",
         [("comments", 1), ("comments", 3), ("texts", 2), ("texts", 3)]),
        ("a.md", "Late `told` shapes [laws](laws.md) and\n```\nnobody\n```\ntwin\nruns of [it](told)\n\n    nobody\n",
         [("documents", 1), ("documents", 5)]),
        ("a.txt", "nobody", []),
    ]
    wrong: list[tuple] = []
    for path, text, expected in cases:
        found = sorted((kind, line) for kind, line, *_ in words_in(path, text))
        wrong += [(path, text, found)] if found != expected else []
    table = {"src/a": {"comments": 2, "texts": 1}, "docs": {"documents": 1}}
    states = [(table, [0, 0]), ({**table, "docs": {"documents": 2}}, [1, 0]), ({"src/a": {"comments": 2}}, [0, 2]),
              ({**table, "src/b": {"texts": 1}}, [1, 0])]
    wrong += [("the table", now) for now, sizes in states if [len(lines) for lines in check(now, table)] != sizes]
    rooms = {"src/a/b/c.cpp": "src/a", "src/a.cpp": "src", "docs/x/y.md": "docs", "README.md": "README.md",
             "include/inlay/a.hpp": "include"}
    wrong += [("room", path, room_of(path)) for path, room in rooms.items() if room_of(path) != room]
    wrong += [("written", table, written(table))] if json.loads(written(table)) != table else []
    for case in wrong:
        print(f"wrong: {case}")
    return int(bool(wrong))


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    hits = {path: words_in(path, read(path)) for path in files()}
    if sys.argv[1:2] == ["--list"]:
        show(hits, lambda room, kind: not sys.argv[2:] or room in sys.argv[2:])
        return 0
    counts, table = counts_of(hits), json.loads(TABLE.read_text())
    more, fewer = check(counts, table)
    if more:
        show(hits, lambda room, kind: (room, kind) in more)
        print(*more.values(), "write it in the field's words", sep="\n")
    elif fewer and sys.argv[1:] == ["--write"]:
        TABLE.write_text(written(counts))
        fewer = {}
    elif fewer:
        print(*fewer.values(), f"lower the numbers: python3 {SELF} --write", sep="\n")
    return int(bool(more or fewer or not hits))


if __name__ == "__main__":
    sys.exit(main())
