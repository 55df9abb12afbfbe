"""The lowest layer: canonical bytes, hashing, the Merkle trees, checkpoints, and the log itself.

Everything here but ``ledger.sql`` is pure and works on bytes.
"""
