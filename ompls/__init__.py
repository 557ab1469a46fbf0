"""A language server, previewer and runner for C with OpenMP target offloading.  ARCHITECTURE.md shows the layers."""

__version__ = "0.1.0"
