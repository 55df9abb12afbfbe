"""Fuzz one parser, guided by coverage, or list them.

    python -m tools.dev.fuzz                       the names
    python -m tools.dev.fuzz NAME [--seconds N]    atheris on one parser; needs the extra `fuzz`
    python -m tools.dev.fuzz --all [--seconds N]   each in turn, N seconds each

A finding ends the run with the exception, and leaves the input in a file ``crash-...`` where the run was begun. Without
atheris, ``tests/project/test_fuzz.py`` tries seeded mutations.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory


def main() -> int:
    """Run what the command line asks for."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("name", nargs="?")
    arguments.add_argument("--all", action="store_true")
    arguments.add_argument("--seconds", type=int, default=60)
    asked = arguments.parse_args()
    if asked.name is not None:
        return _fuzz(asked.name, asked.seconds)
    from tools.dev.fuzz.parsers import PARSERS

    if asked.all:
        return _each(list(PARSERS), asked.seconds)
    print("\n".join(PARSERS))
    return 0


def _each(names: list[str], seconds: int) -> int:
    """Give each parser a process of its own: libFuzzer ends the one that it runs in."""
    failed = []
    for name in names:
        command = [sys.executable, "-m", "tools.dev.fuzz", name, "--seconds", str(seconds)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        last = next((line for line in reversed(ran.stderr.splitlines()) if line.startswith("Done ")), "did not finish")
        print(f"{name}: {'ok' if ran.returncode == 0 else 'FOUND'}, {last}", flush=True)
        if ran.returncode:
            failed.append(name)
            print(ran.stderr[-3000:], file=sys.stderr)
    return 1 if failed else 0


def _fuzz(name: str, seconds: int) -> int:
    import atheris

    # What is imported before is not instrumented, and then nothing guides the search.
    with atheris.instrument_imports(include=["ledger", "grants", "decisions", "verify"]):
        from tools.dev.fuzz.parsers import PARSERS
    if name not in PARSERS:
        print(f"there is no parser {name}: one of {', '.join(PARSERS)}", file=sys.stderr)
        return 2
    parser = PARSERS[name]
    with TemporaryDirectory() as corpus:
        for number, seed in enumerate(parser.seeds()):
            (Path(corpus) / f"{number}").write_bytes(seed)
        atheris.Setup(
            [
                sys.argv[0],
                corpus,
                f"-max_total_time={seconds}",
                "-max_len=65536",
                "-timeout=20",
                "-print_final_stats=0",
            ],
            lambda data: bool(parser.try_on(data)) and None,
        )
        atheris.Fuzz()  # ends the process
    return 0


if __name__ == "__main__":
    sys.exit(main())
