"""The teams of a league run at once: masters far apart, the threads of each near to it, on a chip of any size."""

from __future__ import annotations

import os
from pathlib import Path

import command
import pytest
import sources

from ompls.runtime.devices import all_devices, state_of

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)

# A core is known by where its stack is.  Nobody goes on until all teams are there.
MEET = """\
#include <omp.h>
#include <stdio.h>
#pragma omp declare target
static void meet(int *met, int all)
{
#pragma omp atomic
    ++*met;
    for (int now = 0; now < all;)
#pragma omp atomic read
        now = *met;
}
#pragma omp end declare target
"""
TEXT = (
    MEET
    + """\
int main(void)
{
    unsigned masters[4], members[16] = {0};
    int met = 0, sum = 0, teams = 0;
#pragma omp target teams num_teams(4) map(from: masters) map(tofrom: members, met)
    {
        int team = omp_get_team_num(), here;
        masters[team] = (unsigned)(unsigned long)&here >> 20;
        meet(&met, 4);
#pragma omp parallel num_threads(4)
        {
            int there;
            meet(&met, 20);
            members[team * 4 + omp_get_thread_num()] = (unsigned)(unsigned long)&there >> 20;
        }
    }
#pragma omp target teams distribute parallel for num_teams(200) reduction(+: sum) map(tofrom: teams)
    for (int i = 0; i < 1000; i++) {
        sum += i;
        if (omp_get_num_teams() == 200)
#pragma omp atomic
            teams++;
    }
    for (int i = 0; i < 4; i++) printf("%x ", masters[i]);
    for (int i = 0; i < 16; i++) printf("%x ", members[i]);
    printf("%d %d\\n", sum, teams);
    return 0;
}
"""
)


def place(word: str) -> tuple[int, int]:
    return int(word, 16) // 64 - 32, int(word, 16) % 64 - 8


ALONE = (
    MEET
    + """\
int main(void)
{
    int asked = 0, through = 0, shares[4] = {0}, limited = 0, most = 0, wide = 8;
#pragma omp target teams num_teams(4) map(tofrom: asked, shares, through, most)
    {
#pragma omp parallel
#pragma omp single
        shares[omp_get_team_num()] = omp_get_num_threads();
        meet(&through, 4);
        if (omp_get_team_num() == 1) {
            most = omp_get_max_threads();
#pragma omp parallel num_threads(wide) // no constant: else there are two teams at once
#pragma omp single
            asked = omp_get_num_threads();
        }
    }
#pragma omp target teams num_teams(2) thread_limit(3) map(tofrom: limited)
    if (omp_get_team_num() == 0) {
#pragma omp parallel num_threads(8)
#pragma omp single
        limited = omp_get_num_threads();
    }
    printf("%d %d %d", asked, most, limited);
    for (int i = 0; i < 4; i++) printf(" %d", shares[i] >= 1 && shares[i] <= 4);
    return 0;
}
"""
)


def test_a_team_that_asks_for_more_than_its_share_gets_what_is_free(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(ALONE)
    environment = {**os.environ, "OMPLS_EPIPHANY_DEADLINE": "20"}
    done = command.ompls("run", "--device", "epiphany", "--timeout", "60", source, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["8", "4", "3", "1", "1", "1", "1"]


@pytest.mark.parametrize("side", [4, 8])
def test_masters_are_far_apart_and_members_near(side: int) -> None:
    environment = {**os.environ, "OMPLS_EPIPHANY_CHIP": str(side * side), "OMPLS_EPIPHANY_DEADLINE": "20"}
    done = command.ompls("run", "--device", "epiphany", "--timeout", "60", sources.kept(TEXT), env=environment)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    masters, members = [place(word) for word in words[:4]], [place(word) for word in words[4:20]]
    assert set(masters) == {(row, column) for row in (0, side - 1) for column in (0, side - 1)}
    assert len(set(members)) == len(members) == 16
    for number, (row, column) in enumerate(place(word) for word in words[4:20]):
        far = abs(row - masters[number // 4][0]) + abs(column - masters[number // 4][1])
        assert far <= 2 or side == 4  # there the last one gets what the others have left
    assert words[20:] == ["499500", "1000"]
