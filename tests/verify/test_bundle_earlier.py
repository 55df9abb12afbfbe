"""Bundles that earlier versions made verify for ever; what only those could work out again is not checked."""

from pathlib import Path

from decisions import reducers
from grants import allowed_signers
from ledger.policy import parse_policy
from verify.check import check_bundle

EARLIER = Path(__file__).parents[1] / "vectors" / "earlier"


def test_a_decision_that_earlier_reducers_read_verifies_and_its_reading_is_not_checked():
    data, policy, signers = (
        (EARLIER / name).read_bytes() for name in ("reducers-1.bundle", "log.policy", "human.signers")
    )
    report = check_bundle(data, parse_policy(policy), allowed_signers.parse(signers))
    assert report.failed == ()
    (line,) = [one for one in report.lines if one.check == "reduction"]
    assert line.why == f"read by reducers of number 1; these are number {reducers.VERSION}"
    assert "reduction" in report.unchecked
