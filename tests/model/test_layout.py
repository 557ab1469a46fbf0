"""Sizes and offsets are gcc's, on random records."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.ctype import Array, Record
from ompls.analysis.model.layout import alignof, offsetof, record_layout, sizeof
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

from .support import analyze

SCALARS = ["char", "short", "int", "long", "float", "double", "long double", "_Bool", "void *", "unsigned char"]
INTEGERS = ["char", "short", "int", "long", "unsigned", "unsigned long", "unsigned short", "_Bool"]

ATTRIBUTES = (
    *("", "", "", " __attribute__((packed))", " __attribute__((aligned(16)))"),
    *(" __attribute__((aligned (sizeof (void *))))", " __attribute__((__aligned__(__alignof__(short))))"),
)


def member(rng: random.Random, name: str, depth: int) -> str:
    pick = rng.random()
    if pick < 0.35:
        t = rng.choice(INTEGERS)
        most = {"_Bool": 1, "char": 8, "short": 16, "unsigned short": 16}.get(t, 32)
        width = min(most, rng.choice((8, 16, rng.randint(1, most))))  # often so that units are filled to the last bit
        return f"{t} {name} : {width};" if rng.random() < 0.85 else f"{t} : {rng.choice((0, width))};"
    if pick < 0.5:
        aligned = rng.choice(("", "", " __attribute__((__aligned__(sizeof (void *))))"))
        return f"{rng.choice(SCALARS)} {name}[{rng.randint(1, 5)}]{aligned};"
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
        attribute = rng.choice(ATTRIBUTES)
        packing = rng.choice(("", "push", "pop", "push, 1", "2", "4", "8", "push, name, 2", "pop, name", "16"))
        source += f"#pragma pack({packing})\n" if seed % 2 and rng.random() < 0.6 else ""
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


def test_packing_is_taken_back_with_its_line() -> None:
    """Sizes follow an edit of the pragma, in the declarations behind it that did not change, too."""
    analyzer = Analyzer()
    text = "{}\nstruct s {{ char c; double d; }};\nvoid f(void) {{ }}\n{}\nint size[sizeof(struct s)];\n"
    sizes = []
    for before, after in (("", ""), ("#pragma pack(push, 1)", ""), ("", "#pragma pack(1)"), ("#pragma pack(4)", "")):
        source = text.format(before, after)
        edited = analyzer.analyze("t.c", source.encode(), EMPTY_SNAPSHOT, Settings())
        t = edited.symbols["size"].type
        assert t == analyze(source).symbols["size"].type
        assert isinstance(t, Array)
        sizes.append(t.length)
    assert sizes == [16, 9, 16, 12]


def test_a_header_packs_what_follows_it_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "begin.h").write_text("#pragma pack(push, 2)\n")
    (tmp_path / "end.h").write_text('_Pragma("pack(pop)")\n')
    source = '#include "begin.h"\nstruct s { int a; double d; };\n#include "end.h"\nstruct t { int a; double d; };\n'
    tags = analyze(source, path=str(tmp_path / "t.c")).tags
    assert [sizeof(tags["s"]), sizeof(tags["t"])] == [12, 16]


def test_packing_is_pushed_and_popped_by_name_as_gcc_does_it(tmp_path: Path) -> None:
    lines = (
        "push, one, 2",
        "push, 1",
        "push",
        "pop, one",
        "push, x, 4",
        "push, y, 1",
        "pop, nobody",
        "pop",
        "",
        "pop, x",
        "8",
    )
    source = "".join(f"#pragma pack({line})\nstruct s{k} {{ char c; double d; }};\n" for k, line in enumerate(lines))
    tags = analyze(source).tags
    sizes = [sizeof(tags[f"s{k}"]) for k in range(len(lines))]
    asserts = "".join(f'_Static_assert(sizeof(struct s{k}) == {size}, "s{k}");\n' for k, size in enumerate(sizes))
    (tmp_path / "t.c").write_text(source + asserts)
    done = subprocess.run(["gcc", "-fsyntax-only", "-w", tmp_path / "t.c"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(set(sizes)) == 4


def test_members_with_an_alignment_of_their_own() -> None:
    tu = analyze("""
#include <stdalign.h>
enum { LINE = 64 };
struct s { char c; alignas(LINE) int v[3]; short w; struct { int n; } __attribute__((aligned(2))) x; };
struct t { char c; _Alignas(2 * 8) int n; };
struct u { char c; int n __attribute__((packed)); };
""")
    s = tu.tags["s"]
    assert isinstance(s, Record)
    assert [offsetof(s, name) for name in "vwx"] == [64, 76, 80]
    assert (sizeof(s), alignof(s)) == (128, 64)
    assert [sizeof(tu.tags[name]) for name in "tu"] == [None, None]  # rather unknown than wrong


def test_what_is_held_many_times_is_laid_out_once() -> None:
    """Each structure holds the one before twice, in three ways."""
    source = "struct s0 { char c; short h; };\ntypedef struct s0 t0;\n" + "".join(
        f"struct s{k + 1} {{ struct s{k} a; struct {{ struct s{k} b[2]; }}; union {{ struct s{k} c, d; }}; }};\n"
        for k in range(40)
    )
    tags = analyze(source).tags
    for k in range(40):
        t = tags[f"s{k}"]
        assert isinstance(t, Record)
        assert (sizeof(t), alignof(t)) == (4 ** (k + 1), 2)
        assert k == 0 or offsetof(t, "c") == 3 * 4**k
        assert offsetof(t, "nothing") is None


@pytest.mark.parametrize(("first", "size"), [("struct s0 { int x; };", 4 * 801), ("struct s0;", None)])
def test_depth_costs_no_stack(first: str, size: int | None) -> None:
    source = first + "".join(f"struct s{k + 1} {{ int x; struct s{k} a, b[0]; }};\n" for k in range(800))
    t = analyze(source).tags["s800"]
    assert isinstance(t, Record)
    assert sizeof(t) == size
