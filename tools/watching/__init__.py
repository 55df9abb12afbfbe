"""Following a log from outside: what it signs must continue what it signed before, in both trees.

Source: DESIGN sections 5 and 9; docs/spec/equivocation.md.
"""
