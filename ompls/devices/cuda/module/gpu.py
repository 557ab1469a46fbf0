"""NVIDIA GPUs at run time, through pycuda (imported when a GPU is asked for); cuda.c is the same without Python.

Each GPU has its primary context, so that libraries of the program which use CUDA's run-time API share it.  Where there
is one GPU, its context stays current in a thread that has used it, as CUDA's run-time API does it; else it is made
current for the length of a call.  (Not through pycuda: it aborts a thread that ends with one on its own stack.)
A host thread has a stream of its own: what it starts is done in that order, and it waits for its own work only.
CUDA's errors stay with a context once a kernel has failed: such an error ends the device.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from ompls.devices.cuda.module.driver import LIBRARY, imported_pycuda
from ompls.devices.cuda.module.image import ImageError, KernelFile, packer, unpack
from ompls.devices.cuda.module.lanes import Lanes
from ompls.devices.cuda.module.staging import Staging, smallest
from ompls.runtime.errors import DeviceUnavailable

DEVICE_MAPPED = 2  # CU_MEMHOSTREGISTER_DEVICEMAP
GATHER = 1 << 16  # bytes: the driver copies that much from pageable memory without waiting; what is smaller is overhead
RESIDENT = 32  # teams that a processor has at once, at most: more would only join more parts of a reduction
_lost: List[object] = []  # what belonged to a failed context: freeing it would only print warnings


class CudaFailure(Exception):
    """What the bridge reports (core/device.h): `reason`, `hint`, whether the device is gone."""

    def __init__(self, reason: str, hint: str, fatal: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.hint, self.fatal = reason, hint, int(fatal)


def loaded_driver() -> Any:
    """pycuda.driver, initialised.  Raises DeviceUnavailable."""
    driver = imported_pycuda()
    try:
        driver.init()
        count = driver.Device.count()
    except driver.Error as error:
        raise DeviceUnavailable("cuda", "the driver says: {}".format(error), "see what nvidia-smi says") from error
    if count == 0:
        raise DeviceUnavailable("cuda", "there is no GPU", "see what nvidia-smi and CUDA_VISIBLE_DEVICES say")
    return driver


def capability_of(device: Any) -> int:
    major, minor = device.compute_capability()
    return int(major) * 10 + int(minor)


@dataclass(frozen=True)
class Kernel:
    """A kernel that is ready to be launched."""

    function: Any
    pack: Callable[..., bytes]
    most: int  # threads of a block: fewer than the GPU's when it needs many registers


@dataclass(frozen=True)
class Module:
    """One kernel file on a device."""

    file: KernelFile
    module: Any


_thread = threading.local()  # `current`: the context that we made current for good


class OpenGpu:
    """One GPU.  The methods are those of core/device.h; addresses are CUDA's."""

    def __init__(self, driver: Any, index: int) -> None:
        self._driver = driver
        self._device = driver.Device(index)
        try:
            self._context = self._device.retain_primary_context()
        except driver.Error as error:
            raise CudaFailure("GPU {}: {}".format(index, error), "see what nvidia-smi says") from error
        self._failed = False
        if os.environ.get("OMPLS_DEVICE_HEAP", "").isdigit():
            size = int(os.environ["OMPLS_DEVICE_HEAP"]) << 20
            self._do("making the heap of kernels", driver.Context.set_limit, driver.limit.MALLOC_HEAP_SIZE, size)
        self._memory: Dict[int, Any] = {}
        self._copies: Dict[int, List[int]] = {}  # a variable's address in the first module to those in the others
        self._lanes = Lanes(self._make_lane)
        # Other GPUs' contexts, and whose is current, are the program's business, too.
        alone = driver.Device.count() == 1 and hasattr(self._context, "handle")
        self._handle = ctypes.c_void_p(self._context.handle) if alone else None
        self._library = ctypes.CDLL(LIBRARY)
        self._staged = smallest()

    def _make_lane(self) -> Tuple[Any, Any]:
        stream = self._do("making a stream", self._driver.Stream)
        return stream, self._do("making an event", self._driver.Event, self._driver.event_flags.DISABLE_TIMING)

    def _staging(self) -> Staging:
        lane = self._lanes.mine()
        if lane.staging is None:
            lane.staging = self._do("making pinned buffers", Staging, self._driver, lane.stream)
        assert lane.staging is not None
        return lane.staging

    def _start(self, what: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Call what needs no more than a current context.  Raises CudaFailure."""
        if self._handle is None:
            self._do(what, function, *arguments)
            return
        if getattr(_thread, "current", None) is not self._context:
            self._library.cuCtxSetCurrent(self._handle)
            _thread.current = self._context
        try:
            function(*arguments)
        except self._driver.Error as error:
            raise self._failure(what, error) from error

    def _do(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call the driver in this GPU's context.  Raises CudaFailure."""
        self._context.push()
        try:
            return function(*arguments)
        except self._driver.Error as error:
            raise self._failure(what, error) from error
        finally:
            self._context.pop()

    def _failure(self, what: str, error: Exception) -> CudaFailure:
        """What an error means; asked in its context."""
        try:
            self._driver.Context.synchronize()
        except self._driver.Error:
            self._failed = True  # an error that stays
        if self._failed:
            return CudaFailure(
                "{}: {}".format(what, error), "run it with --device cudasim to see the address and the line", True
            )
        if isinstance(error, self._driver.MemoryError):
            free, total = self._driver.mem_get_info()
            text = "{}: out of device memory: {} of {} bytes in use".format(what, total - free, total)
            return CudaFailure(text, "map less at a time, or end what else uses the GPU")
        return CudaFailure("{}: {}".format(what, error), "see the limits of the GPU: `nvidia-smi -q`")

    def properties(self) -> Mapping[str, object]:
        """Name and limits; a team is a block."""
        has = self._device.get_attribute
        attribute = self._driver.device_attribute
        pageable = getattr(attribute, "PAGEABLE_MEMORY_ACCESS", None)  # older versions of pycuda do not know it
        return {
            "name": "{} (compute capability {}.{})".format(self._device.name(), *self._device.compute_capability()),
            "memory": self._device.total_memory(),
            "max_threads": has(attribute.MAX_THREADS_PER_BLOCK),
            "max_teams": has(attribute.MAX_GRID_DIM_X),
            "default_threads": 128,
            "default_teams": has(attribute.MULTIPROCESSOR_COUNT),
            "many_teams": RESIDENT * has(attribute.MULTIPROCESSOR_COUNT),
            "shares_host_memory": has(pageable) if pageable is not None else 0,
            "gather": GATHER,
            "lend": GATHER if self._lends() else 0,
        }

    def _lends(self) -> bool:
        """Whether kernels use the host's arrays where they are: what OMPLS_CUDA_LEND says, else on integrated GPUs."""
        asked = os.environ.get("OMPLS_CUDA_LEND", "")
        attribute = self._driver.device_attribute
        can = bool(self._device.get_attribute(attribute.CAN_MAP_HOST_MEMORY))
        return can and (asked == "1" if asked in ("0", "1") else bool(self._device.get_attribute(attribute.INTEGRATED)))

    def lend(self, host: int, size: int) -> int:
        """Where kernels find the host's bytes, until `take_back`; 0 when the driver does not take them: memory that
        cannot be written to, a page that is lent already, a board before compute capability 7.2."""
        register, where = self._library.cuMemHostRegister_v2, ctypes.c_uint64()
        if self._do("", register, ctypes.c_void_p(host), ctypes.c_size_t(size), DEVICE_MAPPED) != 0:
            return 0
        if self._do("", self._library.cuMemHostGetDevicePointer_v2, ctypes.byref(where), ctypes.c_void_p(host), 0) != 0:
            self.take_back(host)
            return 0
        return where.value

    def take_back(self, host: int) -> None:
        """End what `lend` began."""
        self._do("", self._library.cuMemHostUnregister, ctypes.c_void_p(host))

    def alloc(self, size: int) -> int:
        """Device memory, aligned to 256 bytes."""
        memory = self._do("allocating {} bytes".format(size), self._driver.mem_alloc, max(size, 1))
        self._memory[int(memory)] = memory
        return int(memory)

    def free(self, address: int) -> None:
        """Free what `alloc` gave."""
        memory = self._memory.pop(address, None)
        if memory is None:
            raise CudaFailure("freeing {:#x}: no allocation begins there".format(address), "free it once")
        self._do("freeing", memory.free)

    def start_in(self, to: int, data: memoryview) -> None:
        """Host to device, behind what this thread has started."""
        stream = self._lanes.mine().stream
        what = "copying {} bytes to the GPU".format(len(data))
        if len(data) < self._staged:
            self._start(what, self._driver.memcpy_htod_async, to, data, stream)
        else:
            self._start(what, self._staging().start_in, to, data)

    def start_out(self, into: memoryview, address: int) -> None:
        """Device to host, behind what this thread has started."""
        stream = self._lanes.mine().stream
        what = "copying {} bytes from the GPU".format(len(into))
        if len(into) < self._staged:
            self._start(what, self._driver.memcpy_dtoh_async, into, address, stream)
        else:
            self._start(what, self._staging().copy_out, into, address)

    def mark(self) -> int:
        """A place behind what this thread has started."""
        lane = self._lanes.mine()
        self._start("recording an event", lane.event.record, lane.stream)
        return lane.mark

    def follow(self, mark: int) -> None:
        """What this thread starts from now on comes after a mark."""
        lane, other = self._lanes.mine(), self._lanes.marked(mark)
        if other is not lane:
            self._start("waiting for an event", lane.stream.wait_for_event, other.event)

    def copy_in(self, to: int, data: memoryview) -> None:
        """Host to device; a variable of the image in all its copies."""
        for address in (to, *self._copies.get(to, ())):
            self.start_in(address, data)
        self.synchronize()

    def copy_out(self, into: memoryview, address: int) -> None:
        """Device to host."""
        self.start_out(into, address)
        self.synchronize()

    def attach(self, at: int, target: int) -> None:
        """A pointer to `target`; one of the image in all its copies."""
        for address in (at, *self._copies.get(at, ())):
            self.start_in(address, memoryview(struct.pack("<Q", target)))

    def copy_peer(self, to: int, other: OpenGpu, address: int, size: int) -> None:
        """From another GPU, where the driver can without the host."""
        ends = (to, self._context.handle, address, other._context.handle)
        copy = self._library.cuMemcpyPeer  # pycuda's own looks for contexts on its stack
        status = self._do("", copy, *map(ctypes.c_uint64, ends), ctypes.c_size_t(size))
        if status != 0:
            what = "copying {} bytes from another GPU: the driver's error {}".format(size, status)
            raise CudaFailure(what, "see what nvidia-smi says")

    def copy_within(self, to: int, address: int, size: int) -> None:
        """On the GPU."""
        what, stream = "copying {} bytes on the GPU".format(size), self._lanes.mine().stream
        self._start(what, self._driver.memcpy_dtod_async, to, address, size, stream)
        self.synchronize()

    def load(self, image: memoryview) -> List[Module]:
        """A module for every kernel file, from the code that fits this GPU."""
        try:
            chosen = [(file, file.best_for(capability_of(self._device))) for file in unpack(bytes(image))]
        except ImageError as error:
            raise CudaFailure(error.reason, error.hint) from error
        loaded = []
        for file, code in chosen:
            # PTX is text that ends with a zero byte.
            text = code.data + b"\0" if code.kind == "ptx" else code.data
            what = "loading {} for {}".format(code.kind, ", ".join(file.kernels))
            loaded.append(Module(file, self._do(what, self._driver.module_from_buffer, text)))
        return loaded

    def find_kernel(self, loaded: Sequence[Module], name: str) -> Kernel:
        """A kernel, and what makes its parameter buffer."""
        for module in loaded:
            if name in module.file.kernels:
                function = self._do("kernel " + name, module.module.get_function, name)
                buffer = packer(module.file.kernels[name])
                attribute = self._driver.function_attribute.MAX_THREADS_PER_BLOCK
                return Kernel(function, buffer.pack, self._do("kernel " + name, function.get_attribute, attribute))
        raise CudaFailure("kernel {} is not in the image".format(name), "build the program again for `cuda`")

    def most_threads(self, kernel: Kernel) -> int:
        """Of a block, in whole warps: OpenMP asks for "at most" so many."""
        return max(kernel.most // 32 * 32, 1)

    def find_symbol(self, loaded: Sequence[Module], name: str) -> int:
        """The address of a variable in the first module that has it; what is copied there goes to all modules."""
        found = []
        for module in loaded:
            self._context.push()
            try:
                found.append(int(module.module.get_global(name)[0]))
            except self._driver.Error:
                continue  # no kernel of that file uses it
            finally:
                self._context.pop()
        if not found:
            raise CudaFailure("{} is not in the image".format(name), "build the program again for `cuda`")
        self._copies[found[0]] = found[1:]
        return found[0]

    def launch(  # noqa: PLR0917 -- as the bridge calls it
        self,
        kernel: Kernel,
        name: str,
        region: Tuple[str, int],
        mode: int,
        grid: Tuple[int, int, int],
        block: Tuple[int, int, int],
        shared_bytes: int,
        params: Tuple[bytes, ...],
        kinds: bytes,
        id: str,
    ) -> None:
        """Start a kernel; `params` are the parameters' bytes.  What kind each is does not matter to a GPU."""
        buffer = kernel.pack(*params)
        try:
            self._start(
                "", kernel.function._launch_kernel, grid, block, buffer, shared_bytes, self._lanes.mine().stream
            )
        except CudaFailure as failure:
            failure.reason = "launching {} with {} x {} threads{}".format(name, grid, block, failure.reason)
            raise

    def synchronize(self) -> None:
        """Wait for what this thread has started."""
        self._start("a kernel or a copy failed", self._lanes.mine().stream.synchronize)

    def close(self) -> None:
        """Give memory and context back; those of a failed context are left to the end of the process."""
        if self._failed:
            _lost.append((self._memory, self._context, self._lanes))
            return
        self._context.push()  # streams end in the context that is current
        self._lanes.forget()
        self._context.pop()
        for address in list(self._memory):
            self.free(address)
        self._context.detach()


class Gpus:
    """What the bridge is given."""

    name = "cuda"
    image_class = "cuda"
    kind = "gpu"
    ahead = True  # of the host: core/device.h
    peers = True
    fits = True

    def __init__(self) -> None:
        with contextlib.suppress(DeviceUnavailable):  # `probe` tells
            imported_pycuda()  # its exit handlers are there before the bridge's

    def probe(self, wanted: int) -> int:
        """How many GPUs there are, whatever is wanted."""
        try:
            return int(loaded_driver().Device.count())
        except DeviceUnavailable as error:
            raise CudaFailure(error.reason, error.hint) from error

    def open(self, index: int) -> OpenGpu:
        """GPU `index`, in CUDA's order."""
        return OpenGpu(loaded_driver(), index)
