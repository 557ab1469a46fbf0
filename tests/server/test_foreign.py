"""Documents that are not C: told so once, where they use OpenMP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcException

from ompls.project.language import Languages
from ompls.project.sourceflags import SourceFlags

from .conftest import Editor
from .test_editors import MISTAKE, SAXPY

ONCE = "Nothing was checked, so silence does not mean that it is correct"
FORTRAN = "program p\n!$OMP TARGET\n!$omp end target\nend\n"


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_not_c_is_said_to_be_not_checked_where_it_uses_openmp(editor: Editor, tmp_path: Path) -> None:
    cases = [
        ("a.cpp", "cpp", "auto x = 1;\n" + MISTAKE, "C++", "#pragma omp tarrget"),
        ("a.cu", "cuda-cpp", MISTAKE, "CUDA C++", "#pragma omp tarrget"),
        ("a.f90", "FortranFreeForm", FORTRAN, "Fortran", "!$OMP TARGET"),
        ("a.tpp", "cpp", '_Pragma("omp target")\n', "C++", '_Pragma("omp'),
    ]
    for name, called, text, language, place in cases:
        uri = (tmp_path / name).as_uri()
        editor.open(uri, text, called)
        (shown,) = await editor.shows(uri, ["foreign-language"])
        assert shown.message == f"{name} is {language}; ompls understands C. {ONCE}"
        assert shown.severity == 3
        assert editor.under(uri, shown.range).startswith(place)
        editor.replace(uri, place, "//" + place)
        editor.replace(uri, "//", "\n\n")
        (shown,) = await editor.shows(uri, ["foreign-language"])
        assert editor.under(uri, shown.range).startswith(place)
    uri = (tmp_path / "b.cpp").as_uri()
    editor.open(uri, "int main() {}\n", "cpp")
    with pytest.raises(JsonRpcException, match=r"preview: b\.cpp is C\+\+; ompls understands C"):
        await editor.request("ompls/preview", {"textDocument": {"uri": uri}})
    editor.replace(uri, "int", "#pragma omp parallel\nint")
    await editor.shows(uri, ["foreign-language"])
    editor.replace(uri, "#pragma omp parallel", "")
    await editor.shows(uri, [])


@pytest.mark.asyncio(loop_scope="module")
async def test_a_header_that_the_editor_calls_cpp_is_what_its_project_is(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('#include "own.h"\n')
    uri = (tmp_path / "own.h").as_uri()
    editor.open(uri, MISTAKE, "cpp")
    await editor.shows(uri, ["unknown-directive"])
    editor.close(uri)
    (tmp_path / "a.c").rename(tmp_path / "a.cpp")
    editor.open(uri, MISTAKE, "cpp")
    await editor.shows(uri, ["foreign-language"])
    editor.close(uri)
    editor.open(uri, MISTAKE, "c")
    await editor.shows(uri, ["unknown-directive"])


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_compiled_as_cpp_is_no_c_whatever_the_editor_says(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "compile_commands.json").write_text(
        json.dumps([{"directory": str(tmp_path), "file": "a.c", "command": "ccache g++ -c a.c"}])
    )
    for name, rule in (("a.c", "foreign-language"), ("b.c", "unknown-directive")):
        uri = (tmp_path / name).as_uri()
        editor.open(uri, MISTAKE, "c")
        await editor.shows(uri, [rule])


def test_a_header_is_what_includes_it_else_what_is_around_it(tmp_path: Path) -> None:
    header = tmp_path / "include" / "own.h"
    header.parent.mkdir()

    def language(**sources: str) -> str:
        folder = tmp_path / "src"
        folder.mkdir()
        for name, text in sources.items():
            (folder / name.replace("_", ".")).write_text(text)
        found = Languages(SourceFlags([str(tmp_path)])).of_header(str(header))
        folder.rename(tmp_path / f"not looked at{len(list(tmp_path.iterdir()))}")
        for source in tmp_path.glob("not*/*"):
            source.unlink()
        return found

    include = f'#include "../include/{header.name}"\n'
    assert Languages(SourceFlags(())).of_header("untitled:own.h") == ""
    assert language() == ""
    assert language(a_cpp=SAXPY) == "C++"
    assert language(a_cpp=SAXPY, b_c="") == ""
    assert language(a_cpp=include, b_c="") == "C++"
    assert language(a_cpp=include, b_c=include) == ""
    assert language(a_cpp="", b_c="#include <own.h>\n") == ""
    assert Languages(SourceFlags(())).of_header(str(header)) == ""
    command = {"directory": str(tmp_path), "file": "far/a.cc", "command": "g++ -c far/a.cc"}
    (tmp_path / "compile_commands.json").write_text(f"[{command}]".replace("'", '"'))
    assert Languages(SourceFlags(())).of_header(str(header)) == "C++"
    (tmp_path / "compile_commands.json").write_text(f"[{command}]".replace("'", '"').replace("g++", "gcc -x c"))
    assert Languages(SourceFlags(())).of_header(str(header)) == ""
