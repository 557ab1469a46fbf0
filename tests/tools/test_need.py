"""`tools/need.sh`: which tools it takes, and what it says where one is too old."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


OLD = "ompls: error: node is v18.20.4: version 20 or newer is needed; get one beside it, and type this again:"


@pytest.mark.parametrize(("version", "said"), [("v18.20.4", OLD), ("v20.0.0", ""), ("v124.1.0", "")])
def test_a_node_that_cannot_package_the_extension_is_told_before(tmp_path: Path, version: str, said: str) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["bash", ROOT / "tools" / "need.sh", "node20"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.split("\n")[0]) == (2 if said else 0, said)
    assert ("npm install --prefix" in done.stderr) == bool(said)


@pytest.mark.parametrize("target", ["vsix", "vsix-bundled"])
def test_who_packages_the_extension_asks(target: str) -> None:
    plan = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "tools/need.sh node20" in plan
    assert plan.index("tools/need.sh node20") < plan.index("npm ci")
