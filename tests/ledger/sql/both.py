"""The mark of tests that hold for every database: ``pytestmark = BOTH``."""

import pytest

BOTH = pytest.mark.parametrize("address", ["sqlite", "postgresql"], indirect=True)
