"""The protocol's methods for cursors in pragmas: completion, signatures, hints, tokens, navigation, folds.

Each converts, calls `analysis/features`, converts; a document's worker runs them (`answers.py`).  Outside of pragmas
all of them but the folds say nothing, so that a language server for C answers there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ompls.analysis import features
from ompls.analysis.features import Completion, Refusal
from ompls.analysis.source import Location
from ompls.analysis.text import Encoding, LineIndex
from ompls.server import measured
from ompls.server.accepting import asked_later
from ompls.server.announced import LEGEND, TOKEN_TYPES
from ompls.server.convert import Json
from ompls.server.harmless import harmless
from ompls.server.opened import NotYet, Opened, Result
from ompls.server.refusal import Refused
from ompls.server.senttokens import difference

if TYPE_CHECKING:
    from lsprotocol import types

_COMPLETION_KINDS = {
    "directive": 14,
    "clause": 10,
    "keyword": 20,
    "variable": 6,
    "function": 3,
    "constant": 21,
    "member": 5,
}
_PLAIN = re.compile(rb"[\x00-\x09\x0b\x0c\x0e-\x7f]*")
# What our words are among the token types that every editor has a colour for.
_TOKEN_NUMBERS = {kind: LEGEND.index(name) for kind, name in TOKEN_TYPES.items()}


# --- while typing --------------------------------------------------------------------------------------------


def completion(opened: Opened, result: Result, params: types.CompletionParams) -> Any:
    offset = opened.offset(result, params.position)
    asked = params.context
    if asked is not None and asked.trigger_character == " " and features.finished(result.tu, offset):
        return []  # nobody asked: the list would come by itself, and Enter would take its first word
    places = opened.places(result)
    found = features.completions(result.tu, offset)
    # All of them replace the same word.
    ranges = {span: places.range(Location(result.tu.path, *span)) for span in {(c.start, c.end) for c in found}}
    return [_proposal(c, number, ranges[c.start, c.end], opened) for number, c in enumerate(found)]


def _proposal(proposal: Completion, number: int, range_: Json, opened: Opened) -> Json:
    text, snippet = proposal.insert, False
    if proposal.cursor >= 0:
        text = text[: proposal.cursor]
        if opened.context.client.snippets:
            text, snippet = f"{_escaped(text)}$0{_escaped(proposal.insert[proposal.cursor :])}", True
    item: Json = {
        "label": proposal.label,
        "kind": _COMPLETION_KINDS[proposal.kind],
        "textEdit": {"range": range_, "newText": text},
        "sortText": f"{number:04}",
    }
    if " " in proposal.label:
        # A list that is open would go on with `target teams` behind `target `, and Enter accept it.
        item["filterText"] = proposal.label.replace(" ", "")
    if snippet:
        item["insertTextFormat"] = 2
    if proposal.detail:
        item["detail"] = proposal.detail
    if proposal.documentation:
        item["documentation"] = proposal.documentation
    if proposal.deprecated:
        item["tags"] = [1]
    return item


def signature_help(opened: Opened, result: Result, params: types.SignatureHelpParams) -> Any:
    found = features.signature(result.tu, opened.offset(result, params.position))
    if found is None:
        return None
    offsets = opened.context.client.label_offsets
    parameters = [{"label": [a, b] if offsets else found.label[a:b]} for a, b in found.parts]
    signature = {"label": found.label, "documentation": found.documentation, "parameters": parameters}
    return {"signatures": [signature], "activeSignature": 0, "activeParameter": found.active}


# --- reading -------------------------------------------------------------------------------------------------


def inlay_hint(opened: Opened, result: Result, asked: tuple[types.InlayHintParams, int | None]) -> Any:
    """The hints but for those of the line that somebody types in."""
    params, typing = asked
    wanted = opened.settings.inlay
    start, end = opened.offset(result, params.range.start), opened.offset(result, params.range.end)
    found = features.inlays(result.tu, start, end) if wanted.implicit else []
    acceptable = len(found)
    if wanted.counts and features.counts_wanted(result.tu, start, end):
        if result.diagnostics is None:  # the rules' analysis counts
            raise NotYet
        found += features.counts(result.tu, start, end)
    found += measured.inlays(opened, result, start, end)
    hints = []
    for number, hint in enumerate(found):
        line, character = result.lines.position(hint.offset, opened.context.client.encoding)
        if line == typing:
            continue
        position = {"line": line, "character": character}
        tooltip = {"kind": "markdown", "value": harmless(hint.why)}
        made = {"position": position, "label": hint.label, "tooltip": tooltip, "paddingLeft": True}
        if number < acceptable:
            made["data"] = asked_later(opened, hint.offset)
        hints.append(made)
    return hints


def tokens(opened: Opened, result: Result, params: types.SemanticTokensParams | types.SemanticTokensRangeParams) -> Any:
    """The words of all pragmas, or of those in a range."""
    return _tokens(opened, result, getattr(params, "range", None))


def _tokens(opened: Opened, result: Result, part: types.Range | None = None) -> Any:
    if not opened.settings.tokens.enable:
        return None
    start, end = 0, len(result.tu.source)
    if part is not None:
        start, end = opened.offset(result, part.start), opened.offset(result, part.end)
    found = features.tokens(result.tu.source, start, end, result.tu)
    data = relative(found, result.lines, opened.context.client.encoding)
    return {"resultId": opened.sent.keep(data), "data": data} if part is None else {"data": data}


def tokens_delta(opened: Opened, result: Result, params: types.SemanticTokensDeltaParams) -> Any:
    """What differs from the tokens that the client has; all of them when nobody knows those any more."""
    known = opened.sent.known(params.previous_result_id)
    whole = _tokens(opened, result)
    if known is None or whole is None:
        return whole
    return {"resultId": whole["resultId"], "edits": difference(known, whole["data"])}


def folds(opened: Opened, result: Result, params: types.FoldingRangeParams) -> Any:
    found = []
    for fold in features.folds(result.tu):
        first, last = result.lines.line_of(fold.start), result.lines.line_of(fold.end)
        if not fold.kind and result.tu.source[fold.end : fold.end + 1] == b"}":
            last -= 1  # the closing brace stays
        if last > first:
            found.append({"startLine": first, "endLine": last, **({"kind": fold.kind} if fold.kind else {})})
    return found


def selections(opened: Opened, result: Result, params: types.SelectionRangeParams) -> Any:
    places = opened.places(result)
    offsets = [opened.offset(result, position) for position in params.positions]
    found = [features.selections(result.tu, offset) for offset in offsets]
    if not any(found):
        return None  # the editor's own way is better there
    answers = []
    for offset, grown in zip(offsets, found, strict=True):
        answer: Json | None = None
        # The protocol wants an empty range for a place that nothing is said of.
        for start, end in reversed(grown or [(offset, offset)]):
            range_ = places.range(Location(result.tu.path, start, end))
            answer = {"range": range_, **({"parent": answer} if answer is not None else {})}
        answers.append(answer)
    return answers


# --- variables -----------------------------------------------------------------------------------------------


def definition(opened: Opened, result: Result, params: types.DefinitionParams) -> Any:
    offset = opened.offset(result, params.position)
    places = opened.places(result)
    return [places.location(w) for w in features.definitions(result.tu, offset)] or None


def references(opened: Opened, result: Result, params: types.ReferenceParams) -> Any:
    offset = opened.offset(result, params.position)
    places = opened.places(result)
    found = features.references(result.tu, offset, params.context.include_declaration)
    return [places.location(w) for w in found] or None


def highlight(opened: Opened, result: Result, params: types.DocumentHighlightParams) -> Any:
    offset = opened.offset(result, params.position)
    places = opened.places(result)
    found = [w for w in features.references(result.tu, offset) if w.path == opened.document.path]
    return [{"range": places.range(w), "kind": 1} for w in found] or None


def prepare_rename(opened: Opened, result: Result, params: types.PrepareRenameParams) -> Any:
    target = features.rename_at(result.tu, opened.offset(result, params.position))
    if target is None:
        return None
    if isinstance(target, Refusal):
        raise _refused(target)
    return {"range": opened.places(result).range(target.where), "placeholder": target.symbol.name}


def rename(opened: Opened, result: Result, params: types.RenameParams) -> Any:
    offset = opened.offset(result, params.position)
    found = features.rename(result.tu, offset, params.new_name)
    if isinstance(found, Refusal):
        raise _refused(found)
    places, uri = opened.places(result), opened.document.uri
    edits = [{"range": places.range(w), "newText": params.new_name} for w in found]
    if not opened.context.client.document_changes:
        return {"changes": {uri: edits}}
    document = {"uri": uri, "version": result.version}
    return {"documentChanges": [{"textDocument": document, "edits": edits}]}


def relative(tokens: list[features.Token], lines: LineIndex, encoding: Encoding) -> list[int]:
    """Five numbers for each token: its line and column, counted from the token before, its length, its kind, 0.

    A window has hundreds of tokens, nearly all behind another one on their line: places are asked for once a line.
    """
    data: list[int] = []
    line = column = at = end = 0  # `end`: each byte from `at` up to there is a column of the line
    for start, stop, kind in tokens:
        if at <= start < end:
            here, first = line, column + start - at
        else:
            here, first = lines.position(start, encoding)
            end = _plain_until(lines.data, start)
        size = stop - start if stop <= end else lines.position(stop, encoding)[1] - first
        data += [here - line, first - (column if here == line else 0), size, _TOKEN_NUMBERS[kind], 0]
        line, column, at = here, first, start
    return data


def _plain_until(text: bytes, start: int) -> int:
    """Where what begins at `start` ends of which each byte is a column of one line: at the line's end, or before what
    is no ASCII."""
    match = _PLAIN.match(text, start)
    return match.end() if match is not None else start


def _refused(refusal: Refusal) -> Refused:
    return Refused(refusal.reason)


def _escaped(text: str) -> str:
    """As a snippet's literal text."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
