"""Settings as words of the command line, for editors that have `ompls` do something with a file.

A command reads the project file itself; these words say it what an editor has decided beside that, or over it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ompls.project.settings import ENTRIES, Settings

# By command: the option that a setting is.  `flags` and `run.arguments` are words by themselves.
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "check": {
        "openmp_version": "--openmp",
        "preview.device": "--device",
        "diagnostics.select": "--select",
        "diagnostics.ignore": "--ignore",
    },
    "preview": {"openmp_version": "--openmp", "preview.device": "--device"},
    "run": {"openmp_version": "--openmp", "run.device": "--device", "run.timeout": "--timeout"},
}
# What no command has an option for: how editors show things and what they look at, and what project files say.
OF_EDITORS = (
    "diagnostics.enable", "diagnostics.severity", "diagnostics.max_file_size", "diagnostics.workspace_files",
    "lens.preview", "lens.run", "lens.price", "lens.graph", "inlay.implicit", "inlay.counts", "tokens.enable",
)  # fmt: skip


def words(command: str, settings: Settings, **instead: str) -> list[str]:
    """`ompls COMMAND` with what the settings say; what is as nobody has set it is left to the command.

    instead -- the value of an option (`device`) that somebody has chosen for this once
    """
    made = [command]
    for key, option in OPTIONS[command].items():
        said, value = instead.get(option.removeprefix("--")), _value(settings, key)
        if said is not None:
            made += [option, said]
        elif value != ENTRIES[key].default:
            made += [option, ",".join(value) if isinstance(value, tuple) else str(value)]
    return made


def _value(settings: object, key: str) -> object:
    for name in key.split("."):
        settings = getattr(settings, name)
    return settings
