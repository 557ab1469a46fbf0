"""A program may close descriptors that are not its own, as daemons do: its next files get the numbers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from command import ompls
from thinned import thinned

DAEMON = """\
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define CHECK(c) do { if (!(c)) { fprintf(stderr, "%d: not true: %s\\n", __LINE__, #c); exit(1); } } while (0)
enum { FILES = 40, PART = 1 << 16 };
static size_t n = 36 << 20;
static char *x;

static void offload(int device, int value)
{
    int sum = 0, number = -1;
    memset(x, 1, n);
#pragma omp target map(tofrom: x[0:n], sum, number) device(device)
    {
        number = omp_get_device_num();
        for (int i = 0; i < 1000; i++) { x[i * 1000] += value; sum += x[i * 1000]; }
    }
    CHECK(number == device && sum == 1000 * (1 + value) && x[999000] == 1 + value && x[1] == 1);
}

static void close_others(void)
{
    for (int i = 3; i < 1024; i++) close(i);
}

/* The first are as large as what the device has given back. */
static void open_files(void)
{
    static char part[PART];
    memset(part, 'u', PART);
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "user.%d", i);
        int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
        CHECK(file >= 0);
        for (size_t size = 0; size < (i < 8 ? n : PART); size += PART) CHECK(write(file, part, PART) == PART);
    }
}

int main(void)
{
    x = malloc(n);
    offload(0, 1);
    close_others();
    offload(1, 2); /* opened now */
    close_others();
    CHECK(chdir("elsewhere") == 0);
    open_files();
    for (int i = 0; i < 20; i++) offload(0, i), offload(1, i);
    puts("right");
    return 0;
}
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("device", "traced"),
    thinned([("cudasim", True), ("cudasim", False), ("host", True), ("host", False)], 4, of_rest=2),
)
def test_files_of_the_program_get_the_numbers_and_are_left_alone(tmp_path: Path, device: str, traced: bool) -> None:
    (tmp_path / "daemon.c").write_text(DAEMON)
    (tmp_path / "elsewhere").mkdir()
    words = [f"-fopenmp-targets={device}", "-fopenmp", "-o", "daemon", "daemon.c"]
    ompls("cc", *words, cwd=tmp_path).check_returncode()
    env = {**os.environ, "OMPLS_DEVICES": f"{device}:2", "OMPLS_TRACE": "trace" if traced else ""}
    done = subprocess.run(["./daemon"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "right\n", "")
    files = [path.read_bytes() for path in (tmp_path / "elsewhere").iterdir()]
    assert len(files) == 40
    assert all(data == b"u" * len(data) for data in files)
    if traced:
        events = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]
        assert sum(event.get("kind") == "launch" for event in events) == 42
        assert [event["device"] for event in events if event.get("kind") == "locks"] == [f"{device}:0", f"{device}:1"]
