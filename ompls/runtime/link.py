"""The link step of `ompls cc`: objects whose units carry their bundles become an ordinary program.

The program is linked twice.  The first time tells which units really are in it (archives give only what is needed): the
bundles in its section.  From these the images are built, and the second link puts them in.  Of objects alone all are in
it, and it is linked once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set

from .build import NO_OFFLOAD, WRAP, core_objects, images_of, stub_program
from .bundle import Bundle, Unit, read_bundle
from .cache import put_file
from .devices import Device, choose
from .embedded import image_object
from .errors import BundleError, RuntimeProblem
from .section import MAGIC, SECTION, bundles_in, section_of, unpack
from .toolchain import Toolchain

# Shared libraries with regions find the core in the program.
_EXPORTS = ("-Wl,--export-dynamic-symbol=ompls_*", "-Wl,--export-dynamic-symbol=__wrap_omp_*")
_LTO = b".gnu.lto_"  # how the sections with code for LTO begin


def link(tools: Toolchain, arguments: Sequence[str], output: Path, devices: str) -> None:
    """Link with gcc's `arguments` (objects, libraries and options in the user's order, without -o).

    Raises BuildFailed with the linker's words, BundleError, DeviceUnavailable, RuntimeProblem.
    """
    plain, gcc = tools.scratch / "plain", tools.machine.tool("gcc")
    chosen = choose(devices, tools.machine)
    kinds = list({device.name: device for device, _ in chosen}.values())
    linked = libraries(arguments)
    for device in kinds:
        device.refuse_libraries(linked)
    core = core_objects(tools, kinds)
    ours = ["-x", "none", "-fopenmp", NO_OFFLOAD, *WRAP, *(str(o) for o in core), "-pthread", "-ldl", "-lm"]
    hosted = any(device.hosted for device in kinds)
    if hosted:
        ours += ["-shared", "-Wl,-Bsymbolic"]
    shared = [library for library in linked if ".so" in library.name]
    in_libraries = [files for library in shared for files in bundles_in(library)]
    if in_libraries:
        ours += _EXPORTS
    in_objects = _in_objects(arguments)
    if in_objects is None:
        tools.run([gcc, *arguments, *ours, "-o", str(plain)], "linking")
        in_objects = bundles_in(plain)
    found = in_objects + in_libraries
    bundle = joined(tools.scratch / "units", found)
    _refuse_other_devices(bundle, kinds)
    images = image_object(tools, images_of(tools, bundle, kinds, _image_flags(arguments), ()), kinds)
    program = tools.scratch / "program"
    if hosted:
        ours.append("-Wl,-z,defs")
    tools.run([gcc, *arguments, *ours, str(images), "-o", str(program)], "linking")
    tools.run([tools.machine.tool("objcopy"), "--remove-section", ".ompls.bundle", str(program)], "linking")
    if hosted:
        program = stub_program(tools, program, kinds)
    try:
        put_file(program, output)
    except OSError as error:
        why = error.strerror or str(error)
        raise RuntimeProblem("cannot write " + str(output), why, "choose another file") from error


def make_ahead(tools: Toolchain, files: Dict[str, bytes], arguments: Sequence[str], devices: str) -> None:
    """What `link` will need for a program of one unit, given the files of its bundle: while gcc compiles its host half.

    Nothing comes of it but what is in the cache then.  What goes wrong is left for `link` to tell.
    """
    with contextlib.suppress(RuntimeProblem):
        kinds = list({device.name: device for device, _ in choose(devices, tools.machine)}.values())
        bundle = joined(tools.scratch / "units", [files])
        core_objects(tools, kinds)
        images_of(tools, bundle, kinds, _image_flags(arguments), ())


def joined(place: Path, found: Sequence[Dict[str, bytes]]) -> Bundle:
    """One bundle of all units, in the directory `place`.  Raises BundleError when two define the same kernel."""
    units: List[Unit] = []
    kernels: Set[str] = set()
    classes: Dict[str, None] = {}
    for files in found:
        directory = place / _digest(files)  # what was made of it ahead is found again
        for name, data in files.items():
            if ".." in Path(name).parts or os.path.isabs(name):
                raise BundleError(name, "no file of a bundle has such a name", "compile again")
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        one = read_bundle(directory)
        units += one.units
        classes.update(dict.fromkeys(one.classes))
        for unit in one.units:
            for kernel in unit.kernels:
                if kernel.name in kernels:
                    why = "it was compiled twice, from different texts, and both objects are linked"
                    raise BundleError(unit.source, why, "compile it again")
                kernels.add(kernel.name)
    return Bundle(place, tuple(units), tuple(classes), ())


def _digest(files: Dict[str, bytes]) -> str:
    """A name for what is in these files, and for how they are named."""
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update("{} {} ".format(len(name), len(data)).encode() + os.fsencode(name) + data)
    return digest.hexdigest()[:16]


def _refuse_other_devices(bundle: Bundle, kinds: Sequence[Device]) -> None:
    """Every unit must have been compiled for every device of the program."""
    for device in kinds:
        for unit in bundle.units:
            if any(device.kernel_class not in kernel.files for kernel in unit.kernels):
                why = "it holds no kernels for '{}' (class {})".format(device.name, device.kernel_class)
                raise BundleError(unit.source, why, "compile it with -fopenmp-targets=" + device.name)


def carries_bundles(arguments: Sequence[str]) -> bool:
    """Whether an object, assembler text, an archive or a library on gcc's command line may hold a unit's bundle."""
    return _have(arguments, SECTION.encode())


def carries_lto(arguments: Sequence[str]) -> bool:
    """Whether one of these has code that the linker gives to the compiler."""
    return _have(arguments, _LTO)


def _have(arguments: Sequence[str], mark: bytes) -> bool:
    files = [Path(a) for a in arguments if not a.startswith("-")]
    return any(path.is_file() and mark in path.read_bytes() for path in (*files, *libraries(arguments)))


def _in_objects(arguments: Sequence[str]) -> Optional[List[Dict[str, bytes]]]:
    """The bundles of the objects on the command line, each once; None when something else may bring or drop objects."""
    found: List[Dict[str, bytes]] = []
    for argument in _glued(arguments):
        files = argument.split(",")[1:] if argument.startswith("-Wl,") else [argument]
        if argument.startswith(("@", "-T", "-Xlinker", "-B", "-specs", "-fuse-ld", "-r")):
            return None
        for path in (Path(file) for file in files):
            if not path.is_file() or ".so" in path.name:
                continue
            data = path.read_bytes()
            if data[:4] != b"\x7fELF" or data[16:18] != b"\1\0":  # ET_REL
                return None
            own = unpack(section_of(data), str(path))
            if not own and _LTO in data:  # what it has comes out of its code when that is compiled
                return None
            found += [bundle for bundle in own if bundle not in found]
    return None if any(MAGIC in library.read_bytes() for library in libraries(arguments)) else found


def libraries(arguments: Sequence[str]) -> List[Path]:
    """The archives and shared libraries that the command line names by path, or with -l in a directory of -L."""
    directories = [Path(a[2:]) for a in _glued(arguments) if a.startswith("-L")]
    found: List[Path] = []
    for argument in _glued(arguments):
        name = argument[2:]
        if argument.startswith("-l"):
            candidates = [d / "lib{}{}".format(name, end) for d in directories for end in (".so", ".a")]
        elif not argument.startswith("-") and (".so" in Path(argument).name or argument.endswith(".a")):
            candidates = [Path(argument)]
        else:
            continue
        found += [c for c in candidates if c.is_file()][:1]
    return found


def _glued(arguments: Sequence[str]) -> List[str]:
    """`-L DIR` and `-l NAME` as one word."""
    words = iter(arguments)
    return [word + next(words, "") if word in ("-L", "-l") else word for word in words]


def _image_flags(arguments: Sequence[str]) -> List[str]:
    """What the images of the devices need of the program's options."""
    return [a for a in arguments if a.startswith(("-O", "-g", "-m", "-std="))]
