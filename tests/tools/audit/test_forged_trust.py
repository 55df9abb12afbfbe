"""Trust that no sensor's observation led to: the folds agree with its numbers, and the audit says what is missing."""

from decisions.events import TrustUpdated
from ledger.event import Draft


def forged(log, observed, trust):
    n, accumulator, c_ctx = trust["n"], trust["accumulator"], trust["c_ctx"]
    body = TrustUpdated(
        system="agent:companion",
        counterpart="person:reader-31",
        domain="library",
        observed=observed,
        counted=True,
        n=(n, n + 1),
        accumulator=(accumulator, 10**15),
        c_ctx=(c_ctx, 7 * 10**14),
        gain=10**15,
        cap=7 * 10**14,
        floor_step=0,
        taken="2026-11-30T12:00:00.000000Z",
    )
    return log.transact(lambda tx: tx.append(Draft(body, "sensor:reading-room", "ledger", causes=(observed,))))


def test_update_behind_no_observation_is_named(desk):
    """Whoever holds the machine can append it; nobody has signed it."""
    from tools.home import Home
    from tools.ledger import open_ledger

    assert desk.run("audit").exit_code == 0
    opened = open_ledger(Home(desk.ledger))
    try:
        event = forged(opened.log, desk.size() - 1, {"n": 0, "accumulator": 0, "c_ctx": 0})
    finally:
        opened.close()
    done = desk.run("audit")
    assert done.exit_code == 3
    assert f"First bad row: events seq {event.seq}: it does not follow from what was signed" in done.stdout
