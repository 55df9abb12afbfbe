"""Makers of the published test vectors: ``python -m tools.dev.vectors`` writes them again, always the same."""
