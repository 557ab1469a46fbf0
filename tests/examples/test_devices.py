"""The examples on the devices of every machine: right, by regions that really ran there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import ompls
from thinned import thinned

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.c"))

# How many target regions each program executes, and the bytes that its map clauses make travel: (to, from) devices.
KILO = 1024
EXPECTED = {
    "declare_target": (2, None),
    "dot_devices": (2, None),
    "histogram": (1, (200_000 + 128, 128)),
    "jacobi": (200, None),
    "master_worker": (1, (1024 * 8, 1024 * 8 + 24)),
    "matmul": (1, (2 * 96 * 96 * 8, 96 * 96 * 8)),
    "pipeline": (8, (8 * 65536 * 8, 8 * 65536 * 8)),
    "saxpy": (1, (2 * 4096 * KILO, 4096 * KILO)),
    "vector_add": (2, (3 * 400_000, 2 * 400_000)),
}


@pytest.mark.parametrize(
    ("path", "device"),
    thinned([(path, device) for device in ("cudasim", "host") for path in EXAMPLES], 3, of_rest=2),
    ids=lambda value: value.stem if isinstance(value, Path) else None,
)
def test_is_right_on_the_device(path: Path, device: str, tmp_path: Path) -> None:
    record = tmp_path / "trace"
    spec = f"{device}:2" if path.stem == "dot_devices" else device
    done = ompls("run", "--device", spec, "--trace", record, path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{path.stem}: ")
    assert done.stdout.endswith(", correct\n")
    events = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    launches, moved = EXPECTED[path.stem]
    assert sum(event["kind"] == "launch" for event in events) == launches
    copies = [event for event in events if event["kind"] == "copy"]
    total = tuple(sum(e["bytes"] for e in copies if e["direction"] == way) for way in ("to", "from"))
    assert moved is None or total == moved


def test_each_half_of_the_dot_product_has_its_device(tmp_path: Path) -> None:
    record = tmp_path / "trace"
    done = ompls("run", "--device", "cudasim:2", "--trace", record, ROOT / "examples/dot_devices.c")
    assert done.returncode == 0
    events = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    assert [e["device"] for e in events if e["kind"] == "launch"] == ["cudasim:0", "cudasim:1"]


# A wrong map clause must change what a program computes, or end it: the device's memory is really another one.
BROKEN_MAPS = {
    "histogram": ("map(to: data[0:n]) map(tofrom: counts)", "map(to: data[0:n]) map(to: counts)"),
    "jacobi": ("exit data map(from: now[0:ROWS*COLS])", "exit data map(release: now[0:ROWS*COLS])"),
    "matmul": ("map(from: c)", "map(to: c)"),
    "saxpy": ("map(tofrom: y[0:n])", "map(to: y[0:n])"),
    "vector_add": ("#pragma omp target update to(b)", ""),
    "declare_target": ("#pragma omp target update to(gravity)", ""),
    "master_worker": ("map(from: sums)", "map(alloc: sums)"),
}  # fmt: skip


@pytest.mark.parametrize("name", thinned(sorted(BROKEN_MAPS), 3))
def test_a_missing_copy_shows(name: str, tmp_path: Path) -> None:
    right, wrong = BROKEN_MAPS[name]
    source = (ROOT / f"examples/{name}.c").read_text()
    assert right in source
    path = tmp_path / f"{name}.c"
    path.write_text(source.replace(right, wrong))
    done = ompls("run", "--device", "cudasim", path)
    assert done.returncode == 1, done.stderr
    assert done.stdout.endswith(", WRONG\n")


def test_a_host_address_in_a_kernel_is_named(tmp_path: Path) -> None:
    source = (ROOT / "examples/saxpy.c").read_text()
    path = tmp_path / "saxpy.c"
    path.write_text(source.replace("map(to: x[0:n]) ", ""))
    line = next(n for n, text in enumerate(source.splitlines(), 1) if "y[i] = a * x[i] + y[i];" in text)
    done = ompls("run", "--device", "cudasim", "--timeout", "60", path)
    assert done.returncode == 125, (done.returncode, done.stderr)
    assert f"saxpy.c:{line}: region on cudasim:0 read host address 0x" in done.stderr
    assert "(variable 'x', not mapped)" in done.stderr
