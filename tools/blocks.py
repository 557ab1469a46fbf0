"""Functions, blocks and loops of compiled kernels, read from text: PTX, or machine code as `nvdisasm -c` prints it.

A block is a run of instructions that jumps end; a loop is the natural loop of one back edge.  Nothing is known here of
what instructions do but where they go on.
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


def functions(listing: str) -> dict[str, list[Block]]:
    """The functions of a listing, PTX text or what `nvdisasm -c` prints, each as its blocks between labels."""
    return dict(_ptx(listing) if ".version" in listing else _machine_code(listing))


# --- listings ---------------------------------------------------------------------------------------------------


def _ptx(text: str) -> Iterator[tuple[str, list[Block]]]:
    """Functions of PTX (PTX ISA, "Directives"): `.entry NAME(…) { … }` and `.func (…) NAME(…) { … }`."""
    text = re.sub(r"//[^\n]*", "", text)
    for head in re.finditer(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)[^{;]*\n\{\n(.*?)\n\}", text, re.S):
        blocks = [Block("")]
        for part in re.findall(r"\$?[\w$]+:|(?:[^;:{}]|\{[^;{}]*\})+;", head[2]):
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


def loops(blocks: list[Block]) -> Iterator[Loop]:
    """The natural loop of each back edge of a function."""
    blocks = _cut(blocks)
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
