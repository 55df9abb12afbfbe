"""The evidence bundle: one file that holds a decision and everything that it rested on, with proofs.

Source: DESIGN sections 8 and 9; docs/spec/bundle.md.
"""

from verify.bundle.choice import EVERYTHING, NEEDED, Disclosure, FieldPattern
from verify.bundle.form import Bundle, Disclosed, parse_bundle
from verify.bundle.maker import make_bundle
from verify.bundle.parts import BundledEvent

__all__ = [
    "EVERYTHING",
    "NEEDED",
    "Bundle",
    "BundledEvent",
    "Disclosed",
    "Disclosure",
    "FieldPattern",
    "make_bundle",
    "parse_bundle",
]
