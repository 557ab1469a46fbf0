"""One run of `ompls check`: what comes out of which file, and what fixes make of the texts (in memory)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from ompls.analysis import fixing
from ompls.analysis.diagnostic import Diagnostic
from ompls.cli.engine import Options
from ompls.cli.jobs import check_all
from ompls.cli.outcomes import Outcome
from ompls.cli.places import Places
from ompls.cli.terminal import Progress, progress

_PASSES = 10  # of fixing: a fix that meets another one waits for the next


@dataclass
class Run:
    """One run of the command: what it is for, and what has come out."""

    options: Options
    jobs: int
    outcomes: list[Outcome] = field(default_factory=list)
    quiet: bool = False  # no progress
    texts: dict[str, bytes] = field(default_factory=dict)  # what stands for files: stdin, and what fixes have changed

    def check(self, names: Sequence[str]) -> None:
        """Check `names`, and put what comes out in the place of what came out before."""
        fresh = {}
        alone = len(names) == 1 and not self.quiet
        with (
            progress(f"checking {names[0]}") if alone else nullcontext(),
            Progress(len(names), quiet=self.quiet) as far,
        ):
            for outcome in check_all(self.options, names, self.texts, self.jobs):
                fresh[outcome.name] = outcome
                far.step()
        self.outcomes = [fresh.pop(o.name, o) for o in self.outcomes] + list(fresh.values())

    def found(self) -> list[Diagnostic]:
        return list(dict.fromkeys(d for o in self.outcomes for d in o.found))  # those of a header are reported once

    def suppressed(self) -> list[Diagnostic]:
        return list(dict.fromkeys(d for o in self.outcomes for d in o.suppressed))

    def places(self) -> Places:
        places = Places()
        for path, text in self.texts.items():
            places.add(path, text)
        for outcome in self.outcomes:
            if outcome.source is not None:
                places.add(outcome.path, outcome.source)
        return places

    def fix(self, unsafe: bool) -> tuple[int, dict[str, bytes]]:
        """Fix in memory until nothing is left that can be: how many edits that took, and the texts as they were."""
        originals: dict[str, bytes] = {}
        count = 0
        for _ in range(_PASSES):
            chosen = fixing.choose(self.found(), unsafe=unsafe)
            if not chosen:
                break
            places = self.places()
            for path, edits in chosen.items():
                absolute = os.path.abspath(path)
                before = self.texts.get(absolute)
                if before is None:
                    before = originals[absolute] = places.text(path)
                elif absolute not in originals:
                    originals[absolute] = before  # stdin's
                self.texts[absolute] = fixing.apply(before, edits)
                count += len(edits)
            self.check([o.name for o in self.outcomes if any(d.fixes for d in o.found)])
        return count, originals
