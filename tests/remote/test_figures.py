"""bench/cluster_figures.py: its table and its plot, of small programs on real nodes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import ROOT, environment

pytest.importorskip("mpi4py", reason="mpi4py is not installed (extra mpi)")


@pytest.mark.thorough  # it makes what only a person reads; what travels, test_proxy.py counts
@pytest.mark.parametrize("figures", ["2 4 6 8"])
def test_figures_are_tables_and_plots(tmp_path: Path, figures: str) -> None:
    """All runs have one result, or it ends; what travels is counted."""
    plot, data = tmp_path / "a.svg", tmp_path / "a.json"
    words = ["--figures", *figures.split(), "--nodes", "1", "2", "--rounds", "1", "--size", "small"]
    command = [sys.executable, ROOT / "bench/cluster_figures.py", *words, "--svg", plot, "--json", data]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("figure")] == [
        f"figure {number}" for number in figures.split()
    ]
    assert len(ElementTree.parse(plot).findall("{*}polyline")) == 4 * len(figures.split())
    for figure in json.loads(data.read_text()):
        here, one, two = figure["runs"]
        assert (here["messages"], here["bytes"]) == (0, 0)
        assert one["messages"] < two["messages"] <= 2 * one["messages"]
        assert one["bytes"] < two["bytes"]
