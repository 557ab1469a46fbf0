"""The engine behind the protocol: passes over texts that take long, and what the live tier says before the full one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ompls.server import engine as engines
from ompls.server.documents import Change, Document
from ompls.server.engine import Engine, Result, Session

FUNCTION = """\
int f%d(int n)
{
    int s = 0;
    #pragma omp target map(tofrom: s) nowiat
    for (int i = 0; i < n; i++) s += i;
    return s;
}
"""


@asynccontextmanager
async def opened(path: Path, text: str) -> AsyncIterator[tuple[Engine, Session, list[Result]]]:
    """An engine with one document, and its results as they come."""
    results: list[Result] = []

    def fresh(session: Session) -> None:
        assert session.result is not None
        results.append(session.result)

    engine = Engine(fresh, lambda session: None, lambda problem: None)
    session = engine.open(Document(path.as_uri(), str(path), 1, text, "utf-8"))
    try:
        yield engine, session, results
    finally:
        engine.shutdown()


def said(result: Result) -> list[tuple[str, str, int, int]]:
    return [(d.rule, d.severity, d.where.start, d.where.end) for d in result.diagnostics]


@pytest.mark.asyncio
async def test_a_long_text_is_analysed_in_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(FUNCTION % n for n in range(150))
    async with opened(tmp_path / "a.c", text) as (engine, session, _):
        at_once = said(await engine.full(session))
    monkeypatch.setattr(engines, "PASS", 0.002)
    monkeypatch.setattr(engines, "FIRST", 0.002)
    monkeypatch.setattr(engines, "MOST_PASSES", 20)  # a busy machine gets little done in one
    async with opened(tmp_path / "a.c", text) as (engine, session, results):
        final = await engine.full(session)
        assert final.tu.complete
        assert said(final) == at_once
        assert len(at_once) == 150
        partial = [r for r in results if not r.tu.complete]
        assert len(partial) >= 2
        for result in partial:
            assert {d for d in said(result) if d[0] != "analysis-incomplete"} <= set(at_once)
        assert any(d[0] == "analysis-incomplete" for d in said(partial[-1]))


@pytest.mark.asyncio
async def test_a_keystroke_between_passes_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "PASS", 0.002)
    monkeypatch.setattr(engines, "FIRST", 0.002)
    monkeypatch.setattr(engines, "MOST_PASSES", 10_000)  # a busy machine gets little done in one
    text = "".join(FUNCTION % n for n in range(150))
    async with opened(tmp_path / "a.c", text) as (engine, session, results):
        while not results:
            await asyncio.sleep(0.001)
        assert not results[-1].tu.complete
        session.document.apply(2, [Change("int x;\n", (0, 0), (0, 0))])
        engine.changed(session)
        final = await engine.result(session)
        assert (final.version, final.tu.complete, len(final.diagnostics)) == (2, True, 150)


LIVE = {
    "a header with a macro": "#include <limits.h>\nint f(void)\n{\n    int s = 0;\n    #pragma omp target\n"
    "    s = INT_MAX;\n    return s;\n}\n",
    "a header with a function": "#include <math.h>\nvoid f(double *x)\n{\n    #pragma omp target map(x[0:4])\n"
    "    x[0] = sqrt(x[1]) + unknown(x[2]);\n}\n",
    "a project header with the pragma": '#include "own.h"\nvoid f(int n)\n{\n    TARGET\n    n = own(n);\n'
    "    #pragma omp target paralel\n    n++;\n}\n",
    "a missing header": "#include <no_such.h>\nvoid f(int *p)\n{\n    thing_t t;\n    #pragma omp target nowiat\n"
    "    { p[0] = t.x; }\n}\n",
    "a type from a header": "#include <stddef.h>\n#include <stdint.h>\nsize_t f(uint8_t *p, size_t n)\n{\n"
    "    size_t s = 0;\n    #pragma omp target teams distribute parallel for\n"
    "    for (size_t i = 0; i < n; i++) s += p[i];\n    return s;\n}\n",
    "a declaration in a header": '#include "own.h"\nvoid f(int n)\n{\n    #pragma omp target\n    n = own(n);\n}\n',
}


@pytest.mark.asyncio
@pytest.mark.parametrize("text", LIVE.values(), ids=LIVE)
async def test_the_live_tier_warns_of_nothing_that_the_full_tier_takes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """What is said before the headers are known, other than hints, has the ids and ranges that it keeps."""
    (tmp_path / "own.h").write_text(
        '#define TARGET _Pragma("omp target map(tofrom: n)")\n#pragma omp declare target\nint own(int);\n'
        "#pragma omp end declare target\n"
    )
    monkeypatch.setattr(engines, "FIRST_SNAPSHOT_WAIT", 0.0)
    slow = engines.read_headers

    def late(*arguments: object) -> object:
        blocked.wait(10)
        return slow(*arguments)  # type: ignore[arg-type]

    blocked = threading.Event()
    monkeypatch.setattr(engines, "read_headers", late)
    async with opened(tmp_path / "a.c", text) as (engine, session, _):
        live = await engine.result(session)
        blocked.set()
        full = await engine.full(session)
        assert live is not full
        sure = {d for d in said(live) if d[1] != "hint"}
        assert sure <= set(said(full)), sure - set(said(full))


@pytest.mark.asyncio
async def test_who_waits_for_a_unit_has_an_answer_before_the_rules_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the two threads take turns, of milliseconds each."""
    events: list[str] = []
    judged = engines.judge_within

    def judge(*args: Any) -> Any:
        events.append("rules")
        return judged(*args)

    async with opened(tmp_path / "a.c", FUNCTION % 1) as (engine, session, _):
        await engine.full(session)
        monkeypatch.setattr(engines, "judge_within", judge)
        session.document.apply(2, [Change(" ", (0, 0), (0, 0))])
        engine.changed(session)
        request = asyncio.create_task(engine.unit(session, first=True))
        request.add_done_callback(lambda _: events.append("answer"))
        await engine.result(session)
    assert events == ["answer", "rules"]
