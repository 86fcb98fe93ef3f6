#!/usr/bin/env python3
"""Refuses words that a reader of this field would have to translate: words.py [--self-test].

WORDS has the patterns, each with what to write instead. They are looked for in comments and docstrings, in documents
(Markdown, without code and links), and in texts: string literals of several words. NAMES has words that are no part of
a name either, of identifiers in code or of a file's path; FORMER lists where they stay. --self-test checks the rules on
the sources below. Runs from the source tree; prints the places and exits with 1 if there is one.
"""
from __future__ import annotations

import os
import re
import sys

import findings
from prose import BLOCKS

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
NAMES = {"laws?": "conformance", "twins?": "shadow"}
FORMER = {  # files that declare former names, and those that use them
    "cmake/inlay_old_targets.cmake", "include/inlay/inlay.hpp", "include/inlay/provider_laws.hpp", "include/inlay/twin.hpp",
    "tests/consumer/CMakeLists.txt", "tests/provider_conformance/old_names.cpp", "tests/session/shadow.cpp",
}
# In code, paths and names (`laws.cpp`, `tests/laws`, `laws::check`) they are no words.
BEFORE, AFTER = r"(?<![\w/.:-])(?<!namespace.)", r"(?![\w/(]|\.\w|::|-\w)"
PATTERNS = [(re.compile(f"{BEFORE}(?:{words}){AFTER}".replace(" ", r"\s+"), re.IGNORECASE), instead)
            for words, instead in WORDS.items()]
NAME_PATTERNS = [(re.compile(f"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE), instead)
                 for words, instead in NAMES.items()]

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
NO_PROSE = re.compile(rf"{BLOCKS}|{CODE_IN_PROSE.pattern}|\]\([^)\n]*\)", re.DOTALL | re.MULTILINE)


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
    parts, end = [], 0
    for token in language.finditer(text):
        group = next((g for g in groups if token.groupdict().get(g)), None)
        if group is None:
            continue
        words = token[group]
        if group in TEXTS:
            words = re.sub(r"\\(.|(\n))", r" \2", words) if " " in words.strip() else blank(words)
        else:
            words = re.sub(r"(?m)^[ \t]*\*", " ", CODE_IN_PROSE.sub("\0", words))
        parts += [blank(text[end : token.start()]), words, " "]
        end = token.end()
    return "".join(parts)


def prose(path: str, text: str) -> dict[str, str]:
    """What of a file is read for words, by kind."""
    if path.endswith(".md"):
        return {"documents": NO_PROSE.sub(lambda m: blank(m[0]), text)}
    language = language_of(path, text)
    return {"comments": only(text, language, COMMENTS), "texts": only(text, language, TEXTS)} if language else {}


def code(text: str, language: re.Pattern[str]) -> str:
    """Without comments and literals, except that a text without spaces may be a name: `#include "laws.hpp"`."""
    return language.sub(lambda m: m[0] if not re.search(r"\s", m[0]) and m[0][0] in "\"'" else blank(m[0]), text)


def names_in(path: str, text: str) -> list[findings.Finding]:
    language = language_of(path, text)
    names = f"{path}\n{code(text, language)}" if language else path
    return [("names", max(1, names.count("\n", 0, hit.start())), hit[0], instead)
            for pattern, instead in NAME_PATTERNS for hit in pattern.finditer(names) if path not in FORMER]


def words_in(path: str, text: str) -> list[findings.Finding]:
    return [(kind, words.count("\n", 0, hit.start()) + 1, " ".join(hit[0].split()), instead)
            for kind, words in prose(path, text).items()
            for pattern, instead in PATTERNS for hit in pattern.finditer(words)] + names_in(path, text)


def self_test() -> list[tuple]:
    """Files with the lines of their refused words."""
    cases: list[tuple[str, str, list[tuple[str, int]]]] = [
        ("a.cpp", "// a plain\n// loop\nint rules;  /* nobody\n * beside */\n",
         [("comments", 1), ("comments", 3), ("comments", 4)]),
        ("a.cpp", 's = "is told"; key = "told"; r = R"(nobody\nwho asks)";  // "told"\n',
         [("comments", 2), ("texts", 1), ("texts", 1), ("texts", 2)]),
        ("a.cu", "int n = 1'000;  // `anew`, laws.cpp, tests/laws, law::passed(), a::told, zoo/x, namespace laws\n", []),
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
        ("a.cpp", "int claws, flaw, lawn;\n#include \"laws.hpp\"\nlaw_of x = my_law; CHECK_LAWS();  // `law_of`\n",
         [("names", 2), ("names", 3), ("names", 3), ("names", 3)]),
        ("CMakeLists.txt", "target_link_libraries(a inlay::laws)", [("names", 1)]),
        ("tests/laws/a.txt", "", [("names", 1)]),
        ("include/inlay/provider_laws.hpp", "struct law_result {};", []),
    ]
    return [(path, text, places) for path, text, expected in cases
            if (places := sorted((kind, line) for kind, line, *_ in words_in(path, text))) != expected]


if __name__ == "__main__":
    sys.exit(findings.main(findings.Check("tests/style/words.py", "refused words", words_in), self_test))
