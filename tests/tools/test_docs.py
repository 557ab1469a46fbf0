"""Generated pages are as their sources say; the pages' links and file names exist."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import ompls
from together import together

import ompls as ompls_package
from ompls.analysis.rules import RULES
from ompls.analysis.syntax import expand, filepass, limits, lines
from ompls.project.devices import registry
from ompls.project.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_generated_pages_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools/docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@together("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target


def test_the_site_has_a_page_for_every_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """MkDocs itself looks at the links (`make site`)."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    site = importlib.import_module("site_pages")
    pages = site.pages()
    for rule in RULES:
        assert f"]({rule}.md)" in pages["rules/index.md"]
        assert pages[f"rules/{rule}.md"].startswith(f"# {rule}\n")
    shown = {at for text in pages.values() for at in re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)}
    assert shown == set(site.pictures())
    assert all(picture.is_file() for picture in site.pictures().values())
    for at in re.findall(r": ([a-z/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M):
        assert at in pages, at


@pytest.mark.parametrize(("address", "published"), [("", "false"), ("https://example.org/ompls/", "true")])
def test_without_an_address_pages_lead_to_files(monkeypatch: pytest.MonkeyPatch, address: str, published: str) -> None:
    """`rules/` leads nowhere in a browser that opens files; hovers name an address's pages as `ADDRESS/rules/RULE/`."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    monkeypatch.setattr(ompls_package, "SITE", address)
    given = importlib.import_module("site_pages").variables(Path("pages"))
    asked = set(re.findall(r"!ENV \[(\w+),", (ROOT / "mkdocs.yml").read_text()))
    assert asked == given.keys() - {"NO_MKDOCS_2_WARNING"}
    assert (given["OMPLS_SITE"], given["OMPLS_SITE_PUBLISHED"]) == (address, published)


def test_the_page_of_limits_has_the_codes_numbers() -> None:
    text = (ROOT / "docs/limits.md").read_text(encoding="utf-8")
    numbers = [
        row.rstrip("| ").rpartition("| ")[2] for row in text.partition("## Sizes")[2].splitlines() if row[:1] == "|"
    ]
    options = Settings().diagnostics
    assert numbers[2:] == [
        f"{options.max_file_size:,} bytes",
        f"{options.workspace_files:,}",
        f"{lines.MAX_EXPANDED >> 20} MiB",
        f"{limits.MAX_DEPTH}",
        f"{limits.MAX_CHAIN:,}",
        f"{limits.MAX_STACKED}",
        f"{filepass.MAX_INCLUDE_DEPTH}",
        f"{expand.MAX_TOKENS:,}",
    ]
    devices = re.findall(r"^\| `(\w+)` \|", text, re.M)
    assert devices == sorted(registry().devices)


def test_the_tutorial_says_what_is_found(tmp_path: Path) -> None:
    text = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    program = tmp_path / "heat.c"
    program.write_text(re.findall(r"```c\n(.*?)```", text, re.S)[0])
    for line in re.findall(r"^heat\.c:\d+:\d+: .*$", text, re.M):
        assert line.removeprefix("heat.c") in ompls("check", program).stdout
    program.write_text(
        program.read_text().replace("parallel for", "parallel for map(to: now[0:N]) map(tofrom: next[0:N])")
    )
    assert ompls("check", program).returncode == 0


def test_the_readme_names_every_example() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(\w+\.c)`", text)) == {path.name for path in (ROOT / "examples").rglob("*.c")}
