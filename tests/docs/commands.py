#!/usr/bin/env python3
"""The commands of pages print what the pages show.

  commands.py PAGE... [--path FOLDER...] [--files FILE...] [--install BUILD] [--cmake CMAKE] [--needs MODULE...]

All pages share one new folder, which is HOME too. A block with a title is written there as the file of that name. Of a block of
```console each line that begins with `$ ` is run by bash, and what follows is what it prints: `...` stands for any text, and how many
spaces there are does not count. --files are copied there first, --path is where programs are, --install puts a build into inlay/.
Without a --needs of Python it exits with 77.
"""
from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r'^```(\w+)(?: title="([\w./-]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def commands_of(block: str) -> list[tuple[str, str]]:
    """Each command with the text that it has to print; a command goes on where its line ends with a backslash."""
    commands: list[tuple[str, str]] = []
    continued = False
    for line in block.splitlines(keepends=True):
        if continued or line.startswith("$ "):
            before = commands.pop()[0] if continued else ""
            commands.append((before + line.removeprefix("$ "), ""))
            continued = line.rstrip("\n").endswith("\\")
        elif not commands:
            raise SystemExit(f"a block of commands begins with output: {line}")
        else:
            commands[-1] = (commands[-1][0], commands[-1][1] + line)
    return commands


def agrees(expected: str, printed: str) -> bool:
    words = [re.escape(part) for part in " ".join(expected.split()).split("...")]
    pattern = ".*".join(word.replace("\\ ", " ") for word in words)
    return re.fullmatch(pattern.strip(), " ".join(printed.split()), re.DOTALL) is not None


def run_page(page: pathlib.Path, work: pathlib.Path, environment: dict[str, str]) -> int:
    count = 0
    for language, title, body in BLOCK.findall(page.read_text()):
        if title:
            (work / title).write_text(body)
        if language != "console":
            continue
        for command, expected in commands_of(body):
            process = subprocess.run(["bash", "-c", command], cwd=work, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            count += 1
            if not agrees(expected, process.stdout):
                print(f"{page}: $ {command.strip()}\nexpected:\n{expected}\nprinted:\n{process.stdout}")
                raise SystemExit(1)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--path", nargs="*", default=[])
    parser.add_argument("--files", nargs="*", default=[], type=pathlib.Path)
    parser.add_argument("--install", type=pathlib.Path)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--needs", nargs="*", default=[])
    args = parser.parse_args()
    if missing := [module for module in args.needs if not importlib.util.find_spec(module)]:
        print(f"skipped: Python has no {', '.join(missing)}; scripts/setup --python installs it")
        raise SystemExit(77)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for file in args.files:
            shutil.copy(file, work)
        if args.install:
            subprocess.run([args.cmake, "--install", args.install, "--prefix", work / "inlay"], check=True, stdout=subprocess.DEVNULL)
        path = [str(work / "inlay/bin"), *args.path, str(pathlib.Path(sys.executable).parent), str(pathlib.Path(args.cmake).parent), os.environ["PATH"]]
        cache = os.environ.get("INLAY_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "inlay")
        environment = {**os.environ, "HOME": folder, "INLAY_CACHE": cache, "PATH": ":".join(path), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        count = sum(run_page(page, work, environment) for page in args.pages)
    if not count:
        raise SystemExit("the pages have no command")
    print(f"{count} commands print what {len(args.pages)} pages show")


if __name__ == "__main__":
    main()
