"""The targets that devices bring: `target/` of their folders, a Python package that defines TARGET.

TARGET is an `ompls.translate.target.KernelClass`, which this layer does not know: who translates hands it on.  This is
code of others, so it is loaded only where kernels are made; rules, completion and the settings read `device.toml`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ompls.analysis.spec.devices import DeviceSpec
from ompls.project.devices import registry
from ompls.project.problem import EnvironmentProblem
from ompls.runtime.folders import OURS, way
from ompls.runtime.loading import load, told

PART = "target"


def targets(devices: Iterable[DeviceSpec], in_editor: Iterable[str] = ()) -> dict[str, object]:
    """TARGET by the name of the folder that it is in, of those that make kernels for some of the devices.

    in_editor -- files and folders that are open there: who opens a folder does not run what is in it

    Raises EnvironmentProblem.
    """
    found: dict[str, object] = {}
    opened = [Path(place).resolve() for place in in_editor]
    for device in devices:
        if device.target and not device.planned:
            folder = registry().folders[device.target]
            _refuse_opened(device, folder, opened)
            try:
                found[device.target] = getattr(load(PART, folder), "TARGET", None)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise fault(device, error) from error
    return found


def fault(device: DeviceSpec, error: BaseException) -> EnvironmentProblem:
    """What the code of a device's target has raised, as the device's mistake."""
    place = registry().folders[device.target] / PART
    return EnvironmentProblem(f"cannot translate for {device.name}", told(error, place), f"correct {place}")


def _refuse_opened(device: DeviceSpec, folder: Path, opened: Iterable[Path]) -> None:
    """Ours is the server itself, wherever it lies.  A link that is open decides what is run, too."""
    passed = [Path(at) for at in way(str(folder))]
    for place in opened if folder.parent != OURS else ():
        if any(at.is_relative_to(place) for at in passed) or place.is_relative_to(folder.resolve()):
            why = f"its folder {folder} is open in the editor, and nothing in it is run from there"
            raise EnvironmentProblem(f"cannot translate for {device.name}", why, "use 'ompls preview' for it")
