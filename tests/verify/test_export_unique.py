"""Keys that stand twice are found among very many, and no others."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from verify.export import unique
from verify.export.trees import Trees
from verify.export.unique import UniqueKeys


@given(st.lists(st.text(max_size=3)))
def test_exactly_the_keys_that_stand_twice_are_found(keys):
    with UniqueKeys() as found:
        for seq, key in enumerate(keys):
            found.add(key, seq)
        expected = {(keys.index(key), seq) for seq, key in enumerate(keys) if keys.index(key) != seq}
        assert set(found.repeated()) == expected


def test_a_key_that_one_event_takes_twice_is_found():
    with UniqueKeys() as found:
        found.add("grant:a", 3)
        found.add("grant:a", 3)
        assert list(found.repeated()) == [(3, 3)]


def test_keys_in_files_are_found_as_those_in_memory(monkeypatch):
    monkeypatch.setattr(unique, "_HELD", 24)
    with UniqueKeys() as found:
        for seq in range(1000):
            found.add(f"k:{seq % 990}", seq)
        assert sorted(found.repeated()) == [(seq, seq + 990) for seq in range(10)]


def test_memory_does_not_grow_with_the_keys():
    """A hundred thousand keys take 2.4 MB of files, and less than that of memory at any time."""
    tracemalloc.start()
    try:
        with UniqueKeys() as found:
            for seq in range(100_000):
                found.add(f"request:agent:ops-7:{seq}", seq)
            assert list(found.repeated()) == []
            assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_trees_are_those_of_the_prover():
    from ledger import digest, mmr, rfc6962

    trees, own, twin = Trees(), [], []
    for seq in range(70):
        data = f"event {seq}".encode()
        own_nodes, own = mmr.append(digest.BLAKE3_TREE, seq, digest.BLAKE3_TREE.leaf(seq, data), own)
        twin_nodes, twin = mmr.append(digest.SHA256_TREE, seq, digest.SHA256_TREE.leaf(seq, data), twin)
        expected = [(left, right) for (_, left), (_, right) in zip(own_nodes, twin_nodes, strict=True)]
        assert trees.add(data) == expected
        assert trees.roots() == (digest.root(seq + 1, own), rfc6962.root(twin))
    assert Trees().roots() == (digest.root(0, []), rfc6962.EMPTY_ROOT)
