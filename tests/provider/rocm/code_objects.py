#!/usr/bin/env python3
"""Checks the code for devices in objects that clang made of HIP sources: code_objects.py ARCHITECTURE SOURCE... OBJECT...

The section .hip_fatbin of an object is a bundle of code objects, one for the host, which is empty, and one for each
architecture. The one for ARCHITECTURE must be an ELF file for AMD's GPUs, have a kernel (a symbol NAME.kd with its
function NAME) for each stub that the host's part launches, and at least one, whose name that part has as a text.
Nothing undefined may be left in it. Each body of a kernel in SOURCE (.cu, .cuh) has a kernel in some object: a struct
whose function for the device takes the number of an element, row or block, and gives nothing back.
"""
from __future__ import annotations

import pathlib
import re
import struct
import sys

EM_AMDGPU = 224
MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
STRUCT = re.compile(r"^(?:template <[^\n]*> )?struct (\w+)[^\n]* \{(.*?)^\};", re.DOTALL | re.MULTILINE)
FOR_EACH = re.compile(r"INLAY_ON_DEVICE void (?:operator\(\)|finish)\((?:std::int64_t|int phase)")


class elf:
    """A 64-bit little-endian ELF file: its sections, and the symbols of its tables."""

    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self.data = data
        self.machine = struct.unpack_from("<H", data, 18)[0]
        at, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count)]
        self.sections = {self.text(self.headers[names][4] + h[0]): self.bytes_of(h) for h in self.headers}

    def bytes_of(self, header: tuple[int, ...]) -> bytes:
        return self.data[header[4]:header[4] + header[5]]

    def text(self, at: int) -> str:
        return self.data[at:self.data.index(b"\0", at)].decode()

    def symbols(self) -> dict[str, int]:
        """Names of all symbols, with the index of the section that each is in: 0 if it is undefined."""
        found = {}
        for h in self.headers:
            if h[1] not in (2, 11):  # SHT_SYMTAB, SHT_DYNSYM
                continue
            strings = self.headers[h[6]][4]
            for at in range(h[4], h[4] + h[5], 24):
                name, section = struct.unpack_from("<I2xH", self.data, at)
                if name:
                    found[self.text(strings + name)] = section
        return found


def code_objects(bundle: bytes) -> dict[str, bytes]:
    """The entries of a bundle by their targets."""
    if not bundle.startswith(MAGIC):
        raise ValueError("no bundle in .hip_fatbin")
    entries, at = {}, len(MAGIC)
    count, = struct.unpack_from("<Q", bundle, at)
    at += 8
    for _ in range(count):
        offset, size, length = struct.unpack_from("<QQQ", bundle, at)
        at += 24
        entries[bundle[at:at + length].decode()] = bundle[offset:offset + size]
        at += length
    return entries


def kernels_of(path: pathlib.Path, architecture: str) -> set[str]:
    """The kernels for the architecture; raises where something is wrong with them."""
    host = elf(path.read_bytes())
    found = [code for target, code in code_objects(host.sections[".hip_fatbin"]).items()
             if target.startswith("hip") and target.endswith(f"--{architecture}")]
    if len(found) != 1:
        raise ValueError(f"{len(found)} code objects for {architecture}")
    device = elf(found[0])
    if device.machine != EM_AMDGPU:
        raise ValueError(f"machine {device.machine}, not AMD's")
    symbols = device.symbols()
    if undefined := [name for name, section in symbols.items() if section == 0]:
        raise ValueError(f"undefined: {undefined}")
    kernels = {name[:-3] for name in symbols if name.endswith(".kd")}
    texts = b"".join(host.sections.values())  # the host names them as texts, which end with 0
    if strange := [name for name in kernels if name not in symbols or b"\0" + name.encode() + b"\0" not in texts]:
        raise ValueError(f"kernels without a function, or not registered with the library: {strange}")
    # The host has a stub for each kernel, which is what it launches, and a variable that stands for it.
    on_host = host.symbols()
    if missing := [name for name in kernels if on_host.get(name, 0) == 0]:
        raise ValueError(f"kernels that the host does not have: {missing}")
    stubs = {name for name in on_host if "__device_stub__" in name}
    if len(stubs) != len(kernels) or not kernels:
        raise ValueError(f"{len(kernels)} kernels for {len(stubs)} stubs")
    return kernels


def bodies_of(path: pathlib.Path) -> set[str]:
    return {name for name, text in STRUCT.findall(path.read_text(encoding="utf-8")) if FOR_EACH.search(text)}


def main() -> int:
    architecture, files = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    objects = [path for path in files if path.suffix == ".o"]
    bodies = set().union(*(bodies_of(path) for path in files if path.suffix != ".o"))
    every, failed = set(), False
    for path in objects:
        try:
            kernels = kernels_of(path, architecture)
        except (OSError, ValueError, KeyError) as why:
            print(f"{path.name}: {why!r}")
            failed = True
            continue
        every |= kernels
        print(f"{path.name}: {len(kernels)} kernels")
    if missing := sorted(body for body in bodies if not any(f"{len(body)}{body}" in name for name in every)):
        print(f"without a kernel: {missing}")
        failed = True
    print(f"{len(every)} kernels for {architecture} of {len(bodies)} bodies in {len(objects)} objects")
    return 1 if failed or not bodies else 0


if __name__ == "__main__":
    sys.exit(main())
