"""`make hangs`: 300 faults in processes that we start; each scene has to end in time, rightly or with a sentence.

    tests/hangs/inject.py [--seed N] [--count N] [--skip N] [--only WORD] [--list]

A fault kills, stops or crashes one process (scenes.py has the table) at a moment that the seed chooses.  It fails when
the program has not ended within what documentation allows, when it says something wrong or ends without a word, and
when a process, a file, or shared memory is left.  One that hits nobody is drawn again, sooner after its moment, so
that all of the number hit.  The exit code is 1 when one has failed.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(folder) for folder in Path(__file__).resolve().parents[1:3]]

from boards.conftest import Sshd, an_sshd

from hangs.scenes import KILLS, MOMENTS, SCENES, VICTIMS, Process, process
from ompls.runtime.awake import awake

HERE = Path(__file__).resolve().parent
MARK = "HANGS_MARK"  # what the processes of a fault have in their environment
TIDY = 25.0  # seconds until nothing is left
LOOK = 0.2  # seconds between two looks at who can be hit, which take a part of that
DRAWS = 8  # of a fault, until it hits somebody
# Shared memory is a directory of this program alone, so that what is left there is its own.
_ALONE = ("unshare", "--mount", "sh", "-c", 'mount --bind "$0" /dev/shm && exec "$@"')
AS_ROOT = {f"{name}_ALLOW_RUN_AS_ROOT{end}": "1" for name in ("OMPI", "PRTE") for end in ("", "_CONFIRM")}


@dataclass(frozen=True)
class Fault:
    """wait -- part of the moment's time; which -- of several such processes; seed -- of what is drawn in its place"""

    victim: str
    moment: str
    kill: signal.Signals
    scene: str
    wait: float
    which: float
    seed: float = 0.0

    def draws(self) -> Iterator[Fault]:
        """It, and what is tried in its place as long as nobody is hit: each within half of the time."""
        yield self
        chance = random.Random(self.seed)
        for number in range(1, DRAWS):
            yield replace(
                self,
                scene=chance.choice(VICTIMS[self.victim].scenes),
                wait=chance.random() / 2**number,
                which=chance.random(),
            )

    def __str__(self) -> str:
        return f"{self.victim}, {self.kill.name[3:]} at {self.moment} ({self.scene})"


def faults(seed: int, count: int) -> list[Fault]:
    """All of the table once, then again, each time with other times."""
    chance = random.Random(seed)
    chosen: list[Fault] = []
    while len(chosen) < count:
        table = list(itertools.product(VICTIMS, MOMENTS, KILLS))
        chance.shuffle(table)
        chosen += [
            Fault(victim, moment, kill, chance.choice(VICTIMS[victim].scenes), *(chance.random() for _ in range(3)))
            for victim, moment, kill in table
        ]
    return chosen[:count]


class Stage:
    """Where the scenes are played: a board, and programs that are built once."""

    def __init__(self, place: Path, board: Sshd) -> None:
        self.place, self.board = place, board
        self.can_mount = subprocess.run([*_ALONE, str(place), "true"], check=False).returncode == 0
        done = board.ompls("remote", "add", "nano", "board", "--dir", board.directory)
        assert done.returncode == 0, done.stderr

    def command(self, scene: str) -> list[str]:
        device = SCENES[scene].device
        if not device:
            return [sys.executable, str(HERE / "editing.py")]
        if SCENES[scene].where == "board":
            return [sys.executable, "-m", "ompls", "run", "--remote", "nano", "--device", device, str(HERE / "work.c")]
        program = self.place / scene
        if not program.exists():
            words = ("cc", "-O2", "-fopenmp", f"-fopenmp-targets={device}", "-o", program, HERE / "work.c")
            done = self.board.ompls(*words)
            assert done.returncode == 0, done.stderr
        return [str(program)]

    def plays(self, scene: str) -> str:
        """What is wrong with it where nothing is hit; the board has built the program then."""
        played = Played(self, scene)
        return played.judged(None)


@contextlib.contextmanager
def stage() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="hangs") as place:
        board = Path(place) / "board"
        board.mkdir()
        with an_sshd(board) as sshd:
            yield Stage(Path(place), sshd)


class Played:
    """A program that runs; `said` is what it has said."""

    def __init__(self, stage: Stage, scene: str) -> None:
        self._stage, self._scene = stage, SCENES[scene]
        self._mark = f"{os.getpid()}-{time.monotonic_ns()}"
        self._place = Path(tempfile.mkdtemp(dir=stage.place))
        self._shared = self._place / "shared"
        self._shared.mkdir()
        alone = [*_ALONE, str(self._shared)] if stage.can_mount else []
        self.hit, self._victim = "", 0
        environment = {**stage.board.environment, **AS_ROOT, **self._scene.environment}
        environment |= {MARK: self._mark, "TMPDIR": str(self._place), "OMPLS_CACHE_DIR": str(stage.place / "cache")}
        self._errors = (stage.place / "errors").open("w+b")
        self.process = subprocess.Popen(
            [*alone, *stage.command(scene)], env=environment, cwd=self._place, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors,
        )  # fmt: skip
        self.said: list[str] = []
        self._heard = threading.Condition()
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._heard:
                self.said.append(line.strip())
                self._heard.notify()

    def processes(self) -> list[Process]:
        """Of this program, and on the board."""
        found: list[Process] = []
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                given = (place / "environ").read_bytes()
                ours = f"{MARK}={self._mark}\0".encode() in given
                if ours or f"HOME={self._stage.board.place}/home\0".encode() in given:
                    found += filter(None, [process(int(place.name))])
        return [one for one in found if one.words and one.number != self.process.pid]

    def strike(self, fault: Fault) -> None:
        """If there is somebody to hit before the program ends."""
        moment = MOMENTS[fault.moment]
        end = time.monotonic() + self._scene.most
        victims: list[Process] = []
        while self.process.poll() is None and time.monotonic() < end:
            victims = [one for one in self.processes() if VICTIMS[fault.victim].is_one(one)]
            if self._comes(moment.said, LOOK if victims else 0) and victims:
                time.sleep(fault.wait * moment.within)
                self._hit(victims[int(fault.which * len(victims))], fault.kill, victims)
                return

    def _comes(self, word: str, seconds: float) -> bool:
        """Whether it says that, within this time."""
        with self._heard:
            return self._heard.wait_for(lambda: not word or word in self.said, seconds)

    def _hit(self, victim: Process, kill: signal.Signals, of: list[Process]) -> None:
        if process(victim.number) == victim:  # the same, and no zombie
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim.number, kill)
                self._victim = victim.number
                self.hit = f"{victim.number} below {victim.parent} of {[one.number for one in of]}"

    def judged(self, fault: Fault | None) -> str:
        """What is wrong; "": nothing is.  Nothing of it is left after that."""
        try:
            if fault is not None:
                self.strike(fault)
            wrong = self._ended()
            if fault is not None and self.hit and fault.moment in VICTIMS[fault.victim].alone:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._victim, signal.SIGCONT)
            return wrong or self._left()
        finally:
            self._clear()

    def _clear(self) -> None:
        for one in self.processes():
            with contextlib.suppress(OSError):
                os.kill(one.number, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        self._hearing.join(5)
        self._errors.close()
        for place in (self._place, *self._stage.board.directory.glob("run-*")):
            shutil.rmtree(place, ignore_errors=True)

    def _ended(self) -> str:
        try:
            code = self.process.wait(self._scene.most)
        except subprocess.TimeoutExpired:
            return f"hangs, after {self.said}: {self._told()}"
        self._hearing.join(5)
        if "wrong" in self.said or (code == 0 and "right" not in self.said):
            return f"wrong, {code} after {self.said}: {self._told()}"
        return "" if code == 0 or self._told() else f"ends with {code} after {self.said} without a word"

    def _told(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-2000:]

    def _left(self) -> str:
        end = time.monotonic() + TIDY
        while left := self._left_now():
            if time.monotonic() > end:
                return f"leaves {left}, after {self.said}: {self._told()}"
            time.sleep(0.1)
        return ""

    def _left_now(self) -> list[str]:
        left = [f"{one.number} {' '.join(one.words)[:100]}" for one in self.processes()]
        left += [str(path) for path in (*self._place.iterdir(), *self._shared.iterdir()) if path != self._shared]
        return left + [str(path) for path in self._stage.board.directory.glob("run-*")]


def tried(stage: Stage, chosen: list[Fault], tell: Callable[[str], object], skip: int = 0) -> list[str]:
    """The failures of all but the first ones."""
    chosen = chosen[skip:]
    for scene in sorted({fault.scene for fault in chosen}):
        wrong = stage.plays(scene)
        assert not wrong, f"the scene '{scene}' without a fault {wrong}"
    failed = []
    for number, fault in enumerate(chosen, skip + 1):
        for draw in fault.draws():
            began = time.monotonic()
            played = Played(stage, draw.scene)
            wrong = played.judged(draw)
            seconds = time.monotonic() - began
            tell(f"{number:3d} {draw}: {wrong or 'well'} ({seconds:.0f} s, {played.hit or 'hits nobody'})")
            if wrong or played.hit:
                break
        else:
            wrong = f"hits nobody, {DRAWS} times"
        failed += [f"{fault}: {wrong}"] if wrong else []
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--skip", type=int, default=0, help="the first ones, which an earlier run had")
    parser.add_argument("--only", default="", help="faults whose name has this word")
    parser.add_argument("--list", action="store_true", help="their names")
    given = parser.parse_args()
    chosen = [fault for fault in faults(given.seed, given.count) if given.only in str(fault)]
    if given.list:
        print(*chosen, sep="\n")
        return 0
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        with awake(), stage() as built:
            failed = tried(built, chosen, lambda line: print(line, flush=True), given.skip)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    kinds = Counter(fault.partition(": ")[2].split()[0].strip(",") for fault in failed)
    counts = [f"{count} {kind}" for kind, count in kinds.items()]
    print(f"{len(chosen) - given.skip} faults, {len(failed)} failed", *counts, sep=", ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
