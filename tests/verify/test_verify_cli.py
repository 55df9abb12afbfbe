"""``tally-verify``: what is said, where it is said, and with which exit code."""

import io
import json

import pytest

from ledger import canon
from tools.dev.golden_bundle import FOLDER, ORIGIN
from verify.cli import main, run

DISCLOSED = str(FOLDER / "allow-by-consent-disclosed.bundle")
WITNESSED = str(FOLDER / "allow-by-consent-witnessed.bundle")
POLICY = ("--policy", str(FOLDER / "log.policy"))
SIGNERS = ("--signers", str(FOLDER / "human.signers"))


def test_verified_bundle_gives_one_line_for_each_check_and_exit_0(capsys):
    assert run(["bundle", DISCLOSED, *POLICY, *SIGNERS]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert lines[0] == "Checked the bundle of decision 16: allow, ALLOWED"
    assert "PASS         inclusion BLAKE3   8/8 events included under the BLAKE3 root of 36 events" in lines
    assert "VERIFIED: 13/15 checks made and passed; not checked: witnesses, absences." in lines
    assert lines[-1].startswith("Not proven: ")


def test_failed_bundle_exits_3_and_says_what_failed(capsys):
    assert run(["bundle", DISCLOSED, "--policy", str(FOLDER / "witnessed.policy")]) == 3
    out = capsys.readouterr().out
    assert "FAIL         witnesses" in out
    assert "FAILED: witnesses. Do not rely on this bundle." in out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["bundle", DISCLOSED, *POLICY, *SIGNERS], 6),
        (["bundle", DISCLOSED, *POLICY], 6),
        (["bundle", WITNESSED, "--policy", str(FOLDER / "witnessed.policy"), *SIGNERS], 6),
    ],
)
def test_strict_exits_6_where_fuller_files_would_allow_more(arguments, code, capsys):
    assert run(arguments) == 0
    assert run([*arguments, "--strict"]) == code


def test_strict_exits_0_where_only_a_whole_log_could_tell_more(case, tmp_path, capsys):
    from tools.dev.golden_bundle import cosign
    from verify.bundle import EVERYTHING

    note = cosign(case.stage.checkpoint())
    (tmp_path / "b").write_bytes(case.stage.bundle(case.told["allow-by-consent"], EVERYTHING, note))
    (tmp_path / "p").write_text(case.stage.policy(witnessed=True).text())
    assert run(["bundle", str(tmp_path / "b"), "--policy", str(tmp_path / "p"), *SIGNERS, "--strict"]) == 0
    assert "not checked: absences" in capsys.readouterr().out


def test_json_is_one_object_with_a_stable_code(capsys):
    assert run(["bundle", DISCLOSED, *POLICY, *SIGNERS, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["code"], told["verified"], told["decision"]) == ("verified", True, 16)
    assert told["checks"][1] == {
        "check": "events", "status": "PASS", "passed": 8, "total": 8,
        "why": "8/8 events canonical, of a known schema, in order",
    }  # fmt: skip


def test_bundle_is_read_from_standard_input(monkeypatch, golden, capsys):
    stdin = io.TextIOWrapper(io.BytesIO(golden("hold.bundle")))
    monkeypatch.setattr("sys.stdin", stdin)
    assert run(["bundle", "-", *POLICY]) == 0
    assert "decision 13: hold, CONSENT_REQUIRED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "data", "code", "said"),
    [
        ("missing", None, 1, "No such file or directory"),
        ("empty", b"", 1, "no evidence bundle"),
        ("text", b"Dear auditor\n", 1, "no evidence bundle"),
        ("json", b"{}\n", 1, "no evidence bundle"),
        ("half", b'{"checkpoint":"x', 1, "cut off"),
    ],
)
def test_file_that_is_no_bundle_exits_1_with_one_line(tmp_path, capsys, name, data, code, said):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    assert run(["bundle", str(tmp_path / name), *POLICY]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tally-verify: ")
    assert err.count("\n") == 1
    assert said in err
    assert run(["bundle", str(tmp_path / name), *POLICY, "--json"]) == code
    assert json.loads(capsys.readouterr().out)["code"] == "not-done"


def test_file_beyond_the_bound_exits_1(tmp_path, capsys):
    (tmp_path / "p").write_bytes(b"#" * 300_000)
    assert run(["bundle", DISCLOSED, "--policy", str(tmp_path / "p")]) == 1
    assert "has more than 262144 bytes" in capsys.readouterr().err


def test_bundle_in_another_spelling_exits_3(tmp_path, golden, capsys):
    (tmp_path / "b").write_bytes(json.dumps(json.loads(golden("hold.bundle")), indent=1).encode())
    assert run(["bundle", str(tmp_path / "b"), *POLICY]) == 3
    assert "FAIL         structure" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--policy", "nowhere"], "nowhere can't be read"),
        (["--policy", DISCLOSED], "line 1 of the policy"),
        ([*POLICY, "--signers", POLICY[1]], "line 1 of the allowed signers"),
        ([*POLICY, "--at", "today"], "not a time of the form"),
        (["--policy", str(FOLDER)], "can't be read"),
    ],
)
def test_trust_files_that_can_not_be_read_exit_1(options, said, capsys):
    assert run(["bundle", DISCLOSED, *options]) == 1
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["bundle", DISCLOSED], ["bundle"], ["nothing"], ["show", "--nothing"]])
def test_wrong_usage_exits_2(arguments, capsys):
    assert run(arguments) == 2
    assert "Usage:" in capsys.readouterr().err


def test_help_teaches_with_an_example_and_the_exit_codes(capsys):
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert "tally-verify bundle case-41.bundle --policy trusted.policy" in out
    assert all(f"\n    {code} " in out for code in (0, 1, 2, 3, 6, 130))
    assert run(["bundle", "--help"]) == 0
    assert "Example:" in capsys.readouterr().out


def test_nothing_ends_in_a_traceback(monkeypatch, capsys):
    for error, code in ((RuntimeError("x"), 1), (KeyboardInterrupt(), 130), (BrokenPipeError(), 1), (MemoryError(), 1)):
        monkeypatch.setattr("verify.cli.show.parse_bundle", raising(error))
        assert run(["show", DISCLOSED]) == code
    assert "Traceback" not in capsys.readouterr().err


def raising(error):
    def fail(data):
        raise error

    return fail


def test_main_exits_with_the_code(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["tally-verify", "show", DISCLOSED])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0


def test_show_tells_who_asked_what_was_answered_and_what_was_signed(capsys):
    assert run(["show", DISCLOSED]) == 0
    out = capsys.readouterr().out
    for said in (
        "None of it is verified here",
        f"Decision 16 of the log {ORIGIN}, at 2026-11-30T12:00:16.000000Z",
        "asked by      agent:ops-7, established by the operating system's user",
        "delete db://prod/users/42 (data, scope one; registered as db://prod/users/**, version 1)",
        "answer        ALLOW: ALLOWED",
        "VI VI.irreversible: require_consent, true",
        "signed by     human:ada, SHA256:",
        "    | tallystick consent.granted v1",
        '/reason     "looked at it"',
        "then          event 17, consent.consumed",
    ):
        assert said in out


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.bundle")))
def test_show_tells_every_published_bundle(name, capsys):
    assert run(["show", str(FOLDER / f"{name}.bundle")]) == 0
    assert capsys.readouterr().out.count("\n") > 8
    assert run(["show", str(FOLDER / f"{name}.bundle"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["code"] == "not-verified"


def test_show_writes_out_what_can_not_be_seen(case, tmp_path, capsys):
    hostile = "r-\u202e\x1b[2J\u200b\n1"
    forged = case.forger().edit(case.told["hold"], lambda e: e.update(request=hostile))
    (tmp_path / "b").write_bytes(forged.bundle(case.made("hold")).to_bytes())
    assert run(["show", str(tmp_path / "b")]) == 0
    out = capsys.readouterr().out
    assert r"r-\u202e\u001b[2J\u200b\u000a1" in out
    assert not {"\u202e", "\x1b", "\u200b"} & set(out)


def test_show_of_a_bundle_without_its_decision_exits_1(case, tmp_path, capsys):
    value = canon.decode(case.made("hold").to_bytes()[:-1])
    value["decision"] = 0
    (tmp_path / "b").write_bytes(canon.encode(value) + b"\n")
    assert run(["show", str(tmp_path / "b")]) == 1
    assert "no decision that can be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["bundle", "--json"], ["nothing", "--json"], ["bundle", "x", "--none", "--json"]]
)
def test_wrong_usage_is_an_object_too(capsys, arguments):
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (told["code"], told["verified"]) == ("usage", False)
    assert told["error"] in err


def test_keys_are_named_once(capsys):
    """Of two policies the last would count, and nobody would hear of the first."""
    other = ("--policy", str(FOLDER / "witnessed.policy"))
    assert run(["bundle", DISCLOSED, *POLICY, *other, *SIGNERS]) == 2
    assert run(["bundle", DISCLOSED, *POLICY, *SIGNERS, *SIGNERS, "--json"]) == 2
    assert "--signers stands twice" in capsys.readouterr().err
