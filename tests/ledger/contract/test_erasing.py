"""What every log does with openings that an event erases."""

import pytest

from ledger.disclosure import Opening
from ledger.errors import ClaimTakenError, DisclosureError
from tests.ledger.contract.sample import append, erased, everything, moved


def openings(log, seq):
    return list(log.read(lambda look: look.openings(seq)))


def test_an_erased_opening_is_gone(log):
    """The opening goes, the event that held its commitment stays as it was, and the log says which event erased it."""
    append(log, moved(note="secret"), moved())
    before = everything(log)
    append(log, erased((0, "/note")))
    after = everything(log)
    assert openings(log, 0) == []
    assert after["events"][:2] == before["events"]
    assert after["blake3"][: len(before["blake3"])] == before["blake3"]
    assert log.read(lambda look: look.claimed("erased:0:/note")) == 2


def test_other_openings_are_untouched(log):
    """Nothing but what the event names is deleted."""
    drafts = [moved(note="one"), moved(note="two"), moved(note="three")]
    append(log, *drafts)
    append(log, erased((1, "/note")))
    assert [openings(log, seq) for seq in range(3)] == [list(drafts[0].openings), [], list(drafts[2].openings)]


def test_one_event_erases_several(log):
    """Each opening has its own claim."""
    append(log, moved(note="one"), moved(note="two"))
    append(log, erased((0, "/note"), (1, "/note")))
    assert openings(log, 0) == openings(log, 1) == []
    claims = log.read(lambda look: [look.claimed(f"erased:{seq}:/note") for seq in (0, 1)])
    assert claims == [2, 2]


@pytest.mark.parametrize("place", [(0, "/other"), (1, "/note"), (2, "/note"), (3, "/note"), (99, "/note")])
def test_what_is_not_there_is_not_erased(log, place):
    """No such field, nothing ever opened, the event itself, a later event: refused, and nothing changes."""
    append(log, moved(note="secret"), moved())
    before = everything(log)
    with pytest.raises(DisclosureError, match="no opening"):
        append(log, erased(place))
    assert everything(log) == before


def test_what_is_erased_is_not_erased_again(log):
    """The refusal says which event did it."""
    append(log, moved(note="secret"))
    append(log, erased((0, "/note")))
    with pytest.raises(ClaimTakenError, match="erased:0:/note is already taken by event 1"):
        append(log, erased((0, "/note")))


def test_one_event_does_not_erase_the_same_twice(log):
    """A path stands once in an erasure."""
    append(log, moved(note="secret"))
    with pytest.raises(ClaimTakenError):
        append(log, erased((0, "/note"), (0, "/note")))
    assert len(openings(log, 0)) == 1


def test_an_erasure_is_seen_in_its_own_transaction(log):
    """What comes later in the transaction no longer finds the opening; before, it does."""
    append(log, moved(note="secret"))

    def work(tx):
        before = len(tx.openings(0))
        tx.append(erased((0, "/note")))
        return before, list(tx.openings(0))

    assert log.transact(work) == (1, [])


def test_an_opening_of_the_same_transaction_is_never_written(log):
    """An event may be followed at once by its erasure."""

    def work(tx):
        tx.append(moved(note="secret"))
        tx.append(erased((0, "/note")))
        return list(tx.openings(0))

    assert log.transact(work) == openings(log, 0) == []
    assert log.read(lambda look: look.claimed("erased:0:/note")) == 1


def test_an_erasure_that_is_rolled_back_erases_nothing(log):
    """Work that raises leaves every opening where it was."""
    draft = moved(note="secret")
    append(log, draft)

    def work(tx):
        tx.append(erased((0, "/note")))
        raise KeyError("stop")

    with pytest.raises(KeyError):
        log.transact(work)
    assert openings(log, 0) == list(draft.openings)


def test_a_refused_erasure_can_be_caught_and_followed(log):
    """A refusal within the work takes nothing with it."""
    append(log, moved(note="secret"))

    def work(tx):
        with pytest.raises(DisclosureError):
            tx.append(erased((0, "/note"), (0, "/other")))
        tx.append(moved())

    log.transact(work)
    assert len(openings(log, 0)) == 1
    assert log.read(lambda look: look.claimed("erased:0:/note")) is None


def test_an_erased_opening_does_not_come_back(log):
    """A later event may commit to the same value under the same salt; the erased field stays closed."""
    draft = moved(note="secret")
    append(log, draft)
    append(log, erased((0, "/note")))
    append(log, draft)
    assert openings(log, 0) == []
    assert openings(log, 2) == [Opening("/note", draft.openings[0].salt, "secret")]


def test_gives_the_tags_that_begin_so(log):
    """Each tag once, in the order of their bytes; what merely looks alike is not among them."""
    append(
        log,
        *(
            moved(account, labels=(label,))
            for account, label in (("b", "x/1"), ("a", "x"), ("a", "x/\u00e9"), ("a", "y"))
        ),
    )
    log.transact(lambda tx: tx.append(moved("c", labels=("x/\U0001f600", "x/1"))))
    assert log.read(lambda look: list(look.tags("label:x/"))) == ["label:x/1", "label:x/\u00e9", "label:x/\U0001f600"]
    assert log.read(lambda look: list(look.tags("account:"))) == ["account:a", "account:b", "account:c"]
    assert log.read(lambda look: list(look.tags("label:%"))) == []

    def within(tx):
        tx.append(moved("d", labels=("x/2",)))
        return list(tx.tags("label:x/")), list(tx.tags("account:d"))

    assert log.transact(within) == (["label:x/1", "label:x/2", "label:x/\u00e9", "label:x/\U0001f600"], ["account:d"])


def test_finds_openings_by_their_salts(log):
    """Wherever a salt was used again; what was erased is not found, within the transaction neither."""
    one, other = moved(note="one"), moved(note="other")
    append(log, one, other, one, moved())
    salts = [draft.openings[0].salt for draft in (one, other)]

    def found(look, *wanted):
        return sorted(look.salted(wanted))

    assert log.read(lambda look: found(look, salts[0])) == [(0, "/note"), (2, "/note")]
    assert log.read(lambda look: found(look, *salts, *(bytes([n]) * 32 for n in range(256)))) == [
        (seq, "/note") for seq in range(3)
    ]
    assert log.read(lambda look: found(look, bytes(32))) == log.read(found) == []

    def work(tx):
        tx.append(one)
        tx.append(erased((0, "/note")))
        return found(tx, salts[0])

    assert log.transact(work) == [(2, "/note"), (4, "/note")] == log.read(lambda look: found(look, salts[0]))
