"""Data races inside of a construct: which pairs of accesses may run at the same time and meet in one place.

`levels.py` knows what a construct runs concurrently, `meet.py` (with `trial.py`) whether two accesses meet,
`conditions.py` whether both happen, `standing.py` what stands between; `pairs.py` puts them together and keeps the result
with the function, `report.py` turns it into the findings of a rule.
"""
