"""Benchmarks: run by maintainers, never by tests."""
