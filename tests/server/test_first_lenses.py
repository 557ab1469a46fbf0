"""The first lenses of a long document: they come before it was analysed, and the client is told when there are more."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from .conftest import Editor

pytestmark = pytest.mark.asyncio

FUNCTION = """void f%d(int n, float *x) {
  #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
  for (int i = 0; i < n; i++) x[i] += %d;
}
"""
MANY = 1200  # regions: reading them takes many times the look at the first ones, and is done in time on a busy machine


async def test_lenses_of_the_beginning_come_at_once_and_all_when_they_are_known(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, "".join(FUNCTION % (n, n) for n in range(MANY)))

    async def regions() -> int:
        asked = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        lenses = await vscode.client.text_document_code_lens_async(asked)
        return len({lens.range.start.line for lens in lenses or []})

    first = await regions()
    assert 0 < first < MANY

    def refreshed() -> int:
        return sum(method == "workspace/codeLens/refresh" for method, _ in vscode.requested)

    seen = 0
    while first < MANY:  # only when the client is told to does it ask again
        await asyncio.wait_for(vscode.until(lambda: refreshed() > seen), 120)  # noqa: B023 -- waited for here
        seen, first = refreshed(), await regions()
    vscode.replace(uri, "+= 0;", "+= 1;")
    assert await regions() == MANY, "what was shown does not go away with a key"
