"""What a folder's files say reaches messages, refusals and pages as text: no link that runs a command, and nothing that
moves a terminal's cursor.

What VS Code makes a link in a notification is `LINK` (its `linkedText.ts`), whatever is escaped.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ompls.server.harmless import harmless, harmless_line

from .conftest import running

LINK = re.compile(r"""\[([^\]]+)\]\(((?:https?://|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)""", re.IGNORECASE)
EVIL = "[Fix it](command:x.y?%5B%5D)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a.c: `p[i]`, 3 lines\n\tat the end", "a.c: `p[i]`, 3 lines\n\tat the end"),
        ("[a](command:b) ![c](https://d)", "[a] (command:b) ![c] (https://d)"),
        (r"\[a\](command:b)", r"\[a\] (command:b)"),
        ("[a]\x1b(command:b)", "[a]\ufffd(command:b)"),
        ("\x1b]0;t\x07 \x9b2J \u202eb \udcff", "\ufffd]0;t\ufffd \ufffd2J \ufffdb \ufffd"),
        ("a\rb\u2028c\x85\u00a0d", "a b c  d"),
        ("größer 漢字 🙂", "größer 漢字 🙂"),
    ],
)
def test_links_and_control_characters_are_text(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert not LINK.search(shown)


def test_a_line_stays_one() -> None:
    assert harmless_line("a\r\n# b\u2028* c") == "a # b * c"


def _is_harmless(said: Any) -> bool:
    text = json.dumps(said, ensure_ascii=False)
    return not LINK.search(text) and "\\u001b" not in text and "\\u0007" not in text


@pytest.mark.asyncio
async def test_what_a_project_and_names_of_files_say(tmp_path: Path) -> None:
    (tmp_path / ".ompls.toml").write_text(
        f'"{EVIL}\\u001b[31m" = 1\nselect = ["{EVIL}"]\ndevice = "{EVIL}"\nopenmpVersion = "{EVIL}"\n'
    )
    path = tmp_path / "[F](command:x) \x07.c"
    uri = f"file://{quote(str(path))}"
    text = f'#include "{EVIL}\x1b[2J"\nvoid f(int n) {{\n#pragma omp target map(tofrom: n)\n  n++;\n}}\n'
    async with running("neovim", root=tmp_path) as editor:
        editor.open(uri, text)
        await editor.shows(uri, ["missing-include"])
        where = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 2}}
        page = await editor.client.protocol.send_request_async("ompls/whyNoAnswer", where)
        preview = {"textDocument": {"uri": uri}, "region": EVIL}
        with pytest.raises(JsonRpcException) as refused:
            await editor.client.protocol.send_request_async("ompls/preview", preview)
        with pytest.raises(JsonRpcException) as unknown:
            await editor.client.protocol.send_request_async(EVIL, {})
        told = editor.messages()
    assert len(told) == 4
    assert [
        said for said in (*told, page, refused.value.message, unknown.value.message) if not _is_harmless(said)
    ] == []
    assert "command:x.y" in page["markdown"]  # it is shown, as text
    assert "command:x.y" in refused.value.message


@pytest.mark.asyncio
async def test_a_hover_has_no_link_of_the_sources(tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    size = f'sizeof("```\\n![i](https://e/i.png) {EVIL}")'
    async with running("vscode", root=tmp_path) as editor:
        editor.open(uri, f"void f(char *a) {{\n#pragma omp target map(tofrom: a[0:{size}])\n  a[0] = 1;\n}}\n")
        where = types.HoverParams(types.TextDocumentIdentifier(uri), editor.at(uri, "a[0] ="))
        shown = await editor.client.text_document_hover_async(where)
    assert "command:x.y" in str(shown)
    assert not LINK.search(str(shown))
