"""What the package says of itself is so."""

import doctest
import importlib

import pytest

MODULES = ("decisions.analysis", "decisions.analysis.diagram")


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name):
    module = importlib.import_module(name)
    failed, tried = doctest.testmod(module)
    assert (failed, tried > 0) == (0, True)
