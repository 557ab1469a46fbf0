"""Loops of compiled kernels that would hang a warp of a GPU before sm_70: they take a lock and do not release it.

Before sm_70 the lanes of a warp that leave a loop wait at its end (SSY and SYNC in machine code) for the lanes that are
still in it.  A lane that leaves a loop with a lock for which others go on looping waits for ever.  The source has the
release in the loop, but an optimizer may move it behind the loop, so what comes out of the compilers is searched: PTX,
and machine code as nvdisasm prints it.  Only text is read here; the tests and tools/machine_code.py make it.

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
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Instruction:
    """`opcode` without its predicate; `operands` as written."""

    opcode: str
    operands: tuple[str, ...]
    conditional: bool
    targets: tuple[str, ...]  # labels where it goes on; empty: it does not jump
    text: str

    @property
    def ends(self) -> bool:
        """Whether the next instruction is never the one behind it."""
        leaves = _LEAVES.match(self.opcode) and "INDIRECT_CALL" not in self.text
        return not self.conditional and (bool(self.targets) or bool(leaves))


@dataclass
class Block:
    """Instructions that run one after the other."""

    label: str
    code: list[Instruction] = field(default_factory=list)


_LEAVES = re.compile(r"(?:ret|exit|trap|brx|EXIT|RET|BRX|JMX|KILL)\b")  # what an indirect jump reaches is not known
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
    functions = dict(_ptx(listing) if ".version" in listing else _machine_code(listing))
    releasing = {name for name, blocks in functions.items() if any(_releases(i, set()) for b in blocks for i in b.code)}
    return [t for name, blocks in functions.items() for t in _takings(name, blocks, releasing)]


def swaps(listing: str) -> bool:
    """Whether a listing has a compare-and-swap at all."""
    return _TAKES.search(listing) is not None


# --- listings ---------------------------------------------------------------------------------------------------


def _ptx(text: str) -> Iterator[tuple[str, list[Block]]]:
    """Functions of PTX (PTX ISA, "Directives"): `.entry NAME(…) { … }` and `.func (…) NAME(…) { … }`."""
    text = re.sub(r"//[^\n]*", "", text)
    for head in re.finditer(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)[^{;]*\n\{\n(.*?)\n\}", text, re.S):
        blocks = [Block("")]
        for part in re.findall(r"\$?[\w$]+:|[^;:{}]+;", head[2]):
            words = part.strip().rstrip(";").strip()
            if words.endswith(":"):
                blocks.append(Block(words[:-1]))
            elif words and not words.startswith("."):
                blocks[-1].code.append(_instruction(words, r"bra\b"))
        yield head[1], blocks


def _machine_code(text: str) -> Iterator[tuple[str, list[Block]]]:
    """Functions of `nvdisasm -c`.  SYNC, BRK and BREAK have the places where they lead in a comment."""
    for head in re.finditer(r"^\.text\.([\w$.]+):\n(.*?)(?=^//-----|\Z)", text, re.S | re.M):
        blocks = [Block("")]
        for line in head[2].splitlines():
            label = re.match(r"(\.L_\w+):", line)
            words = line.partition("*/")[2].strip(" \t{};")
            if label:
                blocks.append(Block(label[1]))
            elif words:
                blocks[-1].code.append(_instruction(words, r"(?:BRA|JMP|SYNC|BRK)\b"))
        yield head[1], blocks


def _instruction(words: str, jumps: str) -> Instruction:
    predicate, rest = re.match(r"(?:@(!?[\w%]+)\s+)?(.*)", words, re.S).groups()  # type: ignore[union-attr]
    opcode, operands = [*rest.split(None, 1), ""][:2]
    targets = re.findall(r"\$L_\w+|\.L_\w+", operands) if re.match(jumps, opcode) else []
    listed = tuple(o.strip() for o in operands.partition("(*")[0].split(","))
    return Instruction(opcode, listed, predicate is not None or opcode == "BRA.U", tuple(targets), words)


# --- loops ------------------------------------------------------------------------------------------------------


@dataclass
class Loop:
    """The natural loop of one back edge; `before` has the blocks in it that may come before each."""

    start: Block
    before: dict[int, list[int]]
    blocks: list[Block]

    @property
    def code(self) -> Iterator[Instruction]:
        return (i for k in self.before for i in self.blocks[k].code)


def _takings(function: str, blocks: list[Block], releasing: set[str]) -> Iterator[Taking]:
    if not any(_TAKES.match(i.opcode) for b in blocks for i in b.code):
        return
    for loop in _loops(_cut(blocks)):
        for k in loop.before:
            for place, i in enumerate(loop.blocks[k].code):
                if _TAKES.match(i.opcode) and not _varies(loop, k, place, _expected(i), set()):
                    yield Taking(function, loop.start.label, i.text, any(_releases(i, releasing) for i in loop.code))


def _cut(blocks: list[Block]) -> list[Block]:
    """Blocks that end at jumps, too."""
    out = []
    for b in blocks:
        out.append(Block(b.label))
        for i in b.code:
            out[-1].code.append(i)
            if i.targets or i.ends:
                out.append(Block(""))
    return out


def _loops(blocks: list[Block]) -> Iterator[Loop]:
    places = {b.label: k for k, b in enumerate(blocks) if b.label}
    after: list[list[int]] = []
    for k, b in enumerate(blocks):
        last = b.code[-1] if b.code else None
        out = [places[t] for t in last.targets if t in places] if last else []
        if (last is None or not last.ends) and k + 1 < len(blocks):
            out.append(k + 1)
        after.append(out)
    order = _order(after)
    before: dict[int, list[int]] = {k: [p for p in order if k in after[p]] for k in order}
    above = _dominators(order, before)
    for edge_from in order:
        for edge_to in after[edge_from]:
            if edge_to in _up(above, edge_from):
                inside = {edge_to}
                waiting = [edge_from]
                while waiting:
                    k = waiting.pop()
                    if k not in inside:
                        inside.add(k)
                        waiting += before[k]
                ways = {k: [p for p in before[k] if p in inside] for k in sorted(inside)}
                ways[edge_to] = [edge_from]
                yield Loop(blocks[edge_to], ways, blocks)


def _order(after: list[list[int]]) -> list[int]:
    """The blocks that can be reached, each before those that only it leads to (reverse postorder)."""
    out: list[int] = []
    seen = {0}
    stack = [(0, iter(after[0]))]
    while stack:
        k, rest = stack[-1]
        n = next((n for n in rest if n not in seen), None)
        if n is None:
            out.append(k)
            stack.pop()
        else:
            seen.add(n)
            stack.append((n, iter(after[n])))
    return out[::-1]


def _dominators(order: list[int], before: dict[int, list[int]]) -> dict[int, int]:
    """The immediate dominator of each block (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm")."""
    number = {k: n for n, k in enumerate(order)}
    above = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for k in order[1:]:
            known = [p for p in before[k] if p in above]
            new = known[0]
            for other in known[1:]:
                one, two = new, other
                while one != two:
                    if number[one] > number[two]:
                        one = above[one]
                    else:
                        two = above[two]
                new = one
            changed = changed or above.get(k) != new
            above[k] = new
    return above


def _up(above: dict[int, int], k: int) -> Iterator[int]:
    """`k` and the blocks through which every way to it leads."""
    yield k
    while above[k] != k:
        k = above[k]
        yield k


# --- instructions -----------------------------------------------------------------------------------------------


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
