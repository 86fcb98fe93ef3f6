"""What the site has of the source tree besides docs/: CONTRIBUTING.md, SECURITY.md and CHANGELOG.md as pages; links to other files there become plain text.
Links that are called as a file are called by the title of its page."""
from __future__ import annotations

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT_PAGES = {"CONTRIBUTING.md": "project/contributing.md", "SECURITY.md": "project/security.md", "CHANGELOG.md": "project/changelog.md", "README.md": "index.md"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files, config):
    for name, page in ROOT_PAGES.items():
        if page == "index.md":
            continue
        files.append(File.generated(config, page, content=relinked((ROOT / name).read_text(), "", page)))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri in ROOT_PAGES.values() and page.file.src_uri != "index.md":
        return markdown
    markdown = re.sub(r"^\|.*$", unescaped, markdown, flags=re.MULTILINE)
    markdown = markdown.replace("<details>", '<details markdown="1">')  # what folds away is Markdown too
    return relinked(markdown, "docs/" + posixpath.dirname(page.file.src_uri), page.file.src_uri)


def unescaped(row: re.Match) -> str:
    """A row of a table whose code has no backslashes before `|`: this Markdown needs none there, and would show them."""
    return re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0])


def relinked(markdown: str, folder: str, page: str) -> str:
    """The text with links from `folder` of the source tree made links from `page` of the site."""
    def link(match: re.Match) -> str:
        text, target, fragment = match[1], match[2], match[3] or ""
        if re.match(r"[a-z]+:", target):
            return match[0]
        file = posixpath.normpath(posixpath.join(folder, target))
        if re.fullmatch(r"[\w/.-]+\.md", text) and (ROOT / file).exists():
            text = (ROOT / file).read_text().split("\n", 1)[0].lstrip("# ")
        if file in ROOT_PAGES:
            file, fragment = "docs/" + ROOT_PAGES[file], fragment if file != "README.md" else ""
        if not file.startswith("docs/"):
            return text
        return f"[{text}]({posixpath.relpath(file, posixpath.join('docs', posixpath.dirname(page)))}{fragment})"

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)
