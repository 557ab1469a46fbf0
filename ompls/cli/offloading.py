"""How the makefiles that exist ask for offload: the options of clang, of nvc and of gcc's offload compilers.

Each is read for the device and the architecture that it means, and taken out of the line: gcc knows most of them not,
and the others are about offload compilers of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ompls.cli.problem import Problem
from ompls.project.devices import registry
from ompls.project.gcc_options import SAME

_GPU, _CPU = "nvptx64", "x86_64"  # what is meant by words that name no target
_NOBODYS = ("amdgcn", "spir", "gcn", "intelgt", "hsa", "x86_64-intelmic")
_ARCHITECTURES = ("--offload-arch", "--cuda-gpu-arch")
_OF_A_GPU = re.compile(r"sm_|compute_|gfx")
_ARCHITECTURE = re.compile(r"(?:sm_|compute_|cc|ccn?)(\d\d\d?)[af]?\b")
# About how other compilers build device code: they change nothing of what a program means.
_DROPPED = re.compile(
    r"-foffload-lto\b|--cuda-path=|--no-offload-arch=|--libomptarget|-fopenmp-(?:cuda-|target-|assume-|offload-|new-driver)"
    r"|-fno-openmp-(?:cuda-|target-|assume-|offload-)|-nogpulib$|-Minfo|-Mneginfo|-fno-openmp-new-driver"
    r"|-f(?:no-)?openmp-extensions$|-W(?:no-)?(?:error=)?openmp-|-Rpass|-stdlib=|-tp="
)


@dataclass
class Offload:
    """What a command line asks for in such words.

    devices -- None: it says nothing; [] : none, gcc's own host code
    openmp -- whether it turns OpenMP on
    version -- of the specification; '': it says nothing
    """

    devices: list[str] | None = None
    architectures: list[str] = field(default_factory=list)
    openmp: bool = False
    version: str = ""

    def take(self, word: str, words: Iterator[str]) -> list[str] | None:
        """What gcc is to have for the word (and the next ones, if they are its value); None: it is none of these."""
        option, glued, value = word.partition("=")
        if option == "-Xopenmp-target":
            self._architecture(next(words, ""))
        elif glued and (option in _ARCHITECTURES or (option == "-march" and _OF_A_GPU.match(value))):
            self._architecture(value)
        elif word in SAME:
            return [SAME[word]]
        elif option == "-fopenmp" and glued:  # the library's name
            self.openmp = True
            return ["-fopenmp"]
        elif option == "-fopenmp-version":
            self.version = f"{value[:1]}.{value[1:]}"
        elif option == "-target" and value:
            self._add([registry().of_triple(_GPU if value == "gpu" else _CPU)])
        elif option == "-mp":
            self.openmp = True
            if value:
                self._add([registry().of_triple(_GPU if "gpu" in value.split(",") else _CPU)])
            return ["-fopenmp"]
        elif option == "-gpu":
            self._architecture(value)
        elif option == "-foffload-options":
            self._architecture(value, told=False)
        elif option == "-foffload":
            self._of_gcc(value)
            return [word] if value == "disable" else []
        elif not _DROPPED.match(word):
            return None
        return []

    def targets(self, text: str, option: str) -> str:
        """The devices of a comma list in which targets of other compilers may be.  Raises Problem."""
        return ",".join(dict.fromkeys(self._device(name.strip(), option) or name.strip() for name in text.split(",")))

    def _of_gcc(self, value: str) -> None:
        if value in ("disable", "default") or value.startswith("-"):  # options for whatever there is
            self.devices = [] if value == "disable" else None if value == "default" else self.devices
            return
        names = [name.partition("=")[0] for name in value.split(",") if not name.startswith("-")]
        self._add([self._device(name, "-foffload") or name for name in names])

    def _device(self, name: str, option: str) -> str:
        if name.startswith(_NOBODYS):
            why = "ompls makes code for NVIDIA's GPUs (nvptx64, sm_NN) and the host"
            raise Problem(f"cannot offload to {name} ({option}): {why}; choose one of these", 1)
        return registry().of_triple(name)

    def _add(self, devices: list[str]) -> None:
        self.devices = list(dict.fromkeys([*(self.devices or ()), *devices]))

    def _architecture(self, text: str, told: bool = True) -> None:
        """Of `-march=sm_80`, `sm_80`, `cc80,cc90` and the like.  Raises Problem for one of another vendor."""
        other = re.search(r"\bgfx\w+", text)
        if other is not None:
            self._device(f"amdgcn-{other[0]}", text)
        found = [f"sm_{number}" for number in _ARCHITECTURE.findall(text)]
        self.architectures += [name for name in found if name not in self.architectures]
        if told and (found or "native" in text):
            self._add([registry().of_triple(_GPU)])
