"""An envelope told at a glance is what the model of it accepts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ledger import canon
from ledger.envelope import is_envelope
from ledger.event import Envelope

AT = "2026-11-30T12:00:00.000000Z"
GOOD = {
    "at": AT, "auth": "ledger", "body": {}, "by": "agent:a", "causes": [0, 3], "request": None, "schema": 1, "seq": 7,
    "type": "a.b", "v": 1, "via": "pep:x",
}  # fmt: skip
STRANGE = [
    None, True, False, 0, 1, -1, 2, 2**53 - 1, "", "1", AT, "ledger", "nobody", "2026-02-30T12:00:00.000000Z",
    [], [1], [True], [None], ["1"], [[]], {}, {"at": 1},
]  # fmt: skip


def model_accepts(value):
    try:
        Envelope.model_validate(value)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("name", GOOD)
def test_each_field_takes_what_the_model_takes(name):
    """Whatever stands in it, and where it is missing."""
    assert is_envelope(GOOD)
    for value in STRANGE:
        changed = {**GOOD, name: value}
        assert is_envelope(changed) == model_accepts(changed), value
    without = {key: value for key, value in GOOD.items() if key != name}
    assert is_envelope(without) is model_accepts(without) is False


def test_another_field_is_none():
    """Neither beside the others nor in the place of one."""
    assert not is_envelope({**GOOD, "w": 1})
    assert not is_envelope({key.replace("via", "vib"): value for key, value in GOOD.items()})


@given(st.fixed_dictionaries({name: st.sampled_from([GOOD[name], *STRANGE]) for name in GOOD}))
def test_any_fields_together_are_judged_as_the_model_does(value):
    """From canonical bytes, in which names stand sorted."""
    read = canon.decode(canon.encode(value))
    assert is_envelope(read) == model_accepts(read)
