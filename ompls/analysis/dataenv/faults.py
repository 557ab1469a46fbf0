"""What is wrong with data on devices, as the machine finds it: one class for each kind, without words for people.

Rules ask for the classes that they speak about, and `rules/support/noticed.py` has the words for places.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal, NamedTuple

from ompls.analysis.dataenv.machine.values import Site

Certainty = Literal["certain", "possible"]
OTHERS, THESE = "others", "these"


class Does(Enum):
    """What happens at a place that belongs to a fault; the words for people are in `rules/support/noticed.py`."""

    MAPPED = auto()
    MAPPED_BEFORE = auto()  # when the list item of the event comes
    MAPPED_HERE = auto()  # on the device that the event speaks of
    MAPPED_STRUCTURE = auto()  # that holds the pointer
    MAPPED_BEHIND = auto()  # what is mapped begins behind what the pointer points to
    FREED = auto()
    ACCESSED = auto()
    READ = auto()
    HOST_READS = auto()
    HOST_READS_OLD = auto()
    HOST_WRITES = auto()
    DEVICE_READS_OLD = auto()
    DEVICE_WRITES = auto()
    COUNTS_ARGUMENTS = auto()  # `main`; the event happens when there are none


class Seen(NamedTuple):
    """A place that belongs to a fault."""

    site: Site
    does: Does


@dataclass(frozen=True, slots=True)
class Event:
    """Something that is wrong at `site`.

    name -- of the variable or the list item, as people know it
    certainty -- 'certain': on every path that comes here; 'possible': on some
    related -- further places
    how -- which one it is of those that a class joins: by a map type, mostly
    """

    site: Site
    name: str
    certainty: Certainty = "certain"
    related: tuple[Seen, ...] = ()
    how: str = ""

    def places(self, does: Does) -> list[Site]:
        """Where this happens."""
        return [seen.site for seen in self.related if seen.does is does]


class Risk(Event):
    """On some visit, newer values stood where a transfer put there would bring older ones.

    Its name is OTHERS (in other parts of the variable) or THESE (perhaps in what the site itself accesses), which is
    worse, also by the alphabet.
    """

    __slots__ = ()


class AbsentItem(Event):
    """A region accesses what no item has mapped.

    how -- the number of elements that there are, as it can be written there; '' if it cannot
    """

    __slots__ = ()


class TooShort(Event):
    """It accesses more than what is mapped."""

    __slots__ = ()


class Garbage(Event):
    """It reads what has no values on the device."""

    __slots__ = ()


class GarbageIfNew(Event):
    """The same, unless the item was there before."""

    __slots__ = ()


class LostResult(Event):
    """What a device has written does not come back, and is read.  how -- the map type, or what else did not bring it"""

    __slots__ = ()


class HostStale(Event):
    """The host reads old values: the new ones are on a device."""

    __slots__ = ()


class DeviceStale(Event):
    """A device reads old values: the new ones are on the host."""

    __slots__ = ()


class SentElsewhere(Event):
    """A device reads old values: the new ones were sent to another one."""

    __slots__ = ()


class Unwritten(Event):
    """What comes back has been written in no region.  how -- 'all' of it, what lies 'between'; '': its end"""

    __slots__ = ()


class DataElsewhere(Event):
    """A construct without a device works beside data that is mapped on another one."""

    __slots__ = ()


class UpdateAbsent(Event):
    """`target update` of what is not mapped."""

    __slots__ = ()


class ExitAbsent(Event):
    """`target exit data` of what is not mapped."""

    __slots__ = ()


class NeverLeft(Event):
    """What is entered is never left."""

    __slots__ = ()


class LeftOut(Event):
    """An exit leaves out what others entered beside it."""

    __slots__ = ()


class Outlives(Event):
    """A local variable stays mapped."""

    __slots__ = ()


class FreeMapped(Event):
    """It is freed while it is mapped."""

    __slots__ = ()


class FreedUsed(Event):
    """What has been freed is used.  how -- 'followed', 'copied', 'mapped'; '': on the device"""

    __slots__ = ()


class FreedTwice(Event):
    """Device memory is freed again."""

    __slots__ = ()


class Extends(Event):
    """A section goes beyond what is present."""

    __slots__ = ()


class OverPresent(Event):
    """An update goes beyond what is present."""

    __slots__ = ()


class PresentFails(Event):
    """`present` stands at what is not mapped."""

    __slots__ = ()


class KeptBack(Event):
    """A map brings nothing back, since others hold what it maps."""

    __slots__ = ()


class RedundantUpdate(Event):
    """An update copies the same again."""

    __slots__ = ()


class BeyondObject(Event):
    """A section goes beyond the storage that there is.  how -- the elements that there are, as AbsentItem."""

    __slots__ = ()


class PointsBefore(Event):
    """The mapped section begins behind what the pointer points to."""

    __slots__ = ()


class Unattached(Event):
    """A pointer member is followed, and nothing has been attached to it."""

    __slots__ = ()


class MapsNull(Event):
    """A null pointer is mapped."""

    __slots__ = ()


class MapsUnset(Event):
    """A pointer without a value is mapped, or (how) 'followed'."""

    __slots__ = ()


class MapsDeviceMemory(Event):
    """Device memory is mapped.  how -- the clause by which it is meant"""

    __slots__ = ()


class HostPointer(Event):
    """A host address is taken for a device's.  how -- the clause"""

    __slots__ = ()


class HostDereference(Event):
    """The host follows a device address."""

    __slots__ = ()


class OtherDevice(Event):
    """Memory of another device is 'used', 'copied' or 'freed' (how)."""

    __slots__ = ()


class WrongSide(Event):
    """A device number does not fit the address.  how -- where that is: on the 'device' or the 'host'."""

    __slots__ = ()


class BeyondAllocation(Event):
    """Device memory is accessed behind its end."""

    __slots__ = ()


class CopyElements(Event):
    """The size of a copy counts elements, not bytes."""

    __slots__ = ()


class DeviceGarbage(Event):
    """Device memory is read before it has values."""

    __slots__ = ()


class FreesDeviceMemory(Event):
    """`free` of a device address."""

    __slots__ = ()


class FreesHostMemory(Event):
    """`omp_target_free` of a host address."""

    __slots__ = ()


STALE = (LostResult, HostStale, DeviceStale)  # what moving data would mend
