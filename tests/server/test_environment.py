"""`ompls/dataEnvironment`, as clients see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from .conftest import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = """\
int main(int argc, char **argv) {
    int a[9] = {0}, é[4];
#pragma omp target enter data map(to: a[0:9])
#pragma omp target map(tofrom: é)
    {
        é[0] = a[1];
        é[1] = argc;
    }
    return 0;
}
"""


async def asked(editor: Editor, uri: str, needle: str) -> Any:
    at = editor.at(uri, needle)
    params = {"textDocument": {"uri": uri}, "position": {"line": at.line, "character": at.character}}
    return await editor.request("ompls/dataEnvironment", params)


async def test_what_system_headers_declare_has_no_row(one_vscode: Editor, tmp_path: Path) -> None:
    editor, uri = one_vscode, (tmp_path / "std.c").as_uri()
    editor.open(
        uri,
        """#include <stdio.h>
static void f(int *a) {
    #pragma omp target map(a[0:9])
    a[0] = 1;
}
int main(void) {
    int a[9] = {0};
    fflush(stdout);
    f(a);
    return fprintf(stdout, "%d", a[0]) < 0;
}
""",
    )
    answer = await asked(editor, uri, "a[0] = 1")
    assert [[entry["label"] for entry in device["entries"]] for device in answer["devices"]] == [["a[0:9]"]]


def under(editor: Editor, uri: str, location: Any) -> str:
    assert location["uri"] == uri
    places = [location["range"][end] for end in ("start", "end")]
    first, last = [(p["line"], p["character"]) for p in places]
    lines = editor.texts[uri].split("\n")
    assert first[0] == last[0]
    return lines[first[0]].encode("utf-16-le")[2 * first[1] : 2 * last[1]].decode("utf-16-le")


async def test_each_row_leads_to_its_source(one_vscode: Editor, tmp_path: Path) -> None:
    editor, uri = one_vscode, (tmp_path / "a.c").as_uri()
    editor.open(uri, TEXT)
    inside = await asked(editor, uri, "é[0] = a[1]")
    of_region = {"textDocument": {"uri": uri}, "region": "main_0"}  # a preview has no other place
    assert (await editor.request("ompls/dataEnvironment", of_region))["devices"] == inside["devices"]
    with pytest.raises(JsonRpcException, match=r"a\.c has no region 'f_0'; give a position"):
        await editor.request("ompls/dataEnvironment", {**of_region, "region": "f_0"})
    answer = await asked(editor, uri, "é[1] = argc")
    assert (answer["function"], answer["at"], answer["runsOn"], answer["complete"]) == ("main", "before", "0", True)
    assert under(editor, uri, answer["location"]) == "é[1] = argc;"
    (device,) = answer["devices"]
    assert (device["device"], device["title"]) == ("0", "device 0, which runs here")
    known, written = device["entries"]
    assert {k: known[k] for k in ("label", "references", "bytes", "valid", "certainty", "attached")} == {
        "label": "a[0:9]", "references": "2", "bytes": "36 bytes", "valid": ["both"], "certainty": "certain",
        "attached": [],
    }  # fmt: skip
    assert under(editor, uri, known["location"]) == "a[0:9]"
    assert written["valid"] == ["device"]
    facts = {f["text"]: under(editor, uri, f["location"]) for f in written["facts"]}
    assert facts == {"mapped here: tofrom": "é", "the device's newer values are written here": "é[0]"}
    assert written["detail"] == "references: 1; 16 bytes; the device has newer values"


async def test_it_is_of_the_text_as_it_is_now(one_vscode: Editor, tmp_path: Path) -> None:
    editor, uri = one_vscode, (tmp_path / "b.c").as_uri()
    editor.open(uri, TEXT)
    editor.replace(uri, "#pragma omp target enter data map(to: a[0:9])", "")
    answer = await asked(editor, uri, "return 0")
    assert (answer["version"], answer["devices"], answer["message"]) == (2, [], "Nothing is mapped here.")


async def test_what_cannot_be_answered_is_refused(one_vscode: Editor, tmp_path: Path) -> None:
    editor = one_vscode
    position = {"line": 0, "character": 0}
    for params, why in (
        ({"textDocument": {"uri": "file:///gone.c"}, "position": position}, "not open here"),
        ({"textDocument": {"uri": "file:///gone.c"}}, "params.position is missing"),
    ):
        with pytest.raises(JsonRpcException, match=why):
            await editor.request("ompls/dataEnvironment", params)
