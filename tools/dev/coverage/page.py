"""The page: docs/coverage.md, as Markdown.

Source: issue 4 section 1.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tools.dev.coverage.corpus import Family
from tools.dev.coverage.judging import Judged

Results = Mapping[Family, Sequence[Judged]]

HEAD: Final = """\
# Coverage

How much of everyday work on a command line the shell reducer reads. Made by `python -m tools.dev.coverage`; a test
compares the two, and fails where anything is wrong.

The corpus (`tests/decisions/reducers/corpus`) holds commands as the tools' own documentation shows people use them.
Each has the effects that the documentation says, written down before the reducer was asked. Beside the everyday ones
stand some that are hard to get right: options that do more than what a tool is for, and what is undone less easily.

- **reduced**: every effect was found, no milder than it is.
- **of these coarse**: more was found than the command does, or it was found on more; a decision can only be stricter.
- **by name**: a program that no table has. It is one action, the run of `program:<name>`, which stands for whatever it
  does: denied, unless somebody registered that program.
- **opaque**: refused. The decision point denies it, whatever it does.
- **of these rightly**: nobody can tell from the text what it does, or it changes what later commands mean.
- **wrong**: an effect is missing, or milder than it is.

"""

_ROWS: Final = ("commands", "reduced", "coarse", "named", "opaque", "rightly", "wrong")


def page(results: Results) -> str:
    """Give the whole page."""
    parts = [HEAD, _table(results), "\n## Sources\n\n", *(f"- {one.title}: {one.source}\n" for one in results)]
    parts += ["\n## What is opaque, and why\n\n", *_opaque(results)]
    parts += ["\n## What is known by its name alone\n\n", _named(results), "\n"]
    parts += ["\n## What is coarse\n\n", *_coarse(results)]
    return "".join(parts)


def counts(judged: Iterable[Judged]) -> dict[str, int]:
    """Count the results; what is coarse is reduced as well."""
    results = tuple(judged)
    found = Counter(one.result for one in results)
    return {
        "commands": found.total(),
        "reduced": found["reduced"] + found["coarse"],
        "coarse": found["coarse"],
        "named": found["named"],
        "opaque": found["opaque"],
        "rightly": sum(one.result == "opaque" and one.row.opaque for one in results),
        "wrong": found["wrong"],
    }


def _table(results: Results) -> str:
    lines = [
        "| family | commands | reduced | of these coarse | by name | opaque | of these rightly | wrong |\n",
        "|---|--:|--:|--:|--:|--:|--:|--:|\n",
    ]
    for title, everyday in (("**everyday**", True), ("**hard**", False)):
        chosen = {family: judged for family, judged in results.items() if family.everyday is everyday}
        lines += [_line(family.title, counts(judged)) for family, judged in chosen.items()]
        lines.append(_line(title, counts(one for judged in chosen.values() for one in judged)))
    return "".join(lines)


def _line(title: str, counted: Mapping[str, int]) -> str:
    share = 100 * counted["reduced"] / counted["commands"]
    cells = [str(counted[name]) for name in _ROWS]
    cells[1] += f" ({share:.1f} %)"
    return f"| {title} | {' | '.join(cells)} |\n"


def _opaque(results: Results) -> Iterator[str]:
    """Give the opaque commands, those with the same reason together, the most frequent reason first."""
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for judged in results.values():
        for one in judged:
            if one.result == "opaque":
                reasons[one.notes[0]].append(one.row.command)
    for reason, commands in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        yield f"- {reason}\n"
        yield from (f"  - {_code(command)}\n" for command in commands)


def _named(results: Results) -> str:
    found = {note for judged in results.values() for one in judged if one.result == "named" for note in one.notes}
    return ", ".join(_code(note.removeprefix("program:")) for note in sorted(found))


def _coarse(results: Results) -> Iterator[str]:
    for family, judged in results.items():
        found = [one for one in judged if one.result == "coarse"]
        if not found:
            continue
        yield f"### {family.title[0].upper()}{family.title[1:]}\n\n| command | what is more |\n|---|---|\n"
        yield from (f"| {_cell(one.row.command)} | {_cell('; '.join(one.notes))} |\n" for one in found)
        yield "\n"


def _cell(text: str) -> str:
    return _code(text).replace("|", "\\|")


def _code(text: str) -> str:
    shown = text.replace("\n", "\u23ce")
    fence = "``" if "`" in shown else "`"
    return f"{fence}{shown}{fence}"
