import doctest
from dataclasses import replace

import pytest

from grants import binding as module
from grants.binding import BindingTo, binding, document
from grants.events import Operand
from ledger import canon, digest
from ledger.disclosure import Disclosable

ZEROS, ONES = (Disclosable(sd=canon.to_base64url(bytes([fill]) * 32)) for fill in (0, 1))
TO = BindingTo(
    audience="tally.example/log",
    subject=("agent:a1", "sub2"),
    domain="care",
    args=ZEROS,
    operands=(Operand(reference="file:///srv/s.sh", content=ONES),),
)
ITEM = {"kind": "data", "verb": "delete", "target": "db://prod/users/42", "version": 7}
BYTES = (
    b'{"args":{"sd":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},"audience":"tally.example/log","domain":"care",'
    b'"kind":"data","operands":[{"content":{"sd":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"},'
    b'"reference":"file:///srv/s.sh"}],"subject":["agent:a1","sub2"],"target":"db://prod/users/42","v":1,'
    b'"verb":"delete","version":7}'
)


def test_module_example_holds():
    assert doctest.testmod(module).failed == 0


def test_the_document_is_these_bytes():
    assert document(TO, **ITEM) == BYTES


def test_the_binding_is_the_digest_of_the_document():
    assert binding(TO, **ITEM) == canon.to_base64url(digest.binding(BYTES))


@pytest.mark.parametrize(
    "change",
    [
        {"audience": "tally.example/other"},
        {"subject": ("agent:a1",)},
        {"subject": ("agent:a1", "sub2", "x")},
        {"domain": ""},
        {"args": ONES},
        {"operands": ()},
        {"operands": (Operand(reference="file:///srv/s.sh", content=ZEROS),)},
        {"operands": (Operand(reference="file:///srv/t.sh", content=ONES),)},
    ],
    ids=str,
)
def test_anything_else_about_the_operation_is_another_binding(change):
    assert binding(replace(TO, **change), **ITEM) != binding(TO, **ITEM)


@pytest.mark.parametrize(
    "change", [{"kind": "file"}, {"verb": "read"}, {"target": "db://prod/users/43"}, {"version": 8}], ids=str
)
def test_anything_else_about_the_item_is_another_binding(change):
    assert binding(TO, **{**ITEM, **change}) != binding(TO, **ITEM)
