"""Which regions a device cannot run is kept with their functions, and is what it would be if nothing were kept."""

from __future__ import annotations

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT
from ompls.project.devices import registry
from ompls.server.refused import regions_refused
from ompls.server.settings import Settings
from ompls.server.work import Deadline, analyse

HELPER = "int helper(int x)\n{\n    %s y = x;\n    return (int)y;\n}\n"
CALLER = """\
void caller%d(int *a, int n)
{
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = %s(i);
}
"""
PLAIN = "int plain(int x)\n{\n    return x;\n}\n"


def text(kind: str, called: str, before: str = "") -> str:
    """Enough functions for several groups of them."""
    return before + PLAIN + HELPER % kind + "".join(CALLER % (n, called if n == 30 else "plain") for n in range(60))


def refused(analyzer: Analyzer, source: str) -> dict[str, str]:
    tu: TU = analyse(analyzer, "/a.c", source.encode(), EMPTY_SNAPSHOT, Settings().for_analysis(), Deadline(1000.0))
    return regions_refused(tu, [registry().devices[name] for name in ("cuda", "cudasim", "host")])


def test_an_edit_elsewhere_changes_what_is_said_of_a_region() -> None:
    kept = Analyzer()
    on_gpus = {"caller30_0": "cuda and cudasim"}
    for source, said in (
        (text("double", "helper"), {}),
        (text("long double", "helper"), on_gpus),
        (text("long double", "helper", "#define UNUSED 1\n"), on_gpus),
        (text("long double", "plain"), {}),
        (text("long double", "helper"), on_gpus),
        (text("double", "helper"), {}),
    ):
        assert refused(kept, source) == said
        assert refused(Analyzer(), source) == said
