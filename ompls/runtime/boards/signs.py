"""Signs of life: the board hears of us, and we hear of the board.  Each ends what it has of the other after SILENCE."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from typing import Callable, List

from .call import LONGEST, Call

SILENCE = 15  # seconds
BEAT = 2  # seconds from one to the next
# From a process of its own, as a debugger may keep all of our threads for long.  `watch` of board.sh answers each.
# When we are gone it ends ssh, which a board that hangs does not do; no other process of that number began when it did.
_KEEPER = """
born() { read -r stat <"/proc/$1/stat" && set -- ${stat##*) } && shift 19 && echo "$1"; }
was=$(born "$1")
while [ -e "/proc/$0/exe" ] && echo beat; do sleep "$2" >/dev/null; done
for signal in TERM KILL; do
    [ -e "/proc/$0/exe" ] || [ "$(born "$1")" != "$was" ] || kill -s "$signal" "$1"
    sleep 1
done
"""


class Signs(threading.Thread):
    """Those of a login, given at once, and listened to from `start` on.

    silent -- seconds in which we listened and there was none
    """

    def __init__(self, login: Call, on_silence: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.silent = 0
        self.calls: List[subprocess.Popen[bytes]] = []  # over the login, those that have ended perhaps among them
        self._login, self._on_silence = login, on_silence
        self._closed = threading.Event()
        words = ["/bin/sh", "-c", _KEEPER, str(os.getpid()), str(login.process.pid), str(BEAT)]
        nothing, link = subprocess.DEVNULL, login.link.fileno()
        self._keeper = subprocess.Popen(words, stdin=nothing, stdout=link, stderr=nothing, start_new_session=True)

    def run(self) -> None:
        """Turns are counted, and not the time: we may be stopped ourselves."""
        while not self._closed.wait(1.0):
            self.silent += 1
            if self.silent > SILENCE:
                self._on_silence()
                return
            try:
                if not self._login.link.recv(LONGEST, socket.MSG_DONTWAIT):
                    return  # the login has ended
            except BlockingIOError:
                continue
            except OSError:
                return
            if not any(map(is_stopped, (self._login.process, *self.calls))):
                self.silent = 0  # one that is stopped would keep us waiting for ever

    def follow(self, call: Call) -> None:
        self.calls = [*(process for process in self.calls if process.poll() is None), call.process]

    def end(self) -> None:
        self._closed.set()
        if self.is_alive():
            self.join()
        self._keeper.kill()
        self._keeper.wait()


def is_stopped(process: "subprocess.Popen[bytes]") -> bool:
    try:
        with open("/proc/{}/stat".format(process.pid), "rb") as stat:
            return stat.read().rpartition(b")")[2].split()[0] == b"T"
    except OSError:
        return False
