"""What is found in all C texts of this repository is what `make behaviour` recorded (recorded.py)."""

from __future__ import annotations

import json

import pytest
from recorded import CORPORA, lines, part_of, said
from thinned import thinned

PARTS = {"programs": 8, "examples": 1, "rules": 6, "mutants": 10}  # `make test` looks at the first of each
CASES = [case for name, parts in PARTS.items() for case in thinned([(name, part) for part in range(parts)], parts)]


def in_part(text: str, parts: int) -> int:
    """All variants of a program are in one part: an analyzer knows again the functions that they share."""
    return part_of(text.partition(":")[0], parts)


@pytest.mark.parametrize(("name", "part"), CASES)
def test_findings_are_as_recorded(name: str, part: int) -> None:
    texts = {text.name: text for text in CORPORA[name]()}
    was = {line for line in lines(name) if in_part(json.loads(line)["text"], PARTS[name]) == part}
    now = set(said(text for text in texts.values() if in_part(text.name, PARTS[name]) == part))
    changed = sorted([(line, "-") for line in was - now] + [(line, "+") for line in now - was])
    assert not changed, "\n".join(
        [
            f"other findings than in tests/behaviour/{name}.jsonl:",
            *(f"{sign} {line}" for line, sign in changed),
            "Each of these lines is a change of what users see.  Where it is meant, `make behaviour` records it",
            "(all of them: this is a part), and the commit says why.",
        ]
    )


@pytest.mark.parametrize("name", CORPORA)
def test_lines_are_sorted_and_texts_have_names_of_their_own(name: str) -> None:
    assert lines(name) == sorted(set(lines(name)))
    names = [text.name for text in CORPORA[name]()]
    assert len(names) == len(set(names))
