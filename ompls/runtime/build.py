"""From a bundle to an executable: host objects, the core, the devices' modules and images, linked by gcc.

The result is an ordinary executable with the images inside (`.incbin`).  For devices that are written in Python the
program is a shared object inside of a stub (core/stub.c), which hands it to a Python interpreter.  Everything is
compiled through the cache of `toolchain.py`.
"""

from __future__ import annotations

import contextlib
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from . import start
from .bundle import Bundle, read_bundle
from .cache import Cache, put_file
from .devices import Device, ImageJob, choose
from .embedded import image_object, stub_object
from .errors import BuildFailed, BundleError, HostRefused, RuntimeProblem
from .functions import with_functions
from .loading import told
from .machine import ARCHITECTURES, HERE, Machine
from .refusal import Refusal, refusal
from .toolchain import Compile, Toolchain

CORE = Path(__file__).resolve().parent / "core"
INCLUDE = Path(__file__).resolve().parent / "include"
CORE_SOURCES: Tuple[str, ...] = (
    "api",
    "available",
    "begun",
    "bridge",
    "copies",
    "copies_async",
    "deferred",
    "devices",
    "error",
    "globals",
    "mapping",
    "meant",
    "newer",
    "present",
)
CORE_SOURCES += (
    "constructs",
    "data",
    "environment",
    "fallback",
    "gather",
    "geometry",
    "graph",
    "graph_batch",
    "graph_order",
    "graph_replay",
    "idle",
    "launch",
    "linked",
    "lists",
    "objects",
    "partials",
    "resources",
    "target",
    "tasks",
)
CORE_SOURCES += ("team", "tools", "touched", "trace", "trace_index", "trace_line", "workers")
CORE_FLAGS = ("-std=gnu17", "-fopenmp", "-O2", "-g1", "-fPIC", "-Wall", "-Wextra", "-Werror", "-fvisibility=default")
NO_OFFLOAD = "-foffload=disable"
OURS_ARE_SILENT = "-Wno-system-headers"  # generated lines are those of a system header

# The device routines of <omp.h>: calls of them are bound to the core by name (core/api.c).
OMP_DEVICE_API = (
    "omp_get_num_devices",
    "omp_get_initial_device",
    "omp_get_device_num",
    "omp_is_initial_device",
    "omp_get_default_device",
    "omp_set_default_device",
    "omp_target_alloc",
    "omp_target_calloc",
    "omp_target_free",
    "omp_target_is_present",
    "omp_target_is_accessible",
    "omp_get_mapped_ptr",
    "omp_target_memcpy",
    "omp_target_memcpy_rect",
    "omp_target_memcpy_async",
    "omp_target_memcpy_rect_async",
    "omp_target_memset",
    "omp_target_memset_async",
    "omp_target_associate_ptr",
    "omp_target_disassociate_ptr",
    "omp_pause_resource",
    "omp_pause_resource_all",
    "omp_display_env",
    "omp_get_uid_from_device",
    "omp_get_device_from_uid",
    "omp_init_allocator",  # core/newer.c: traits of OpenMP 6.0
)
WRAP = tuple("-Wl,--wrap=" + name for name in OMP_DEVICE_API)


@dataclass(frozen=True)
class Built:
    """A program that is ready to run; `devices` is the text for OMPLS_DEVICES."""

    program: Path
    hosted: bool
    devices: str


def core_objects(tools: Toolchain, devices: Sequence[Device]) -> List[Path]:
    """The core and the devices' native modules as objects, in the order in which they must be linked."""
    headers = tuple(sorted(CORE.glob("*.h")))
    jobs = [Compile(CORE / (name + ".c"), CORE_FLAGS, depends=headers) for name in CORE_SOURCES]
    return tools.together(jobs, "joining the core") + tools.objects(list(native_jobs(devices, headers).values()))


def native_jobs(devices: Sequence[Device], headers: Sequence[Path]) -> Dict[Path, Compile]:
    """The compilations of the devices' native halves by source: what two devices have is there once."""
    jobs: Dict[Path, Compile] = {}
    for device in devices:
        depends = (*headers, *device.native_inputs())
        for source in device.native_sources():
            jobs.setdefault(source, Compile(source, (*CORE_FLAGS, "-I" + str(CORE)), depends=depends))
    return jobs


def prepare(devices: Sequence[Device], place: Optional[Path] = None) -> None:
    """Compile what all programs for these devices share, and keep it in `place` (None: in the user's cache).

    What an earlier version left there goes.  Raises BuildFailed, ToolMissing.
    """
    begun = time.time() - 1.0  # a file's time may be a little behind
    with Toolchain(place) as tools:
        core_objects(tools, devices)
        for device in devices:
            device.prepare(tools)
    if place is not None:
        Cache(place).drop(begun)


def _host_jobs(bundle: Bundle, cflags: Sequence[str], hosted: bool) -> List[Compile]:
    jobs = []
    for unit in bundle.units:
        version = ["-U_OPENMP", "-D_OPENMP={}".format(unit.openmp)] if unit.openmp else []
        args = ["-g1", *version, *cflags, "-fopenmp", NO_OFFLOAD, OURS_ARE_SILENT, "-isystem", str(INCLUDE)]
        if unit.includes_from or unit.source:
            args += ["-iquote", unit.includes_from or "."]
        if hosted:
            args.append("-fPIC")
        jobs.append(Compile(unit.host, tuple(args), label=unit.source))
    return jobs


def _host_object(tools: Toolchain, job: Compile) -> Path:
    try:
        return tools.object(job)
    except BuildFailed as failure:
        raise HostRefused(job.label, failure) from failure


def _refuse_other_machine(tools: Toolchain, bundle: Bundle, cflags: Sequence[str]) -> None:
    """What was analysed holds the sizes and the macros of the machine that it was translated for."""
    said = tools.predefined(cflags)
    for unit in bundle.units:
        other = [(name, value) for name, value in unit.macros if said.get(name) != value]
        if not other:
            continue
        there, here = unit.architecture, tools.machine.architecture
        sizes = ["{} is {}, not {}".format(name, said[name], value) for name, value in other if name in said]
        why = "it was translated for {}, and is to be built for {}".format(there or "another machine", here)
        why += "".join(" ({})".format(", ".join(sizes)) if sizes else "")
        hint = "translate it again with --target-arch {}, or build it with --target-arch {}".format(here, there)
        if there not in ARCHITECTURES or there == here:
            hint = "translate it again for {}, with the same -m options".format(here)
        raise BundleError(unit.source, why, hint)


def stub_program(tools: Toolchain, program: Path, devices: Sequence[Device]) -> Path:
    """The executable that starts a hosted program, which is a shared object."""
    hosted = [word for device in devices if device.hosted for word in (device.name, device.needs_library or "")]
    # What is recorded of this machine means nothing on another one: python3 of its PATH finds the package by itself.
    python, script = start.command("")[:2] if tools.machine.here else ("python3", "")
    strings = [("ompls_stub_devices", [*hosted, ""]), ("ompls_stub_python", [python]), ("ompls_stub_script", [script])]
    stub = tools.object(Compile(CORE / "stub.c", CORE_FLAGS, depends=(CORE / "stub.h",)))
    return tools.link(["-ldl"], [stub, stub_object(tools, strings, program)], "", "linking the stub")


def images_of(
    tools: Toolchain, bundle: Bundle, devices: Sequence[Device], cflags: Sequence[str], ldflags: Sequence[str]
) -> List[Tuple[str, Path]]:
    """(class, file) of the image for each class of the devices.  Raises BundleError, BuildFailed."""
    images: List[Tuple[str, Path]] = []
    for device in devices:
        kernels = bundle.kernels(device.kernel_class)
        if not kernels and any(unit.kernels for unit in bundle.units):
            why = "it holds no kernels for '{}' (class {})".format(device.name, device.kernel_class)
            raise BundleError(str(bundle.directory), why, "translate again with --device " + device.name)
        kernels = with_functions(tools.scratch, bundle, kernels, device)
        if device.image_class not in [name for name, _ in images]:
            images.append((device.image_class, _image_of(device, ImageJob(tools, kernels, cflags, ldflags, WRAP))))
    return images


def _image_of(device: Device, job: ImageJob) -> Path:
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints is no part of our output
            image = job.tools.image(lambda tools: device.build_image(job._replace(tools=tools)))
    except BuildFailed as failure:
        raise _of_kernels(device, job, failure) or failure from failure
    except RuntimeProblem:
        raise
    except Exception as error:
        raise RuntimeProblem("the image of '{}'".format(device.name), told(error, device.folder)) from error
    if not isinstance(image, Path) or not job.tools.has(image):
        raise RuntimeProblem(
            "the image of '{}'".format(device.name), "its module gives {!r:.60}, no file".format(image)
        )
    return image


def _of_kernels(device: Device, job: ImageJob, failure: BuildFailed) -> Optional[Refusal]:
    """What was said of a kernel file, at the user's line; None where it was about something else."""
    regions = {path.name: "{}:{}".format(kernel.file, kernel.line) for kernel, path in job.kernels}
    said = failure.what + "\n" + failure.output
    whose = next((where for name, where in regions.items() if name in said), "")
    return refusal(failure.output, "the compiler for '{}'".format(device.name), list(regions), whose)


def assembled(
    tools: Toolchain, bundle: Bundle, devices: Sequence[Device], cflags: Sequence[str], ldflags: Sequence[str]
) -> Path:
    """The program, as `tools` make it of the bundle.  Raises BundleError, BuildFailed, Refusal, ToolMissing."""
    _refuse_other_machine(tools, bundle, cflags)
    hosted = any(device.hosted for device in devices)
    inputs = tools.each(partial(_host_object, tools), _host_jobs(bundle, cflags, hosted)) + core_objects(tools, devices)
    inputs.append(image_object(tools, images_of(tools, bundle, devices, cflags, ldflags), devices))
    link = ["-fopenmp", NO_OFFLOAD, *WRAP, *ldflags, "-pthread", "-ldl", "-lm"]
    if hosted:
        link += ["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs"]
    program = tools.link(link, inputs, ".so" if hosted else "", "linking the program")
    return stub_program(tools, program, devices) if hosted else program


def build(
    directory: Path,
    devices: str = "auto",
    output: Optional[Path] = None,
    cflags: Sequence[str] = (),
    ldflags: Sequence[str] = (),
    *,
    machine: Machine = HERE,
    facts: Optional[Mapping[str, str]] = None,
    tools: Optional[Toolchain] = None,
) -> Built:
    """Build the bundle in `directory` for the devices of a `--device` text, with `tools` or those of the machine.

    The program is `output`, or lies in the cache.  `facts` are the machine's, when it is a board without Python.
    Raises DeviceUnavailable, BundleError, BuildFailed, ToolMissing.
    """
    if tools is None:
        with Toolchain(machine=machine) as own:
            if output is None and not own.lasting:
                raise BundleError(
                    str(directory), "the cache cannot be written and no output file is given", "give one with -o"
                )
            return build(directory, devices, output, cflags, ldflags, facts=facts, tools=own)
    chosen = choose(devices, tools.machine, facts)
    kinds = list({device.name: device for device, _ in chosen}.values())
    hosted = any(device.hosted for device in kinds)
    program = assembled(tools, read_bundle(directory), kinds, cflags, ldflags)
    if output is not None:
        try:
            put_file(program, output)
        except OSError as error:
            raise RuntimeProblem(
                "cannot write " + str(output), error.strerror or str(error), "choose another file"
            ) from error
        program = output
    elif tools.scratch in program.parents:
        raise BundleError(str(directory), "the cache takes no more and no output file is given", "give one with -o")
    text = ",".join(device.name + (":{}".format(number) if number else "") for device, number in chosen)
    return Built(program, hosted, text)
