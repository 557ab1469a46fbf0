"""What a core's library for `double` takes, for estimates: this machine has instructions where a core has calls.

A core computes with 32 bits; GCC has functions for 64 (libgcc's fp-bit.c). The linker brings those that a kernel needs.
"""

from __future__ import annotations

import re
from typing import Dict

# Bytes on a core, as they were for all of them (5.5 KiB), shared out as this machine's gcc makes that file for 32 bits.
_ALWAYS = 1270  # taking numbers apart, and putting them together
_OPERATIONS: Dict[bytes, int] = {
    rb"\xf2\x0f[\x58\x5c]": 1170,  # + -
    rb"\xf2\x0f\x59": 1030,  # *
    rb"\xf2\x0f\x5e": 630,  # /
    rb"\x66\x0f[\x2e\x2f]|\xf2\x0f[\x5d\x5f]": 330,  # comparisons
    rb"\xf2\x0f\x2a": 160,  # from int
    rb"\xf2\x0f[\x2c\x2d]": 160,  # to int
    rb"\xf2\x0f\x5a": 440,  # to float
    rb"\xf3\x0f\x5a": 300,  # from float
}
_ROOT = rb"\xf2\x0f\x51"
_ALL = _ALWAYS + sum(_OPERATIONS.values())


def bytes_for_double(code: bytes, calls_library: bool) -> int:
    """For code of this machine, by its instructions.

    calls_library -- functions of the mathematical library, which use all of it
    """
    if calls_library or re.search(_ROOT, code):
        return _ALL
    found = sum(taken for what, taken in _OPERATIONS.items() if re.search(what, code, re.DOTALL))
    return found and found + _ALWAYS
