"""Which files a far side is built from: a board's knows no MPI, a node's no streams."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ompls.devices.mpinode.module import DEVICE as NODES
from ompls.devices.remote import near
from ompls.devices.remote.board import BoardDevice
from ompls.devices.remote.image import LIBRARY, sources
from ompls.runtime.build import CORE

BOTH = {"digest", "exchange", "far", "faults", "memory"}
BOARD = BOTH | {"stream", "stream_line", "stream_peers"}
NODE = BOTH | {"mpi", "mpi_line"}


def read(files: list[Path]) -> set[str]:
    """The names of the files of library/ that the compiler reads for these."""
    words = ["gcc", "-MM", "-I", CORE, *files]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.replace("\\\n", " ").split()
    return {Path(word).stem for word in told if Path(word).resolve().parent == LIBRARY}


@pytest.mark.parametrize(("program", "made_of"), [(True, BOARD), (False, NODE)])
def test_a_far_side_is_made_of_one_kind_of_line(program: bool, made_of: set[str]) -> None:
    files = sources(program=program)
    assert {file.stem for file in files} == made_of
    assert read(files) == made_of | {"line", "wire"}


def test_boards_have_the_program_and_nodes_the_shared_object() -> None:
    assert BoardDevice.starts_far
    assert not NODES.starts_far


def test_a_program_has_the_lines_of_its_devices() -> None:
    board, node = (read(near.sources(line)) for line in ("stream", "mpi"))
    assert board - node == {"stream_line"}
    assert node - board == {"mpi_line", "mpi_own"}
