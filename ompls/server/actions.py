"""`textDocument/codeAction`: quick fixes, comments that silence, everything at once, what others offer.

A fix that may change more than what is reported (`Fix.safe` False) says so in its title, is never the preferred one,
and is not part of what fixes many at once: *fix all of this rule* and `source.fixAll.ompls`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ompls.analysis.diagnostic import Diagnostic, Edit, Fix
from ompls.analysis.source import Location
from ompls.analysis.suppression import added
from ompls.server.announced import FIX_ALL, QUICK_FIX
from ompls.server.convert import Json
from ompls.server.opened import Opened, Result
from ompls.server.work import fixable, tried

if TYPE_CHECKING:
    from lsprotocol import types

_AUTOMATIC = 2  # CodeActionTriggerKind: nobody asked for it
_RISKY = " (may change what the program does)"

Provider = Callable[["Actions", Any], Iterable[Json]]  # of a range of the document
Providers = dict[str, Provider]
Prices = Mapping[str, Mapping[str, str]]


def code_action(
    opened: Opened, result: Result, asked: tuple[types.CodeActionParams, Prices], providers: Providers
) -> Any:
    """`providers`: by kind of action, who else has some (`refactor.rewrite`, …); asked only when the kind is wanted."""
    params, prices = asked
    only = None if params.context.only is None else list(params.context.only)
    unasked = params.context.trigger_kind == _AUTOMATIC
    made = Actions(opened, result, prices, unasked=unasked)
    actions: list[Json] = []
    if _wanted(QUICK_FIX, only):
        actions += made.quick_fixes(params.range, params.context.diagnostics)
    for kind, provider in providers.items():
        if _wanted(kind, only):
            actions += provider(made, params.range)
    if only is not None and _wanted(FIX_ALL, only):  # a menu of its own: nobody sees it unasked
        actions += made.fix_all()
    return actions


class Actions:
    """Those for one state of a document.

    prices  -- what kernels need, by device and region, where that is known
    unasked -- the editor wants to know for itself
    """

    def __init__(self, opened: Opened, result: Result, prices: Prices, *, unasked: bool = False) -> None:
        self.opened = opened
        self.result = result
        self.prices = prices
        self.unasked = unasked
        self._places = opened.places(result)

    def action(self, title: str, kind: str, edits: Iterable[Edit]) -> Json:
        """One action that makes `edits`.

        Versioned where the client can: an edit of a text that has changed since must not be applied.
        """
        by_uri: dict[str, list[Json]] = {}
        for edit in edits:
            by_uri.setdefault(self.opened.uri(edit.where.path), []).append(self._places.text_edit(edit))
        change: Json = {"changes": by_uri}
        if self.opened.context.client.document_changes:
            own, version = self.opened.document.uri, self.result.version
            change = {
                "documentChanges": [
                    {"textDocument": {"uri": uri, "version": version if uri == own else None}, "edits": its}
                    for uri, its in by_uri.items()
                ]
            }
        return {"title": title, "kind": kind, "edit": change}

    def fix_all(self) -> list[Json]:
        (edits,) = self._fixable([self.result.found])
        return [self.action("Fix all that is safe to fix", FIX_ALL, edits)] if edits else []

    # --- quick fixes ---------------------------------------------------------------------------------------------

    def quick_fixes(self, asked: types.Range, context: Sequence[types.Diagnostic] = ()) -> list[Json]:
        """Of all diagnostics on the lines of `asked`; those of `context`, which the editor asks for, come first."""
        opened, result = self.opened, self.result
        here = [(d, shown) for d in result.found if (shown := self._shown(d, asked))]
        meant = _meant([shown for _, shown in here], asked, context)
        here.sort(key=lambda pair: pair[1] not in meant)
        good = tried(opened.analyzer, result.tu, opened.headers, opened.settings, [d for d, _ in here])
        actions: list[Json] = []
        for diagnostic, (_, shown) in zip(good, here, strict=True):
            for fix in diagnostic.fixes:
                title = fix.title if fix.safe else fix.title + _RISKY
                action = self.action(title, QUICK_FIX, fix.edits)
                preferred = fix.safe and len(diagnostic.fixes) == 1 and (shown in meant or not meant)
                actions.append({**action, "diagnostics": [shown], "isPreferred": preferred})
        groups = {rule: [d for d in result.found if d.rule == rule] for rule in {d.rule: d for d, _ in here}}
        many = {rule: its for rule, its in groups.items() if sum(any(f.safe for f in d.fixes) for d in its) > 1}
        for rule, edits in zip(many, self._fixable(list(many.values())), strict=True):
            if edits:
                title = f"Fix all `{rule}` in this file"
                actions.append(self.action(title, QUICK_FIX, edits))
        silencers: dict[Fix, list[Json]] = {}  # one comment is for all that a rule finds in a line
        for diagnostic, shown in here:
            for fix in silencing(result.tu.source, diagnostic):
                silencers.setdefault(fix, []).append(shown)
        for fix, silenced in silencers.items():
            actions.append({**self.action(fix.title, QUICK_FIX, fix.edits), "diagnostics": silenced})
        return actions

    def _shown(self, diagnostic: Diagnostic, asked: types.Range) -> Json | None:
        """The diagnostic as the client has it, if it is on the lines of `asked`."""
        if diagnostic.where.path != self.opened.document.path:
            return None
        shown = self._places.diagnostic(diagnostic, diagnostic.where, self.opened.manual_uri(diagnostic.rule))
        range_ = shown["range"]
        within = range_["start"]["line"] <= asked.end.line and range_["end"]["line"] >= asked.start.line
        return shown if within else None

    def _fixable(self, groups: list[list[Diagnostic]]) -> list[list[Edit]]:
        """For each of the groups, the edits of its safe fixes that touch this document only."""
        opened, result = self.opened, self.result
        path = result.tu.path
        own = [[d for d in its if all(e.where.path == path for f in d.fixes for e in f.edits)] for its in groups]
        if not any(d.fixes for its in own for d in its):
            return [[] for _ in groups]
        return fixable(opened.analyzer, result.tu, opened.headers, opened.settings, own)


def _meant(shown: list[Json], asked: types.Range, context: Sequence[types.Diagnostic]) -> list[Json]:
    """The diagnostics that an editor asks for: it says which, or where."""
    first, last = _place(asked.start), _place(asked.end)
    if context:
        named = [(_place(d.range.start), _place(d.range.end), d.code) for d in context]
        return [s for s in shown if (*_ends(s), s.get("code")) in named]
    return [s for s in shown if _ends(s)[0] <= last and first <= _ends(s)[1]]


def _place(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def _ends(shown: Json) -> tuple[tuple[int, int], tuple[int, int]]:
    start, end = shown["range"]["start"], shown["range"]["end"]
    return (start["line"], start["character"]), (end["line"], end["character"])


def silencing(source: bytes, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The comments that would silence a diagnostic: here, and in the whole file."""
    where, rule = diagnostic.where, diagnostic.rule
    for title, whole_file in ((f"Silence {rule} here", False), (f"Silence {rule} in this file", True)):
        offset, text = added(source, where.start, rule, whole_file=whole_file)
        yield Fix(title, (Edit(Location(where.path, offset, offset), text),))


def _wanted(kind: str, only: list[str] | None) -> bool:
    """Kinds are hierarchical: who asks for `source` wants `source.fixAll.ompls`, too."""
    return only is None or any(k in ("", kind) or kind.startswith(f"{k}.") for k in only)
