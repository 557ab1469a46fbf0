"""The words that C has and C++ does not, or that mean something else there: reserved names, CUDA's own, spellings."""

from __future__ import annotations

import re
import struct
from collections.abc import Collection

from ompls.analysis.encoding import encoded
from ompls.translate.ctext import COMPLEX, TRUTH
from ompls.translate.rewrite import NO_CODE, Chunk

# Functions that CUDA declares in the global scope and C does not: the user's get another name.
CUDA_NAMES = frozenset(
    """min max umin umax llmin llmax ullmin ullmax norm rnorm norm3d norm4d rsqrt rsqrtf rcbrt rcbrtf sinpi cospi
    sincospi exp10 exp10f normcdf normcdfinv erfinv erfcinv erfcx clock clock64 mulhi saturate brev clz popc ffs
    trap any all ballot""".split()  # noqa: SIM905
)
_RENAMED = """alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t class compl concept const_cast
    constexpr decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public reinterpret_cast requires static_assert static_cast template
    this thread_local throw true try typeid typename using virtual xor xor_eq""".split()  # noqa: SIM905
# CUDA's own types: a user's type of that name gets another one.
_VECTORS = [
    f"{t}{n}"
    for t in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double")
    for n in "1234"
]
_BUILT_IN = (
    "dim3", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
    "div_t", "ldiv_t", "lldiv_t",  # without a tag, so ours would not be those of the headers that g++ reads
)  # fmt: skip
_SPELLED = {
    "_Bool": "bool", "restrict": "__restrict__", "__restrict": "__restrict__", "_Noreturn": "", "register": "",
    "_Static_assert": "static_assert", "_Alignof": "alignof", "_Alignas": "alignas", "__extension__": "",
    "__const": "const", "__inline": "inline", "__inline__": "inline", "_Thread_local": "thread_local",
    "__volatile__": "volatile", "__signed__": "signed", "typeof": "ompls_typeof",
    "__typeof__": "ompls_typeof", "__typeof": "ompls_typeof",
     "__auto_type": "auto",
}  # fmt: skip
# `true`, `false` and `bool` mean what C++ means by them, but where the unit declares them itself.
_WORDS = {w: f"{w}_" for w in [*_RENAMED, *_VECTORS, *_BUILT_IN] if w not in (*TRUTH, "static_assert")} | _SPELLED
_TOKEN = re.compile(
    NO_CODE
    + r"|\b(" + "|".join(sorted([*_WORDS, *TRUTH, "auto"], key=len, reverse=True)) + r")\b|"
    + COMPLEX.pattern
    + r"|\b(?P<hexadecimal>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][-+]?[0-9]+)(?P<suffix>[fF]?)\b",
    re.S,
)  # fmt: skip


def respell(chunks: list[Chunk], own: Collection[str] = ()) -> list[Chunk]:
    """The user's words that C++ reserves or spells differently; generated text has the user's names in it, too.

    own -- those of `bool`, `true` and `false` that the unit declares
    """
    out: list[Chunk] = []
    for c in chunks:
        if not c.verbatim:
            out.append(Chunk(respelled(c.text, own), c.source, False))
            continue
        at, source = 0, c.source
        for m in _TOKEN.finditer(c.text):
            if m.lastindex:  # in pieces, so that every byte keeps its offset
                before = c.text[at : m.start()]
                out.append(Chunk(before, source, True))
                source += len(encoded(before))
                out.append(Chunk(_spelling(m, "", own), source, False))  # `auto` is a storage class in C
                source += len(encoded(m.group()))
                at = m.end()
        out.append(Chunk(c.text[at:], source, True))
    return out


def respelled(text: str, own: Collection[str] = ()) -> str:
    """`respell` for text that has been generated: `auto` is C++'s there. It says `_Bool`: `bool` may be the user's."""
    return _TOKEN.sub(lambda m: _spelling(m, m.group(), own), text)


def _spelling(m: re.Match[str], otherwise: str, own: Collection[str]) -> str:
    """What a match of `_TOKEN` becomes."""
    if m.lastindex is None:
        return m.group()
    if m["hexadecimal"]:
        return _decimal(m["hexadecimal"], m["suffix"])
    if m.group(1) in TRUTH:
        return f"{m.group(1)}_" if m.group(1) in own else m.group(1)
    return _WORDS.get(m.group(1), otherwise) if m.group(1) else f"ompls_complex<{m.group(2) or m.group(3)}>"


def _decimal(digits: str, suffix: str) -> str:
    """A hexadecimal floating constant as a decimal one of the same value: C++ before 17 has no others."""
    try:
        value = float.fromhex(digits)
        if suffix:
            value = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return digits + suffix
    return f"{value!r}{suffix}"
