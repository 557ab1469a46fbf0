"""The extension's manifest says what the server knows: one list of settings for every editor."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ompls.server.handlers import REQUESTS
from ompls.server.settings import vscode_properties

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
OWN = {"ompls.server.path", "ompls.trace.server"}  # of the extension alone


def test_the_settings_are_the_servers() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    declared = manifest["contributes"]["configuration"]["properties"]
    assert {n: p for n, p in declared.items() if n not in OWN} == vscode_properties()
    assert set(declared) >= OWN


def test_every_declared_command_is_registered() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    source = "".join(p.read_text("utf-8") for p in (EXTENSION / "src").rglob("*.ts"))
    registered = set(re.findall(r"registerCommand\('([\w.]+)'", source))
    assert registered == {c["command"] for c in manifest["contributes"]["commands"]}


def test_the_extension_starts_for_each_language_that_the_server_hears_of() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    (named,) = re.findall(r"NOT_C = \[(.*?)\]", (EXTENSION / "src" / "documents.ts").read_text("utf-8"))
    events = {f"onLanguage:{language}" for language in ("c", *re.findall(r"'([\w-]+)'", named))}
    assert events == {e for e in manifest["activationEvents"] if e.startswith("onLanguage:")}


def test_no_registry_is_named_in_the_lock_file() -> None:
    lock = json.loads((EXTENSION / "package-lock.json").read_text("utf-8"))
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]


def test_every_custom_request_is_documented() -> None:
    manual = (ROOT / "docs" / "lsp-extensions.md").read_text("utf-8")
    assert not [r for r in REQUESTS if f"## `{r}`" not in manual]
    assert f'"requests": {json.dumps(list(REQUESTS))},' in manual
