"""Loops of compiled kernels that would hang a warp of a GPU before sm_70: they take a lock and do not release it.

Before sm_70 the lanes of a warp that leave a loop wait at its end (SSY and SYNC in machine code) for the lanes that are
still in it.  A lane that leaves a loop with a lock for which others go on looping waits for ever.  The source has the
release in the loop, but an optimizer may move it behind the loop, so what comes out of the compilers is searched: PTX,
and machine code as nvdisasm prints it (blocks.py).  Only text is read here; the tests make it.

What is searched for, function by function:

* A *loop* is a natural loop of one back edge: the blocks from which the edge is reached without its target.  Two back
  edges to one block are two loops, since lanes may go round one of them only.
* A *taking* is a compare-and-swap whose expected value does not change in the loop (0: the lock is free).  An update of
  a number expects what it has read last; it waits for nobody: one lane's swap fails only when another's has succeeded.
* A *release* is an exchange, or a call of a function with one.

A loop with a taking and without a release is reported.  That the release is of the same lock is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from blocks import Block, Instruction, Loop, functions, loops

_TAKES = re.compile(r"atom\.(?:\w+\.)*cas\.|ATOM[SG]?\.(?:\w+\.)*CAS\b")
_RELEASES = re.compile(r"atom\.(?:\w+\.)*exch\.|ATOM[SG]?\.(?:\w+\.)*EXCH\b")
_CALLS = re.compile(r"call\b|CAL\b|CALL\b|JCAL\b")
_MOVES = re.compile(r"mov\.|MOV\b|MOV32I\b|IMAD\.MOV\b|CS2R\b")
_CONSTANT = re.compile(r"-?(?:0[xX])?[0-9a-fA-F]+$|RZ\b|SRZ\b|PT\b|!PT\b|c\[")


@dataclass(frozen=True)
class Taking:
    """A loop that takes a lock."""

    function: str
    label: str  # where it begins
    instruction: str
    releases: bool

    def __str__(self) -> str:
        what = "releases it" if self.releases else "is left with it"
        return f"{self.function}: the loop at {self.label} takes a lock ({self.instruction}) and {what}"


def takings(listing: str) -> list[Taking]:
    """The loops that take a lock in a listing: PTX text, or what `nvdisasm -c` prints."""
    found = functions(listing)
    releasing = {name for name, blocks in found.items() if any(_releases(i, set()) for b in blocks for i in b.code)}
    return [t for name, blocks in found.items() for t in _takings(name, blocks, releasing)]


def swaps(listing: str) -> bool:
    """Whether a listing has a compare-and-swap at all."""
    return _TAKES.search(listing) is not None


def _takings(function: str, blocks: list[Block], releasing: set[str]) -> Iterator[Taking]:
    if not any(_TAKES.match(i.opcode) for b in blocks for i in b.code):
        return
    for loop in loops(blocks):
        for k in loop.before:
            for place, i in enumerate(loop.blocks[k].code):
                if _TAKES.match(i.opcode) and not _varies(loop, k, place, _expected(i), set()):
                    yield Taking(function, loop.start.label, i.text, any(_releases(i, releasing) for i in loop.code))


def _releases(i: Instruction, releasing: set[str]) -> bool:
    if _RELEASES.match(i.opcode):
        return True
    return _CALLS.match(i.opcode) is not None and any(w in releasing for w in re.findall(r"[\w$]+", i.text))


def _expected(i: Instruction) -> str:
    """The register with the value that a compare-and-swap expects: the operand behind the address."""
    address = next(k for k, o in enumerate(i.operands) if o.startswith("["))
    return i.operands[address + 1]


def _varies(loop: Loop, block: int, place: int, register: str, asked: set[tuple[int, str]]) -> bool:
    """Whether a register may have another value each time that the loop comes to this place: what wrote it last there
    computes, or reads memory, and does not only copy what is the same each time."""
    name = register.partition(".")[0].strip()
    if _CONSTANT.match(name):
        return False
    for k in range(place - 1, -1, -1):
        i = loop.blocks[block].code[k]
        if _written(i) == name:
            if not _MOVES.match(i.opcode) or any(_varies(loop, block, k, o, asked) for o in i.operands[1:]):
                return True
            if not i.conditional:
                return False
    for previous in loop.before[block]:
        if (previous, name) not in asked:
            asked.add((previous, name))
            if _varies(loop, previous, len(loop.blocks[previous].code), name, asked):
                return True
    return False


def _written(i: Instruction) -> str:
    """The register that an instruction writes first; of an atomic one of sm_70 a predicate stands before it."""
    registers = [o for o in i.operands if not (i.opcode.startswith("ATOM") and re.match(r"P[\dT]", o))]
    return registers[0].partition(".")[0].strip() if registers else ""
