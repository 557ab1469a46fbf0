"""The licences of what the extension for VS Code carries."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bundle() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bundle", ROOT / "editors/vscode/bundle.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package(folder: Path, name: str, *licences: str) -> None:
    for number, text in enumerate(licences):
        file = folder / f"{name}.dist-info" / "licenses" / f"LICENSE.{number}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / f"{name}.dist-info").mkdir(parents=True, exist_ok=True)


def test_every_package_is_named_once_with_its_licences(bundle: ModuleType, tmp_path: Path) -> None:
    package(tmp_path / "lib", "ompls-0.1.0")
    package(tmp_path / "lib", "b-2.0", "the terms of b", "and more")
    for python in ("cp310", "cp314"):
        package(tmp_path / python, "a-1.0", "the terms of a")
    head, *texts = bundle.notice(tmp_path).split("-" * 80)
    assert "of others" in head
    assert [text.strip() for text in texts] == ["a 1.0\n\nthe terms of a", "b 2.0\n\nthe terms of b\n\nand more"]


def test_a_package_without_a_licence_is_not_packaged(bundle: ModuleType, tmp_path: Path) -> None:
    package(tmp_path / "lib", "b-2.0")
    with pytest.raises(LookupError, match="has no licence with it"):
        bundle.notice(tmp_path)
