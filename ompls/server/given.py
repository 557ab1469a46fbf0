"""What holds for the documents: the client, the roots, the settings of the editor and of project files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ompls.project.devices import of_settings, plans
from ompls.project.projectfile import ProjectFile, ProjectFiles
from ompls.server.messages import Context
from ompls.server.settings import Layer, Settings, settings_of


class Given:
    """say(text) -- something is wrong with the surroundings (no compiler, …); called once for each"""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.context = Context()
        self._editor: Layer = {}
        self._folders: Mapping[str, Layer] = {}  # what the editor says for each of the roots
        self._projects = ProjectFiles()
        # By the paths of a project file and of a folder: what both say, and what that makes.
        self._made: dict[tuple[str, str], tuple[ProjectFile | None, Layer, Settings]] = {}
        self._on_problem = say
        self._problems: set[str] = set()

    @property
    def roots(self) -> tuple[str, ...]:
        return self.context.roots

    def set_context(self, context: Context) -> bool:
        """The client, the roots, whether the workspace is trusted.  False when there is nothing new."""
        news, self.context = context != self.context, context
        return news

    def configure(self, given: Layer, folders: Mapping[str, Layer]) -> bool:
        """As `Engine.configure`.  A folder that is named now and has what it had without a name is no news."""
        roots = {*self._folders, *folders}
        before = self._layers(roots)
        self._editor, self._folders = given, folders
        return self._layers(roots) != before

    def _layers(self, roots: Iterable[str]) -> list[Layer]:
        """The editor's settings outside of all folders, and those in each of `roots`."""
        return [self._editor, *(self._editor_for(os.path.join(root, "x.c")) for root in roots)]

    def context_for(self, path: str) -> Context:
        return replace(self.context, roots=self.roots_for(path), flags=self.flags_for(path))

    def roots_for(self, path: str) -> tuple[str, ...]:
        """All roots, first the one that the file is in: what is relative in its settings is meant from there."""
        own = _innermost(self.roots, path)
        return (own, *(root for root in self.roots if root != own)) if own else self.roots

    def flags_for(self, path: str) -> tuple[str, ...]:
        """The editor's, for that file."""
        flags: tuple[str, ...] = self._editor_for(path).get("flags", ())
        return flags

    def settings_for(self, path: str) -> Settings:
        """The editor's settings over those of the project file that is nearest to the file."""
        project = self._projects.of(path) if os.path.isabs(path) else None
        for problem in project.problems if project is not None else ():
            self.say(problem)
        given = self._editor_for(path)
        place = project.path if project is not None else "", _innermost(self._folders, path)
        known = self._made.get(place)
        if known is not None and known[0] is project and known[1] is given:
            return known[2]
        settings = settings_of(given) if project is None else settings_of(project.layer, given)
        self._made[place] = project, given, settings
        for plan in plans(of_settings(settings.preview.device)):
            self.say(plan)
        return settings

    def _editor_for(self, path: str) -> Layer:
        """The editor's settings of the innermost folder that the file is in."""
        own = _innermost(self._folders, path)
        return self._folders[own] if own else self._editor

    def say(self, problem: str) -> None:
        if problem not in self._problems:
            self._problems.add(problem)
            self._on_problem(problem)


def _innermost(roots: Iterable[str], path: str) -> str:
    """The folder that the file is in, the innermost of several; "" where it is in none."""
    return max((root for root in roots if path.startswith(root.rstrip("/") + "/")), key=len, default="")
