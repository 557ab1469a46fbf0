"""The licences of what the extension for VS Code carries."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
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


def test_a_wheel_has_the_plugins_and_no_bytecode() -> None:
    """`devices/**/*` takes what Python leaves beside its modules, too."""
    pytest.importorskip("setuptools")
    script = (
        "from setuptools import Distribution\n"
        "made = Distribution()\n"
        "made.parse_config_files(['pyproject.toml'])\n"
        "made.include_package_data = False\n"  # it would write a list of files into the checkout
        "command = made.get_command_obj('build_py')\n"
        "command.ensure_finalized()\n"
        "print(*(f'{source}/{name}' for _, source, _, names in command.data_files for name in names), sep='\\n')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    files = done.stdout.splitlines()
    assert any(name.endswith("nvim/plugin/ompls.lua") for name in files)
    assert not [name for name in files if name.endswith(".pyc")]
