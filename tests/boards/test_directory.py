"""The directory for our files on a board: which ones are taken, and what is removed of them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from ompls.runtime import boards

from .conftest import Sshd

STREAMS = Path(__file__).parent / "programs/streams.c"


@pytest.fixture
def mine(sshd: Sshd, tmp_path: Path) -> Sshd:
    """The board, which nobody has registered yet."""
    return Sshd(sshd.place, {**sshd.environment, "XDG_CONFIG_HOME": str(tmp_path / "config")})


@pytest.fixture
def used(mine: Sshd, board: Sshd, tmp_path: Path) -> Path:
    """The directory of the board `own`, where streams.c has run; it was built in `board`'s, for other tests, too."""
    assert board.ompls("run", "--remote", "nano", STREAMS).returncode == 7
    place = tmp_path / "there"
    assert mine.ompls("remote", "add", "own", "board", "--dir", place).returncode == 0
    shutil.copytree(board.directory / "programs", place / "programs")
    assert mine.ompls("run", "--remote", "own", STREAMS).returncode == 7
    return place


def add(board: Sshd, place: Path | str) -> str:
    """What is said when a directory is not taken; nobody is registered then."""
    done = board.ompls("remote", "add", "own", "board", "--dir", place)
    assert done.returncode == 2
    assert board.ompls("remote", "list").stdout == ""
    return done.stderr


def test_a_directory_with_files_of_others_is_refused_and_left_alone(mine: Sshd, tmp_path: Path) -> None:
    place = tmp_path / "work"
    place.mkdir()
    place.chmod(0o755)
    (place / "thesis.txt").write_text("years")
    why = f"the board's {place} has files that are not ours; choose another one with --dir"
    said = f"ompls: error: board 'own': {why}\n"
    assert add(mine, place) == said
    assert (place.stat().st_mode & 0o777, os.listdir(place)) == (0o755, ["thesis.txt"])
    (place / "thesis.txt").rename(place / "programs")
    (place / "programs").unlink()
    (place / "programs").mkdir()
    (place / "programs/thesis.txt").touch()
    assert add(mine, place) == said


def test_the_home_the_root_and_links_are_refused(mine: Sshd, tmp_path: Path) -> None:
    home = mine.place / "home"
    mode = home.stat().st_mode
    assert f"the board's {home} is no directory of its own" in add(mine, home)
    assert f"the board's {home} is no directory of its own" in add(mine, f"{home}/./")
    assert home.stat().st_mode == mode
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    for path in ("link", "link/", "link/./"):
        assert f"the board's {tmp_path}/link is a symbolic link" in add(mine, f"{tmp_path}/{path}")
    (tmp_path / "homes").symlink_to(mine.place)
    assert "is no directory of its own" in add(mine, tmp_path / "homes/home")
    assert os.listdir(tmp_path / "empty") == []


def test_an_empty_directory_keeps_its_mode_and_others_must_not_write_there(mine: Sshd, tmp_path: Path) -> None:
    place = tmp_path / "empty"
    place.mkdir()
    place.chmod(0o1777)
    assert f"others can write to the board's {place}; say chmod 700 there" in add(mine, place)
    assert place.stat().st_mode & 0o7777 == 0o1777
    place.chmod(0o755)
    assert mine.ompls("remote", "add", "own", "board", "--dir", place).returncode == 0
    assert mine.ompls("remote", "test", "own").returncode == 0
    assert place.stat().st_mode & 0o7777 == 0o755


def test_purge_leaves_what_is_not_ours(mine: Sshd, used: Path) -> None:
    assert (used / "programs").is_dir()
    (used / "thesis.txt").write_text("years")
    (used / "run-1").mkdir()
    done = mine.ompls("remote", "remove", "own", "--purge")
    assert (done.returncode, done.stderr) == (0, f"ompls: left {used} on own: what is in it is not ours\n")
    assert sorted(os.listdir(used)) == ["run-1", "thesis.txt"]
    assert "files that are not ours" in add(mine, used)


def test_a_board_from_before_there_were_markers_goes_on(mine: Sshd, used: Path) -> None:
    (marker,) = used.glob(".*")
    marker.unlink()
    (used / ("run-ompls" + "0" * 32)).mkdir()
    assert mine.ompls("run", "--remote", "own", STREAMS).returncode == 7
    assert marker.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else, and make it stay")
def test_a_purge_that_fails_is_told(mine: Sshd, tmp_path: Path) -> None:
    place = tmp_path / "there"
    assert mine.ompls("remote", "add", "own", "board", "--dir", place).returncode == 0
    (place / "far").mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place / "far"], check=False).returncode != 0:
        pytest.skip("nothing can be mounted here")
    try:
        done = mine.ompls("remote", "remove", "own", "--purge")
    finally:
        subprocess.run(["umount", "-l", place / "far"], check=True)
    assert done.returncode == 2
    assert done.stderr == (
        f"ompls: error: board 'own': the board could not remove all of our files in {place}; look who owns them\n"
    )
    assert "own" in mine.ompls("remote", "list").stdout


@pytest.mark.parametrize("home", ["", "here"])
def test_there_is_no_directory_below_a_home_that_is_none(home: str, tmp_path: Path) -> None:
    script = (Path(boards.__file__).parent / "board.sh").read_text()

    def enter(place: str) -> subprocess.CompletedProcess[str]:
        text = f"set -- enter mark {shlex.quote(place)}\n{script}"
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        return subprocess.run(
            ["sh"], input=text, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    for place in (f"../..{tmp_path}/x", "x:/x", "x"):
        done = enter(place)
        why = "the board has no home directory (HOME): choose an absolute one with --dir"
        assert (done.returncode, done.stderr) == (125, f"ompls: error: {why}\n")
    assert list(tmp_path.iterdir()) == []
    assert enter(f"{tmp_path}/own").returncode == 0
    assert (tmp_path / "own/.ompls-board").exists()


def test_a_directory_that_others_could_replace_is_refused(mine: Sshd, tmp_path: Path) -> None:
    place = tmp_path / "open/ours"
    place.mkdir(parents=True)
    place.parent.chmod(0o777)
    assert f"others can write above the board's {place} (drwxrwxrwx" in add(mine, place)
    place.parent.chmod(0o1777)
    assert mine.ompls("remote", "add", "own", "board", "--dir", place).returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make what belongs to others")
def test_what_others_have_put_there_is_refused(mine: Sshd, tmp_path: Path) -> None:
    above = tmp_path / "above"
    place = above / "ours"
    above.mkdir()
    assert mine.ompls("remote", "add", "own", "board", "--dir", place).returncode == 0
    (place / "programs").mkdir()
    os.chown(place / "programs", 65534, 65534)
    said = mine.ompls("remote", "test", "own").stderr
    assert f"the board's {place}/programs is not ours; remove it, or choose another one with --dir" in said
    (place / "programs").rmdir()
    os.chown(above, 65534, 65534)
    assert (
        f"above the board's {place} a directory belongs to somebody else" in mine.ompls("remote", "test", "own").stderr
    )
