"""What a kernel costs, counted in its PTX or machine code (tools/blocks.py reads both).

The *hot loop* of a kernel is the loop without another one inside that has the most floating-point and memory
instructions, in the kernel itself or in a function that it calls; one that touches global memory before all others.
It is not one that joins values of threads, by shuffles or by trying a compare-and-swap again.

A compiler unrolls loops, not always as often, so a loop's instructions are divided by its *work*: floating-point
instructions, else stores and atomics, else loads, whichever both sides of a comparison have.  These are as many an
iteration on both sides when both do the same.

64-bit operations are counted in PTX only, which has types; a GPU computes with pairs of registers.  Multiplications,
divisions and remainders are counted apart (`wide`): they take many instructions.  What else there is (`address`: sums,
shifts, products of 32-bit numbers, IMAD.WIDE in machine code) is how any address is computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from blocks import Block, Instruction, Loop, loops

Functions = dict[str, list[Block]]

_FLOATING = re.compile(
    r"(?:add|sub|mul|fma|mad|div|sqrt|rsqrt|rcp|min|max|ex2|lg2|sin|cos)\.(?:\w+\.)*f(?:32|64)\b"
    r"|[FD](?:FMA|ADD|MUL|MNMX)(?:32I)?\b|MUFU\b"
)
_READ_ONLY = re.compile(r"ld\.(?:\w+\.)*nc\.|LDG\.(?:\w+\.)*(?:CI|CONSTANT)\b")
_ELSEWHERE = r"(?!(?:\w+\.)*(?:param|shared|const|local)\b)"
_LOAD = re.compile(rf"ld\.{_ELSEWHERE}|LDG?\b")
_STORE = re.compile(rf"(?:st|atom|red)\.{_ELSEWHERE}|(?:STG?|ATOMG?|REDG?)\b")
_WIDE = re.compile(r"(?:mul|mad)\.(?:lo|hi)\.[su]64\b|(?:div|rem)\.[su]64\b")
_ADDRESS = re.compile(
    r"(?:add|sub|neg|abs|min|max|shl|shr|and|or|xor|not|setp\.\w+|selp)\.[sub]64\b|(?:mul|mad)\.wide\.[su]32\b"
    r"|cvt\.(?:[su]64\.[su]\d+|[su]\d+\.[su]64)\b"
)
_JOINS = re.compile(r"shfl\.|SHFL\b|(?:atom|ATOM[SG]?)\.(?:\w+\.)*(?:cas|CAS)\b")
_IDLE = re.compile(r"NOP\b")
_CLEARS = re.compile(r"BMOV\.32\S* B15, ")


@dataclass(frozen=True)
class Mix:
    """How many instructions of each kind some code has."""

    instructions: int
    floating: int
    stores: int  # to global memory, atomics among them
    read_only: int  # loads by the read-only path
    loads: int  # other loads of global memory
    wide: int
    address: int
    loaded: int = 0  # bytes of all loads

    @property
    def width(self) -> float:
        """Bytes of a load: one of 16 bytes costs hardly more than one of 4."""
        return self.loaded / max(self.loads + self.read_only, 1)

    @property
    def weight(self) -> tuple[bool, int]:
        """Whether global memory is touched; floating-point and memory instructions."""
        touched = self.stores + self.read_only + self.loads
        return touched > 0, touched + self.floating


def mix(code: Iterable[Instruction]) -> Mix:
    """Count; what fills up the end of a function is left out."""
    opcodes = [i.opcode for i in code if not _IDLE.match(i.opcode)]

    def number(kind: re.Pattern[str]) -> int:
        return sum(1 for opcode in opcodes if kind.match(opcode))

    read_only = number(_READ_ONLY)
    loads = number(_LOAD) - sum(1 for o in opcodes if _READ_ONLY.match(o) and _LOAD.match(o))
    loaded = sum(_bytes(opcode) for opcode in opcodes if _READ_ONLY.match(opcode) or _LOAD.match(opcode))
    kinds = number(_FLOATING), number(_STORE), read_only, loads, number(_WIDE), number(_ADDRESS)
    return Mix(len(opcodes), *kinds, loaded)


def _bytes(load: str) -> int:
    """What a load brings: `ld.global.v4.f32`, `LDG.E.128`; machine code says nothing for 4 bytes."""
    ptx = re.search(r"(?:\.v(?P<number>[248]))?\.[bfsu](?P<bits>\d+)$", load)
    if ptx is not None:
        return int(ptx["number"] or 1) * int(ptx["bits"]) // 8
    code = re.search(r"\.[US]?(?P<bits>8|16|64|128)(?:\.|$)", load)
    return int(code["bits"]) // 8 if code is not None else 4


def whole(functions: Functions, kernel: str) -> Mix:
    """A kernel with the functions that it calls."""
    return mix(i for name in _called(functions, kernel) for i in _code(functions[name]))


def hot(functions: Functions, kernel: str) -> Mix | None:
    """The hot loop, of equal ones the cheapest; None when there is no loop with such instructions."""
    code = [code for name in _called(functions, kernel) for code in _innermost(functions[name])]
    found = [mix(c) for c in code if not any(_JOINS.match(i.opcode) for i in c)]
    best = max(found, key=lambda m: (m.weight, m.read_only, -m.instructions), default=None)
    return best if best and best.weight[1] else None


def inner(ours: Mix | None, theirs: Mix | None) -> float | None:
    """The ratio of the hot loops' instructions for the same work; None when one side has no loop."""
    if ours is None or theirs is None:
        return None
    for kind in ("floating", "stores"):
        if getattr(ours, kind) and getattr(theirs, kind):
            work = getattr(ours, kind) / getattr(theirs, kind)
            break
    else:
        work = (ours.loads + ours.read_only) / max(theirs.loads + theirs.read_only, 1) or 1
    return ours.instructions / theirs.instructions / work


def _code(blocks: list[Block]) -> Iterator[Instruction]:
    """Without the jump to itself that stands behind a function's end, and without the block that clears the barriers'
    registers at the beginning of every kernel of sm_87."""
    for block in blocks:
        if any(_CLEARS.match(i.text) for i in block.code):
            continue
        alone = [i for i in block.code if not _IDLE.match(i.opcode)]
        if not (len(alone) == 1 and alone[0].targets == (block.label,) and alone[0].ends):
            yield from block.code


def _called(functions: Functions, kernel: str) -> list[str]:
    """The kernel, and what is named in code that is reached."""
    found, waiting = [], [kernel]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            words = {word for block in functions[name] for i in block.code for word in re.findall(r"[\w$]+", i.text)}
            waiting += [other for other in functions if other in words]
    return found


def _innermost(blocks: list[Block]) -> Iterator[list[Instruction]]:
    """The code of each loop without another one inside; back edges to one block are one loop."""
    bodies: dict[int, set[int]] = {}
    cut: list[Block] = []
    for loop in loops(blocks):
        cut = loop.blocks
        bodies.setdefault(_first(loop), set()).update(loop.before)
    for start, body in bodies.items():
        if not any(other in body and other != start for other in bodies):
            yield [i for k in sorted(body) for i in cut[k].code]


def _first(loop: Loop) -> int:
    return next(k for k in loop.before if loop.blocks[k] is loop.start)
