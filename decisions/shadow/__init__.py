"""Shadows: a candidate constitution that judges beside the one in force, and enforces nothing.

Each decision says what the candidate would have answered. Nothing is done by it, nothing is spent by it, and whatever
shows it says NOT ENFORCED.

Source: docs/spec/shadows.md; policy case H05.
"""

from typing import Final

NOT_ENFORCED: Final = "NOT ENFORCED"
"""What stands wherever a shadow's answer is shown."""
