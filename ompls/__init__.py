"""A language server, previewer and runner for C with OpenMP target offloading.  ARCHITECTURE.md shows the layers."""

__version__ = "0.1.0"

# The base address of the documentation's site, with a slash at its end; empty where it has none.
SITE = ""
