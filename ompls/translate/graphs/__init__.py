"""`taskgraph` on the host: which are recorded (`recordable.py`), what the host file says of them (`written.py`), and
the functions that replay their tasks (`fill.py`).
"""
