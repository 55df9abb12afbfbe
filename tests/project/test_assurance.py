"""What is sampled in the suite is run whole by ``make assurance``: no long test is left out of it."""

import re
from pathlib import Path

import pytest

from tools.dev.assurance.sections import SECTIONS

ROOT = Path(__file__).parents[2]
READER = ROOT / "tests" / "assurance.py"
NAMED = [ROOT / place for section in SECTIONS for place in section.tests]


def scaled(root):
    """The files of tests that ask how much is to be run."""
    marks = ("from tests.assurance", "import tests.assurance", "from tests import assurance")
    return {file for file in root.rglob("*.py") if any(mark in file.read_text("utf-8") for mark in marks)}


def test_every_long_test_lies_in_a_section():
    long = scaled(ROOT / "tests") - {READER, Path(__file__)}
    assert len(long) > 8
    left_out = [str(one.relative_to(ROOT)) for one in long if not any(one.is_relative_to(named) for named in NAMED)]
    assert left_out == []


def test_the_variable_is_read_in_one_place():
    asking = re.compile(r"(environ|getenv).*TALLY_ASSURANCE")
    read = {one for one in (ROOT / "tests").rglob("*.py") if asking.search(one.read_text("utf-8"))}
    assert read - {Path(__file__)} == {READER}


@pytest.mark.parametrize("place", NAMED, ids=lambda place: str(place.relative_to(ROOT)))
def test_what_a_section_names_is_there(place):
    assert place.exists()
    assert place.is_file() or list(place.rglob("test_*.py"))
