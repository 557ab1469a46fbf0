"""The texts of system headers are read once, whatever stands beside them in a unit."""

from __future__ import annotations

import pytest

from ompls.analysis.model import headers
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.datamodel import LP64
from ompls.analysis.model.headers import headers_of
from ompls.analysis.model.layers import Layers
from ompls.analysis.model.names import Names
from ompls.analysis.rules import check
from ompls.analysis.source import HeaderSnapshot, HeaderUnit, Settings

_SIZES = "typedef unsigned long size_t;\nstruct lines;\n"
_TEXTS = "size_t length(const struct lines *of);\nstruct lines { size_t count; };\n"


def test_one_text_in_two_units_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    read = headers.parse_once
    monkeypatch.setattr(headers, "parse_once", lambda text: parsed.append(text) or read(text))
    first = headers_of((_SIZES, "int one(void);\n"), LP64)
    second = headers_of((_SIZES, "int two(void);\n"), LP64)
    assert len(parsed) == 3
    assert first.name("one") is not None
    assert first.name("two") is None
    assert second.name("two") is not None
    assert first.name("size_t") is second.name("size_t")


def test_a_declaration_sees_the_headers_before_its_own() -> None:
    both = headers_of((_SIZES, _TEXTS), LP64)
    length = both.name("length")
    assert length is not None
    assert "unsigned long" in str(length.type)


def test_a_tag_is_what_defines_it_not_what_names_it() -> None:
    tag = headers_of((_SIZES, _TEXTS), LP64).tag("lines")
    assert tag is not None
    assert tag.body.fields is not None
    assert headers_of((_SIZES,), LP64).tag("other") is None


def test_of_declare_target_only_what_it_may_be_about_is_read() -> None:
    covered = "#pragma omp begin declare target\nextern int covered;\nint runs(int);\n#pragma omp end declare target\n"
    listed = "extern int here, listed;\n#pragma omp declare target to(listed)\n"
    known = headers_of(("struct other { int x; };\nextern struct other neither;\n", covered, listed), LP64)
    names = Names(Layers(), known)
    assert [s.name for s in names.on_device()] == ["covered", "listed", "runs"]
    assert known.tags() == {}
    assert "neither" in names
    assert [*known.tags()] == ["other"]


def test_rules_read_only_what_a_program_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousand declarations of headers a program needs a few; reading all takes longer than all else."""
    monkeypatch.setattr(headers.Headers, "all_names", lambda _: pytest.fail("all declarations were read"))
    known = HeaderSnapshot("one", system={"<one.h>": HeaderUnit((), "extern int other;\nint *of(int n);\n")})
    source = b"""#include <one.h>
int n = 4, *first = &n;
int main(void) {
    int *a = of(n);
#pragma omp target map(from: a[0:n])
    *first = a[0];
}
"""
    tu = Analyzer().analyze("test.c", source, known, Settings())
    assert [d.rule for d in check(tu)] == ["device-pointer-absent"]
