"""The preprocessor: a text and a header snapshot in, the expanded text with its SourceMap out.

Ours, because the editor needs what a compiler's preprocessor throws away (columns, comments, the macros behind a
token, inactive branches) within a keystroke.  The Python libraries there are (pcpp) work on whole texts and keep
neither columns nor the stack of macros that a token came through.

Pure.  A `Preprocessor` only remembers: the result of a line depends on its bytes and on the definitions of the names
it looks up, nothing else (`__LINE__` and its like excepted, which add their place), so a line that was seen before in
the same *environment* costs one dictionary look-up.  An environment is the number of a chain of definitions, where
"stdio.h was included in environment 5" gives the same number in every run.
"""

from __future__ import annotations

from ompls.analysis.source import Budget, HeaderSnapshot
from ompls.analysis.syntax.environment import Environments
from ompls.analysis.syntax.filepass import FilePass
from ompls.analysis.syntax.lexer import decode
from ompls.analysis.syntax.lines import MAX_EXPANDED
from ompls.analysis.syntax.state import Expanded, Include, Memo, Run, again_key, include_key
from ompls.analysis.syntax.stretch import Stretches

KEPT_RUNS = 3  # through the same environments, after which others are forgotten: what was defined was taken back


class Preprocessor:
    """Remembers what it has seen; every `run` gives what a new Preprocessor would."""

    def __init__(self) -> None:
        self._memo = Memo()
        self._environments = Environments()
        self._limit = 20_000
        self._through: frozenset[int] = frozenset()  # the environments of the last run
        self._runs = 0  # through these, up to KEPT_RUNS

    @property
    def stretches(self) -> Stretches:
        """Those of the last run, to join them."""
        return self._memo.stretches

    def run(self, path: str, source: bytes, headers: HeaderSnapshot, budget: Budget | None = None) -> Expanded:
        """Expand `source`, the bytes of the file `path`, up to where `budget` runs out.  Never raises."""
        if self._memo.size() > self._limit:
            # forget what old versions of the text left behind
            self._memo, self._environments = Memo(), Environments()
        run = Run(self._memo, self._environments, path, headers, budget)
        text = decode(source)
        main = FilePass(run, path, text, None)
        main.run(headers.first)
        if not text.isascii():  # which a string knows; else there is no need for another copy of a large file
            _check_encoding(run, path, source)
        self._limit = max(20_000, 6 * main.index)
        self._tidy(frozenset(run.environments))
        return run.result()

    def _tidy(self, through: frozenset[int]) -> None:
        """A definition makes lines anew in all of a text, and memory for them: room is made when it stays as it is."""
        if through != self._through:
            self._memo.keep_only(through | self._through)  # the definition may be taken back
            self._through, self._runs = through, 0
        elif self._runs < KEPT_RUNS:
            self._runs += 1
            if self._runs == KEPT_RUNS:
                self._memo.keep_only(through)


def _check_encoding(run: Run, path: str, source: bytes) -> None:
    try:
        source.decode()
    except UnicodeDecodeError as error:
        x = run.out.find(path, error.start)
        run.note("encoding", x, x, "the file is not UTF-8: its other bytes are taken as they are")


__all__ = ["MAX_EXPANDED", "Expanded", "Include", "Preprocessor", "again_key", "include_key"]
