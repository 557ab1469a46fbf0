"""The language of a file by its name, as gcc tells it (GCC manual, "Options Controlling the Kind of Output")."""

from __future__ import annotations

import os

_SUFFIXES = {
    "C++": ".cc .cp .cxx .cpp .CPP .c++ .C .ii .hh .H .hp .hxx .hpp .HPP .h++ .tcc",
    "Fortran": ".f .for .ftn .F .FOR .fpp .FPP .FTN .f90 .f95 .f03 .f08 .F90 .F95 .F03 .F08",
    "CUDA C++": ".cu .cuh",
}
_LANGUAGES = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}


def foreign(path: str) -> str:
    """The language that the file is in and that we do not understand; "" for C, and for what no name tells."""
    return _LANGUAGES.get(os.path.splitext(path)[1], "")
