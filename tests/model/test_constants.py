"""Constant expressions have the values that gcc computes."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from ompls.analysis.model import ast
from ompls.analysis.model.constants import fold

from .support import analyze

LEAVES = ("7", "2", "-7", "-2", "0", "3u", "5L", "-9LL", "1ull", "'A'", "'\\377'", "sizeof(int)", "e", "0x80000000")
TYPES = ("signed char", "unsigned char", "short", "unsigned", "long", "unsigned long", "_Bool")
BINARY = ("+", "-", "*", "/", "%", "/", "%", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||")


def expression(choose: random.Random, depth: int) -> str:
    """It may divide by zero or overflow: gcc does not take it as a constant then."""
    if depth == 0 or choose.random() < 0.2:
        return choose.choice(LEAVES)
    a, b = (expression(choose, depth - 1) for _ in range(2))
    form = choose.randrange(10)
    if form == 0:
        return f"({choose.choice(TYPES)})({a})"
    if form == 1:
        return f"{choose.choice('+-~!')}({a})"
    if form == 2:
        return f"({a} ? {b} : {choose.choice(LEAVES)})"
    if form == 3:
        return f"((({a}) & 255) {choose.choice(('<<', '>>'))} {choose.randrange(8)})"
    return f"({a} {choose.choice(BINARY)} {b})"


def test_values_are_gccs(tmp_path: Path) -> None:
    choose = random.Random(7)
    texts = [f"{a} {op} {b}" for op in "/%" for a in ("7", "-7", "-7L") for b in ("2", "-2")]
    texts += [expression(choose, 3) for _ in range(400)]
    head = "enum { e = -3 };\n"
    source = tmp_path / "values.c"
    asked = "".join(f"enum {{ v{n} = !({t}) }};\n" for n, t in enumerate(texts))
    gcc = ["gcc", "-w", "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(gcc, input=head + asked, capture_output=True, text=True, check=False)
    refused = {int(line.split(":")[1]) - 2 for line in done.stderr.splitlines() if ": error: " in line}
    kept = [t for n, t in enumerate(texts) if n not in refused]
    assert len(kept) > 300
    rows = "".join(f'printf("%lld\\n", (long long)({t}));\n' for t in kept)
    source.write_text(f"#include <stdio.h>\n{head}int main(void) {{\n{rows}return 0; }}\n")
    program = tmp_path / "values"
    subprocess.run(["gcc", "-w", "-o", program, source], check=True)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    tu = analyze(head + "".join(f"long long v{n} = (long long)({t});\n" for n, t in enumerate(kept)))
    inits = [d.init for item in tu.items for d in item.content.node.walk() if isinstance(d, ast.VarDecl)]
    found = [fold(init) for init in inits]
    wrong = [(t, ours, theirs) for t, ours, theirs in zip(kept, found, said, strict=True) if ours != int(theirs)]
    assert wrong == []
