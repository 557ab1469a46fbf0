"""A board: a real sshd on loopback, with keys and a directory of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import ompls
from waiting import LIMIT, until

from ompls.runtime.contained import Contained

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/saxpy.c"

_SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {place}/host
AuthorizedKeysFile {place}/key.pub
PidFile {place}/pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
PermitUserEnvironment no
SetEnv LD_LIBRARY_PATH={place}/driver HOME={place}/home
"""
_CLIENT = """\
Host board
  HostName 127.0.0.1
  Port {port}
  IdentityFile {place}/key
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {place}/known
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
"""


@dataclass
class Sshd:
    """The board, and the environment in which `ssh board` finds it."""

    place: Path
    environment: dict[str, str]

    @property
    def directory(self) -> Path:
        """Our files on it."""
        return self.place / "there"

    def ompls(self, *words: object, **how: object) -> subprocess.CompletedProcess[str]:
        return ompls(*words, env=self.environment, **how)  # type: ignore[arg-type]

    def processes(self) -> list[str]:
        """What runs on this board for somebody: other tests have boards, too."""
        found = []
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                given = (directory / "environ").read_bytes()
                here = os.fsencode(self.directory) in given + (directory / "cmdline").read_bytes()
                if here and b"OMPLS_BOARD_RUN=" in given:
                    found.append((directory / "comm").read_text().strip())
            except OSError:
                continue
        return found

    def is_clean(self) -> bool:
        """Nothing runs there, and nothing of a single run is left."""
        return not self.processes() and not list(self.directory.glob("run-*"))


@contextlib.contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A file system of `size` in a new directory.  Skips where none can be mounted."""
    disk = place / "small"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=False).returncode != 0:
        pytest.skip("nothing can be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


@contextlib.contextmanager
def an_sshd(place: Path, more: str = "") -> Iterator[Sshd]:
    """One with its files in `place`, and `more` in its configuration.  Skips without sshd."""
    program = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ["PATH"])
    if program is None or shutil.which("ssh") is None:
        pytest.skip("sshd is not installed: apt-get install openssh-server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for key in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / key], check=True)
    (place / "sshd").write_text(_SSHD.format(port=port, place=place) + more)
    (place / "client").write_text(_CLIENT.format(port=port, place=place))
    (place / "known").write_text(f"[127.0.0.1]:{port} {(place / 'host.pub').read_text()}")
    (place / "home").mkdir()  # what a login reads is nobody's: two at once may get in each other's way
    (place / "bin").mkdir()
    wrapper = place / "bin/ssh"  # OpenSSH does not look at HOME
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {place}/client "$@"\n')
    wrapper.chmod(0o700)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("OMP_", "OMPLS_DEVICES"))}
    environment |= {"XDG_CONFIG_HOME": str(place / "config"), "PATH": f"{place}/bin:{environment['PATH']}"}
    with Contained([program, "-D", "-e", "-f", str(place / "sshd")], stderr=subprocess.DEVNULL):
        board = Sshd(place, environment)
        assert until(lambda: answers(port))
        subprocess.run(["ssh", "board", "true"], env=environment, check=True)
        yield board


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """Skips without sshd."""
    with an_sshd(tmp_path_factory.mktemp("board")) as board:
        yield board


@pytest.fixture(scope="session")
def board(sshd: Sshd, once: Callable[[str, Callable[[Path], object]], Path]) -> Sshd:
    """It is registered as `nano`, and computes on its cores; of all workers' boards one compiles the runtime."""
    done = sshd.ompls("remote", "add", "nano", "board", "--dir", sshd.directory)
    assert done.returncode == 0, done.stderr

    def compiled(place: Path) -> None:
        done = sshd.ompls("run", "--remote", "nano", EXAMPLE)
        assert done.returncode == 0, done.stderr
        shutil.copytree(sshd.directory / "cache", place)

    made = once("board", compiled)
    if not (sshd.directory / "cache").exists():
        shutil.copytree(made, sshd.directory / "cache")
    return sshd


def changed(board: Sshd, place: Path, line: str) -> Sshd:
    """Where each `ssh` does something first."""
    wrapper = place / "bin/ssh"
    wrapper.parent.mkdir()
    text = (board.place / "bin/ssh").read_text()
    wrapper.write_text(text.replace("#!/bin/sh\n", f"#!/bin/sh\n{line}\n"))
    wrapper.chmod(0o700)
    return Sshd(board.place, {**board.environment, "PATH": f"{wrapper.parent}:{board.environment['PATH']}"})


def logins(run: int) -> list[int]:
    """The ssh that holds the connection of a run, a child of it."""
    found = []
    for listed in Path(f"/proc/{run}/task").glob("*/children"):
        found += [
            n for n in listed.read_text().split() if b"ControlMaster=yes" in Path(f"/proc/{n}/cmdline").read_bytes()
        ]
    return [int(number) for number in found]


def cut(run: subprocess.Popen[str]) -> str:
    """Ends the connection of a run; what the run then says before it ends in bounded time."""
    (login,) = logins(run.pid)
    os.kill(login, signal.SIGKILL)
    assert run.wait(LIMIT) == 125
    assert run.stderr is not None
    return run.stderr.read()
