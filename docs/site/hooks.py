"""What the site has of the source tree besides docs/: CONTRIBUTING.md, SECURITY.md, CHANGELOG.md and the code of conduct as pages; links to other files there become plain text.
Links that are called as a file are called by the title of its page. Pictures follow the colours that the reader chose for the site."""
from __future__ import annotations

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT_PAGES = {"CONTRIBUTING.md": "project/contributing.md", "SECURITY.md": "project/security.md", "CHANGELOG.md": "project/changelog.md", ".github/CODE_OF_CONDUCT.md": "project/conduct.md", "README.md": "index.md"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*</picture>')
FIGURES = re.compile(r"(?<![\w/.\[-])\(?[\d.]+(?:e?-[\d.]+)+\)?(?![\w/.\]-])")  # a date, a band, a power of ten
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files, config):
    for name, page in ROOT_PAGES.items():
        if page == "index.md":
            continue
        files.append(File.generated(config, page, content=relinked((ROOT / name).read_text(), posixpath.dirname(name), page)))
    return files


def on_page_markdown(markdown, page, config, files):
    markdown = re.sub(r"^\|.*$", with_whole_figures, markdown, flags=re.MULTILINE)
    if page.file.src_uri in ROOT_PAGES.values() and page.file.src_uri != "index.md":
        return re.sub(r"^## \[([^\]]+)\]", r"## \1", markdown, flags=re.MULTILINE)  # versions, whose brackets would stay
    markdown = re.sub(r"^\|.*$", unescaped, markdown, flags=re.MULTILINE)
    markdown = PICTURE.sub(r'<img alt="\2" src="\3#only-light"><img alt="\2" src="\1#only-dark">', markdown)
    markdown = markdown.replace("<details>", '<details markdown="1">')  # what folds away is Markdown too
    return relinked(markdown, "docs/" + posixpath.dirname(page.file.src_uri), page.file.src_uri)


def on_page_content(html, page, config, files):
    return re.sub(r"<code>(-[^<\s]{1,30})</code>", r'<code class="option">\1</code>', html)


def with_whole_figures(row: re.Match) -> str:
    """A row of a table whose dates and bands stay on one line."""
    parts = re.split(r"(`[^`]*`|\]\([^)]*\))", row[0])
    return "".join(part if k % 2 else FIGURES.sub(r'<span class="figures">\g<0></span>', part) for k, part in enumerate(parts))


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
