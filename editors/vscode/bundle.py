"""Puts what the server needs into the extension, for one platform: nothing is installed where the extension is.

    python editors/vscode/bundle.py linux-x64|linux-arm64

bundled/lib has ompls and what is the same for every Python, bundled/cpXY what is compiled for one of them;
bundled/lib/NOTICE.txt the licences of all; bundled/serve.py starts the server with both.  Needs pip and its index;
`make vsix-bundled` packages the result.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

EXTENSION = Path(__file__).resolve().parent
ROOT = EXTENSION.parents[1]
BUNDLED = EXTENSION / "bundled"
PLATFORMS = {"linux-x64": "x86_64", "linux-arm64": "aarch64"}
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
# pip asks the Python that runs it, not the one that is meant, whether a requirement holds: these are for older ones.
BEFORE = {"3.10": ("tomli", "exceptiongroup")}


def main() -> int:
    if sys.argv[1:] not in [[target] for target in PLATFORMS]:
        print(f"bundle.py: say for which platform: {', '.join(PLATFORMS)}", file=sys.stderr)
        return 2
    machine = PLATFORMS[sys.argv[1]]
    for place in BUNDLED.glob("*"):
        if place.is_dir():
            shutil.rmtree(place)
    shutil.rmtree(ROOT / "build", ignore_errors=True)  # else the wheel has files that are gone
    with tempfile.TemporaryDirectory() as made:
        _pip("wheel", "--no-deps", "--wheel-dir", made, str(ROOT))
        (own,) = Path(made).glob("ompls-*.whl")
        for python in PYTHONS:
            with tempfile.TemporaryDirectory() as given:
                _pip("download", *_of(machine, python), "--dest", given, str(own), *BEFORE.get(python, ()))
                for wheel in sorted(Path(given).glob("*.whl")):
                    _unpack(wheel, f"cp{python.replace('.', '')}")
    (BUNDLED / "lib" / "NOTICE.txt").write_text(notice(BUNDLED), "utf-8")
    size = sum(file.stat().st_size for file in BUNDLED.rglob("*") if file.is_file())
    print(f"bundled {size / 1e6:.1f} MB for {sys.argv[1]}, Python {PYTHONS[0]} to {PYTHONS[-1]}")
    return 0


def _pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    subprocess.run(command, check=True)


def _of(machine: str, python: str) -> list[str]:
    """Wheels for that Python on any Linux since 2014 (glibc 2.17), newer ones where there is nothing else."""
    tags = [f"manylinux{tag}_{machine}" for tag in ("2014", "_2_17", "_2_28")]
    return ["--only-binary=:all:", "--python-version", python, *(word for tag in tags for word in ("--platform", tag))]


def _unpack(wheel: Path, python: str) -> None:
    """What is compiled for one Python stays apart; `abi3` and pure ones serve all."""
    compiled = wheel.stem.split("-")[-2] == python
    with zipfile.ZipFile(wheel) as file:
        file.extractall(BUNDLED / (python if compiled else "lib"))


def notice(bundled: Path) -> str:
    """The packages of others, each with its licence.  Raises LookupError for one that brings none."""
    texts: dict[str, str] = {}
    for package in sorted(bundled.glob("*/*.dist-info"), key=lambda path: path.name.lower()):
        name, version = package.name.removesuffix(".dist-info").split("-")
        if name == "ompls" or name in texts:
            continue
        found = [
            f
            for f in sorted(package.rglob("*"))
            if f.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE"))
        ]
        said = [f.read_text("utf-8").strip() for f in found if f.is_file()]
        if not said:
            raise LookupError(f"{package.name} has no licence with it: it must not be packaged")
        texts[name] = "\n\n".join([f"{name} {version}", *said])
    rule = "\n\n" + "-" * 80 + "\n\n"
    return rule.join(["This folder has these packages of others, each under its own licence.", *texts.values()]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
