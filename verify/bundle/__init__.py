"""The evidence bundle: one file that holds a decision and everything that it rested on, with proofs.

Source: DESIGN sections 8 and 9; docs/spec/bundle.md.
"""

from verify.bundle.form import Bundle, BundledEvent, Disclosed, parse_bundle
from verify.bundle.maker import EVERYTHING, NEEDED, Disclosure, make_bundle

__all__ = ["EVERYTHING", "NEEDED", "Bundle", "BundledEvent", "Disclosed", "Disclosure", "make_bundle", "parse_bundle"]
