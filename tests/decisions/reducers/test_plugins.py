"""Reducers of third parties: a form of their own, read like everything from outside, and opaque by any fault."""

import json
import sys
import threading

import pytest

from decisions.reducers import plugins, reduce_operation
from tests.decisions.reducers import plugged
from tests.decisions.reducers.plugged import READS, WAITS, install, look_again

PAYLOAD = {"target": "file:///srv/app/a", "verbs": ["read", "delete"]}


@pytest.fixture
def reads(monkeypatch, tmp_path, notation):
    """Install a plug-in with some code, and reduce an operation of its form."""
    modules = set(sys.modules)

    def read(code=READS, payload=PAYLOAD, ask="acme.plan", **how):
        install(tmp_path, code, **how)
        look_again(monkeypatch, tmp_path)
        return notation(reduce_operation(ask, payload, home="/home/u"))

    yield read
    for name in set(sys.modules) - modules:
        if name.startswith("acme"):
            del sys.modules[name]


@pytest.fixture
def released():
    """Let what was too late end with its test: a module that is still being imported makes the next one wait."""
    plugged.RELEASED.clear()
    yield
    plugged.RELEASED.set()
    for thread in threading.enumerate():
        if thread.name == "reducer":
            thread.join()


def test_an_installed_plug_in_reads_its_form(reads):
    assert reads() == {"read /srv/app/a", "delete /srv/app/a"}
    assert plugins.PLUGINS.read_by("acme.plan") == ("acme-plan", "1.2.0")


def test_without_one_the_form_is_opaque(monkeypatch, notation):
    look_again(monkeypatch, None)
    assert notation(reduce_operation("acme.plan", PAYLOAD, home=None)) == {"!UNPARSEABLE"}


@pytest.mark.parametrize("form", ["shell", "typed", "tool_call", "http", "unreadable"])
def test_no_built_in_form_is_replaced(reads, form):
    """Its name has no dot, and it is never asked."""
    built_in = reads('raise RuntimeError("imported")\n', {"verb": "read", "target": "file:///a"}, form, form=form)
    assert built_in == ({"read /a"} if form == "typed" else {"!UNPARSEABLE"})
    assert plugins.PLUGINS.read_by(form) is None
    assert [one.trouble[:30] for one in plugins.PLUGINS.examine()] == ["a plug-in's form has a dot in "]


@pytest.mark.parametrize("form", ["plan", "Acme.plan", "acme.", ".plan", "acme..plan", "acme.plan\n", "a.b.c.d.e"])
def test_no_other_name_is_a_form_of_a_plug_in(reads, form):
    assert reads(form="acme.other", ask=form) == {"!UNPARSEABLE"}


BROKEN = {
    "raises when it is imported": "raise RuntimeError",
    "exits when it is imported": "raise SystemExit(0)",
    "is no Python": "def reduce(:",
    "lacks what it registers": "",
    "registers what can't be called": "reduce = 7",
    "imports what is not there": "import acme_nosuch",
    "raises": "def reduce(payload):\n    raise KeyError(payload)",
    "exits": "def reduce(payload):\n    raise SystemExit(0)",
    "is interrupted": "def reduce(payload):\n    raise KeyboardInterrupt",
    "takes no payload": "def reduce():\n    return {}",
    "gives nothing": "def reduce(payload):\n    return None",
    "gives an empty list": 'def reduce(payload):\n    return {"actions": []}',
    "gives an empty object": "def reduce(payload):\n    return {}",
    "gives a list": 'def reduce(payload):\n    return [{"verb": "read", "target": "file:///a"}]',
    "gives allow": 'def reduce(payload):\n    return {"outcome": "allow"}',
    "gives more than actions": 'def reduce(payload):\n    return {"actions": [], "outcome": "allow"}',
    "gives another verb": 'def reduce(payload):\n    return {"actions": [{"verb": "allow", "target": "file:///a"}]}',
    "gives another kind": (
        'def reduce(payload):\n    return {"actions": [{"verb": "read", "target": "file:///a", "kind": "data"}]}'
    ),
    "gives a fact that is none": (
        'def reduce(payload):\n    return {"actions": [{"verb": "read", "target": "file:///a", "environment": "dev"}]}'
    ),
    "gives a number that is not whole": "def reduce(payload):\n    return {'actions': 0.5}",
    "gives an object that acts": (
        "class Sly(dict):\n    def get(self, key, default=None):\n        return []\n"
        "def reduce(payload):\n    return Sly(actions=7)"
    ),
    "gives itself": "def reduce(payload):\n    payload['a'] = payload\n    return payload",
    "says what is wrong": 'def reduce(payload):\n    return {"problem": "no plan"}',
    "says what is wrong in a list": 'def reduce(payload):\n    return {"problem": []}',
    "says what is wrong beside actions": (
        'def reduce(payload):\n    return {"problem": "x", "actions": [{"verb": "read", "target": "file:///a"}]}'
    ),
}


@pytest.mark.parametrize("code", BROKEN.values(), ids=BROKEN)
def test_a_broken_plug_in_opens_nothing(reads, code):
    assert reads(code) == {"!UNPARSEABLE"}


def test_a_target_that_is_not_canonical_is_refused(reads):
    assert reads(payload={"target": "file:///srv/../etc", "verbs": ["read"]}) == {"!ID_INVALID"}


def test_a_stated_fact_only_tightens(reads):
    code = (
        'def reduce(payload):\n    return {"actions": [{"verb": "delete", "target": "file:///home/u", "scope": "one"}]}'
    )
    assert reads(code) == {"delete /home/u +all"}


def test_a_plug_in_gets_a_copy(reads):
    payload = {**PAYLOAD, "verbs": ["read"]}
    before = json.dumps(payload)
    reads(READS.replace("    return", "    payload['verbs'].append('delete')\n    return"), payload)
    assert json.dumps(payload) == before


@pytest.mark.parametrize(
    ("code", "problem"),
    [(f"{WAITS}\nRELEASED.wait(9)", "!UNPARSEABLE"),
     (f"{WAITS}\ndef reduce(payload):\n    RELEASED.wait(9)", "!TOO_COMPLEX")],
    ids=["import", "reading"],
)  # fmt: skip
def test_a_slow_plug_in_opens_nothing(reads, released, monkeypatch, code, problem):
    monkeypatch.setattr(plugins, "LOADED_WITHIN", 0.05 if "def" not in code else 2.0)
    monkeypatch.setattr(plugins, "READ_WITHIN", 0.05)
    assert reads(code) == {problem}


def test_two_plug_ins_of_one_form_read_nothing(reads, tmp_path):
    install(tmp_path, name="acme-again")
    assert reads() == {"!UNPARSEABLE"}
    assert plugins.PLUGINS.read_by("acme.plan") is None
    assert {one.trouble for one in plugins.PLUGINS.examine()} == {"more than one reducer is installed for it"}


def test_a_plug_in_is_imported_when_its_form_is_asked_for_and_not_before(reads, tmp_path):
    assert reads('raise RuntimeError("imported")', {"verb": "read", "target": "file:///a"}, "typed") == {"read /a"}
    assert "acme_plan" not in sys.modules
