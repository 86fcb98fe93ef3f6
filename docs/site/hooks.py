"""What the site has of the source tree beside docs/: CONTRIBUTING.md, SECURITY.md and CHANGELOG.md as pages; links to other files there become plain text."""
from __future__ import annotations

import posixpath
import re

from mkdocs.structure.files import File

ROOT_PAGES = {"CONTRIBUTING.md": "project/contributing.md", "SECURITY.md": "project/security.md", "CHANGELOG.md": "project/changelog.md", "README.md": "index.md"}
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files, config):
    root = posixpath.dirname(config.config_file_path)
    for name, page in ROOT_PAGES.items():
        if page == "index.md":
            continue
        with open(posixpath.join(root, name), encoding="utf-8") as file:
            files.append(File.generated(config, page, content=relinked(file.read(), "", page)))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri in ROOT_PAGES.values() and page.file.src_uri != "index.md":
        return markdown
    markdown = markdown.replace("<details>", '<details markdown="1">')  # what folds away is Markdown too
    return relinked(markdown, "docs/" + posixpath.dirname(page.file.src_uri), page.file.src_uri)


def relinked(markdown: str, folder: str, page: str) -> str:
    """The text with links from `folder` of the source tree made links from `page` of the site."""
    def link(match: re.Match) -> str:
        text, target, fragment = match[1], match[2], match[3] or ""
        if re.match(r"[a-z]+:", target):
            return match[0]
        file = posixpath.normpath(posixpath.join(folder, target))
        if file in ROOT_PAGES:
            file, fragment = "docs/" + ROOT_PAGES[file], fragment if file != "README.md" else ""
        if not file.startswith("docs/"):
            return text
        return f"[{text}]({posixpath.relpath(file, posixpath.join('docs', posixpath.dirname(page)))}{fragment})"

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)
