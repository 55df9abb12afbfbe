"""The guide names everything that is known, and nothing else."""

import re
from pathlib import Path

from decisions.reducers import _FORMS
from decisions.reducers.shell.commands import TABLE
from decisions.reducers.sql.parse import DIALECTS
from decisions.reducers.tool_call import _TOOLS
from decisions.reducers.vocabulary import ORDER

GUIDE = (Path(__file__).parents[3] / "docs" / "guides" / "reducers.md").read_text()
NAMED = set(re.findall(r"`([^`\n]+)`", GUIDE))


def test_guide_names_every_form_tool_dialect_and_fact() -> None:
    known = {
        *_FORMS,
        *_TOOLS,
        *DIALECTS,
        *ORDER,
        *(str(value) for name in ("scope", "code_origin") for value in ORDER[name]),
    }
    assert not known - NAMED


def test_guide_lists_exactly_the_known_commands() -> None:
    listed = GUIDE.partition("The known commands:")[2].partition("## SQL")[0]
    assert set(re.findall(r"`([^`\n]+)`", listed)) == set(TABLE)
