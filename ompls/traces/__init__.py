"""Recorded traces as values: their events, and what follows from them.  The format is described in docs/trace.md.

It knows nothing of the analysis, of commands or of editors: `report` and the server show what is worked out here.
"""
