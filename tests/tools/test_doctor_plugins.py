"""`tally doctor` says which reducers of third parties are there, and which of them can't be loaded."""

import sys

import pytest

from tests.decisions.reducers.plugged import install, look_again


@pytest.fixture
def reducers(tally, ledger, tmp_path, monkeypatch):
    modules = set(sys.modules)

    def found(*codes):
        for number, code in enumerate(codes):
            install(tmp_path / "plugins", *code, name=f"acme-{number}", form=f"acme.n{number}")
        look_again(monkeypatch, tmp_path / "plugins")
        done = tally("doctor", "--json")
        return [(one["check"], one["status"], one["detail"]) for one in done.objects if "reducer" in one["check"]]

    yield found
    for name in set(sys.modules) - modules:
        if name.startswith("acme"):
            del sys.modules[name]


def test_plug_ins_are_listed_with_what_is_wrong_with_them(reducers):
    assert reducers((), ("raise RuntimeError",)) == [
        ("reducer acme.n0", "ok", "acme-0 1.2.0"),
        (
            "reducer acme.n1",
            "problem",
            "acme-1 1.2.0: its import fails: RuntimeError; operations of this form are denied",
        ),
    ]


def test_without_plug_ins_nothing_is_said(reducers):
    assert reducers() == []
