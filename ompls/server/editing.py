"""The protocol's methods for cursors in pragmas: completion, signatures, hints, tokens, navigation, folds.

Each converts, calls `analysis/features`, converts.  Outside of pragmas all of them but the folds say nothing, so that
a language server for C answers there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ompls.analysis import features
from ompls.analysis.features import Completion, Refusal
from ompls.analysis.source import Location
from ompls.analysis.text import Encoding, LineIndex
from ompls.server.accepting import asked_later, resolved
from ompls.server.convert import Json, Places
from ompls.server.engine import Result, Session
from ompls.server.protocol import Raw
from ompls.server.senttokens import SentTokens, difference

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

_COMPLETION_KINDS = {
    "directive": 14,
    "clause": 10,
    "keyword": 20,
    "variable": 6,
    "function": 3,
    "constant": 21,
    "member": 5,
}
# What our words are among the token types that every editor has a colour for.
_TOKEN_TYPES = {
    "sentinel": "macro",
    "directive": "keyword",
    "clause": "function",
    "modifier": "modifier",
    "variable": "variable",
    "function": "function",
    "member": "property",
    "macro": "macro",
    "number": "number",
    "string": "string",
}
_LEGEND = list(dict.fromkeys(_TOKEN_TYPES.values()))
_TOKEN_NUMBERS = {kind: _LEGEND.index(name) for kind, name in _TOKEN_TYPES.items()}


class Editing:
    def __init__(self, server: OmplsServer) -> None:
        self.server = server
        self._sent = SentTokens()

    def table(self) -> list[tuple[str, Callable[[Any], Any], Any]]:
        """Name, handler and options of each method."""
        completion = types.CompletionOptions(trigger_characters=[" ", "(", ",", ":", "[", ".", ">"])
        signatures = types.SignatureHelpOptions(trigger_characters=["(", ",", ":"])
        tokens = types.SemanticTokensLegend(_LEGEND, [])
        return [
            ("textDocument/completion", self.completion, completion),
            ("textDocument/signatureHelp", self.signature_help, signatures),
            ("textDocument/inlayHint", self.inlay_hint, types.InlayHintOptions(resolve_provider=True)),
            ("inlayHint/resolve", self.inlay_resolve, None),
            ("textDocument/semanticTokens/full", self.tokens, tokens),
            ("textDocument/semanticTokens/full/delta", self.tokens_delta, tokens),
            ("textDocument/semanticTokens/range", self.tokens, tokens),
            ("textDocument/definition", self.definition, None),
            ("textDocument/references", self.references, None),
            ("textDocument/documentHighlight", self.highlight, None),
            ("textDocument/prepareRename", self.prepare_rename, None),
            ("textDocument/rename", self.rename, types.RenameOptions(prepare_provider=True)),
            ("textDocument/foldingRange", self.folds, None),
            ("textDocument/selectionRange", self.selections, None),
        ]

    # --- where a request points to -------------------------------------------------------------------------------

    async def _result(self, params: Any) -> tuple[Session, Result] | None:
        session = self.server.session(params.text_document.uri)
        return (session, await self.server.engine.unit(session)) if session is not None else None

    async def _in_pragma(self, params: Any) -> tuple[Session, Result, int] | None:
        """The analysed state and the byte offset of a position in a pragma; elsewhere nothing is waited for."""
        session = self.server.session(params.text_document.uri)
        if session is None or not session.document.near_pragma(params.position.line):
            return None
        result = await self.server.engine.unit(session, first=True)
        return session, result, self._offset(result, params.position)

    def _offset(self, result: Result, position: types.Position) -> int:
        return result.lines.offset(position.line, position.character, self.server.client.encoding)

    # --- while typing --------------------------------------------------------------------------------------------

    async def completion(self, params: types.CompletionParams) -> Raw:
        at = await self._in_pragma(params)
        if at is None:
            return Raw(None)
        _, result, offset = at
        places = self.server.places(result)
        return Raw([self._proposal(c, places, result) for c in features.completions(result.tu, offset)])

    def _proposal(self, proposal: Completion, places: Places, result: Result) -> Json:
        where = Location(result.tu.path, proposal.start, proposal.end)
        text, snippet = proposal.insert, False
        if proposal.cursor >= 0:
            text = text[: proposal.cursor]
            if self.server.client.snippets:
                text, snippet = f"{_escaped(text)}$0{_escaped(proposal.insert[proposal.cursor :])}", True
        item: Json = {
            "label": proposal.label,
            "kind": _COMPLETION_KINDS[proposal.kind],
            "textEdit": {"range": places.range(where), "newText": text},
            "sortText": f"{proposal.rank:02}{proposal.label}",
        }
        if snippet:
            item["insertTextFormat"] = 2
        if proposal.detail:
            item["detail"] = proposal.detail
        if proposal.documentation:
            item["documentation"] = proposal.documentation
        if proposal.deprecated:
            item["tags"] = [1]
        return item

    async def signature_help(self, params: types.SignatureHelpParams) -> Raw:
        at = await self._in_pragma(params)
        found = features.signature(at[1].tu, at[2]) if at is not None else None
        if found is None:
            return Raw(None)
        offsets = self.server.client.label_offsets
        parameters = [{"label": [a, b] if offsets else found.label[a:b]} for a, b in found.parts]
        signature = {"label": found.label, "documentation": found.documentation, "parameters": parameters}
        return Raw({"signatures": [signature], "activeSignature": 0, "activeParameter": found.active})

    # --- reading -------------------------------------------------------------------------------------------------

    async def inlay_hint(self, params: types.InlayHintParams) -> Raw:
        at, wanted = await self._result(params), self.server.engine.settings.inlay
        if at is None:
            return Raw([])
        session, result = at
        start, end = self._offset(result, params.range.start), self._offset(result, params.range.end)
        found = features.inlays(result.tu, start, end) if wanted.implicit else []
        acceptable = len(found)
        if wanted.counts and features.counts_wanted(result.tu, start, end):
            judged = await self.server.engine.result(session)  # the rules' analysis has counted
            if judged.stamp == result.stamp:
                found += features.counts(judged.tu, start, end)
        places = self.server.places(result)
        hints = []
        for number, hint in enumerate(found):
            position = places.range(Location(result.tu.path, hint.offset, hint.offset))["start"]
            tooltip = {"kind": "markdown", "value": hint.why}
            made = {"position": position, "label": hint.label, "tooltip": tooltip, "paddingLeft": True}
            if number < acceptable:
                made["data"] = asked_later(session, hint.offset)
            hints.append(made)
        return Raw(hints)

    async def inlay_resolve(self, params: types.InlayHint) -> Raw:
        return Raw(await resolved(self.server, params))

    async def tokens(self, params: types.SemanticTokensParams | types.SemanticTokensRangeParams) -> Raw:
        """The words of all pragmas, or of those in a range."""
        session = self.server.session(params.text_document.uri)
        if session is None or not self.server.engine.settings.tokens.enable:
            return Raw(None)
        result = await self.server.engine.unit(session)
        start, end = 0, len(result.tu.source)
        if isinstance(params, types.SemanticTokensRangeParams):
            start, end = self._offset(result, params.range.start), self._offset(result, params.range.end)
        found = features.tokens(result.tu.source, start, end, result.tu)
        data = relative(found, result.lines, self.server.client.encoding)
        if isinstance(params, types.SemanticTokensRangeParams):
            return Raw({"data": data})
        return Raw({"resultId": self._sent.keep(session, data), "data": data})

    async def tokens_delta(self, params: types.SemanticTokensDeltaParams) -> Raw:
        """What differs from the tokens that the client has; all of them when nobody knows those any more."""
        session = self.server.session(params.text_document.uri)
        known = self._sent.known(session, params.previous_result_id) if session is not None else None
        whole = await self.tokens(types.SemanticTokensParams(params.text_document))
        if known is None or whole.value is None:
            return whole
        return Raw({"resultId": whole.value["resultId"], "edits": difference(known, whole.value["data"])})

    async def folds(self, params: types.FoldingRangeParams) -> Raw:
        at = await self._result(params)
        if at is None:
            return Raw([])
        _, result = at
        found = []
        for fold in features.folds(result.tu):
            first, last = result.lines.line_of(fold.start), result.lines.line_of(fold.end)
            if not fold.kind and result.tu.source[fold.end : fold.end + 1] == b"}":
                last -= 1  # the closing brace stays
            if last > first:
                found.append({"startLine": first, "endLine": last, **({"kind": fold.kind} if fold.kind else {})})
        return Raw(found)

    async def selections(self, params: types.SelectionRangeParams) -> Raw:
        at = await self._result(params)
        if at is None:
            return Raw(None)
        _, result = at
        places = self.server.places(result)
        offsets = [self._offset(result, position) for position in params.positions]
        found = [features.selections(result.tu, offset) for offset in offsets]
        if not any(found):
            return Raw(None)  # the editor's own way is better there
        answers = []
        for offset, grown in zip(offsets, found, strict=True):
            answer: Json | None = None
            # The protocol wants an empty range for a place that nothing is said of.
            for start, end in reversed(grown or [(offset, offset)]):
                range_ = places.range(Location(result.tu.path, start, end))
                answer = {"range": range_, **({"parent": answer} if answer is not None else {})}
            answers.append(answer)
        return Raw(answers)

    # --- variables -----------------------------------------------------------------------------------------------

    async def definition(self, params: types.DefinitionParams) -> Raw:
        at = await self._in_pragma(params)
        if at is None:
            return Raw(None)
        places = self.server.places(at[1])
        return Raw([places.location(w) for w in features.definitions(at[1].tu, at[2])] or None)

    async def references(self, params: types.ReferenceParams) -> Raw:
        at = await self._in_pragma(params)
        if at is None:
            return Raw(None)
        places = self.server.places(at[1])
        found = features.references(at[1].tu, at[2], params.context.include_declaration)
        return Raw([places.location(w) for w in found] or None)

    async def highlight(self, params: types.DocumentHighlightParams) -> Raw:
        at = await self._in_pragma(params)
        if at is None:
            return Raw(None)
        session, result, offset = at
        places = self.server.places(result)
        found = [w for w in features.references(result.tu, offset) if w.path == session.document.path]
        return Raw([{"range": places.range(w), "kind": 1} for w in found] or None)

    async def prepare_rename(self, params: types.PrepareRenameParams) -> Raw:
        at = await self._in_pragma(params)
        target = features.rename_at(at[1].tu, at[2]) if at is not None else None
        if at is None or target is None:
            return Raw(None)
        if isinstance(target, Refusal):
            raise _refused(target)
        return Raw({"range": self.server.places(at[1]).range(target.where), "placeholder": target.symbol.name})

    async def rename(self, params: types.RenameParams) -> Raw:
        at = await self._in_pragma(params)
        if at is None:
            return Raw(None)
        session, result, offset = at
        found = features.rename(result.tu, offset, params.new_name)
        if isinstance(found, Refusal):
            raise _refused(found)
        places, uri = self.server.places(result), session.document.uri
        edits = [{"range": places.range(w), "newText": params.new_name} for w in found]
        if not self.server.client.document_changes:
            return Raw({"changes": {uri: edits}})
        document = {"uri": uri, "version": result.version}
        return Raw({"documentChanges": [{"textDocument": document, "edits": edits}]})


def relative(tokens: list[features.Token], lines: LineIndex, encoding: Encoding) -> list[int]:
    """Five numbers for each token: its line and column, counted from the token before, its length, its kind, 0.

    A window has hundreds of tokens, nearly all behind another one on their line.
    """
    data: list[int] = []
    line = column = at = 0
    for token in tokens:
        word = lines.data[token.start : token.end]
        if data and _plain(lines.data[at : token.start]):
            here, first = line, column + token.start - at
        else:
            here, first = lines.position(token.start, encoding)
        size = len(word) if _plain(word) else lines.position(token.end, encoding)[1] - first
        data += [here - line, first - (column if here == line else 0), size, _TOKEN_NUMBERS[token.kind], 0]
        line, column, at = here, first, token.start
    return data


def _plain(text: bytes) -> bool:
    """Whether each byte is a column of one line."""
    return text.isascii() and b"\n" not in text and b"\r" not in text


def _refused(refusal: Refusal) -> JsonRpcException:
    return JsonRpcException(refusal.reason, code=types.LSPErrorCodes.RequestFailed.value)


def _escaped(text: str) -> str:
    """As a snippet's literal text."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
