"""Data races inside of a construct: which pairs of accesses may run at the same time and meet in one place.

`glance.py` sees kernels that plainly have none. `levels.py` knows what a construct runs concurrently, `meet.py` (with
`trial.py`) whether two accesses meet, `crowded.py` whether data choose one element twice (`computed.py`: by an index
that is no polynomial; `chosen.py`: among those that all choose among), `conditions.py` whether both happen,
`updates.py` what a write makes of the old value (`alike.py`: the same for all; `relaxed.py`, by `extremes.py`: what
only gets smaller or larger), `standing.py`, `doacross.py` and `barriers.py` what stands between; `judge.py` says how
certain it is. `pairs.py` puts them together and keeps the result with the function, `report.py` turns it into the
findings of a rule.
"""
