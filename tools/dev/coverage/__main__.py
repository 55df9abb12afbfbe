"""Writes docs/coverage.md from the corpus: ``python -m tools.dev.coverage``.

What is wrong is told on stdout with what is lacking, and ends with exit code 1.
"""

import sys
from pathlib import Path

from tools.dev.coverage.corpus import families
from tools.dev.coverage.judging import judge
from tools.dev.coverage.page import counts, page

PAGE = Path(__file__).parents[3] / "docs" / "coverage.md"


def main() -> int:
    """Judge the corpus and write the page."""
    results = {family: tuple(map(judge, family.rows)) for family in families()}
    PAGE.write_text(page(results), encoding="utf-8")
    judged = [one for some in results.values() for one in some]
    for one in judged:
        if one.result == "wrong":
            sys.stdout.write(f"{one.row.command}\n    {'; '.join(one.notes)}\n")
    found = counts(judged)
    sys.stdout.write(", ".join(f"{name} {count}" for name, count in found.items()) + "\n")
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
