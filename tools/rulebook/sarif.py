"""Findings as SARIF 2.1.0, which code hosts and editors show beside the lines that they are about.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) version 2.1.0.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, Literal

from ledger.canon import Json

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

_RULE_KEY: Final = re.compile(r"(?<=.)[.](?:when|stops|passes|verbs|kinds|effect|says)\b.*$")


@dataclass(frozen=True, slots=True)
class Result:
    """One result.

    Attributes:
        rule: which sort it is.
        level: how much it matters.
        text: what it says.
        line: the line of the document that it is about, from 1.
    """

    rule: str
    level: Literal["error", "warning", "note"]
    text: str
    line: int


def report(file: str, results: Iterable[Result], meanings: Mapping[str, str], version: str) -> Json:
    """Make the report of one run over one file.

    Args:
        file: the file's path, as it was given.
        results: what was found.
        meanings: what each sort of result is.
        version: of this software.
    """
    found = list(results)
    rules: list[Json] = [{"id": name, "shortDescription": {"text": text}} for name, text in meanings.items()]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "tallystick", "version": version, "rules": rules}},
                "results": [_result(file, one) for one in found],
            }
        ],
    }


def line_of(document: str, place: str) -> int:
    """Find the line of a document that a place is about; 1 where it names none.

    Args:
        document: the TOML text.
        place: as findings and refusals name it: ``rule V.secrets.when``, ``category leaving``, ``attributes.scope``.
    """
    heads = [
        (re.compile(r"\s*id\s*=\s*[\"']([A-Za-z0-9_.-]+)[\"']"), "rule "),
        (re.compile(r"\s*\[attributes[.](\w+)\]"), "attribute"),
        (re.compile(r"\s*(\w+)\s*=\s*[\"']"), "categor"),
    ]
    wanted = _RULE_KEY.sub("", place)
    for number, line in enumerate(document.split("\n"), start=1):
        for form, start in heads:
            named = form.match(line)
            if named and wanted.startswith(start) and wanted.endswith((f" {named[1]}", f".{named[1]}")):
                return number
    return 1


def _result(file: str, result: Result) -> Json:
    place: Json = {
        "physicalLocation": {
            "artifactLocation": {"uri": PurePath(file).as_posix()},
            "region": {"startLine": result.line},
        }
    }
    return {"ruleId": result.rule, "level": result.level, "message": {"text": result.text}, "locations": [place]}
