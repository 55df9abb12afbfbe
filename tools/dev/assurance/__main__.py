"""Run the long tests whole, and write what came out to docs/assurance.md: ``make assurance``.

    python -m tools.dev.assurance [--seconds N] [--write]

``--seconds`` is how long each parser is fuzzed under the guidance of coverage (atheris); 0 leaves that out.
"""

import argparse
import os
import platform
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, strftime

from tools.dev.assurance.outcome import Outcome, read
from tools.dev.assurance.sections import SECTIONS, Section

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "assurance.md"

HEAD = """\
# Assurance

What the long tests found when they were last run whole. `make assurance` runs them and writes this page; `make check`
runs a seeded sample of the same tests. A test that needs a program which is not there is listed as NOT-RUN.

"""


def main() -> int:
    """Run everything; the exit code is 0 where nothing failed."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=int, default=10)
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    begun = perf_counter()
    outcomes = []
    for section in SECTIONS:
        outcomes.append((section, _run(section)))
        print(f"{section.title}: {_counts(outcomes[-1][1])}", file=sys.stderr, flush=True)
    fuzzed, fuzz_lines = _fuzz(asked.seconds)
    failed = [section.title for section, outcome in outcomes if not outcome.ok] + ([] if fuzzed else ["fuzzing"])
    text = _page(outcomes, fuzz_lines, failed, perf_counter() - begun)
    print(text)
    if asked.write:
        PAGE.write_text(text, encoding="utf-8")
    return 1 if failed else 0


def _run(section: Section) -> Outcome:
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", f"--junitxml={report}", *section.tests]
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, "TALLY_ASSURANCE": "1"}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            print(done.stdout[-4000:], file=sys.stderr)
        return read(report)


def _fuzz(seconds: int) -> tuple[bool, list[str]]:
    if not seconds:
        return True, ["NOT-RUN: left out by --seconds 0"]
    if find_spec("atheris") is None:
        return True, ["NOT-RUN: atheris is not installed: pip install -e '.[fuzz]'"]
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tools.dev.fuzz", "--all", "--seconds", str(seconds)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        print(done.stderr[-4000:], file=sys.stderr)
        return done.returncode == 0, done.stdout.splitlines()


def _page(outcomes: list[tuple[Section, Outcome]], fuzz: list[str], failed: list[str], seconds: float) -> str:
    lines = [
        f"Run on {strftime('%Y-%m-%d')}, Python {platform.python_version()} on {platform.machine()}, "
        f"{os.cpu_count()} cores, {seconds / 60:.0f} minutes. "
        + (f"FAILED: {', '.join(failed)}." if failed else "Nothing failed."),
        "",
        "| what is shown | tests | outcome | seconds |",
        "|---|---|---|---|",
    ]
    for section, outcome in outcomes:
        files = ", ".join(f"`{one}`" for one in section.tests)
        lines.append(f"| {section.title} | {files} | {_counts(outcome)} | {outcome.seconds:.0f} |")
    told = [f"- {line}" for _, outcome in outcomes for line in outcome.told]
    not_run = [f"- {reason}" for reason in dict.fromkeys(one for _, outcome in outcomes for one in outcome.not_run)]
    failures = [f"- {name}" for _, outcome in outcomes for name in outcome.failures]
    for title, found in (("What the tests tell", told), ("Not run", not_run), ("Failed", failures)):
        if found:
            lines += ["", f"## {title}", "", *found]
    lines += ["", "## Fuzzing guided by coverage", "", *(f"- {line}" for line in fuzz)]
    return HEAD + "\n".join(lines) + "\n"


def _counts(outcome: Outcome) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(outcome.counts.items())) or "nothing was run"


if __name__ == "__main__":
    sys.exit(main())
