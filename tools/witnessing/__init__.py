"""Having checkpoints cosigned: the client of C2SP tlog-witness.

Source: DESIGN section 9; docs/spec/witness.md.
"""
