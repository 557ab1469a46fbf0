"""The abstract machine: what a translation unit does to host and device memory, followed from `main` and other roots.

`analysis.py` is the way in; it gives `Event`s, and the rules of the mapping group make findings of them.
The files, from the bottom: `values` (objects, pointers, ranges), `copies` (one object's host and device copies),
`state` (all objects), `events`, `memory` (accesses), `evaluate` (expressions), `library` (known functions),
`items` (list items), `directives`, `walk` (statements), `calls`, `analysis`.
"""
