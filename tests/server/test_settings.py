"""Settings: what is wrong is said and replaced by its default; nothing else is lost."""

from __future__ import annotations

import pytest

from ompls.server.settings import Settings, listing, parse

BAD = [
    ("x", "ompls: expected an object of settings"),
    ({"openmpVersion": "7.0"}, "ompls.openmpVersion: expected one of '4.0'"),
    ({"openmpVersion": 5.2}, "ompls.openmpVersion: expected one of"),
    ({"flags": "-O2"}, "ompls.flags: expected a list of texts"),
    ({"flags": ["-O2", 3]}, "ompls.flags: expected a list of texts"),
    ({"diagnostics": []}, "ompls.diagnostics: expected an object"),
    ({"diagnostics": {"enable": "yes"}}, "ompls.diagnostics.enable: expected true or false"),
    ({"diagnostics": {"maxFileSize": -1}}, "ompls.diagnostics.maxFileSize: expected a number that is not negative"),
    ({"run": {"timeout": True}}, "ompls.run.timeout: expected a number"),
    ({"preview": {"device": ""}}, "ompls.preview.device: expected a text that is not empty"),
]


@pytest.mark.parametrize(("value", "problem"), BAD)
def test_a_bad_setting_is_named_and_keeps_its_default(value: object, problem: str) -> None:
    settings, problems = parse(value)
    assert settings == Settings()
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_good_settings_beside_a_bad_one_are_taken() -> None:
    settings, problems = parse({"run": {"timeout": 3, "device": 7}, "flags": ["-DN=4"], "unheardOf": 1})
    assert settings.run.timeout == 3.0
    assert settings.flags == ("-DN=4",)
    assert [p.partition(":")[0] for p in problems] == ["ompls.run.device"]


def test_nothing_is_the_defaults() -> None:
    assert parse(None) == (Settings(), [])
    assert parse({}) == (Settings(), [])


def test_every_setting_is_listed_with_what_it_does() -> None:
    rows = {name: (default, doc) for name, _, default, doc in listing()}
    assert rows["ompls.openmpVersion"][0] == "5.2"
    assert rows["ompls.diagnostics.maxFileSize"][0] == 4_000_000
    assert all(doc for _, doc in rows.values())
