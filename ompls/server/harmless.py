"""What others wrote, as the server may say it: texts of a project file, names of files, words of the source.

Clients show a message each in their way.  VS Code makes a link of `[label](command:…)` in a notification, and a click
runs that command, also in a workspace that it does not trust; a backslash changes nothing there.  Others write it to a
terminal, where a control character does more than being shown.
"""

from __future__ import annotations


def harmless(text: str) -> str:
    """`text` without links (a space parts the two halves of one) and without control characters, in the same lines."""
    plain = text.replace("\n", "").replace("\t", "").isprintable()
    shown = text if plain else "".join(map(_shown, text))
    return shown.replace("](", "] (")


def harmless_line(text: str) -> str:
    """The same on one line."""
    return harmless(" ".join(text.splitlines()))


def _shown(char: str) -> str:
    if char.isprintable() or char in "\n\t":
        return char
    return " " if char.isspace() else "\ufffd"
