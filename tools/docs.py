"""`make docs`: writes what is generated: pages of docs/, the grammar for VS Code.  A test compares them with this.

python tools/docs.py [--check]
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
os.environ.pop("OMPLS_DEVICE_PATH", None)  # the pages are about our devices


def settings_page() -> str:
    """docs/settings.md: the one list of settings."""
    from ompls.project.settings import ENTRIES, PathIgnores, Severities

    head = (
        "# Settings\n\n"
        "<!-- Written by `make docs` from ompls/project/settings.py; do not edit. -->\n\n"
        "An editor sets what has a name there (VS Code: `settings.json`; others: the object `ompls` of their\n"
        "server's settings), a project what has a name in its [project file](cli.md#the-project-file). The command\n"
        "line is stronger than the editor, and the editor than the project file; an editor's value that is the\n"
        "default is as good as none. Flags add up.\n\n"
        "| in an editor | in the project file | default | |\n|---|---|---|---|\n"
    )
    rows = []
    for entry in ENTRIES.values():
        table = entry.kind in (Severities, PathIgnores)
        default = {} if table else list(entry.default) if isinstance(entry.default, tuple) else entry.default
        names = [f"`{name}`" if name else "" for name in (entry.name if entry.editor else "", entry.project)]
        rows.append(f"| {names[0]} | {names[1]} | `{json.dumps(default)}` | {entry.doc} |")
    return head + "\n".join(rows) + "\n"


def devices_page() -> str:
    """docs/devices.md: every device's page, and the words of their tables."""
    from ompls.analysis.spec.devices import ABILITIES
    from ompls.project.devicepages import called, page
    from ompls.project.devices import registry

    head = (
        "# What devices can run\n\n"
        "<!-- Written by `make docs` from ompls/devices/*/ (device.toml and manual.md); do not edit. -->\n\n"
        "Whatever is not listed here runs: all constructs that may stand in a target region, in all combined forms,\n"
        "and C17 with GNU extensions. A region that needs what its device lacks is not translated; `ompls check` says\n"
        "so at the line. `ompls explain DEVICE` shows a page of this document.\n"
    )
    pages = [_demoted(page(device, brief=True)) for device in registry().devices.values()]
    words = "".join(f"| `{key}` | {called(key)} |\n" for key in ABILITIES)
    table = f"## Words for `device.toml`\n\n| word | what it is |\n|---|---|\n{words}"
    return "\n".join([head, *(f"{text}\n" for text in pages), table])


def _demoted(page: str) -> str:
    """The page with its headings one level deeper, so that the document has one title."""
    lines, in_code = [], False
    for line in page.strip().splitlines():
        in_code ^= line.startswith("```")
        lines.append("#" + line if line.startswith("#") and not in_code else line)
    return "\n".join(lines)


def grammar() -> str:
    """The TextMate grammar for pragmas: colours where no server gives them, by the words of the specification."""
    from ompls.analysis.spec import CLAUSES, DIRECTIVES

    def words(names: Iterable[str]) -> str:
        found = {word for name in names for word in name.split()}
        return "|".join(sorted(map(re.escape, found), key=lambda word: (-len(word), word)))

    clauses, directives = words(CLAUSES), words(DIRECTIVES)
    captures = {str(n): {"name": f"keyword.control.directive.{what}.c"} for n, what in ((1, "pragma"), (2, "omp"))}
    inside = [{"include": "source.c#comments"}, {"include": "#list"}]
    made = {
        "//": "Written by `make docs` from ompls/analysis/spec; do not edit.",
        "scopeName": "source.openmp.injection",
        "injectionSelector": "L:source.c -comment -string, L:source.cpp -comment -string",
        "patterns": [{"include": "#pragma"}],
        "repository": {
            "pragma": {
                "name": "meta.preprocessor.pragma.openmp.c",
                "begin": r"^\s*(#\s*pragma)\s+(omp)\b",
                "beginCaptures": captures,
                "end": r"(?<!\\)$",
                "patterns": [
                    *inside,
                    {"name": "entity.name.function.clause.openmp", "match": rf"\b(?:{clauses})\b(?=\s*\()"},
                    {"name": "storage.type.directive.openmp", "match": rf"\b(?:{directives})\b"},
                    {"name": "entity.name.function.clause.openmp", "match": rf"\b(?:{clauses})\b"},
                ],
            },
            "list": {
                "begin": r"\(",
                "end": r"\)|(?<!\\)$",
                "patterns": [
                    *inside,
                    {"name": "storage.modifier.openmp", "match": r"\b[A-Za-z_]\w*(?=\s*:(?!:))"},
                    {"name": "constant.numeric.c", "match": r"\b\d\w*"},
                ],
            },
        },
    }
    return json.dumps(made, indent=2) + "\n"


GRAMMAR = "../editors/vscode/syntaxes/openmp.json"
PAGES = {"settings.md": settings_page, "devices.md": devices_page, GRAMMAR: grammar}


def main() -> int:
    stale = [name for name, page in PAGES.items() if not _same(DOCS / name, page())]
    if "--check" in sys.argv[1:]:
        for name in stale:
            print(f"docs/{name} is stale: type 'make docs'", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"docs/{name} written")
    return 0


def _same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
