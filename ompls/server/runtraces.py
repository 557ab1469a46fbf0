"""The trace of a run that an editor asked for: in a private directory, read by the document's worker, then gone."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ompls.server.refusal import Refused

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

_VALUES = 16  # bytes of each item


@dataclass(frozen=True)
class Trace:
    server: OmplsServer
    uri: str
    version: int  # of the text that runs
    directory: str

    @classmethod
    def begin(cls, server: OmplsServer, uri: str) -> Trace:
        session = server.session(uri)
        assert session is not None  # who runs it has looked
        import tempfile  # noqa: PLC0415 -- not before the server has answered `initialize`

        return cls(server, uri, session.document.version, tempfile.mkdtemp(prefix="ompls-run-"))

    @property
    def options(self) -> list[str]:
        """Of `ompls run`."""
        return ["--trace", self._file, "--trace-values", str(_VALUES)]

    @property
    def _file(self) -> str:
        return os.path.join(self.directory, "trace")

    async def read(self) -> bool:
        """Have it read; False where there is none, or the text is another one by now."""
        session = self.server.session(self.uri)
        if session is None or session.document.version != self.version or not os.path.exists(self._file):
            return False
        asked = {"trace": self._file, "version": self.version}
        try:
            parts = await self.server.engine.ask(session, "ompls/run, measured", asked)
        except Refused as problem:
            self.server.say("warning", problem.message)
            return False
        self.server.measured()
        return bool(json.loads(b"".join(parts)))

    def end(self) -> None:
        import shutil  # noqa: PLC0415

        shutil.rmtree(self.directory, ignore_errors=True)
