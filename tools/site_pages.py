"""`make site`: the documentation as a site, with a page for every rule.

python tools/site_pages.py DIRECTORY

The pages are docs/, README.md, ARCHITECTURE.md, CONTRIBUTING.md and CHANGELOG.md, and what the rules say of themselves.
They are gathered in DIRECTORY/pages, with the pictures that they show, and built by MkDocs into DIRECTORY/html; a link
that leads nowhere is an error.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import ompls
from ompls.analysis.rules import GROUPS, RULES, manual

ROOT = Path(__file__).resolve().parents[1]
TOP = {"README.md": "index.md"} | {f"{x}.md": f"{x.lower()}.md" for x in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")}
LINK = re.compile(r"(?<!!)\[([^][]+)\]\(([^)#:]+)(#[^)]*)?\)")
PICTURE = re.compile(r"!\[([^][]+)\]\(([^):]+)\)")


def rules_page() -> str:
    """rules/index.md: the rules, group by group."""
    head = (
        "# The rules\n\n"
        "Settings and comments may name a rule or a group. A comment `// ompls: ignore[rule-id]` on the line or the\n"
        "line before silences a rule there; the [command line](../cli.md#comments-that-silence) has more of them.\n"
    )
    tables = []
    for group in GROUPS:
        rules = sorted((rule for rule in RULES.values() if rule.group == group), key=lambda rule: rule.id)
        rows = [f"| [{rule.id}]({rule.id}.md) | {rule.severity} | {rule.title} |" for rule in rules]
        if rows:
            tables.append("\n".join([f"## Group {group}\n", "| rule | severity | says |", "|---|---|---|", *rows]))
    return "\n\n".join([head, *tables]) + "\n"


def pages() -> dict[str, str]:
    """The text of each page of the site, by its path there."""
    sources = _sources()
    found = {at: _linked(source, sources) for source, at in sources.items()}
    found["rules/index.md"] = rules_page()
    return found | {f"rules/{rule}.md": manual(rule) for rule in RULES}


def pictures() -> dict[str, Path]:
    """The pictures that the pages show, by their path there."""
    shown = ((source, m[2]) for source in _sources() for m in PICTURE.finditer(source.read_text(encoding="utf-8")))
    return {f"pictures/{Path(target).name}": (source.parent / target).resolve() for source, target in shown}


def _sources() -> dict[Path, str]:
    """The files that become pages, and where."""
    sources = {ROOT / name: at for name, at in TOP.items()}
    return sources | {path: path.name for path in sorted((ROOT / "docs").glob("*.md"))}


def _linked(source: Path, sources: dict[Path, str]) -> str:
    """The page's text: its links lead to the site's pages, and those to other files of a checkout are words."""

    def led(m: re.Match[str]) -> str:
        target = (source.parent / m[2]).resolve()
        return f"[{m[1]}]({sources[target]}{m[3] or ''})" if target in sources else m[1]

    text = PICTURE.sub(lambda m: f"![{m[1]}](pictures/{Path(m[2]).name})", source.read_text(encoding="utf-8"))
    return LINK.sub(led, text)


def variables(pages: Path) -> dict[str, str]:
    """What mkdocs.yml asks for.  Without an address the site is for a browser that opens its pages as files."""
    return {
        "OMPLS_SITE": ompls.SITE,
        "OMPLS_SITE_PUBLISHED": "true" if ompls.SITE else "false",
        "OMPLS_SITE_PAGES": str(pages),
        "NO_MKDOCS_2_WARNING": "1",
    }


def main() -> int:
    place = Path(sys.argv[1]).resolve()
    shutil.rmtree(place / "pages", ignore_errors=True)
    for at, text in pages().items():
        (place / "pages" / at).parent.mkdir(parents=True, exist_ok=True)
        (place / "pages" / at).write_text(text, encoding="utf-8")
    for at, picture in pictures().items():
        (place / "pages" / at).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, place / "pages" / at)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(ROOT / "mkdocs.yml")]
    environment = {**os.environ, **variables(place / "pages")}
    done = subprocess.run([*command, "--site-dir", str(place / "html")], env=environment, check=False)
    if done.returncode == 0:
        print(f"{place / 'html' / 'index.html'}")
        served = shlex.join(["python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(place / "html")])
        print(f"To search in it: {served}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
