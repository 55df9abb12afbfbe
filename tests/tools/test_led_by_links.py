"""`.links` beside receipts and proof files, `tally log links`, and what `tally watch` is led by."""

import shutil

import pytest

from tests.stamping import Authority
from tests.tools.restoring import ROW
from verify.cli import run as verify


@pytest.fixture
def trusted(desk, tmp_path):
    """What an auditor took on trust before the key was replaced."""
    for name in ("policy", "signers"):
        shutil.copy(desk.ledger / name, tmp_path / f"auditor-{name}")
    return tmp_path / "auditor-policy", tmp_path / "auditor-signers"


def rotate(desk):
    done = desk.sign("key", "rotate", "--json")
    assert done.exit_code == 0, done.stderr
    return done.object


def test_files_beside_lead_the_old_policy_to_the_new_key(desk, trusted, capsys):
    rotate(desk)
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    event = desk.folder / "event"
    event.write_text(desk.run("log", "show", 1, "--bytes").stdout)
    for kind, words, more in (
        ("receipt", ("receipt", 1), ()),
        ("receipt", ("receipt", 1, "--form", "cose"), ("--event", str(event))),
        ("proof", ("log", "prove", 1), ()),
        ("proof", ("log", "prove", "--range", 0, 4), ()),
    ):
        file = desk.folder / f"file-{len(list(desk.folder.iterdir()))}"
        done = desk.run(*words, "-o", file, "--json")
        assert (done.exit_code, done.object["links"]) == (0, f"{file}.links"), done
        check = [kind, str(file), "--policy", str(trusted[0]), *more]
        led = [*check, "--links", f"{file}.links", "--signers", str(trusted[1])]
        assert (verify(check), verify(led)) == (3, 0), capsys.readouterr()
        assert verify([*check, "--links", f"{file}.links"]) == 3  # nobody is pinned
        assert "give --signers FILE" in capsys.readouterr().out
        assert verify([*check, "--signers", str(trusted[1])]) == 2  # nothing would use them


def test_stamped_checkpoint_of_a_later_key_is_led_to(desk, trusted, tmp_path, capsys):
    authority = Authority()
    (tmp_path / "roots.pem").write_bytes(authority.roots)
    rotate(desk)
    assert desk.decide("r1", *ROW).exit_code == 5
    size = desk.run("checkpoint", "--json").object["size"]
    with authority.served() as url:
        assert desk.run("stamp", "make", url, "--roots", tmp_path / "roots.pem").exit_code == 0
    assert desk.run("stamp", "show", size, "-o", tmp_path / "token").exit_code == 0
    (tmp_path / "note").write_text(desk.run("checkpoint", "show").stdout)
    assert desk.run("log", "links", "-o", tmp_path / "links").exit_code == 0
    words = ["stamp", tmp_path / "token", "--checkpoint", tmp_path / "note", "--roots", tmp_path / "roots.pem"]
    check = [*map(str, words), "--policy", str(trusted[0])]
    assert verify(check) == 3
    assert verify([*check, "--links", str(tmp_path / "links"), "--signers", str(trusted[1])]) == 0
    assert verify([*check, "--links", str(tmp_path / "links")]) == 3


def test_cut_file_of_links_verifies_nothing(desk, trusted, capsys):
    rotate(desk)
    file, links = desk.folder / "one.tlog-proof", desk.folder / "all.links"
    assert desk.run("receipt", 1, "-o", file).exit_code == 0
    assert desk.run("log", "links", "-o", links).exit_code == 0
    words = ["receipt", str(file), "--policy", str(trusted[0]), "--links", str(links), "--signers", str(trusted[1])]
    assert verify(words) == 0
    links.write_bytes(links.read_bytes()[:-1])
    assert verify(words) == 1
    assert desk.run("log", "links", "-o", links).exit_code == 1  # what is there is left as it is


def test_log_without_a_change_of_key_writes_no_links_beside(desk):
    file = desk.folder / "one.tlog-proof"
    done = desk.run("receipt", 1, "-o", file, "--json")
    assert (done.object["links"], list(desk.folder.glob("*.links"))) == (None, [])


def test_watcher_who_has_pinned_the_human_is_led_over_rotations(desk, trusted):
    """From a ledger's directory and from an export of it alike."""
    state, out = desk.folder / "seen", desk.folder / "export"

    def watch(source, *more):
        words = ("--policy", trusted[0], "--signers", trusted[1], "--state", state, "--once", "--json")
        done = desk.run("watch", source, *words, *more)
        assert done.exit_code == 0, done.error
        return done.object

    assert desk.run("checkpoint").exit_code == 0
    assert watch(desk.ledger)["seen"] == "first"
    for number, source in enumerate((desk.ledger, out)):
        said = rotate(desk)
        assert desk.decide(f"r{number}", *ROW).exit_code == 5
        assert desk.run("checkpoint").exit_code == 0
        assert source == desk.ledger or desk.run("export", out).exit_code == 0
        found = watch(source)
        assert (found["seen"], f"event {said['event']}, signed by human:ada" in found["followed"]) == ("grown", True)
        assert (watch(source)["seen"], watch(source)["followed"]) == ("same", None)
