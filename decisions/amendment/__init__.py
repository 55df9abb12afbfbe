"""Changing the rules: who may, by how many, and of what class the change is.

A change is proposed, voted on, and adopted or rejected; each is a signed event. Its class is worked out by machine from
the two documents alone, stands in every text that is signed, and is worked out again by whoever checks.

Source: docs/spec/amendments.md; docs/adr/0020-amendments.md.
"""
