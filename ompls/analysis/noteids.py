"""The rules under which the front end's own notes are reported (`notes.py`), by kind of note."""

from __future__ import annotations

IDS = {
    "parse": "syntax-error",
    "pragma": "misplaced-pragma",
    "include": "missing-include",
    "undecided": "missing-include",
    "unread": "analysis-incomplete",
    "budget": "analysis-incomplete",
    "encoding": "encoding",
    "foreign": "foreign-language",
}
