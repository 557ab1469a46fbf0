"""The client's requests for a document: what its worker answers, and what has to be known before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from ompls.server import editing, environment, explanation, kernels, measured, reading
from ompls.server.accepting import resolved
from ompls.server.actions import code_action
from ompls.server.announced import REWRITE, SHOW
from ompls.server.convert import json_of
from ompls.server.gets import gets
from ompls.server.lenses import lenses
from ompls.server.opened import Opened, Result
from ompls.server.refactorings import refactorings

# first -- as `whole`, or a part of it where all of it was never shown; sight -- as `unit`, or the document's beginning,
# where the range that is asked about is in it; unit -- the text is analysed, perhaps not all of it; colours -- `unit`,
# but for a client that has those in sight before, after the first diagnostics; whole -- all of it: nobody asks again;
# some -- the rules have spoken, perhaps not of everything; result -- of everything that there is time for; full -- and
# the headers were looked at
Need = Literal["first", "sight", "unit", "colours", "whole", "some", "result", "full"]


@dataclass(frozen=True, slots=True)
class Method:
    """needs  -- what must be known
    answer -- makes the result: what JSON can say; or raises Refused, or NotYet
    parts  -- as `answer`, for what is the text of JSON already
    """

    needs: Need
    answer: Callable[[Opened, Result, Any], Any] = lambda opened, result, params: None
    parts: Callable[[Opened, Result, Any], list[bytes]] | None = None

    def text(self, opened: Opened, result: Result, params: Any) -> tuple[bytes, ...]:
        """The answer as the text of JSON."""
        if self.parts is not None:
            return tuple(self.parts(opened, result, params))
        return (json_of(self.answer(opened, result, params)),)


METHODS: dict[str, Method] = {
    "textDocument/completion": Method("unit", editing.completion),
    "textDocument/signatureHelp": Method("unit", editing.signature_help),
    "textDocument/inlayHint": Method("unit", editing.inlay_hint),
    "inlayHint/resolve": Method("unit", resolved),
    "textDocument/semanticTokens/full": Method("colours", editing.tokens),
    "textDocument/semanticTokens/full/delta": Method("unit", editing.tokens_delta),
    "textDocument/semanticTokens/range": Method("sight", editing.tokens),
    "textDocument/definition": Method("unit", editing.definition),
    "textDocument/references": Method("unit", editing.references),
    "textDocument/documentHighlight": Method("unit", editing.highlight),
    "textDocument/prepareRename": Method("unit", editing.prepare_rename),
    "textDocument/rename": Method("unit", editing.rename),
    "textDocument/foldingRange": Method("whole", editing.folds),
    "textDocument/selectionRange": Method("unit", editing.selections),
    "textDocument/hover": Method("result", reading.hover),
    "textDocument/codeLens": Method("first", parts=lenses),
    "textDocument/documentSymbol": Method("whole", reading.symbols),
    "textDocument/codeAction": Method("result", partial(code_action, providers={REWRITE: refactorings, SHOW: gets})),
    "textDocument/diagnostic": Method("some"),  # what is shown is in the results that the worker sends by itself
    "textDocument/diagnostic, with headers": Method("full"),
    "ompls/preview": Method("result", kernels.asked),
    "ompls/devices": Method("result", kernels.cannot_run),
    "textDocument/codeLens, refused": Method("result", kernels.refused_on),
    "workspace/textDocumentContent": Method("result", kernels.shown),
    "ompls/whyNoAnswer": Method("result", explanation.answer),
    "ompls/dataEnvironment": Method("unit", environment.answer),
    "ompls/run, measured": Method("unit", measured.keep),
}
