"""The exit codes of ``tally-verify``.

Source: DESIGN section 13.
"""

VERIFIED, NOT_DONE, USAGE, FAILED, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 6, 130
