#!/usr/bin/env python3
"""Refuses names of variables that are no nouns: variable_names.py [--self-test].

NAMES are pronouns, participles and adverbs, which do not say what a variable is. They are looked for where C and C++
declare variables, fields (`made_` too), parameters and structured bindings, also after a comma: `float a, all;`, with a
value in parentheses: `tensor none(2);`, and where a lambda's capture has a value. --self-test checks the rules on the
sources below. Runs from the source tree; prints the places and exits with 1 if there is one.
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
# A value in parentheses. Where a parenthesis is empty or has a parameter, it is a function's: a type and a name, a type
# and a default, a built-in type, or a reference or pointer without a name. `const`, `{` and the like go on after those.
VALUE = re.compile(rf"{TYPE}{NAME}(?=\()")
VALUE_END = re.compile(r"\s*[;,]")
BUILT_IN = r"void|bool|char|short|int|long|float|double|signed|unsigned|auto|(?:std::)?\w+_t"
PARAMETER = re.compile(rf"{TYPE}(?!(?:{NO_TYPES})\b)[A-Za-z_]\w*\s*(?:=(?!=)|[,\[]|$)|(?:^|,)\s*[\w:]+\s*=(?!=)"
                       rf"|(?:^|,)\s*(?:const\s+)?(?:{BUILT_IN})\s*(?:,|$)|[\w>][&*]+\s*(?:,|$)|\.\.\.")
INTRODUCER = re.compile(r"(?<![\w)\]\[])\[(?!\[)")  # of a lambda: an index stands next to what it is of
CAPTURE = re.compile(rf"(?:^|,)\s*&?(?:\.\.\.)?{NAME}\s*(?:=(?!=)|[({{])")
BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
BINDING = re.compile(r"\bauto\s*(?:const\s*)?&{0,2}\s*\[([^\]]*)\]\s*[=:{(]")
SUFFIXES = (".c", ".cpp", ".cu", ".cuh", ".h", ".hpp")


def without_texts(source: str) -> str:
    """Blank lines for comments, and empty literals."""
    return C.sub(lambda m: (" " if m[0][0] == "/" else '""') + "\n" * m[0].count("\n"), source)


def contents(code: str, at: int) -> str:
    """What the bracket there holds, up to its end; of those within it, the signs that open and end them."""
    signs, depth = [], 0
    for at in range(at, len(code)):
        step = BRACKETS.get(code[at], 0)
        depth += step
        if depth == 0:
            break
        signs.append(code[at] if depth == 1 or depth == 2 and step == 1 else " ")
    return "".join(signs[1:])


def has_value(code: str, at: int) -> bool:
    """Whether the parenthesis there holds the first value of a variable, not a function's parameters."""
    values = contents(code, at)
    ends = VALUE_END.match(code, at + len(values) + 2)
    return bool(ends and values.strip() and not PARAMETER.search(values))


def commas(code: str, at: int) -> list[int]:
    """Those between the declarators of a statement, from its first name on: not within brackets of a first value."""
    places, depth = [], 0
    for at in range(at, len(code)):
        depth += BRACKETS.get(code[at], 0)
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
    names += [(m.start(1), m[1]) for m in VALUE.finditer(code) if has_value(code, m.end())]
    names += [(m.end() + capture.start(1), capture[1])
              for m in INTRODUCER.finditer(code) for capture in CAPTURE.finditer(contents(code, m.start()))]
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
        ("a.cpp", "tensor none(element::f32, {1}); const current here(&g); std::vector<int> made(n, 0), b; T* one(p);",
         ["none", "here", "made", "one"]),
        ("a.cpp", "spoiled one([&](int run) -> std::optional<int> { return {}; }, 0); text kept(\"x\"), all_(5, ' ');",
         ["one", "kept", "all_"]),
        ("a.cu", "for (T last(f(int(n))); last; ) ; T what(a.b<int, 3>(c) * d), who(size<int>); T own(x ? y : *z);",
         ["last", "what", "who", "own"]),
        ("a.cpp", "static error refused(std::size_t bytes, int device); text why(ov_status_e) const; int made();", []),
        ("a.cpp", "heads found(int v, int n) { } int made(const op& y, kind = kind::a); T one(kind = kind::a);", []),
        ("a.cpp", "T* last(const T&, std::size_t); T some(std::list<int> a, int n[2]); T made(bool); U one(T&&);", []),
        ("a.cpp", "bool known(x) noexcept; bool held(x) override; int all(kind, ...);", []),
        ("a.cpp", "return read(x); else read(x); a = b * read(x); throw refused(x, y); f(a, read(x));", []),
        ("a.cpp", "f([last = d.x == 1](int a) { }); g([&m, read = list<int>()] { }, [all = *this] { }, [&one{b}] { });",
         ["last", "read", "all", "one"]),
        ("a.cpp", "[this,\n a = [who(f(2))] { },\n ...some = b, last_ = 2] { };", ["who", "some", "last_"]),
        ("a.cpp", "[all, &made, this, x = f(read, all = 2), y = made(1)] { }; a[last = 2] = b()[last = 3];", []),
        ("a.cpp", "[[made(\"x\")]] int n; [a == b, last == 2];", []),
        ("a.py", "int all;", []),
    ]
    return [(path, source, names) for path, source, expected in cases
            if (names := [name for _, _, name, _ in names_in(path, source)]) != expected]


if __name__ == "__main__":
    sys.exit(findings.main(findings.Check("tests/style/variable_names.py", "refused names", names_in), self_test))
