"""Twelve of the faults of `make hangs`: of each kind of victim at least one."""

from __future__ import annotations

from collections.abc import Iterator
from signal import SIGKILL, SIGSEGV, SIGSTOP

import pytest
from remote.conftest import is_mpich

from ompls.runtime.devices import all_devices, state_of

from .inject import DRAWS, Fault, Stage, faults, stage, tried
from .scenes import SCENES, VICTIMS

SEED, TABLE = 1, 135  # of each victim, moment and signal one
CHOSEN = (
    ("node", "compute", SIGKILL, "cluster"),
    ("node", "copy", SIGSTOP, "cluster"),
    ("proxy", "copy", SIGSEGV, "cluster"),
    ("launcher", "connect", SIGSTOP, "cluster"),
    ("ssh", "compute", SIGKILL, "board"),
    ("board shell", "compute", SIGSTOP, "board"),
    ("ssh", "copy", SIGSTOP, "regions"),
    ("board shell", "compute", SIGKILL, "regions"),
    ("board process", "compute", SIGSEGV, "chip"),
    ("core", "copy", SIGKILL, "chip"),
    ("server worker", "compute", SIGKILL, "editor"),
    ("nursery", "connect", SIGSEGV, "editor"),
)


@pytest.fixture(scope="session")
def set_up() -> Iterator[Stage]:
    """Skips without sshd."""
    with stage() as made:
        yield made


@pytest.mark.thorough
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scene", SCENES)
def test_everything_ends_rightly_or_with_a_sentence(set_up: Stage, scene: str) -> None:
    if scene == "cluster" and not is_mpich():
        pytest.skip("it is MPICH whose nodes have an mpiexec each")
    epiphany = state_of(all_devices()["epiphany"])
    if scene == "chip" and not epiphany.available:
        pytest.skip(epiphany.reason)
    chosen = [Fault(*fault, wait=0.5, which=0.5) for fault in CHOSEN if fault[3] == scene]
    assert chosen
    assert not tried(set_up, chosen, print)


def test_the_table_is_whole() -> None:
    table = {(fault.victim, fault.moment, fault.kill) for fault in faults(SEED, TABLE)}
    assert len(table) == TABLE
    assert {victim for victim, _, _ in table} == set(VICTIMS)
    assert faults(SEED, 300)[:TABLE] == faults(SEED, TABLE)


def test_what_hits_nobody_is_drawn_again_the_same_way_each_time() -> None:
    for fault in faults(SEED, TABLE):
        draws = list(fault.draws())
        assert draws == list(fault.draws())
        assert draws[0] == fault
        assert len(set(draws)) == DRAWS
        assert {(draw.victim, draw.moment, draw.kill) for draw in draws} == {(fault.victim, fault.moment, fault.kill)}
        assert all(draw.wait < 1 / 2**number for number, draw in enumerate(draws))
