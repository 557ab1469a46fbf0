"""Writes bundles.  Whatever stands in the directory and is not ours, or was changed by hand, is never overwritten."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ompls.cli.problem import Problem

MANIFEST = "manifest.json"


def write(files: Mapping[str, bytes], directory: str) -> None:
    """Write `files` (by path in the bundle) as `directory`, all of them or none.

    The directory may be absent, empty, or an unchanged bundle, which is replaced.
    """
    target = Path(directory)
    _refuse_what_is_not_ours(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise Problem(f"cannot write {directory}: {error.strerror}; choose another directory") from error
    try:
        os.chmod(fresh, 0o755)  # noqa: S103 -- mkdtemp made it private
        for name, content in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if target.exists():
            shutil.rmtree(target)  # checked above: all of it is ours
        os.rename(fresh, target)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise Problem(f"cannot write {directory}: {error.strerror}; choose another directory") from error


def _refuse_what_is_not_ours(target: Path) -> None:
    if not target.exists() and not target.is_symlink():
        return
    if target.is_symlink() or not target.is_dir():
        raise Problem(f"cannot write {target}: it exists and is no directory; choose another one with -o")
    files = (path for path in target.rglob("*") if path.is_symlink() or not path.is_dir())
    present = {path.relative_to(target).as_posix() for path in files}
    if not present:
        return
    sums = _manifest_sums(target)
    if sums is None:
        raise Problem(f"cannot write {target}: it holds files and is no bundle of ours; choose another one with -o")
    for name in sorted(present - {MANIFEST}):
        if sums.get(name) != hashlib.sha256((target / name).read_bytes()).hexdigest():
            raise Problem(
                f"cannot write {target}: {name} in it is not as we wrote it; move it away or choose another directory"
            )


def _manifest_sums(target: Path) -> dict[str, Any] | None:
    """The hashes of a bundle's files, None when `target` holds no bundle."""
    try:
        manifest = json.loads((target / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(manifest, dict) or "ompls_bundle" not in manifest:
        return None
    sums = manifest.get("sha256")
    return sums if isinstance(sums, dict) else None
