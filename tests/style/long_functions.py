#!/usr/bin/env python3
"""Lists the functions of more than 60 lines: long_functions.py FILE...; exits with 1 if there is one.

Braces show what a function is: the outermost block that is no namespace, class or enumeration and whose words before it
hold a parenthesis or a lambda's bracket. Lambdas within functions count as lines of the function that holds them.
--self-test checks that on the sources below.
"""
from __future__ import annotations

import pathlib
import re
import sys

LIMIT = 60
# Raw strings, comments, strings, characters (no separators of digits), and lines of the preprocessor that go on.
NO_CODE = re.compile(
    r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)(?:u8?|U|L)?\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
SCOPE = re.compile(r"^\s*(export\s+)?(inline\s+)?(namespace\b|extern\s*$|(typedef\s+)?(struct|class|union|enum)\b)")
FUNCTION = re.compile(r"\((?!.*=\s*$)|=\s*\[", re.DOTALL)  # not a variable that takes its values from the block
TEMPLATE = re.compile(r"\s*template\s*(?=<)")


def without_templates(words: str) -> str:
    """The words of a declaration after its template <...>, which may hold `class`."""
    while begin := TEMPLATE.match(words):
        at, depth = begin.end(), 0
        while at < len(words):
            depth += {"<": 1, ">": -1}.get(words[at], 0)
            at += 1
            if depth == 0:
                break
        words = words[at:]
    return words


def functions(text: str) -> list[tuple[int, int]]:
    """(first line from 0, number of lines) of each function that is not inside another one."""
    code = NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    blocks, begin, depth, parentheses, is_function = [], 0, 0, 0, False  # depth: braces within the block
    for at, sign in enumerate(code):
        if depth:
            depth += {"{": 1, "}": -1}.get(sign, 0)
            follower = code[at + 1 : at + 200].lstrip()[:1]
            if depth == 0 and parentheses == 0 and (not follower or follower not in "{,="):  # else a member's first value
                first = begin + len(code[begin:at]) - len(code[begin:at].lstrip())
                lines = code.count("\n", first, at) + 1
                blocks += [(code.count("\n", 0, first), lines)] if is_function else []
                begin = at + 1
        elif sign in "()":
            parentheses += 1 if sign == "(" else -1
        elif sign == "{":
            words = without_templates(code[begin:at])
            is_function = bool(FUNCTION.search(words))
            if parentheses == 0 and SCOPE.match(words):
                begin = at + 1
            else:
                depth = 1
        elif sign in ";}" and parentheses == 0 or code.startswith("public:", at - 6) or code.startswith("private:", at - 7):
            begin = at + 1
    return blocks


def self_test() -> int:
    """Sources with the lines of their functions."""
    body = " {\n" + "    f({1});\n" * 3 + "}\n"  # five lines
    cases = {
        "void f(int x)" + body: [5],
        'extern "C" int f()' + body: [5],
        'extern "C" {\nint f()' + body + "}\n": [5],
        "namespace a::b {\ninline namespace v1 {\nstruct alignas(64) s : t<1> {\n  private:\n    s()\n        : a{1}, b(2)" + body
        + "    int x = 1;\n};\n}\n}\n": [6],
        "template <class T>\n    requires number<T>\nauto f(T x) -> T" + body: [7],
        "constexpr auto f = []" + body.rstrip() + ";\n": [5],
        "const int table[] = {\n1,\n2};\nint x{3};\nclass y z;\n": [],
        'const char* text = R"(\nvoid f() {\n)";  // }\nvoid f()' + body: [5],
        "#define M(x) \\\n    {\nchar c = '{', d = '\\'';  // {\nint n = 1'000'000;\nvoid f(a x = {})" + body: [5],
        "TEST_CASE(\"a {\", \"[b]\")" + body + "static void g()" + body: [5, 5],
    }
    wrong = 0
    for source, expected in cases.items():
        lines = [count for _, count in functions(source)]
        if lines != expected:
            print(f"{lines} instead of {expected}:\n{source}")
            wrong += 1
    return int(wrong > 0)


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    long = 0
    for name in sys.argv[1:]:
        text = pathlib.Path(name).read_text()
        for first, count in functions(text):
            if count > LIMIT:
                print(f"{name}:{first + 1}: {count} lines: {text.splitlines()[first].strip()[:80]}")
                long += 1
    return int(long > 0)


if __name__ == "__main__":
    sys.exit(main())
