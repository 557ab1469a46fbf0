"""One board, two people with an account each: they do not see each other, and nothing of either is left."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from waiting import until

from .conftest import Sshd, an_sshd

PROGRAM = Path(__file__).parent / "programs/streams.c"
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("useradd", path="/usr/sbin:/sbin") is None,
        reason="accounts are made by useradd, as root",
    ),
]


@dataclass
class Account:
    """Of the board.  Its board here has the same name."""

    name: str
    home: Path

    @property
    def number(self) -> int:
        return self.home.stat().st_uid

    def processes(self) -> list[str]:
        """Those of ours: its sshd may be about to end."""
        found = []
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                if directory.stat().st_uid == self.number:
                    found.append((directory / "comm").read_text().strip())
            except OSError:
                continue
        return [name for name in found if name != "sshd"]

    def is_clean(self) -> bool:
        return not self.processes() and not list((self.home / ".ompls").glob("*-ompls*"))


def changed(command: str, *words: object) -> bool:
    """Change the list of accounts.  Somebody else may be doing so."""
    done = subprocess.run([command, *map(str, words)], env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}, check=False)
    return done.returncode == 0


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sshd, list[Account]]]:
    """A board, and two accounts there."""
    place, mark, rules = tmp_path_factory.mktemp("shared"), secrets.token_hex(4), ""
    with tempfile.TemporaryDirectory(prefix="ompls-homes-") as made:
        homes = Path(made)  # where others may look, too
        homes.chmod(0o711)
        accounts = [Account(f"ompls-{mark}-{which}", homes / which) for which in ("a", "b")]
        try:
            for account in accounts:  # `*`: there is no password; an account that has `!` is locked
                words = ("-m", "-d", account.home, "-s", "/bin/sh", "-p", "*", account.name)
                if not until(lambda words=words: changed("useradd", *words)):  # type: ignore[misc]
                    pytest.skip("useradd makes no account here")
                rules += f"Match User {account.name}\n  AuthorizedKeysFile {homes}/key\n  SetEnv HOME={account.home}\n"
            with an_sshd(place, rules) as board:
                yield prepared(board, homes, accounts), accounts
        finally:
            for account in accounts:
                until(lambda account=account: changed("userdel", "-f", account.name))  # type: ignore[misc]


def prepared(board: Sshd, homes: Path, accounts: list[Account]) -> Sshd:
    """Each account is a board here."""
    shutil.copy(board.place / "key.pub", homes / "key")
    (homes / "key").chmod(0o644)
    for account in accounts:
        done = board.ompls("remote", "add", account.name, f"{account.name}@board")
        assert done.returncode == 0, done.stderr
    return board


def begun(board: Sshd, account: Account, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ompls", "run", "--remote", account.name, str(PROGRAM), "--", *words]
    return subprocess.Popen(command, env=board.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_two_accounts_at_once_are_right_and_private(shared: tuple[Sshd, list[Account]]) -> None:
    board, accounts = shared
    runs = [begun(board, account, "echo", account.name) for account in accounts]
    for run, account in zip(runs, accounts, strict=True):
        assert run.communicate("said\n", timeout=120)[0] == f"said\n<{account.name}>\n499500\n"
        assert run.returncode == 7
    for account in accounts:
        assert until(account.is_clean)
        ours = account.home / ".ompls"
        kept = [ours, *ours.rglob("*")]
        assert any(path.parent.name == "programs" for path in kept)
        assert {path.lstat().st_uid for path in kept} == {account.number}
        assert [path for path in kept if stat.S_IMODE(path.lstat().st_mode) & 0o077 and not path.is_symlink()] == []


def test_what_ends_one_does_not_end_the_other(shared: tuple[Sshd, list[Account]]) -> None:
    board, (one, other) = shared
    runs = [begun(board, account, "wait") for account in (one, other)]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == "waiting\n"
    runs[0].send_signal(signal.SIGINT)
    runs[0].communicate(timeout=60)
    assert runs[0].returncode == 128 + signal.SIGINT
    assert until(one.is_clean)
    assert other.processes()
    assert runs[1].poll() is None
    runs[1].kill()
    runs[1].communicate(timeout=60)
    assert until(other.is_clean)


def test_the_directory_of_another_account_is_refused(shared: tuple[Sshd, list[Account]]) -> None:
    board, (one, other) = shared
    done = board.ompls("remote", "add", "thief", f"{other.name}@board", "--dir", one.home / ".ompls")
    assert done.returncode == 2
    assert "the board has no directory" in done.stderr or "belongs to somebody else" in done.stderr
