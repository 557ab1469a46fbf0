"""What commands make when they first need it, made once for all forks of command.py: patterns and templates.

Nothing of it depends on the environment, on files or on what was done before, so forks do what commands do.
"""

from __future__ import annotations

import gc

from ompls.analysis.patterns import Later
from ompls.translate import templates

for made in gc.get_objects():
    if isinstance(made, Later):
        made.compile()
templates.compile_all()
gc.collect()
gc.freeze()  # a fork that looked for garbage in what was there before it would copy all of that
