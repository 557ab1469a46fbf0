"""What devices that are elsewhere have in common at build time: another device inside, whose image the far side has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional

from ompls.devices.remote import near
from ompls.runtime.devices import Availability, Device, ImageJob, named
from ompls.runtime.errors import DeviceUnavailable
from ompls.runtime.machine import Machine

if TYPE_CHECKING:
    from ompls.runtime.toolchain import Toolchain

INNER = "host"  # where nobody says which


class Remote(Device):
    """A device with `inner` at the other end of a line.  A subclass says how it is started: `make_near`, `around`."""

    takes_inner = True
    starts_far = False  # whether the far side is a program of its own (streams.py); else MPI's process loads it

    def __init__(self, inner: str = "") -> None:
        self.inner_name, self._suffix = inner or INNER, "({})".format(inner) if inner else ""

    @property
    def name(self) -> str:
        return super().name + self._suffix

    @property
    def image_class(self) -> str:  # type: ignore[override]
        return self.name

    @property
    def kernel_class(self) -> str:  # type: ignore[override]
        return self.inner().kernel_class

    @property
    def kind(self) -> str:  # type: ignore[override]
        return self.inner().kind

    @property
    def joins_functions(self) -> bool:  # type: ignore[override]
        return self.inner().joins_functions

    @property
    def python_module(self) -> Callable[[], object]:  # type: ignore[override]
        return self.make_near

    @property
    def facts(self) -> Optional[Mapping[str, str]]:
        """What the machine of the far side is (board.sh); None: it is asked as this one is."""
        return None

    def make_near(self) -> Any:
        """The `near.Near` of the program's side.  Raises DeviceUnavailable."""
        raise NotImplementedError

    def inner(self) -> Device:
        """The device inside.  Raises DeviceUnavailable for one that cannot be."""
        inner = named(self.inner_name)[0][0]
        try:
            return inner.as_native(self.facts)
        except DeviceUnavailable as error:
            why = "the module of '{}' is written in Python, and a far side has native ones".format(inner.name)
            raise DeviceUnavailable(self.name, why, "let it have 'host' or 'cudasim' inside") from error

    def probe(self) -> Availability:
        """Kernels of the device inside are compiled here."""
        try:
            return self.inner().probe()
        except DeviceUnavailable as error:
            return Availability(False, error.reason, error.hint)

    def probe_building(self, machine: Machine) -> Availability:
        """Of the line nothing is asked."""
        try:
            return self.inner().probe_building(machine)
        except DeviceUnavailable as error:
            return Availability(False, error.reason, error.hint)

    def environment(self, given: Mapping[str, str]) -> Dict[str, str]:
        return self.inner().environment(given)

    def build_image(self, job: ImageJob) -> Path:
        """The far side, with the inner device's image in it."""
        from ompls.devices.remote.image import build_image  # noqa: PLC0415 -- programs that run build nothing

        return build_image(self.inner(), job, program=self.starts_far)

    def prepare(self, tools: Toolchain) -> None:
        """The inner device's, and ours."""
        from ompls.devices.remote.image import build_image  # noqa: PLC0415

        inner = self.inner()
        inner.prepare(tools)
        build_image(inner, ImageJob(tools, ()), program=self.starts_far)

    def native_sources(self) -> List[Path]:
        """The near side."""
        return near.sources("stream" if self.starts_far else "mpi")

    def native_inputs(self) -> List[Path]:
        """Its headers."""
        return near.inputs()
