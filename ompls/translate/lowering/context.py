"""What a context selector means for code that is compiled for one target (OpenMP 5.2 §7.1 to §7.3).

A target is the host, or a class of kernels.  Traits of constructs, of the device and of the implementation hold or do
not; a condition that is no constant, and a `target_device`, are asked when the program runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ompls.analysis.model.omp import Trait
from ompls.analysis.model.tu import TU
from ompls.translate.target import GPU_ARCHITECTURES, Target

_VENDORS = frozenset(("gnu", "ompls"))  # gcc compiles the host's half


@dataclass(frozen=True)
class Place:
    """Where a selector is asked: the target, and the constructs around, outermost first."""

    target: Target
    constructs: tuple[str, ...]


@dataclass(frozen=True)
class Match:
    """A selector that may hold.  `condition` is C text to ask when the program runs; '' when it holds."""

    score: int
    condition: str


def match(tu: TU, traits: Sequence[Trait], place: Place) -> Match | None:
    """Whether the selector holds in that place; None when it does not."""
    conditions: list[str] = []
    score = 0
    wanted = [t for t in traits if t.set == "construct"]
    positions = _subsequence([t.name for t in wanted], place.constructs)
    if positions is None:
        return None
    score += sum(1 << p for p in positions)
    target_device = [t for t in traits if t.set == "target_device"]
    for t in traits:
        score += t.score
        if t.set == "user" and t.name == "condition":
            if t.value == 0:
                return None
            if t.value is None:
                conditions.append(f"({t.text})")
        elif t.set == "device":
            if not _device(tu, t, place):
                return None
            score += 1 << (len(place.constructs) + {"kind": 0, "arch": 1, "isa": 2}.get(t.name, 0))
        elif t.set == "implementation" and not _implementation(tu, t):
            return None
    if target_device:
        asked = _target_device(target_device)
        if asked is None or (asked and place.target.on_device):
            return None
        conditions += [asked] if asked else []
    return Match(score, " && ".join(conditions))


def _subsequence(wanted: list[str], constructs: tuple[str, ...]) -> list[int] | None:
    """The positions, as far in as possible, of `wanted` in `constructs` in that order; None when they are not there."""
    found: list[int] = []
    at = len(constructs)
    for name in reversed(wanted):
        at = next((k for k in range(at - 1, -1, -1) if constructs[k] == name), -1)
        if at < 0:
            return None
        found.append(at)
    return found


def _device(tu: TU, t: Trait, place: Place) -> bool:
    if t.name == "kind":
        return bool(t.words) and all(w in place.target.kinds for w in t.words)
    if place.target.architectures is not None:
        return t.name == "arch" and bool(t.words) and place.target.architectures.issuperset(t.words)
    defined = {m.name for m in tu.snapshot.predefined}
    if t.name in ("arch", "isa"):
        return bool(t.words) and all(_macro(w) in defined for w in t.words)
    return False


def _macro(word: str) -> str:
    """The macro that gcc defines for an architecture or a part of its instruction set."""
    name = "".join(c if c.isalnum() else "_" for c in word)
    return f"__{name if name in ('x86_64', 'i386', 'aarch64', 'arm') else name.upper()}__"


def _implementation(tu: TU, t: Trait) -> bool:
    if t.name == "vendor":
        return bool(t.words) and all(w in _VENDORS for w in t.words)
    if t.name == "requires":
        return all(_required(tu, w) for w in t.words)
    return _required(tu, t.name, t.words)


def _required(tu: TU, clause: str, words: tuple[str, ...] = ()) -> bool:
    for f in tu.directives:
        for c in f.directive.clauses if f.directive.name == "requires" else ():
            if c.name == clause:
                return not words or c.text.strip() in words
    return False


def _target_device(traits: list[Trait]) -> str | None:
    """What to ask of the device that `target_device` speaks of: '' nothing, None when no device is like that."""
    number = next((t.text for t in traits if t.name == "device_num"), "")
    device = f"({number})" if number else "omp_get_default_device()"
    asked = [f"{device} >= 0 && {device} <= omp_get_num_devices()"] if number else []
    for t in traits:
        for word in t.words if t.name in ("kind", "arch") else ():
            if t.name == "arch" or word not in ("any", "host", "nohost", "cpu", "gpu"):
                if word not in GPU_ARCHITECTURES:
                    return None
                word = "gpu"  # noqa: PLW2901 - the devices that these architectures stand for
            if word != "any":
                asked.append(f'ompls_device_is({device}, "{word}")')
        if t.name not in ("kind", "arch", "device_num"):
            return None
    return " && ".join(asked)
