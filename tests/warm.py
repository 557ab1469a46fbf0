"""What commands make when they first need it, made once for all forks of command.py: patterns and templates.

Nothing here depends on the environment, on a file or on what was done before, so a fork does as the command does.
"""

from __future__ import annotations

import gc

from ompls.analysis import patterns
from ompls.translate import templates

patterns.compile_all()
templates.compile_all()
gc.collect()
gc.freeze()  # forks look for garbage in what they make only: to look through the rest would copy it
