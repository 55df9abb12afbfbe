"""Relabelling: what a change of a resource's labels opens, worked out before it is signed, and again afterwards.

A label decides what may be done to a resource as much as a rule does, so a change of labels is judged like a change of
rules: every cell of the resource is looked at under the old labels and under the new. What opens any is a loosening,
and only a human's signature lets it through.

Source: DESIGN sections 7 and 10; policy case G07; docs/adr/0017.
"""

from decisions.relabelling.acts import check_signed_for, clear, reclassify, register
from decisions.relabelling.check import check_relabelled
from decisions.relabelling.judge import judge_change
from decisions.relabelling.pending import Pending

__all__ = [
    "Pending",
    "check_relabelled",
    "check_signed_for",
    "clear",
    "judge_change",
    "reclassify",
    "register",
]
