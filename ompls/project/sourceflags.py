"""The compiler flags of the files of a project: of compile databases, of project files, and those that somebody gave.

It says nothing of headers (`workspace.py`), so it is there at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from ompls.project.flags import CompileFlags, allowed
from ompls.project.problem import EnvironmentProblem
from ompls.project.projectfile import ProjectFiles


class SourceFlags:
    """Of what is in the root directories, and around.  Safe to use from several threads.

    What is relative is meant from the first root: where a server was started is nobody's business.

    database -- the directory with the compile database or the flags file; None: they are looked for, from each file up
    problems -- what is wrong with the surroundings, by what is affected; filled as it is noticed, never raised here
    """

    def __init__(self, roots: Sequence[str], flags: Sequence[str] = (), database: str | None = None) -> None:
        self.roots = tuple(os.path.abspath(root) for root in roots)
        self.explicit = allowed(flags, self._absolute(""))
        self.problems: dict[str, EnvironmentProblem] = {}
        self._databases = CompileFlags(self.problems, database)
        self._projects = ProjectFiles()
        self._working = threading.Lock()

    def _absolute(self, path: str) -> str:
        return os.path.abspath(os.path.join(*self.roots[:1], path))

    def flags(self, path: str) -> tuple[str, ...]:
        """The compiler flags for `path`: the compile database's, the project file's, then those given explicitly."""
        path = self._absolute(path)
        with self._working:
            project = self._projects.of(path)
            own = project.layer.get("flags", ()) if project is not None else ()
            return (*self._databases.of(path), *own, *self.explicit)

    def compiled(self, path: str) -> tuple[str, ...]:
        """What the nearest compile database upwards of `path` has flags for."""
        with self._working:
            return self._databases.files(path)

    def flags_origin(self, path: str) -> str:
        """The compile database or flags file that has the flags for `path`; "" when no file does."""
        with self._working:
            return self._databases.found(self._absolute(path))[1]

    def looked_for(self) -> frozenset[str]:
        """Paths of files and directories that decide, also of what is not there."""
        return frozenset((*self._databases.looked_for, *self._projects.looked_for))
