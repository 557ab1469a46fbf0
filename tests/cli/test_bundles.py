"""Writing a bundle never costs anybody a file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from ompls.cli import bundles
from ompls.cli.problem import Problem


def _bundle(text: bytes) -> dict[str, bytes]:
    manifest = {"ompls_bundle": 1, "sha256": {"host/a.c": hashlib.sha256(text).hexdigest()}}
    return {"manifest.json": json.dumps(manifest).encode(), "host/a.c": text}


def test_writes_and_replaces_its_own(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "bundle"
    bundles.write(_bundle(b"one"), str(target))
    bundles.write(_bundle(b"two"), str(target))
    assert (target / "host/a.c").read_bytes() == b"two"
    assert [path.name for path in target.parent.iterdir()] == ["bundle"]


def _a_file(target: Path) -> None:
    target.write_text("mine")


def _a_foreign_directory(target: Path) -> None:
    target.mkdir()
    (target / "thesis.tex").write_text("mine")


def _a_foreign_manifest(target: Path) -> None:
    target.mkdir()
    (target / "manifest.json").write_text('{"name": "web app"}')


def _a_bundle_edited_by_hand(target: Path) -> None:
    bundles.write(_bundle(b"one"), str(target))
    (target / "host/a.c").write_text("tuned by hand")


def _a_bundle_with_a_file_more(target: Path) -> None:
    bundles.write(_bundle(b"one"), str(target))
    (target / "notes.txt").write_text("mine")


def _a_link(target: Path) -> None:
    (target.parent / "elsewhere").mkdir()
    target.symlink_to(target.parent / "elsewhere")


@pytest.mark.parametrize(
    "prepare",
    [
        _a_file,
        _a_foreign_directory,
        _a_foreign_manifest,
        _a_bundle_edited_by_hand,
        _a_bundle_with_a_file_more,
        _a_link,
    ],
)
def test_refuses_what_is_not_its_own(tmp_path: Path, prepare) -> None:
    target = tmp_path / "bundle"
    prepare(target)
    before = sorted((path, path.is_file() and path.read_bytes()) for path in tmp_path.rglob("*"))
    with pytest.raises(Problem, match=r"cannot write .*: .*; .*"):
        bundles.write(_bundle(b"two"), str(target))
    assert sorted((path, path.is_file() and path.read_bytes()) for path in tmp_path.rglob("*")) == before
