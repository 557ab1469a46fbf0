"""What runs at the same time as what: tasks and asynchronous regions, and the threads of a team between barriers.

`clashes_of` walks a function once and gives every pair of accesses that nothing orders; each ordering rule selects its
kind.  What happens inside of one worksharing loop, simd or sections construct is not looked at here.
"""
