"""Numbers of bytes as people read them."""

from __future__ import annotations


def amount(size: int) -> str:
    """`4,096 bytes (4 KiB)`."""
    return f"{size:,} bytes ({rounded(size)})" if size >= 1024 else rounded(size)


def rounded(size: int) -> str:
    """`1.53 MiB`; less than a KiB in bytes."""
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"
