"""Sizes and offsets are gcc's, on random records."""

from __future__ import annotations

import random
import subprocess

import pytest

from ompls.analysis.model.ctype import Array, Record
from ompls.analysis.model.layout import alignof, offsetof, record_layout, sizeof

from .support import analyze

SCALARS = ["char", "short", "int", "long", "float", "double", "long double", "_Bool", "void *", "unsigned char"]
INTEGERS = ["char", "short", "int", "long", "unsigned", "unsigned long", "unsigned short", "_Bool"]


def member(rng: random.Random, name: str, depth: int) -> str:
    pick = rng.random()
    if pick < 0.35:
        t = rng.choice(INTEGERS)
        width = 1 if t == "_Bool" else rng.randint(1, {"char": 8, "short": 16, "unsigned short": 16}.get(t, 32))
        return f"{t} {name} : {width};" if rng.random() < 0.85 else f"{t} : {rng.choice((0, width))};"
    if pick < 0.5:
        return f"{rng.choice(SCALARS)} {name}[{rng.randint(1, 5)}];"
    if pick < 0.65 and depth < 2:
        inner = " ".join(member(rng, f"{name}_{k}", depth + 1) for k in range(rng.randint(1, 4)))
        return f"{rng.choice(('struct', 'union'))} {{ {inner} }} {name if rng.random() < 0.5 else ''};"
    return f"{rng.choice(SCALARS)} {name};"


@pytest.mark.parametrize("seed", range(4))
def test_random_records(seed: int) -> None:
    rng = random.Random(seed)
    source, asserts = "", []
    for k in range(60):
        members = " ".join(member(rng, f"m{i}", 0) for i in range(rng.randint(1, 7)))
        attribute = rng.choice(("", "", "", " __attribute__((packed))", " __attribute__((aligned(16)))"))
        source += f"{rng.choice(('struct', 'union'))} s{k} {{ int first; {members} }}{attribute};\n"
    tu = analyze(source)
    assert tu.notes == []
    assert not any(i.content.tainted for i in tu.items)
    tags = tu.tags
    for k in range(60):
        t = tags[f"s{k}"]
        assert isinstance(t, Record)
        name = f"{t.kind} s{k}"
        asserts += [f"sizeof({name}) == {sizeof(t)}", f"_Alignof({name}) == {alignof(t)}"]
        for f, _ in record_layout(t)[2]:
            if f.name and f.bits is None:
                asserts.append(f"__builtin_offsetof({name}, {f.name}) == {offsetof(t, f.name)}")
    text = source + "\n".join(f'_Static_assert({a}, "{a}");' for a in asserts)
    command = ["gcc", "-fsyntax-only", "-w", "-x", "c", "-"]
    done = subprocess.run(command, check=False, input=text, text=True, capture_output=True)
    assert [line for line in done.stderr.split("\n") if "error" in line] == []


def test_offsets_are_constants() -> None:
    tu = analyze("""
#include <stddef.h>
struct in { char c; double d[4]; };
struct out { int n; struct in a[3]; union { int u; float v; }; };
int x[offsetof(struct out, a[1].d[2])], y[__builtin_offsetof(struct out, v)], z[(int)&((struct out *)0)->n + 4];
""")
    lengths = {n: t.length for n in "xy" if isinstance(t := tu.symbols[n].type, Array)}
    assert lengths == {"x": 8 + 40 + 8 + 16, "y": 128}
