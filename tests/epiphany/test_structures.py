"""Structures that the host shares with a core lie there as here, by a text that the chip's compiler takes.

It aligns structures of eight bytes to eight, so a kernel with a pair of `int` could not be built with it.  Where there
are bit-fields nothing is said: `#pragma pack` would put them into other bits.
"""

from __future__ import annotations

import re
from pathlib import Path

import command
import pytest

from ompls.devices.epiphany.module import size
from ompls.runtime.devices import all_devices, state_of
from ompls.runtime.toolchain import Toolchain

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)

TEXT = """\
struct pair { int first, second; };
union either { int words[2]; float x; };
struct letters { char of[8]; };
struct holder { short n, m; struct pair p[2]; };
struct wide { double d; int n, m; };
struct bits { unsigned char a : 5, b : 5; };
int sum(struct holder *h) { return h[1].p[1].second; }
#pragma omp declare target(sum)
int main(void)
{
    struct pair p[2] = {{1, 2}, {3, 4}};
    union either e[2] = {{{1, 2}}, {{3, 4}}};
    struct letters l[2] = {{"ab"}, {"cd"}};
    struct holder h[2] = {{1, 0, {{2, 3}, {4, 5}}}, {6, 0, {{7, 8}, {9, 10}}}};
    struct wide w[2] = {{1.5, 2, 3}, {4.5, 5, 6}};
    struct bits b[2] = {{1, 2}, {3, 4}};
    int all = 0;
#pragma omp target map(tofrom: all) map(to: p, e, l, h, w, b)
    all = b[1].b + p[1].second + e[1].words[1] + l[1].of[1] - 'd' + sum(h) + (int)w[1].d + w[1].m;
    return all - 4 - 4 - 4 - 10 - 4 - 6;
}
"""


def test_each_has_its_alignment(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(TEXT)
    assert command.ompls("run", "--device", "epiphany", source).returncode == 0
    kernel = command.ompls("preview", "--device", "epiphany", source).stdout
    packed = {tag: most for most, tag in re.findall(r"#pragma pack\(push, (\d)\)\n\w+ (\w+) ", kernel)}
    assert packed == {"pair": "4", "either": "4", "letters": "1", "holder": "4"}
    if size.measure().prefix is not None:
        (tmp_path / "k.c").write_text(kernel)
        with Toolchain() as tools:
            assert size.measure().of(tools, [("k", tmp_path / "k.c")])
