"""What the server and the worker of a document say to each other; all of it is values that can be pickled.

Nobody changes or compares a message.  `frozen` is not there because Python takes milliseconds to make such classes, and
the server has not answered `initialize` by then.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ompls.analysis.text import Encoding
from ompls.server.client import Client
from ompls.server.documents import Change
from ompls.server.settings import Settings

# --- to the worker ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Context:
    """What holds for all documents.

    roots, flags -- of the workspace
    trusted      -- the editor lets programs of this workspace run
    """

    client: Client = field(default_factory=Client)
    roots: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    trusted: bool = True


@dataclass(slots=True, eq=False, repr=False)
class Open:
    """The first message: the document that this worker is for.

    rules -- False: it is analysed, but the rules are not asked (they did not come to an end the last time)
    place -- where to write what is done (`page.py`); None: it is said in messages
    """

    uri: str
    path: str
    version: int
    source: bytes
    encoding: Encoding
    stamp: int
    context: Context
    settings: Settings
    rules: bool = True
    place: int | None = None


@dataclass(slots=True, eq=False, repr=False)
class Edited:
    """The text has changed; `stamp` counts the states that the server knows of."""

    stamp: int
    version: int
    changes: tuple[Change, ...]


@dataclass(slots=True, eq=False, repr=False)
class Configured:
    """There are other settings, of the document or for all of them."""

    stamp: int
    context: Context
    settings: Settings


@dataclass(slots=True, eq=False, repr=False)
class Overlay:
    """An editor has this text open for a file; None: not any more.  `uri` is its own spelling."""

    path: str
    uri: str
    text: bytes | None


@dataclass(slots=True, eq=False, repr=False)
class Look:
    """Files on the disk have changed: headers may differ."""


@dataclass(slots=True, eq=False, repr=False)
class Ask:
    """A request of the client's for this document."""

    number: int
    method: str
    params: Any


@dataclass(slots=True, eq=False, repr=False)
class Forget:
    """Nobody waits for the answer any more."""

    number: int


# --- from the worker -------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Began:
    """The first message: the worker's process."""

    process: int


@dataclass(slots=True, eq=False, repr=False)
class Busy:
    """Something begins that should take at most so many seconds: by itself, or there is no place to write it to."""

    what: str
    seconds: float


@dataclass(slots=True, eq=False, repr=False)
class Idle:
    """There is nothing to do; so many bytes of memory are the worker's own."""

    memory: int


@dataclass(slots=True, eq=False, repr=False)
class Elsewhere:
    """What was found in another file, as JSON: for a client that has that open, and for the `#include` of it."""

    path: str
    there: bytes
    here: bytes


@dataclass(slots=True, eq=False, repr=False)
class Fresh:
    """A new result.

    items    -- the diagnostics, in order: the JSON of those in the document itself, and what is elsewhere
    inactive -- the ranges that are not compiled, as JSON
    complete -- all of it was looked at
    last     -- nothing follows for this text
    """

    stamp: int
    version: int
    items: tuple[bytes | Elsewhere, ...]
    inactive: bytes
    regions: int
    complete: bool
    seconds: float
    last: bool


@dataclass(slots=True, eq=False, repr=False)
class Headers:
    """The headers were read.

    key      -- of everything in them: another one means that something is different
    paths    -- files of the project that the document includes
    problems -- what is wrong with the surroundings
    news     -- results that were sent before may be wrong
    """

    key: str
    paths: frozenset[str]
    problems: tuple[str, ...]
    news: bool


@dataclass(slots=True, eq=False, repr=False)
class Answer:
    """The result of an Ask: the text of JSON in parts.

    parts -- None: those of the last answer that was `kept`
    kept  -- the server keeps them for that
    """

    number: int
    parts: tuple[bytes, ...] | None
    kept: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Failed:
    number: int
    code: int
    message: str


@dataclass(slots=True, eq=False, repr=False)
class More:
    """A part of the document was asked about when only that was known: all of it is known now."""


@dataclass(slots=True, eq=False, repr=False)
class Exhausted:
    """The last message: there was not enough memory."""


# --- to the process that checks files which are not open -------------------------------------------------------------

SECONDS = 20.0  # for one file; what is found by then counts


@dataclass(slots=True, eq=False, repr=False)
class Order:
    """Check the file `path` as a part of the workspace with these roots.

    included -- another file there includes it: by itself it is checked only if it is compiled by itself
    """

    path: str
    roots: tuple[str, ...]
    settings: Settings
    included: bool = False
