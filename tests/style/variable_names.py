#!/usr/bin/env python3
"""Refuses names of variables that are no nouns: variable_names.py [--self-test].

NAMES are pronouns, participles and adverbs, which do not say what a variable is. They are looked for where C and C++
declare variables, fields (`made_` too), parameters and structured bindings, also after a comma: `float a, all;`.
--self-test checks the rules on the sources below. Runs from the source tree; prints the places and exits with 1 if
there is one.
"""
from __future__ import annotations

import re
import sys

import findings
from words import C

NAMES = ("all|why|last|made|what|own|found|one|read|known|given|kept|wanted|here|there|other|some|none|told|who|each|both"
         "|others|mine|asked|taken|seen|held|got|chosen|ended|opened|want|how|which|where|done|refused")
NAME = rf"\b((?:{NAMES})_?)\b"
# Before them no type stands, but a statement or an operator, or the name is a type's.
NO_TYPES = ("case|class|co_await|co_return|co_yield|delete|do|else|enum|goto|namespace|new|not|operator|return|sizeof|struct"
            "|throw|typename|union|using|and|or")
# The type's last word, bracket or template's end, its signs, the name and what goes on after a declaration. As
# .clang-format has it, an operator between two values has a space on both sides, and these signs on one.
TYPE = rf"(?:\b(?!(?:{NO_TYPES})\b)[A-Za-z_]\w*|(?<=\S)>|\])[&*]*(?:\.\.\.)?\s+[&*]*"
AFTER = r"=(?!=)|[;,){\[]|:(?!:)"
DECLARATION = re.compile(rf"{TYPE}{NAME}(?=\s*(?:{AFTER}))")
# The first name of a declaration, and one after a comma: no function, so that a parenthesis holds its first value.
FIRST = re.compile(rf"{TYPE}\b(?!(?:{NO_TYPES})\b)[A-Za-z_]\w*(?=\s*(?:\(|{AFTER}))")
NEXT = re.compile(rf",\s*[&*]*{NAME}(?=\s*(?:\(|{AFTER}))")
GOES_ON = re.compile(r"\}\s*[,;]")  # after a first value in braces, not after a function's body
BINDING = re.compile(r"\bauto\s*(?:const\s*)?&{0,2}\s*\[([^\]]*)\]\s*[=:{(]")
SUFFIXES = (".c", ".cpp", ".cu", ".cuh", ".h", ".hpp")


def without_texts(source: str) -> str:
    """Blank lines for comments, and blanks for literals."""
    return C.sub(lambda m: " " + "\n" * m[0].count("\n"), source)


def commas(code: str, at: int) -> list[int]:
    """Those between the declarators of a statement, from its first name on: not within brackets of a first value."""
    places, depth = [], 0
    for at in range(at, len(code)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[at], 0)
        if depth < 0 or depth == 0 and (code[at] == ";" or code[at] == "}" and not GOES_ON.match(code, at)):
            break
        if depth == 0 and code[at] == ",":
            places.append(at)
    return places


def names_in(path: str, source: str) -> list[findings.Finding]:
    if not path.endswith(SUFFIXES):
        return []
    code = without_texts(source)
    names = [(m.start(1), m[1]) for m in DECLARATION.finditer(code)]
    names += [(name.start(1), name[1]) for first in FIRST.finditer(code) for comma in commas(code, first.end())
              if (name := NEXT.match(code, comma))]
    names += [(binding.start(1) + m.start(), m[1])
              for binding in BINDING.finditer(code) for m in re.finditer(NAME, binding[1])]
    return [("declarations", code.count("\n", 0, at) + 1, name, "a noun that says what it is")
            for at, name in sorted(set(names))]


def self_test() -> list[tuple]:
    cases: list[tuple[str, str, list[str]]] = [
        ("a.cpp", "int all; auto what = f(); const char* const why{}; T* here[3]; std::vector<int> found;",
         ["all", "what", "why", "here", "found"]),
        ("a.hpp", "void f(const T& one, T... all, element wanted = e, int* last);", ["one", "all", "wanted", "last"]),
        ("a.cu", "for (const auto& one : list) if (T *given[2]; x) ;", ["one", "given"]),
        ("a.h", "struct s {\n    bool done : 1, fresh;\n};", ["done"]),
        ("a.cpp", "const auto& [name, where] = pair; for (auto [made, n] : list);", ["where", "made"]),
        ("a.c", "// int all;\n/* int all; */ const char* s = \"int all;\"; return made; x = sizeof some;", []),
        ("a.cpp", "float a, all; int n = f(1, one), *last = p; tensor x({1, 2}), none(3), b{4}, kept{5};",
         ["all", "last", "none", "kept"]),
        ("a.cpp", "class c {\n    int n_{}, last_;\n    bool done_ = false;\n};", ["last_", "done_"]),
        ("a.cpp", "void f(int a, const found& b) { g(a, last); h(x{}, last); return a, last; } enum e { a, none };", []),
        ("a.cpp", "c(int a) : a_(a), b_(f(a, last)) {} for (int i = 0; i < n; i++, last = 1) ;", []),
        ("a.cpp", "if (a > last) b = a && found; c = d * one; struct kept { }; else last = 1; f(x, all); g::all;", []),
        ("a.cpp", "int call, allowed, one_node; R\"(int all;)\"; case none: x.all = y->all; using who = int;", []),
        ("a.cpp", "a = b == found; c = d ? one : other; int read(int); if (not found) throw made;", []),
        ("a.py", "int all;", []),
    ]
    return [(path, source, names) for path, source, expected in cases
            if (names := [name for _, _, name, _ in names_in(path, source)]) != expected]


if __name__ == "__main__":
    sys.exit(findings.main(findings.Check("tests/style/variable_names.py", "refused names", names_in), self_test))
