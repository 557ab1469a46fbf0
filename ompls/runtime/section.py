"""A unit's bundle inside of its object file: packed into a section that is not loaded.

The linker puts the sections of the objects that it really links one after the other, so that a program (also what
`ld -r` makes of objects, and a shared library) holds the bundles of its units and of no others.  Each is a block

    8 bytes   MAGIC
    8 bytes   length of the payload, little-endian
    32 bytes  its SHA-256
    payload   zlib-compressed JSON {path in the bundle: text as latin-1}, then zeros up to a multiple of 8
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from pathlib import Path
from typing import Dict, List, Mapping

from .errors import BundleError
from .toolchain import Toolchain

SECTION = ".ompls.bundle"
MAGIC = b"OMPLSB1\0"
_HEAD = struct.Struct("<8sQ32s")
# By class and byte order, of a file: where the section table is, where its sizes are, and the layout of an entry, whose
# fields stand in the same order.
_ELF = {b"\1\1": ("<I", 32, 46, "<10I"), b"\2\1": ("<Q", 40, 58, "<IIQQQQIIQQ")}


def pack(files: Mapping[str, bytes]) -> bytes:
    """One block of the section for the files of a bundle."""
    text = json.dumps({path: data.decode("latin-1") for path, data in sorted(files.items())})
    payload = zlib.compress(text.encode(), 6)
    block = _HEAD.pack(MAGIC, len(payload), hashlib.sha256(payload).digest()) + payload
    return block + b"\0" * (-len(block) % 8)


def unpack(data: bytes, where: str) -> List[Dict[str, bytes]]:
    """The bundles of a section, in order; each only once.  Raises BundleError when it is damaged; `where` names it."""
    found: Dict[bytes, Dict[str, bytes]] = {}
    at = 0
    while at < len(data):
        if data[at : at + 1] == b"\0":  # the linker's alignment
            at += 1
            continue
        if len(data) - at < _HEAD.size or data[at : at + 8] != MAGIC:
            raise BundleError(where, "its section {} is damaged".format(SECTION), "compile again")
        _, length, digest = _HEAD.unpack_from(data, at)
        payload = data[at + _HEAD.size : at + _HEAD.size + length]
        if hashlib.sha256(payload).digest() != digest:
            raise BundleError(where, "its section {} is damaged".format(SECTION), "compile again")
        texts = json.loads(zlib.decompress(payload).decode())
        found.setdefault(digest, {path: text.encode("latin-1") for path, text in texts.items()})
        at += _HEAD.size + length
    return list(found.values())


def embed(tools: Toolchain, files: Mapping[str, bytes], compiled: Path) -> None:
    """Put a bundle into an object file, if its own code has not (`as_c`)."""
    if bundles_in(compiled):
        return
    block = tools.scratch / "bundle.section"
    block.write_bytes(pack(files))
    flags = "{}=contents,readonly".format(SECTION)
    add = "{}={}".format(SECTION, block)
    objcopy = tools.machine.tool("objcopy")
    tools.run([objcopy, "--add-section", add, "--set-section-flags", flags, str(compiled)], "embedding the bundle")


def as_c(files: Mapping[str, bytes]) -> str:
    """C text that makes the section, for LTO and assembler text: objects are made of that later, and of nothing else.

    It stands in a function, as gcc gives assembler text outside of functions to its own offload compilers only.
    """
    block = pack(files)
    values = ",".join(map(str, struct.unpack("<{}Q".format(len(block) // 8), block)))
    directives = '.pushsection {},\\"\\"\\n.8byte {}\\n.popsection'.format(SECTION, values)
    function = "__attribute__((used, noinline, noclone)) static void ompls_bundle_section(void)"
    quiet = '#pragma GCC diagnostic ignored "-Woverlength-strings"'
    return '\n{}\n{} {{ __asm__ volatile("{}"); }}\n'.format(quiet, function, directives)


def bundles_in(linked: Path) -> List[Dict[str, bytes]]:
    """The bundles in an object file, a program or a shared library; [] for one without."""
    return unpack(section_of(linked.read_bytes()), str(linked))


def section_of(data: bytes) -> bytes:
    """The section's content in a little-endian ELF file (System V ABI, chapter 4); empty when there is none."""
    if data[:4] != b"\x7fELF" or data[4:6] not in _ELF or len(data) < 64:
        return b""
    offset_format, offset_at, sizes_at, section = _ELF[data[4:6]]
    (offset,) = struct.unpack_from(offset_format, data, offset_at)
    size, count, names_at = struct.unpack_from("<HHH", data, sizes_at)
    if not offset or offset + size * max(count, 1) > len(data):
        return b""
    first = struct.unpack_from(section, data, offset)
    count = count or first[5]  # more sections than fit the header
    names_at = first[6] if names_at == 0xFFFF else names_at
    sections = [struct.unpack_from(section, data, offset + i * size) for i in range(count)]
    names = sections[names_at][4]
    wanted = SECTION.encode() + b"\0"
    found = [s for s in sections if data[names + s[0] : names + s[0] + len(wanted)] == wanted]
    return b"".join(data[s[4] : s[4] + s[5]] for s in found)
