"""The abstract machine: what a translation unit does to host and device memory, followed from `main` and other roots.

`analysis.py` is the way in; it gives `Event`s, which have a class for each kind (`dataenv/faults.py`), and the rules
of the mapping group make findings of them. The files, from the bottom: `values` (objects, pointers, ranges),
`written` (what one side only has), `copies` (one object's host and device copies, by the rules of OpenMP), `cases`
(what may be known of them), `state` (all objects), `watch` (what holds at a place), `events`; then the machine's
classes, each over the one before: `objects` (cells), `memory` (accesses), `places` (lvalues), `evaluate`
(expressions), `device_memory` and `routines` (known functions), `choices` (decisions that are asked again), `mappers`
(what a list item stands for), `items` (what mapping does), `constructs`, `pieces` (one of several objects), `regions`
(target regions), `directives`, `loops`, `phases` (loops over states), `walk` (statements), `outside` (calls that are
not followed), `calls`. `recall` keeps what calls did.
"""
