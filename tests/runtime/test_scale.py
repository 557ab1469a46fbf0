"""What the core's book-keeping costs as programs grow, by counting rather than by the clock (core/scale.c).

The bounds are those of the paper on device support in OMPi (section 4.1): constant look-up and insertion on average,
one allocation an environment.
"""

from __future__ import annotations

from mocked import Program, program, run

__all__ = ["program"]


def test_looking_up_mapping_and_unmapping_take_constant_time(program: Program) -> None:
    done = run(program("scale", "plain"), "probes")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [[float(x) for x in line.split()] for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == [100, 1000, 10000, 100000]
    for few, many in zip(rows[0][1:], rows[-1][1:], strict=True):
        assert many < 2 * few + 8


def test_mapping_and_unmapping_leaves_memory_flat(program: Program) -> None:
    done = run(program("scale", "plain"), "flat", "300000")
    early, late = (int(x) for x in done.stdout.split())
    assert late - early < 256


def test_nested_environments_of_many_threads_cost_what_those_of_few_do(program: Program) -> None:
    best = {}
    for threads in (4, 64):
        runs = [run(program("scale", "plain"), "nested", str(threads), "1000") for _ in range(3)]
        assert [(done.returncode, done.stderr) for done in runs] == [(0, "")] * 3
        figures = [[int(x) for x in done.stdout.split()] for done in runs]
        best[threads] = min(each for each, _, _ in figures)  # other programs have the machine, too
        for _, acquisitions, slept in figures:
            assert acquisitions == 2 * threads * 1000
            assert slept <= acquisitions / 100
    assert best[64] < 4 * best[4] + 1000
