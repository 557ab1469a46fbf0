"""A core has 32 KiB for everything: what does not fit is refused, and what would write over the code faults."""

from __future__ import annotations

import json
import re
from pathlib import Path

import command
import pytest

from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)

TEXT = """\
int main(int argc, char **argv)
{
    int a = 0;
    (void)argv;
#pragma omp target map(tofrom: a) firstprivate(argc)
    {
        static const int table[COUNT] = {1, 2, 3, [COUNT - 1] = 4};
        a = table[argc % COUNT];
        STATEMENT;
    }
    return a != 2;
}
"""


def made(directory: Path, count: int, statement: str = "") -> Path:
    source = directory / "x.c"
    source.write_text(TEXT.replace("COUNT", str(count)).replace("STATEMENT", statement))
    return source


def test_a_kernel_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    assert command.ompls("run", "--device", "epiphany", made(tmp_path, 6000)).returncode == 0
    done = command.ompls("run", "--device", "epiphany", made(tmp_path, 8000))
    assert done.returncode == 125
    told = re.search(
        r"kernel ompls_x_\w+_main_0 \(x\.c:5\) does not fit an Epiphany core: (\d+) bytes of it and (\d+) "
        r"of the run time.* leave 0 of the core's 32768 for a stack, which needs 2048",
        done.stderr,
    )
    assert told, done.stderr
    assert 32000 < int(told[1]) < 33000
    assert 0 < int(told[2]) < 2048


def test_what_writes_over_the_code_of_a_core_faults(tmp_path: Path) -> None:
    overwrite = "*(volatile int *)0x80800800 = 1"
    assert command.ompls("run", "--device", "epiphany", made(tmp_path, 10, overwrite)).returncode == 0  # a short kernel
    done = command.ompls("run", "--device", "epiphany", made(tmp_path, 2000, overwrite))
    assert done.returncode == 125
    assert "wrote host address 0x80800800" in done.stderr


def test_the_preview_tells_how_much_of_the_core_a_region_takes(tmp_path: Path) -> None:
    done = command.ompls("preview", "--device", "epiphany", "--resources", "--json", made(tmp_path, 2000))
    (needs,) = json.loads(done.stdout)["regions"].values()
    (taken, what), (left, _) = [(count, what) for what, count in needs.items()]
    assert what.startswith("of 32 KiB")
    assert 9 < taken < 11
    assert taken + left == pytest.approx(32, abs=0.11)
