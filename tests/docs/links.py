#!/usr/bin/env python3
"""Every link of a Markdown file of the source tree, and every picture in it, leads to a file that is there, and to a heading of it.

  links.py ROOT
"""
from __future__ import annotations

import pathlib
import re
import subprocess
import sys

LINK = re.compile(r'\]\(([^)\s#]*)(?:#([^)\s]*))?\)|(?:src|srcset)="([^"]*)"')


def prose(text: str) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: pathlib.Path) -> set[str]:
    """Of the headings, as GitHub and mkdocs make them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True, check=False)
    pages = [root / name for name in listed.stdout.splitlines() if (root / name).exists()] or [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    count, wrong = 0, []
    for page in pages:
        for target, anchor, picture in LINK.findall(prose(page.read_text())):
            target = target or picture
            if re.match(r"[a-z]+:", target):
                continue
            file = page.parent / target if target else page
            count += 1
            if not file.exists():
                wrong.append(f"{page.relative_to(root)}: there is no {target}")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                wrong.append(f"{page.relative_to(root)}: {target} has no heading #{anchor}")
    print(*wrong, f"{count} links of {len(pages)} files", sep="\n")
    return int(bool(wrong) or count < 100)


if __name__ == "__main__":
    sys.exit(main())
