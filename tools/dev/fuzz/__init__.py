"""Fuzzing: whatever bytes a parser is given, it gives a value or raises an error of ours."""
