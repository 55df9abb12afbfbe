"""No parser lets anything escape but our own errors, on a seeded sample of what a fuzzer would try.

``TALLY_ASSURANCE=1`` tries a hundred times as much; `tools.dev.fuzz` lets coverage guide the search.
"""

from zlib import crc32

import pytest

from tests.assurance import WHOLE
from tools.dev.fuzz.mutation import mutations
from tools.dev.fuzz.parsers import PARSERS
from tools.dev.fuzz.stored import CHECKED

SLOW = {"bundle-check": 10, "constitution": 20, **{f"export-check-{kind}": 20 for kind in CHECKED}}
"""How many times fewer inputs are tried where one takes long."""

TOTAL = {
    *("receipt-check", "witness-request-check"),
    *(name for name in PARSERS if name.startswith(("operation-", "export-check-"))),
}
"""What answers whatever it is given: the answer says what is wrong."""

EACH = 30_000 if WHOLE else 300


@pytest.mark.parametrize("name", PARSERS)
def test_seeds_are_accepted(name):
    assert all(PARSERS[name].try_on(seed) for seed in PARSERS[name].seeds())


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", PARSERS)
def test_mutations_are_read_or_refused(name):
    parser = PARSERS[name]
    accepted, count = 0, EACH // SLOW.get(name, 1)
    for data in mutations(parser.seeds(), count, crc32(name.encode())):
        try:
            accepted += parser.try_on(data)
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__} escapes for {data!r}") from error
    assert (accepted == count) == (name in TOTAL), "are the mutations any good?"


def test_what_is_tried_is_the_same_each_time():
    seeds = [b"some seed", b"another"]
    assert list(mutations(seeds, 50, 1)) == list(mutations(seeds, 50, 1))
    assert list(mutations(seeds, 50, 1)) != list(mutations(seeds, 50, 2))
