"""What a program holds as bytes: the images for core/linked.c, and for core/stub.c the program that it starts.

It is text for the assembler, which takes a small part of a C compiler's time, and the same for all machines.
"""

from __future__ import annotations

import os
import string
from pathlib import Path
from typing import List, Sequence, Tuple

from .devices import Device
from .toolchain import Compile, Toolchain

_PLAIN = frozenset(string.ascii_letters + string.digits + "/._-,")
_SECTION = '.section .rodata.{},"a"\n.balign 64\n.globl {}\n.hidden {}\n{}:\n'
_END = '.section .note.GNU-stack,"",%progbits\n'  # else the program would have a stack that can be executed


def image_object(tools: Toolchain, images: Sequence[Tuple[str, Path]], devices: Sequence[Device] = ()) -> Path:
    """One object with the images, each by its class, and the names of the program's devices in their order."""
    table = ".8byte devices - ompls_linked, {}\n".format(len(images))
    content = "devices: .asciz {}\n".format(_quoted(",".join(device.name for device in devices)))
    for number, (image_class, path) in enumerate(images):
        told = ".8byte class_{0} - ompls_linked, image_{0} - ompls_linked, end_{0} - image_{0}\n"
        bytes_of_it = "class_{0}: .asciz {1}\n.balign 64\nimage_{0}: .incbin {2}\nend_{0}: .byte 0\n"
        table += told.format(number)
        content += bytes_of_it.format(number, _quoted(image_class), _quoted(path))
    return _assembled(tools, "images", _named("ompls_linked") + table + content, [path for _, path in images])


def stub_object(tools: Toolchain, strings: Sequence[Tuple[str, Sequence[str]]], program: Path) -> Path:
    """One object with strings for the stub, several under each name, and with the program."""
    text = ""
    for name, values in strings:
        text += _named(name) + "".join(".asciz {}\n".format(_quoted(value)) for value in values)
    text += _named("ompls_stub_program") + ".incbin {}\n".format(_quoted(program))
    text += ".globl ompls_stub_program_end\n.hidden ompls_stub_program_end\nompls_stub_program_end: .byte 0\n"
    return _assembled(tools, "stub_data", text, [program])


def _named(name: str) -> str:
    return _SECTION.format(*[name] * 4)


def _quoted(text: os.PathLike[str] | str) -> str:
    """A string of the assembler, whatever bytes it has."""
    return '"' + "".join(chr(b) if chr(b) in _PLAIN else "\\{:03o}".format(b) for b in os.fsencode(text)) + '"'


def _assembled(tools: Toolchain, name: str, text: str, inside: List[Path]) -> Path:
    source = tools.scratch / (name + ".s")
    source.write_text(text + _END, encoding="ascii")
    return tools.object(Compile(source, depends=tuple(inside)))
