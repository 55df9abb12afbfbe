FIXTURE = ("--shell", "rm tests/fixtures/a.json", "--cwd", "/srv/app")
STATS = ("--verb", "update", "--target", "db://prod/stats/7")


def test_each_rule_is_told_with_the_last_verdict_that_it_changed(desk):
    allowed = desk.decide("a", *FIXTURE).object["decision"]
    desk.decide("b", *FIXTURE)
    done = desk.run("constitution", "exercise", "--json")
    assert done.exit_code == 0
    rows = {row["rule"]: row for row in done.object["rules"]}
    assert rows["VI.disposable"]["changed"] == 2
    assert rows["VI.disposable"]["last_changed"]["event"] == allowed + 1
    assert "IX.mass-message" in done.object["never_changed"]
    assert done.object["decisions"] == 2


def test_people_read_which_never_did(desk):
    desk.decide("a", *FIXTURE)
    text = desk.run("constitution", "exercise").stdout
    assert text.startswith("1 decision; ")
    assert "never" in text
    line = next(line for line in text.splitlines() if line.startswith("VI.disposable"))
    assert line.split()[1:4] == ["permit", "1", "1"]


def test_an_event_that_is_not_there_is_refused(desk):
    assert "there is no event 9999" in desk.run("constitution", "exercise", "--since", 9999).error
