"""What is refactored compiles, is reported no more than before, and prints the same on a device with its own memory.

OMPLS_RANDOM_PROGRAMS says how many programs are drawn, OMPLS_RANDOM_SEED the first one's number.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from thinned import thinned

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.features.pragmas import pragmas
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import RULES
from ompls.project.workspace import Workspace
from ompls.server.settings import Settings
from ompls.server.work import judge, refactor

from .random_data import Program

ROOT = Path(__file__).parents[2]
CLANG = next((c for c in ("clang-19", "clang-20", "clang-21") if shutil.which(c)), None)
FIRST = int(os.environ.get("OMPLS_RANDOM_SEED", "1"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("OMPLS_RANDOM_PROGRAMS", "4")))
HEADERS = Workspace([])  # no text is saved, so none of them is there for another
EXAMPLES = sorted(p.name for p in (ROOT / "examples").glob("*.c"))
_MAP = re.compile(r" ?\bmap\((?:[^()]|\([^()]*\))*\)")


def refactored(path: Path, source: bytes, wanted: str) -> tuple[bytes, int]:
    """The text after every action whose title has `wanted` in it, as the server offers them; and how many they were."""
    snapshot = HEADERS.snapshot(str(path), source)
    settings, analyzer, count = Settings(), Analyzer(), 0

    def fresh() -> Counter[tuple[str, str]]:
        return told(judge(Analyzer().analyze(str(path), source, snapshot, settings.for_analysis()), snapshot, settings))

    before = fresh()
    while count < 50:
        tu = analyzer.analyze(str(path), source, snapshot, settings.for_analysis())
        places = [p.start for p in pragmas(source)]
        offered = (
            a
            for at in places
            for a in refactor(analyzer, tu, snapshot, settings, (at, at))
            if a.edits and wanted in a.title
        )
        action = next(offered, None)
        if action is None:
            break
        for edit in sorted(action.edits, key=lambda e: e.where.start, reverse=True):
            source = source[: edit.where.start] + edit.text.encode() + source[edit.where.end :]
        after = fresh()
        assert not after - before
        before = after
        count += 1
    return source, count


def told(found: list[Diagnostic]) -> Counter[tuple[str, str]]:
    """Maps in a loop get a hint that they should be hoisted: the one kind that may be new."""
    slow = {rule.id for rule in RULES.values() if rule.group == "performance"}
    return Counter((d.rule, d.message) for d in found if d.severity != "hint" or d.rule not in slow)


def output(compiler: list[str], path: Path, source: bytes) -> str:
    path.write_bytes(source)
    program = path.with_suffix("")
    done = subprocess.run(
        [*compiler, "-w", "-O1", path, "-o", program, "-lm"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr}\n{source.decode()}"
    env = {**os.environ}
    if compiler is OFFLOAD:
        env |= {"LD_LIBRARY_PATH": library(), "OMP_TARGET_OFFLOAD": "mandatory"}
    ran = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60, env=env)
    assert ran.returncode == 0, f"{ran.stderr}\n{source.decode()}"
    return ran.stdout


@cache
def library() -> str:
    """The directory of clang's libomptarget."""
    found = subprocess.run([OFFLOAD[0], "-print-file-name=libomptarget.so"], capture_output=True, text=True, check=True)
    return os.path.dirname(found.stdout.strip())


GCC = ["gcc", "-fopenmp", "-foffload=disable"]
OFFLOAD = [str(CLANG), "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"]
needs_clang = pytest.mark.skipif(CLANG is None, reason="no clang with a device of its own memory (apt: clang-19)")


@needs_clang
@pytest.mark.parametrize("seed", thinned(SEEDS, 4))
def test_random_programs_print_the_same(seed: int, tmp_path: Path) -> None:
    path, source = tmp_path / "random.c", Program(seed).text().encode()
    expected = output(GCC, path, source)
    mapped, _ = refactored(path, source, "Write all map clauses")
    hoisted, _ = refactored(path, mapped, "Hoist")
    assert output(OFFLOAD, path, hoisted) == expected, f"seed {seed}\n{hoisted.decode()}"
    assert output(GCC, path, hoisted) == expected


@needs_clang
@pytest.mark.parametrize("name", thinned(EXAMPLES, 5))
def test_examples_print_the_same_without_their_own_maps(name: str, tmp_path: Path) -> None:
    """The map clauses of the regions are taken out; the action writes them again."""
    source = (ROOT / "examples" / name).read_bytes()
    lines = source.decode().split("\n")
    bare = "\n".join(_MAP.sub("", line) if "omp target" in line and "data" not in line else line for line in lines)
    path = tmp_path / name
    written, _ = refactored(path, bare.encode(), "Write all map clauses")
    hoisted, _ = refactored(path, written, "Hoist")
    expected = output(GCC, path, source)
    assert output(OFFLOAD, path, hoisted) == expected, hoisted.decode()


SHARES = 10


@pytest.mark.thorough
@pytest.mark.parametrize("share", thinned(range(SHARES), SHARES, of_rest=5))
def test_no_example_of_a_rule_gets_a_new_diagnostic(tmp_path: Path, share: int) -> None:
    """Checked inside of `refactored`; what is left compiles if it did before."""
    count = 0
    for rule in [*RULES.values()][share::SHARES]:
        for number, text in enumerate((*rule.bad, *rule.good)):
            path = tmp_path / f"{rule.id}{number}.c"
            source, made = refactored(path, text.encode(), "")
            count += made
            if made and not _compiles(path, source):
                assert not _compiles(path, text.encode()), f"{rule.id}\n{source.decode()}"
    assert count > 2


def _compiles(path: Path, source: bytes) -> bool:
    path.write_bytes(source)
    done = subprocess.run(["gcc", "-fopenmp", "-fsyntax-only", "-w", path], capture_output=True, check=False)
    return done.returncode == 0
