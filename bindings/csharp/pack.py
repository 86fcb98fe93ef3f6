#!/usr/bin/env python3
"""Writes a package of NuGet: pack.py --version V --output FILE.nupkg PLACE=FILE...

PLACE is where a file lies in the package: its path there, or a folder if it has no suffix. The same files give the same
bytes: entries are sorted and carry no time.
"""
from __future__ import annotations

import argparse
import pathlib
import zipfile

NUSPEC = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>Inlay.ML</id>
    <version>{version}</version>
    <authors>The authors of Inlay</authors>
    <license type="expression">Apache-2.0</license>
    <description>Runs ONNX models by the interface of Microsoft.ML.OnnxRuntime, over an ordered list of execution providers.</description>
    <readme>README.md</readme>
    <tags>onnx inference machine-learning</tags>
    <dependencies>
      <group targetFramework=".NETFramework4.7.2" />
    </dependencies>
  </metadata>
</package>
"""
RELATIONS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Inlay.ML.nuspec" Id="R1" />
</Relationships>
"""


def content_types(places: list[str]) -> str:
    """The list of types that OPC, the format of such packages, requires."""
    suffixes = sorted({"rels", "nuspec", *(pathlib.PurePosixPath(place).suffix[1:] for place in places)} - {""})
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">']
    for suffix in suffixes:
        kind = "application/vnd.openxmlformats-package.relationships+xml" if suffix == "rels" else "application/octet-stream"
        lines.append(f'  <Default Extension="{suffix}" ContentType="{kind}" />')
    for place in places:
        if not pathlib.PurePosixPath(place).suffix:
            lines.append(f'  <Override PartName="/{place}" ContentType="application/octet-stream" />')
    return "\n".join([*lines, "</Types>\n"])


def place_of(word: str) -> tuple[str, bytes]:
    place, _, file = word.partition("=")
    source = pathlib.Path(file)
    is_folder = not pathlib.PurePosixPath(place).suffix and pathlib.PurePosixPath(place).name != source.name
    return (f"{place}/{source.name}" if is_folder else place), source.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    entries = dict(place_of(word) for word in options.files)
    texts = {"[Content_Types].xml": content_types(sorted(entries)), "_rels/.rels": RELATIONS, "Inlay.ML.nuspec": NUSPEC.format(version=options.version)}
    entries |= {name: text.encode() for name, text in texts.items()}
    with zipfile.ZipFile(options.output, "w", zipfile.ZIP_DEFLATED) as package:
        for name in sorted(entries):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            package.writestr(entry, entries[name])


if __name__ == "__main__":
    main()
