"""A small witness of our own: it cosigns the checkpoints of other departments' logs, of any C2SP log.

Source: DESIGN section 9; docs/spec/witness.md.
"""
