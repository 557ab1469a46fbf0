"""What holds for every test, and how a test compiles a kernel file for GPUs."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import budget
import command
import hypothesis
import pytest
import thinned
from command import OBJECTS, ROOT
from waiting import until

from ompls.devices.cuda.module import nvrtc

sys.path.append(str(ROOT / "tools"))
import waits

LISTINGS = ROOT / ".cache/machine-code"
OLD_AND_NEW = ("sm_53", "sm_70")  # lanes of a warp wait for each other before sm_70


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--starts", action="store_true", help="count the processes that tests start (tests/budget.toml)")


def pytest_configure(config: pytest.Config) -> None:
    """Programs under test get Ctrl-C as from a terminal: a shell that starts tests in the background ignores it,
    and what is ignored is inherited."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["OMPLS_CACHE_DIR"] = str(OBJECTS)
    os.environ["XDG_CONFIG_HOME"] = str(OBJECTS.parent / "config")  # there is none: the user's boards are no devices
    # The same examples each time, and no time that an example may take; with OMPLS_EXHAUSTIVE new ones.
    hypothesis.settings.register_profile("same", deadline=None, derandomize="OMPLS_EXHAUSTIVE" not in os.environ)
    hypothesis.settings.load_profile("same")
    thinned.leave_out(config.getoption("-m"))
    if config.getoption("--starts"):
        config.pluginmanager.register(budget.Budget(config), "budget")
    config.addinivalue_line("markers", "thorough: left out by `make test`, done by `make test-all`")
    config.addinivalue_line("markers", "exhaustive: thorough, and left out by `make test-all`, too (`make exhaustive`)")
    config.addinivalue_line(
        "markers", "machine_code: compiles kernels for GPUs, whose code is searched for hanging waits"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end, so nobody looks for garbage in it, neither now nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "gpu_code" in getattr(item, "fixturenames", ()):
            item.add_marker("machine_code")


@pytest.fixture(scope="session")
def cache() -> Path:
    """The cache of all tests, which is never the user's."""
    return OBJECTS


Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """`once(name, make)` is the file or directory that `make(path)` makes: once in a run, for all of its workers."""
    place = tmp_path_factory.getbasetemp()
    place = (place.parent if "PYTEST_XDIST_WORKER" in os.environ else place) / "once"
    place.mkdir(exist_ok=True)

    def made(name: str, make: Callable[[Path], object]) -> Path:
        path = place / name
        with open(place / f".{name}", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                private = place / "new" / str(os.getpid()) / name
                private.parent.mkdir(parents=True, exist_ok=True)
                make(private)
                private.rename(path)
        return path

    return made


@pytest.fixture(scope="session")
def gpu_code() -> Callable[..., nvrtc.Compiled]:
    """A function that compiles a kernel file for a GPU, by nvrtc, and finds no wait in it that hangs (tools/waits.py).

    PTX is searched for sm_53 and sm_70, and where OMPLS_NVDISASM names a disassembler, machine code, too; machine code
    has no lock that its PTX has not.  Skips without nvrtc.
    """
    if nvrtc.available() is None:
        pytest.skip("nvrtc is not installed (extra cuda-preview)")
    disassembler = os.environ.get("OMPLS_NVDISASM", "")

    def search(name: str, listing: str) -> None:
        assert [str(t) for t in waits.takings(listing) if not t.releases] == [], name

    def compiled(
        text: str, arch: str, name: str, headers: Mapping[str, str] | None = None, kind: str = "cubin"
    ) -> nvrtc.Compiled:
        made = nvrtc.compile(text, arch, headers, name, "cubin" if disassembler else kind, with_ptx=True)
        assert made.ok, f"{name} for {arch}: {made.log}"
        ptx = made.ptx.decode()
        if not waits.swaps(ptx):
            return made
        search(f"PTX of {name} for {arch}", ptx)
        for other in OLD_AND_NEW if arch == OLD_AND_NEW[0] else ():
            wanted = "cubin" if disassembler else "ptx"
            code = made if other == arch else nvrtc.compile(text, other, headers, name, wanted, with_ptx=True)
            assert code.ok, f"{name} for {other}: {code.log}"
            search(f"PTX of {name} for {other}", code.ptx.decode())
            if disassembler:
                search(f"machine code of {name} for {other}", disassembled(disassembler, code.code))
        return made

    return compiled


def disassembled(disassembler: str, code: bytes) -> str:
    """What nvdisasm prints of machine code, from the cache or anew."""
    path = LISTINGS / f"{hashlib.sha256(code).hexdigest()}.sass"
    if not path.exists():
        LISTINGS.mkdir(parents=True, exist_ok=True)
        made = path.with_suffix(f".{os.getpid()}")
        made.write_bytes(code)
        listing = subprocess.run([disassembler, "-c", made], capture_output=True, text=True, check=True).stdout
        made.write_text(listing)
        made.rename(path)
    return path.read_text()


class Family:
    """The processes that have a mark in their environment, whoever is their parent by now."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def members(self) -> dict[int, str]:
        """Process id and name of each; not those that are only waited for."""
        found = {}
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (directory / "environ").read_bytes() and int(directory.name) != os.getpid():
                    found[int(directory.name)] = (directory / "comm").read_text().strip()
            except OSError:
                continue  # it ended meanwhile
        return found

    def waits_for(self, *names: str) -> dict[int, str]:
        """Until members with these names are there; all members then."""
        found = until(lambda: there if set(names) <= set((there := self.members()).values()) else {})
        assert found, f"{names} did not start; there are {self.members()}"
        return found

    def ends(self) -> None:
        """Until no member is there."""
        assert until(lambda: not self.members()), f"did not end: {self.members()}"


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Family]:
    """What the test starts, directly or not."""
    command.ready()
    monkeypatch.setenv("OMPLS_TEST_MARK", str(tmp_path))
    family = Family(f"OMPLS_TEST_MARK={tmp_path}")
    yield family
    for pid in family.members():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
