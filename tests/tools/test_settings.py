"""`settings.toml`: everything has a default, and nothing that is not known passes."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.errors import InputError
from tools.home import Home
from tools.settings import Cadence, Settings, parse_settings, read_settings


def test_no_file_and_an_empty_one_say_the_same(tmp_path):
    assert read_settings(Home(tmp_path)) == Settings(Cadence(60, 1000)) == parse_settings(b"")


def test_what_is_set_is_set():
    assert parse_settings(b"[checkpoint]\nseconds = 5\n").checkpoint == Cadence(5, 1000)
    assert parse_settings(b"[checkpoint]\nevents = 7\n").checkpoint == Cadence(60, 7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[chekpoint]\nseconds = 5\n", 'did you mean "checkpoint"?'),
        ("[checkpoint]\nsecond = 5\n", 'did you mean "seconds"?'),
        ("checkpoint = 5\n", "is a section"),
        ("[checkpoint]\nseconds = 0\n", "from 1 to"),
        ("[checkpoint]\nseconds = true\n", "from 1 to"),
        ("[checkpoint]\nevents = 1.5\n", "from 1 to"),
        ("[checkpoint]\nevents = '7'\n", "from 1 to"),
        ("[checkpoint\n", "no TOML"),
        (f"[checkpoint]\nevents = {'9' * 5000}\n", "no TOML"),
        ("x" * 65_537, "at most"),
    ],
)
def test_anything_else_refuses_the_file(text, said):
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        parse_settings(text.encode())


def test_error_names_the_file(tmp_path):
    home = Home(tmp_path)
    home.settings.write_text("[checkpoint]\nsecond = 5\n")
    with pytest.raises(InputError, match=r"settings\.toml"):
        read_settings(home)


@given(st.binary(max_size=200))
def test_only_our_error_comes_of_any_bytes(data):
    with contextlib.suppress(InputError):
        parse_settings(data)
