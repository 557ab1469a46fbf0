"""A wait for a lock that stands apart from what is done under the lock: older GPUs hang there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ompls.analysis.dataenv import lockwaits
from ompls.analysis.model import ast
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.limits import called, devices_in, grouped, regions_of, severity_of
from ompls.analysis.spec.devices import ABILITIES, DeviceSpec


def check(scene: Scene) -> Iterator[Finding]:
    devices = [device for device in devices_in(scene) if lockwaits.ABILITY in {*device.lacks, *device.older}]
    content = scene.content
    if not devices or content is None:
        return
    for region in regions_of(scene):
        there = [(call, of) for call, of in called(scene, region) if isinstance(of.node, ast.FunctionDef)]
        contents = [content, *(of for _, of in there)]
        if not any(word in of.text for of in contents for word in (b"omp_set_", b"omp_test_")):
            continue
        functions = [of.node for of in contents[1:] if isinstance(of.node, ast.FunctionDef)]
        takers = lockwaits.takers(functions, _elsewhere(scene, contents))
        for wait, why in lockwaits.apart_in(region.stmt, lockwaits.text_of(content), takers):
            for message in _messages(devices, wait, "", why):
                yield Finding(wait.span, message, severity_of(scene))
        for (call, of), function in zip(there, functions, strict=True):
            for wait, why in islice(lockwaits.apart(function.body, lockwaits.text_of(of), takers), 1):
                where = f" in `{function.symbol.name}`, which is called here,"
                for message in _messages(devices, wait, where, why):
                    note = (of, wait.span, "here it waits for the lock")
                    yield Finding(call.span, message, severity_of(scene), elsewhere=(note,))


def _messages(devices: list[DeviceSpec], wait: ast.Call, where: str, advice: str) -> Iterator[str]:
    what = ABILITIES[lockwaits.ABILITY].format(lockwaits.routine(wait)) + where
    for why, names in grouped(devices, lockwaits.ABILITY, "lacks").items():
        yield f"{what} cannot run on {names}: {why}: {advice}"
    for why, names in grouped(devices, lockwaits.ABILITY, "older").items():
        yield f"{what} cannot run on every model of {names}: {why}: {advice}"


def _elsewhere(scene: Scene, contents: list[Content]) -> set[str]:
    """The functions whose bodies are in other units."""
    return {
        s.name
        for content in contents
        for s in content.calls
        if s.declare_target and not s.from_system_header and s.name not in scene.unit.functions
    }


RULE = Rule(
    id="device-locks",
    severity="warning",
    group="device-limits",
    title="A lock that is released elsewhere than it is taken",
    why="""
On a GPU before `sm_70` the threads of a warp run in step. One that has got a lock goes on only when the others have left the
loop in which they wait for it, and they wait for the first: that never ends. Where a lock is taken and released in one
block, the code between goes into that loop, and all is well. Where it is released elsewhere (in another function, say),
this cannot be done, and the program is not built for such a GPU. Newer ones run it.
""",
    section="21.1",
    about="regions",
    bad=(
        """
#include <omp.h>
#pragma omp declare target
static void enter(omp_lock_t *l) { omp_set_lock(l); }
static void leave(omp_lock_t *l) { omp_unset_lock(l); }
#pragma omp end declare target
void f(int *n, omp_lock_t *l) {
    #pragma omp target parallel is_device_ptr(n, l)
    {
        enter(l);
//      ^^^^^ hint: `omp_set_lock` apart from what is done under the lock in `enter`, which is called here, cannot run on every model of cuda: before sm_70 threads of a warp that compete for the lock would wait for each other for ever: release it in the block that takes it or in a statement of that block, without goto
        ++*n;
        leave(l);
    }
}
""",
        """
#include <omp.h>
void f(int *n, omp_lock_t *l) {
    #pragma omp target is_device_ptr(n, l)
    #pragma omp parallel
    {
        if (*n) omp_set_lock(l);
        //      ^^^^^^^^^^^^^^^ hint: `omp_set_lock` apart from what is done under the lock cannot run on every model of cuda: before sm_70 threads of a warp that compete for the lock would wait for each other for ever: release it in the block that takes it or in a statement of that block, without goto
        ++*n;
        if (*n) omp_unset_lock(l);
    }
}
""",
    ),
    good=(
        """
#include <omp.h>
static void add(int *n, omp_lock_t *l) {
    omp_set_lock(l);
    ++*n;
    omp_unset_lock(l);
}
void f(int *n, omp_lock_t *l) {
    #pragma omp target parallel is_device_ptr(n, l)
    add(n, l);
}
""",
        """
#include <omp.h>
void f(int *n, omp_lock_t *l) {
    #pragma omp target is_device_ptr(n, l)
    {
        if (*n) omp_set_lock(l);
        ++*n;
        if (*n) omp_unset_lock(l);
    }
}
""",
        """
#include <omp.h>
void f(int *n, omp_lock_t *l) {
    #pragma omp target parallel is_device_ptr(n, l)
    {
        omp_set_lock(l);
        if (*n) {
            ++*n;
            omp_unset_lock(l);
        } else
            omp_unset_lock(l);
    }
}
""",
        """
#include <omp.h>
static void enter(omp_lock_t *l) { omp_set_lock(l); }
static void leave(omp_lock_t *l) { omp_unset_lock(l); }
void f(int *n, omp_lock_t *l) {
    #pragma omp parallel
    {
        enter(l);
        ++*n;
        leave(l);
    }
}
""",
        """
// Device cudasim
#include <omp.h>
void f(int *n, omp_lock_t *l) {
    #pragma omp target parallel is_device_ptr(n, l)
    {
        if (*n) omp_set_lock(l);
        ++*n;
        if (*n) omp_unset_lock(l);
    }
}
""",
    ),
    check=check,
)
