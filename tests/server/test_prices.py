"""What kernels need, in the titles of the lenses, of a file that is as it was saved."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from .conftest import Editor
from .test_editors import SAXPY

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(find_spec("nvidia.cuda_nvrtc") is None, reason="no nvrtc: pip install 'ompls[cuda-preview]'"),
]


async def titles(editor: Editor, uri: str) -> list[str]:
    lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    return [lens.command.title for lens in lenses or () if lens.command]


def refreshed(editor: Editor) -> int:
    return sum(method == "workspace/codeLens/refresh" for method, _ in editor.requested)


async def test_the_title_says_what_the_saved_kernel_needs(vscode: Editor, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(SAXPY)
    vscode.open(file.as_uri(), SAXPY)

    async def priced() -> Any:
        while True:
            seen = refreshed(vscode)
            if (found := (await titles(vscode, file.as_uri()))[0]).startswith("Preview CUDA ("):
                return found
            await vscode.until(lambda seen=seen: refreshed(vscode) > seen)  # type: ignore[misc]

    assert (await priced()).endswith(" registers)")
    vscode.replace(file.as_uri(), "+ y[i]", "+ 1")
    assert await titles(vscode, file.as_uri()) == ["Preview CUDA", "Run"]  # nobody knows what that one needs
    file.write_text(vscode.texts[file.as_uri()])
    vscode.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(file.as_uri())))
    assert (await priced()).endswith(" registers)")
