"""Case B05: what was decided is opened, or nothing is, whatever is done to the tree after the decision.

Each attack is done between the decision and the effect; without it the same effect goes through.
"""

import os
import shutil

import pytest

from decisions.errors import EnforcementError
from decisions.operation import Operation
from decisions.pep import EnforcementPoint, GovernanceDenied
from decisions.record import DecisionPoint
from grants import acts
from tools.operations import follow_links, identify

DISPOSABLE = {
    "environment": "test", "asset": "test_fixture", "sensitivity": "internal", "reversibility": "recoverable",
    "about_people": False, "purpose": None,
}  # fmt: skip


@pytest.fixture
def tree(court, tmp_path):
    """A registered tree with a file and a directory in it, and a secret outside of it."""
    root = tmp_path.resolve() / "data"
    (root / "d").mkdir(parents=True)
    (root / "d" / "f").write_text("old")
    outside = tmp_path.resolve() / "outside"
    outside.mkdir()
    (outside / "f").write_text("secret")
    for place, attributes in ((root, DISPOSABLE), (outside, {**DISPOSABLE, "asset": "secret"})):
        court.office.act(
            acts.register_resource, by="registrar:stores", resource=f"file://{place}/**", attributes=attributes
        )
    return root


@pytest.fixture
def outside(tree):
    return tree.parent / "outside"


@pytest.fixture
def point(court):
    inner = DecisionPoint(
        court.office.log, court.office.registry, home="/home/ops", resolver=follow_links, identifier=identify
    )
    return EnforcementPoint(inner, uid=1001, within=30)


def write(path):
    return Operation("file", {"verb": "write", "path": str(path), "cwd": "/"})


def put(permit, path, text="new"):
    found = permit.open(f"file://{path}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(found, "w") as file:
        file.write(text)


@pytest.mark.parametrize("name", ["d/f", "d/new"])
def test_what_was_decided_is_opened(point, tree, name):
    with point.enforce(write(tree / name)) as permit:
        put(permit, tree / name)
    assert (tree / name).read_text() == "new"


def test_what_a_link_led_to_is_opened(point, tree):
    (tree / "l").symlink_to(tree / "d")
    with point.enforce(write(tree / "l" / "f")) as permit:
        put(permit, tree / "l" / "f")
    assert (tree / "d" / "f").read_text() == "new"


@pytest.mark.parametrize("way", ["l", "l/x/..", "./l", "d/../l"])
def test_a_link_that_leads_out_is_decided_by_where_it_leads(point, tree, outside, way):
    (tree / "l").symlink_to(outside)
    (outside / "x").mkdir()
    with pytest.raises(GovernanceDenied):
        point.ask(write(f"{tree}/{way}/f"))


def swap_file(tree, outside):
    (tree / "d" / "f").unlink()
    (tree / "d" / "f").write_text("another")


def rewrite(tree, outside):
    (tree / "d" / "f").write_text("another")


def link_file(tree, outside):
    (tree / "d" / "f").unlink()
    (tree / "d" / "f").symlink_to(outside / "f")


def hard_link(tree, outside):
    (tree / "d" / "f").unlink()
    (tree / "d" / "f").hardlink_to(outside / "f")


def link_parent(tree, outside):
    shutil.rmtree(tree / "d")
    (tree / "d").symlink_to(outside)


def swap_parent(tree, outside):
    (tree / "d").rename(tree / "old")
    shutil.copytree(outside, tree / "d")


def link_root(tree, outside):
    tree.rename(tree.parent / "moved")
    tree.symlink_to(outside.parent / "outside")


def make_directory(tree, outside):
    (tree / "d" / "f").unlink()
    (tree / "d" / "f").mkdir()


def make_pipe(tree, outside):
    (tree / "d" / "f").unlink()
    os.mkfifo(tree / "d" / "f")


def remove(tree, outside):
    (tree / "d" / "f").unlink()


ATTACKS = [
    swap_file, rewrite, link_file, hard_link, link_parent, swap_parent, link_root, make_directory, make_pipe, remove,
]  # fmt: skip


def untouched(tree, outside):
    return (outside / "f").read_text() == "secret"


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_file_that_is_another_one_now_is_not_opened(point, tree, outside, attack):
    permit = point.ask(write(tree / "d" / "f"))
    attack(tree, outside)
    with pytest.raises(GovernanceDenied, match="not what it was"), permit:
        put(permit, tree / "d" / "f")
    assert untouched(tree, outside)
    assert sorted(path.name for path in outside.iterdir()) == ["f"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_file_that_is_another_one_now_is_not_removed(point, tree, outside, attack):
    permit = point.ask(Operation("file", {"verb": "delete", "path": str(tree / "d" / "f")}))
    attack(tree, outside)
    with (
        pytest.raises(GovernanceDenied, match="not what it was"),
        permit,
        permit.directory(f"file://{tree}/d/f") as (held, name),
    ):
        os.unlink(name, dir_fd=held)
    assert untouched(tree, outside)


def appear(tree, outside):
    (tree / "d" / "new").write_text("theirs")


def appear_as_link(tree, outside):
    (tree / "d" / "new").symlink_to(outside / "f")


def appear_as_dangling_link(tree, outside):
    (tree / "d" / "new").symlink_to(outside / "made")


@pytest.mark.parametrize(
    "attack", [appear, appear_as_link, appear_as_dangling_link, link_parent, swap_parent, link_root]
)
def test_what_was_absent_is_made_and_never_found(point, tree, outside, attack):
    permit = point.ask(write(tree / "d" / "new"))
    attack(tree, outside)
    with pytest.raises(GovernanceDenied, match="not what it was"), permit:
        put(permit, tree / "d" / "new")
    assert sorted(path.name for path in outside.iterdir()) == ["f"]
    assert untouched(tree, outside)


def test_what_was_absent_is_not_opened_without_making_it(point, tree):
    permit = point.ask(write(tree / "d" / "new"))
    with pytest.raises(GovernanceDenied, match="was not there"), permit:
        permit.open(f"file://{tree}/d/new", os.O_WRONLY)


def test_a_file_is_removed_by_its_directory(point, tree):
    with (
        point.enforce(Operation("file", {"verb": "delete", "path": str(tree / "d" / "f")})) as permit,
        permit.directory(f"file://{tree}/d/f") as (held, name),
    ):
        os.unlink(name, dir_fd=held)
    assert not (tree / "d" / "f").exists()


def test_a_refusal_at_use_is_reported_as_failed(court, point, tree, outside):
    permit = point.ask(write(tree / "d" / "f"))
    link_file(tree, outside)
    with pytest.raises(GovernanceDenied) as denied, permit:
        put(permit, tree / "d" / "f")
    assert denied.value.outcome == "deny"
    assert court.types()[-1] == "outcome.reported"


def test_what_no_verdict_names_is_not_opened(point, tree, outside):
    with point.enforce(write(tree / "d" / "f")) as permit:
        for target in (f"file://{outside}/f", f"file://{tree}/d", f"file://{tree}/d/../d/f"):
            with pytest.raises(EnforcementError, match="names no"):
                permit.open(target, os.O_RDONLY)


def test_without_an_identifier_nothing_is_opened(court, tree):
    point = EnforcementPoint(DecisionPoint(court.office.log, court.office.registry), uid=1001, within=30)
    with point.enforce(write(tree / "d" / "f")) as permit, pytest.raises(EnforcementError, match="nobody has said"):
        permit.open(f"file://{tree}/d/f", os.O_RDONLY)


def test_the_answer_hands_the_objects_back(court, tree):
    (tree / "l").symlink_to(tree / "d")
    point = DecisionPoint(court.office.log, court.office.registry, resolver=follow_links, identifier=identify)
    court.point = point
    answer = court.ask("file", {"verb": "move", "path": str(tree / "l" / "f"), "to": str(tree / "a" / "b")})
    status = (tree / "d" / "f").stat()
    told = {one["reference"]: one for one in answer.to_json()["objects"]}
    assert told[f"file://{tree}/d/f"] == {
        "reference": f"file://{tree}/d/f", "kind": "file", "device": str(status.st_dev), "inode": str(status.st_ino),
        "changed": str(status.st_ctime_ns),
        "missing": 0,
    }  # fmt: skip
    assert (told[f"file://{tree}/a/b"]["kind"], told[f"file://{tree}/a/b"]["missing"]) == ("absent", 2)
    assert answer.to_json()["resolved"] == [[f"file://{tree}/l/f", f"file://{tree}/d/f"]]
