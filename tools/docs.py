"""`make docs`: writes the pages of docs/ that are generated.  A test compares them with what this would write.

python tools/docs.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def rules_page() -> str:
    """docs/rules.md: every rule's manual page, one after the other."""
    from ompls.analysis.rules import RULES, manual

    head = (
        "# The rules\n\n"
        "<!-- Written by `make docs` from ompls/analysis/rules/; do not edit. -->\n\n"
        "A comment `// ompls: ignore[rule-id]` on the line or the line before silences a rule there.\n\n"
    )
    rows = [f"| [{rule}](#{rule}) | {RULES[rule].severity} | {RULES[rule].title} |" for rule in sorted(RULES)]
    table = "\n".join(["| rule | severity | says |", "|---|---|---|", *rows])
    pages = [_demoted(manual(rule)) for rule in sorted(RULES)]
    return head + table + "\n\n" + "\n\n".join(pages) + "\n"


def _demoted(page: str) -> str:
    """The page with its headings one level deeper, so that the document has one title."""
    lines, in_code = [], False
    for line in page.strip().splitlines():
        in_code ^= line.startswith("```")
        lines.append("#" + line if line.startswith("#") and not in_code else line)
    return "\n".join(lines)


PAGES = {"rules.md": rules_page}


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
