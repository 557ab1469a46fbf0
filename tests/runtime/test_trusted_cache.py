"""What is kept is used only where nobody but we and root can have changed it: it is executed, linked and believed."""

from __future__ import annotations

import errno
import os
import stat
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from ompls.devices.epiphany.module import size
from ompls.project.cache import DiskCache
from ompls.project.compiler import Preprocessed
from ompls.runtime import folders
from ompls.runtime.boards import logins
from ompls.runtime.boards.registered import Board
from ompls.runtime.cache import Cache, not_ours
from ompls.runtime.toolchain import Compile, Toolchain

BOARD = Path(folders.__file__).parent / "boards/board.sh"
NAME, OTHER = "ab" * 32, "cd" * 32
NOBODY = 65534
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    made = Cache(tmp_path / "cache")
    made.put(NAME, ".o", b"an object")
    assert made.get(NAME, ".o") is not None
    return made


def given_away(path: Path) -> None:
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def opened(path: Path) -> None:
    path.chmod(path.stat().st_mode | stat.S_IWOTH)


def entry(cache: Cache, suffix: str = ".o") -> Path:
    return cache.directory / NAME[:2] / (NAME[2:] + suffix)


PLACES: dict[str, Callable[[Cache], Path]] = {
    "the directory": lambda cache: cache.directory,
    "the one above it": lambda cache: cache.directory.parent,
    "the folder": lambda cache: entry(cache).parent,
    "the entry": entry,
    "its checksum": lambda cache: entry(cache, ".o.sum"),
}


@pytest.mark.parametrize("change", [pytest.param(given_away, marks=as_root), opened])
@pytest.mark.parametrize("place", PLACES)
def test_what_others_can_change_is_as_if_it_were_not_there(
    cache: Cache, place: str, change: Callable[[Path], None]
) -> None:
    path = PLACES[place](cache)
    change(path)
    assert Cache(cache.directory).get(NAME, ".o") is None
    if path.is_file():  # it is made again
        Cache(cache.directory).put(NAME, ".o", b"an object")
        assert Cache(cache.directory).get(NAME, ".o") is not None
        return
    for name in (NAME, OTHER) if place != "the folder" else (NAME,):
        with pytest.raises(PermissionError, match="and programs come from here: make it yours alone"):
            Cache(cache.directory).put(name, ".o", b"an object")


def test_a_link_in_the_place_of_an_entry_is_no_entry(cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"an object")
    entry(cache).unlink()
    entry(cache).symlink_to(tmp_path / "elsewhere")
    assert cache.get(NAME, ".o") is None
    cache.put(NAME, ".o", b"an object")
    assert not entry(cache).is_symlink()


def test_links_on_the_way_are_followed(cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(cache.directory)
    assert Cache(tmp_path / "link").get(NAME, ".o") is not None
    opened(cache.directory)
    assert Cache(tmp_path / "link").get(NAME, ".o") is None


@as_root
def test_a_sticky_directory_is_no_danger_but_what_others_have_there_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    mine = Cache(shared / "mine")
    mine.put(NAME, ".o", b"an object")
    assert mine.get(NAME, ".o") is not None
    (shared / "theirs").mkdir()
    given_away(shared / "theirs")
    assert not_ours(shared / "theirs") == f"{shared}/theirs belongs to somebody else"


def test_a_sticky_directory_is_no_cache(cache: Cache) -> None:
    cache.directory.chmod(0o1777)
    assert Cache(cache.directory).get(NAME, ".o") is None
    assert f"{cache.directory} can be written by others" in str(Cache(cache.directory).problem())


def test_what_comes_to_be_there_while_it_is_looked_for_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, look = tmp_path / "late", not_ours

    def look_and_be_late(path: Path) -> str | None:
        said = look(path)
        if not path.exists():
            path.mkdir()
            opened(path)
        return said

    monkeypatch.setattr("ompls.runtime.cache.not_ours", look_and_be_late)
    for _ in range(2):
        with pytest.raises(PermissionError, match="can be written by others"):
            Cache(place).put(NAME, ".o", b"an object")


def test_a_file_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert Cache(tmp_path / "file").problem() == "Not a directory"


@pytest.mark.parametrize("umask", [0o000, 0o002])
def test_what_is_above_it_is_made_for_us_alone_too(tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_is_only_ours", lambda group: False)
    told: list[str] = []
    before = os.umask(umask)
    try:
        Cache(tmp_path / "a/b/cache").put(NAME, ".o", b"an object")
        (tmp_path / "open").mkdir(0o700)
        opened(tmp_path / "open")
        with Toolchain(tmp_path / "open", told.append) as tools:
            tools.cached([b"1"], ".x", lambda path: path.write_text("made") and None)
    finally:
        os.umask(before)
    assert {stat.S_IMODE((tmp_path / part).stat().st_mode) for part in ("a", "a/b", "a/b/cache")} == {0o700}
    assert len(told) == 1


# (a file's group in the list of groups, the list of users, whether it is ours alone: user 5 is "me", with group 7)
GROUPS = [
    ("me:x:7:", "me:x:5:7\n", True),
    ("me:x:7:me", "me:x:5:7\n", True),
    ("me:x:7:", "", True),
    ("users:x:7:", "", False),
    ("users:x:7:", "me:x:5:7\n", False),
    ("me:x:7:you", "me:x:5:7\n", False),
    ("me:x:7:me,you", "me:x:5:7\n", False),
    ("me:x:7:", "me:x:5:7\nyou:x:6:7\n", False),
    ("me:x:7:", "me:x:5:7\nalso:x:5:7\n", True),
    ("me:x:8:", "me:x:5:7\n", False),
]


def test_whose_a_group_is_here_and_on_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    here, asked = [], ["we=5 name=; id() { case $1 in -un) echo me ;; -g) echo 7 ;; esac; }"]
    asked.append('getent() { [ "$1" = group ] && printf %s "$its" || printf %s "$users"; }')
    monkeypatch.setattr(folders.os, "getuid", lambda: 5)
    monkeypatch.setattr(folders.pwd, "getpwuid", lambda uid: SimpleNamespace(pw_name="me", pw_uid=5, pw_gid=7))
    for group, users, _ in GROUPS:
        name, _, number, members = group.split(":")
        listed = [line.split(":") for line in users.splitlines()]
        found = [SimpleNamespace(pw_name=n, pw_uid=int(u), pw_gid=int(g)) for n, _, u, g in listed]
        entry = SimpleNamespace(gr_name=name, gr_mem=members.split(",") if members else [])
        monkeypatch.setattr(folders.pwd, "getpwall", lambda found=found: found)
        monkeypatch.setattr(folders.grp, "getgrgid", lambda gid, entry=entry: entry)
        folders._is_only_ours.cache_clear()
        here.append(folders._is_only_ours(int(number)))
        asked.append(f"its='{group}' users='{users}'; is_ours_alone {number} && say True || say False")
    folders._is_only_ours.cache_clear()
    assert here == [ours for *_, ours in GROUPS]
    assert on_a_board(asked) == here


def on_a_board(lines: list[str]) -> list[bool]:
    """What board.sh's functions say, all in one shell."""
    functions, call, end = BOARD.read_text().rpartition('"$function" "$@"')
    assert (call, end) == ('"$function" "$@"', "\n")
    script = "\n".join(["set -- - - -", functions, *lines])
    done = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [word == "True" for word in done.stdout.split()]


# (what is made: directories with their modes, where links lead, what somebody else has; the directory in which our own
# is; whether the group of what is made is ours alone; whether our own is trusted)
WAYS = [
    ("a=755", "a", False, True),
    ("a=757", "a", False, False),
    ("a=775", "a", False, False),
    ("a=775", "a", True, True),
    ("a=777", "a", True, False),
    ("a=2775", "a", False, False),
    ("a=775+", "a", True, False),
    ("a=755+", "a", False, True),
    ("a=1777", "a", False, True),
    ("a=1775", "a", False, True),
    ("a=755 they", "a", False, False),
    ("a=1777 they", "a", False, False),
    ("a=777 a/b=755", "a/b", False, False),
    ("a=1777 a/b=755", "a/b", False, True),
    ("a=1777 a/b=755 they", "a/b", False, False),
    ("a=755 b=a", "b", False, True),
    ("a=777 b=a", "b", False, False),
    ("a=755 a/b=755 c=777 c/d=../a", "c/d/b", False, False),
    ("a=755 a/b=755 c=1777 c/d=../a", "c/d/b", False, True),
    ("a=755 b=a they", "b", False, False),
    ("a=755 b=777", "b/../a", False, False),
]


def made(base: Path, what: str) -> bool:
    """False: here that cannot be."""
    path = base
    base.mkdir()
    for word in what.split():
        name, _, how = word.partition("=")
        if how:
            path = base / name
        if not how and os.getuid() != 0:
            return False  # only root can give something to another user
        if not how:
            given_away(path)
        elif not how[0].isdigit():
            path.symlink_to(how)
        else:
            path.mkdir()
            path.chmod(int(how.rstrip("+"), 8))
        if how.endswith("+"):
            group = path.stat().st_mode >> 3 & 7
            rights = [(1, 7, -1), (2, group, NOBODY), (4, 5, -1), (16, group, -1), (32, 5, -1)]
            try:
                os.setxattr(
                    path,
                    "system.posix_acl_access",
                    struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *r) for r in rights),
                )
            except OSError:  # a file system without access control lists
                return False
    return True


def test_a_board_trusts_the_directories_that_are_trusted_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, here, asked = {}, {}, [f"id() {{ echo {os.getuid()}; }}", 'is_ours_alone() { [ "$alone" = True ]; }']
    for number, (what, above, alone, trusted) in enumerate(WAYS):
        ours = tmp_path / str(number) / above / "ours"
        if not made(tmp_path / str(number), what):
            continue
        ours.mkdir(0o700)
        wanted[what, above, alone] = trusted
        monkeypatch.setattr(folders, "_is_only_ours", lambda group, alone=alone: alone)
        here[what, above, alone] = folders.refusal(str(ours)) is None
        asked.append(f"asked='{ours}' alone={alone}; cd '{ours}'; directory=$(pwd -P)")
        asked.append("(keep_others_out) 2>/dev/null && say True || say False")
    assert here == wanted
    assert dict(zip(wanted, on_a_board(asked), strict=True)) == wanted


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o077])
def test_what_we_make_is_ours_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    made = tmp_path / "made"
    before = os.umask(umask)
    try:
        made.write_bytes(b"an object")
        cache = Cache(tmp_path / "cache")
        cache.put(NAME, "", made)
    finally:
        os.umask(before)
    assert cache.get(NAME, "") is not None
    assert Cache(tmp_path / "cache").get(NAME, "") is not None


def test_a_group_of_our_own_is_nobody_else(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.directory.chmod(0o770)
    monkeypatch.setattr(folders, "_is_only_ours", lambda group: True)
    assert Cache(cache.directory).get(NAME, ".o") is not None
    monkeypatch.setattr(folders, "_is_only_ours", lambda group: False)
    assert Cache(cache.directory).get(NAME, ".o") is None


def test_an_installation_is_trusted_as_we_are(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "prepared", installed=True)
    cache.put(NAME, ".o", b"an object")
    opened(cache.directory)
    assert Cache(tmp_path / "prepared", installed=True).get(NAME, ".o") is not None
    assert {oct(path.stat().st_mode & 0o777) for path in cache.directory.rglob("*.sum")} == {"0o644"}


@as_root
def test_an_object_that_somebody_else_has_put_there_is_not_used(tmp_path: Path) -> None:
    """With its checksum: all is right but whose it is."""

    def made(told: list[str]) -> bytes:
        with Toolchain(tmp_path / "theirs", told.append) as tools:
            return tools.cached([b"1"], ".o", lambda path: path.write_bytes(b"ours") and None).read_bytes()

    assert made([]) == b"ours"
    (name,) = {path.parent.name + path.name[:62] for path in (tmp_path / "theirs").rglob("*.o")}
    Cache(tmp_path / "theirs").put(name, ".o", b"altered")
    assert made([]) == b"altered"
    for path in ((tmp_path / "theirs"), *(tmp_path / "theirs").rglob("*")):
        given_away(path)
        path.chmod(0o777)
    told: list[str] = []
    assert made(told) == b"ours"
    assert "theirs belongs to somebody else" in told[0]


def test_what_was_said_of_a_board_is_believed_only_where_it_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "mine"))
    board = Board("small", "user@small")
    logins.keep(board, "it is off")
    assert logins.last(board) is not None
    opened(tmp_path / "mine/logins")
    assert logins.last(board) is None
    (tmp_path / "mine/logins/small.json").unlink()
    logins.keep(board)
    assert list((tmp_path / "mine/logins").iterdir()) == []


def test_the_compiler_of_the_chip_is_not_taken_from_where_others_can_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "mine"))
    monkeypatch.setenv("PATH", "")
    compiler = tmp_path / "mine/epiphany-elf/bin/epiphany-elf-gcc"
    compiler.parent.mkdir(parents=True)
    for file in (compiler, compiler.parents[1] / "ready"):
        file.touch(0o755)
    assert size.measure() == size.Measure(str(compiler)[: -len("gcc")])
    opened(compiler.parent)
    assert size.measure() == size.Measure(None)


def test_a_build_says_why_it_keeps_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    (tmp_path / "open").mkdir()
    opened(tmp_path / "open")
    with Toolchain(tmp_path / "open", told.append) as tools:
        made = tools.cached([b"1"], ".x", lambda path: path.write_text("made") and None)
        assert made.read_text() == "made"
        assert tools.scratch in made.parents
    why = f"{tmp_path}/open can be written by others, and programs come from here: make it yours alone"
    hint = "nothing is kept (see OMPLS_CACHE_DIR)"
    assert told == [f"cannot use the cache {tmp_path}/open: {why}; {hint}"]
    assert list((tmp_path / "open").iterdir()) == []


def test_the_server_says_why_it_keeps_no_headers(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    opened(tmp_path / "open")
    kept = DiskCache(tmp_path / "open")
    kept.store(NAME, Preprocessed((), {}, [], [], [], []))
    assert f"{tmp_path}/open can be written by others" in str(kept.problem)
    assert kept.load(NAME) is None


def test_no_precompiled_header_is_used_that_somebody_else_has_put_beside_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor when the disk is full."""
    source, theirs, taken = tmp_path / "a.c", tmp_path / "kept", []
    source.write_text('#include "a.h"\n')

    def run(tools: Toolchain, command: list[str], *_: object) -> bytes:
        if "-include" in command:
            plain = Path(command[command.index("-include") + 1])
            taken.append((plain, Path(f"{plain}.gch").read_bytes()))
        if "-o" in command:
            Path(command[command.index("-o") + 1]).write_bytes(b"ours")
        return b""

    def full(cache: Cache, *_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Toolchain, "run", run)
    for put in (Cache.put, full):
        monkeypatch.setattr(Cache, "put", put)
        for path in theirs.rglob("*.o"):
            path.unlink()
        with Toolchain(theirs, [].append) as tools:
            tools.object(Compile(source, header="a.h", depends=()))
        (made,) = theirs.rglob("*.gch")
        made.write_bytes(b"theirs")
        opened(made)
    assert [text for _, text in taken] == [b"ours", b"ours"]
    assert theirs in taken[0][0].parents
    assert theirs not in taken[1][0].parents
