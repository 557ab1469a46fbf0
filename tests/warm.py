"""What commands make when they first need it, made once for all forks of command.py: patterns, templates, and the trees
of headers that most programs include.

What is made of a text is kept by that text, devices by the times of their files, and nothing else depends on the
environment, on files or on what was done before: so forks do what commands do.
"""

from __future__ import annotations

import gc

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.patterns import Later
from ompls.analysis.rules import RULES
from ompls.analysis.source import Settings
from ompls.project.devices import registry
from ompls.project.workspace import Workspace
from ompls.translate import templates

INCLUDED = ("stdio stdlib omp", "stdio omp", "stdlib", "math", "omp stdio", "omp stdlib")  # others find parts of these

RULES.values()  # imports them, so that their patterns are there
for made in gc.get_objects():
    if isinstance(made, Later):
        made.compile()
templates.compile_all()
registry()
for names in INCLUDED:
    source = "".join(f"#include <{name}.h>\n" for name in names.split()).encode()
    Analyzer().analyze("/warm.c", source, Workspace(["/"]).snapshot("/warm.c", source), Settings())
gc.collect()
gc.freeze()  # a fork that looked for garbage in what was there before it would copy all of that
