"""What the connected editor can do, read once from its `initialize` request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ompls.analysis.text import Encoding

if TYPE_CHECKING:
    from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    encoding: Encoding = "utf-16"
    pulls: bool = False  # asks for diagnostics (textDocument/diagnostic)
    refreshes_diagnostics: bool = False
    refreshes_lenses: bool = False
    refreshes_inlays: bool = False
    colours_sight: bool = False  # asks for the colours of what is in sight before all others
    snippets: bool = False  # completion items may say where the cursor goes
    label_offsets: bool = False  # parameters of signatures may be offsets
    document_changes: bool = False  # takes versioned workspace edits
    disabled_actions: bool = False  # shows code actions that cannot be taken, with the reason
    configuration: bool = False  # answers workspace/configuration
    registers_configuration: bool = False
    watches_files: bool = False
    virtual_documents: bool = False  # serves workspace/textDocumentContent
    shows_documents: bool = False  # window/showDocument
    dims: bool = False  # takes `ompls/inactiveRegions`
    asks_device: bool = False  # `ompls.preview` with `choose` asks the user for which device
    commands: frozenset[str] = frozenset()  # of our lenses' commands, those that it runs itself


def read(capabilities: types.ClientCapabilities) -> Client:
    from pygls.capabilities import ServerCapabilitiesBuilder  # noqa: PLC0415 - workers do without

    def value(path: str) -> Any:
        found: Any = capabilities
        for name in path.split("."):
            found = getattr(found, name, None)
        return found

    def has(path: str) -> bool:
        return bool(value(path))

    ours = _mapping(_mapping(capabilities.experimental).get("ompls"))
    commands = ours.get("commands")
    chosen = ServerCapabilitiesBuilder.choose_position_encoding(capabilities)
    encoding = getattr(chosen, "value", chosen)
    return Client(
        encoding=cast("Encoding", encoding),
        pulls=value("text_document.diagnostic") is not None,
        refreshes_diagnostics=has("workspace.diagnostics.refresh_support"),
        refreshes_lenses=has("workspace.code_lens.refresh_support"),
        refreshes_inlays=has("workspace.inlay_hint.refresh_support"),
        colours_sight=has("text_document.semantic_tokens.requests.range"),
        snippets=has("text_document.completion.completion_item.snippet_support"),
        label_offsets=has(
            "text_document.signature_help.signature_information.parameter_information.label_offset_support"
        ),
        document_changes=has("workspace.workspace_edit.document_changes"),
        disabled_actions=has("text_document.code_action.disabled_support"),
        configuration=has("workspace.configuration"),
        registers_configuration=has("workspace.did_change_configuration.dynamic_registration"),
        watches_files=has("workspace.did_change_watched_files.dynamic_registration"),
        virtual_documents=has("workspace.text_document_content.dynamic_registration"),
        shows_documents=has("window.show_document.support"),
        dims=ours.get("inactiveRegions") is True,
        asks_device=ours.get("choosesDevice") is True,
        commands=frozenset(c for c in commands if isinstance(c, str))
        if isinstance(commands, (list, tuple))
        else frozenset(),
    )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
