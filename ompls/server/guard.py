"""What keeps the server alive, and what ends it: one guard round every handler, one watchdog on the client."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pygls.exceptions import JsonRpcException

from ompls.server.refusal import Refused, failed

log = logging.getLogger("ompls.server")

Handler = TypeVar("Handler", bound=Callable[..., Any])


def guarded(method: str) -> Callable[[Handler], Handler]:
    """Wrap a handler of `method`: an exception that is our bug is logged with its context and answered with an
    InternalError; cancellation and deliberate protocol errors pass, and what is refused is answered with the reason."""

    def told(problem: Exception, args: tuple[Any, ...]) -> JsonRpcException:
        if not isinstance(problem, Refused):
            log.error("%s failed on %s", method, _context(args), exc_info=problem)
            problem = failed(method, problem)
        return answer_of(problem)

    def decorate(handler: Handler) -> Handler:
        @functools.wraps(handler)
        async def run_later(*args: Any) -> Any:
            try:
                return await handler(*args)
            except JsonRpcException:
                raise
            except Exception as problem:
                raise told(problem, args) from problem

        @functools.wraps(handler)
        def run(*args: Any) -> Any:
            try:
                return handler(*args)
            except JsonRpcException:
                raise
            except Exception as problem:
                raise told(problem, args) from problem

        run.at_once = True  # type: ignore[attr-defined] # what it gives back is the answer, or who will give it
        return run_later if asyncio.iscoroutinefunction(handler) else run  # type: ignore[return-value]

    return decorate


def answer_of(refused: Refused) -> JsonRpcException:
    """As the protocol has it."""
    return JsonRpcException(message=refused.message, code=refused.code)


async def logged(what: str, work: Callable[[], Awaitable[object]]) -> None:
    """Do background work that nobody else waits for; what goes wrong in it is logged, never lost."""
    try:
        await work()
    except asyncio.CancelledError:
        raise
    except Exception:
        log.exception("%s failed", what)


def _context(args: tuple[Any, ...]) -> str:
    """The document and place that a request is about, without its text."""
    params = args[-1] if args else None
    document = getattr(params, "text_document", None)
    parts = [str(getattr(document, "uri", None) or getattr(params, "uri", None) or type(params).__name__)]
    if (version := getattr(document, "version", None)) is not None:
        parts.append(f"version {version}")
    if (position := getattr(params, "position", None)) is not None:
        parts.append(f"at {position}")
    return ", ".join(parts)


def is_here(process_id: int) -> bool:
    """Whether a client can be watched: one in another container has a number that means nothing here.

    To be asked when the number comes: later it may have ended, which looks the same.
    """
    here = _alive(process_id)
    if not here:
        log.info("no process %d on this machine: the client is not watched", process_id)
    return here


def watch_client(process_id: int, gone: Callable[[], None], every: float = 3.0) -> threading.Thread:
    """Call `gone` once the process `process_id`, which was here, has ended.

    A client that is killed may leave our stdin open.
    """

    def watch() -> None:
        while _alive(process_id):
            time.sleep(every)
        log.warning("the client (process %d) has ended", process_id)
        gone()

    thread = threading.Thread(target=watch, name="client-watchdog", daemon=True)
    thread.start()
    return thread


def _alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it exists and belongs to somebody else
    return True
