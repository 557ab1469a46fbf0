"""Put NVIDIA's run-time compilers of three generations where the tests find them: toolkits.py DIRECTORY.

CUDA 10.2 is the last of the first Jetsons (JetPack 4.6); its libnvrtc is inside a wheel of torch (776 MB, once).  11.8
is the last that knows Kepler, 13.0 the first that knows nothing before Turing.  Each is at DIRECTORY/VERSION/libnvrtc*;
what is there is left alone.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

PYTHON_310 = ["--python-version", "3.10", "--implementation", "cp", "--abi", "cp310", "--platform", "manylinux1_x86_64"]
WHEELS: dict[str, list[str]] = {
    "10.2": [*PYTHON_310, "--only-binary=:all:", "torch==1.12.1"],
    "11.8": ["nvidia-cuda-nvrtc-cu11==11.8.*"],
    "13.0": ["nvidia-cuda-nvrtc==13.0.*"],
}


def put(version: str, directory: Path) -> None:
    """Fetch one; nothing is there until all of it is.  Raises CalledProcessError."""
    with tempfile.TemporaryDirectory(dir=directory) as private:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", private]
        subprocess.run([*command, *WHEELS[version]], check=True)
        (wheel,) = Path(private).glob("*.whl")
        made = Path(private, "libraries")
        made.mkdir()
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                name = PurePosixPath(member).name
                if name.startswith("libnvrtc") and ".alt." not in name:
                    (made / name).write_bytes(archive.read(member))
        made.rename(directory / version)


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for version in WHEELS:
        if not (directory / version).exists():
            print(f"fetching nvrtc {version} …", file=sys.stderr)
            put(version, directory)


if __name__ == "__main__":
    main()
