"""What the server's processes import, and when: the answer to `initialize` and the first document wait for little."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
from lsprotocol import types
from waiting import LIMIT

from ompls.server.plain import plain

# Says what was imported when the nursery began, and when the first answer was sent.
ORDER = """
import sys
from ompls import server
from ompls.server import children, nursery
children.several_processors = lambda: SEVERAL

def noted(owner, name, what):
    original = getattr(owner, name)
    def wrapped(*args):
        parts = ("analysis.rules", "analysis.features", "analysis.model.tu", "project.workspace", "translate")
        print(what, *[p for p in parts if "ompls." + p in sys.modules], file=sys.stderr)
        return original(*args)
    setattr(owner, name, wrapped)

noted(nursery.Nursery, "begin", "began")
from ompls.server import protocol
noted(protocol.Protocol, "_send_text", "sent")
sys.exit(server.serve())
"""


# VS Code gives all settings, those that nobody has set among them.
NAMED = {"select": [], "ignore": ["missing-update-from"], "severity": {"map-type": "hint"}}


@pytest.mark.parametrize("several", [True, False])
def test_initialize_is_answered_without_the_analysis(several: bool) -> None:
    """Else an editor waits for all of the rules: another process imports them meanwhile, where there are several."""
    ask = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "processId": None,
            "rootUri": None,
            "capabilities": {},
            "initializationOptions": {"settings": {"diagnostics": NAMED}},
        },
    }
    body = json.dumps(ask).encode()
    with subprocess.Popen(
        [sys.executable, "-c", ORDER.replace("SEVERAL", str(several))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stderr is not None
        server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        server.stdin.flush()
        said = [server.stderr.readline().decode().strip() for _ in range(2)]
        server.stdin.close()
    assert said == (["began", "sent"] if several else ["sent", "began"])


def test_workers_do_without_the_libraries_of_the_protocol() -> None:
    """They take longer to import than the analysis, which the first document waits for."""
    script = (
        "import sys; from ompls.server import checker, worker;"
        "print({m.partition('.')[0] for m in sys.modules} & {'pygls', 'lsprotocol', 'cattrs', 'attr', 'asyncio'})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_is_asked_is_plain_for_workers() -> None:
    context = types.CodeActionContext([], [types.CodeActionKind.QuickFix], types.CodeActionTriggerKind.Automatic)
    document, place = types.TextDocumentIdentifier("file:///a.c"), types.Position(1, 2)
    made = plain((types.CodeActionParams(document, types.Range(place, place), context), {"a": 1}, None))
    asked = SimpleNamespace(
        text_document=SimpleNamespace(uri="file:///a.c"),
        range=SimpleNamespace(start=SimpleNamespace(line=1, character=2), end=SimpleNamespace(line=1, character=2)),
        context=SimpleNamespace(diagnostics=[], only=["quickfix"], trigger_kind=2),
        work_done_token=None,
        partial_result_token=None,
    )
    assert made == (asked, {"a": 1}, None)
    assert type(made[0].context.trigger_kind) is int


def test_the_page_of_a_rule_is_read_by_a_child() -> None:
    """All rules take seconds to import: the server goes on answering."""
    script = (
        "import asyncio, sys\nfrom types import SimpleNamespace as Has\n"
        "from ompls.server.children import nursery\nfrom ompls.server.preview import PreviewFeature\n"
        "server = Has(engine=Has(workers=Has(nursery=nursery())))\n"
        "asked = PreviewFeature(server).content('ompls-rule:/missing-update-from.md')\n"
        "print(asyncio.run(asked).splitlines()[0], 'ompls.analysis.rules' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=LIMIT, check=True)
    assert "missing-update-from" in done.stdout
    assert done.stdout.endswith(" False\n")


def test_settings_and_prices_need_neither_rules_nor_features() -> None:
    """What is selected are names, and a price is a few numbers: neither stops the server while it imports the rest."""
    script = (
        "import sys\nfrom ompls.server.prices import _price\nfrom ompls.server.settings import parse\n"
        "print(_price({'messages': 6, 'bytes': 1 << 20}))\n"
        "chosen = {'select': ['mapping', 'unused-mapp'], 'ignore': ['unused-map']}\n"
        "settings, problems = parse({'diagnostics': chosen})\n"
        "print(settings.diagnostics.select, problems)\n"
        "print([m for m in sys.modules if m.startswith(('ompls.analysis.rules', 'ompls.analysis.features'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=LIMIT, check=True)
    price, known, imported = done.stdout.splitlines()
    assert price == "6 messages, 1 MiB"
    assert known.startswith("('mapping',)")
    assert "did you mean unused-map?" in known
    assert imported == "[]"
