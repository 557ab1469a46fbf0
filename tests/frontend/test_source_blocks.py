"""Where a text is cut into blocks."""

from __future__ import annotations

from ompls.analysis.syntax.blocks import SIZE, Blocks

_FUNCTION = "int f{}(int n)\n{{\n    #pragma omp parallel\n    return n;\n}}\n"
_CODE = "".join(map(_FUNCTION.format, range(2 * SIZE // 50)))


def _cut(text: str) -> list[str]:
    blocks = [block.text for block in Blocks().cut(text)]
    assert "".join(blocks) == text
    return blocks


def test_directives_are_a_block_of_their_own() -> None:
    """Which is read line by line at each key; the functions behind them are not."""
    head = "// ours\n#include <stdio.h>\n#define N 10\n"
    assert _cut(head + _CODE)[0] == head


def test_pragmas_are_none_of_these() -> None:
    assert len(_cut(_CODE)[0]) >= SIZE


def test_no_block_ends_in_a_directive() -> None:
    for newline in ("\n", "\r\n"):
        continued = f"#define N \\{newline} 10{newline}"
        assert not any(block.endswith(f"\\{newline}") for block in _cut(continued + _CODE))
