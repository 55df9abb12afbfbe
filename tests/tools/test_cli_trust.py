import pytest

SEE = (
    "trust",
    "observe",
    "--as",
    "sensor:reading-room",
    "--system",
    "agent:companion",
    "--counterpart",
    "person:reader-31",
    "--domain",
    "library",
)


@pytest.fixture
def see(desk):
    def observed(interaction, *words):
        given = [*SEE, "--key", desk.key("sensor-reading-room"), "--interaction", interaction]
        # What a test says itself stands instead of what is said otherwise: an option stands once.
        kept = [pair for pair in zip(given[2::2], given[3::2], strict=True) if pair[0] not in words]
        return desk.run(*given[:2], *(word for pair in kept for word in pair), *words, "--json")

    return observed


def standing(desk):
    (one,) = desk.run("trust", "show", "--system", "agent:companion", "--json").objects
    return one


def test_a_qualifying_interaction_counts(desk, see):
    done = see("i1", "--c-inst", "0.88", "--qualifying")
    assert (done.exit_code, done.object["counted"], done.object["n"]) == (0, True, 1)
    now = standing(desk)
    assert (now["n"], now["c_inst"]) == (1, 880_000_000_000_000)
    assert now["c_eff"] == now["c_ctx"] == 18_681_995_162_131
    assert now["open"] == ["refuge"]


def test_an_interaction_counts_once(desk, see):
    """Policy case I05."""
    first = see("i1", "--c-inst", "0.88", "--qualifying").object
    size = desk.size()
    again = see("i1", "--c-inst", "0.12", "--qualifying")
    assert (again.exit_code, again.object["repeated"], again.object["event"]) == (0, True, first["event"])
    assert desk.size() == size
    words = (*SEE, "--key", desk.key("sensor-reading-room"), "--interaction", "i1", "--c-inst", "1")
    assert "it counts once" in desk.run(*words).stdout


def test_an_interaction_id_of_another_domain_is_refused(desk, see):
    see("i1", "--c-inst", "0.88")
    done = see("i1", "--domain", "care", "--c-inst", "0.88")
    assert done.exit_code == 1
    assert "another domain" in done.error


def test_what_does_not_qualify_brings_a_reading_and_earns_nothing(desk, see):
    assert see("i1", "--c-inst", "0.88").object["counted"] is False
    assert (standing(desk)["n"], standing(desk)["c_inst"]) == (0, 880_000_000_000_000)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-0.1", "1.1", "1e-3", ".5", "0.8800000000000001", "", "x"])
def test_what_is_no_fraction_is_refused_and_nothing_is_recorded(desk, see, text):
    size = desk.size()
    done = see("i1", "--c-inst", text)
    assert done.exit_code == 2
    assert "--missing" in done.error
    assert desk.size() == size


def test_a_missing_reading_is_recorded_where_that_is_said_and_counts_as_nothing(desk, see):
    see("i1", "--c-inst", "0.88", "--qualifying")
    done = see("i2", "--c-inst", "nan", "--missing", "--qualifying")
    assert (done.exit_code, done.object["counted"]) == (0, False)
    assert (standing(desk)["c_inst"], standing(desk)["c_eff"]) == (0, 0)


def test_neither_a_reading_nor_missing_is_wrong_usage(see):
    assert see("i1", "--qualifying").exit_code == 2


@pytest.mark.parametrize(("text", "units"), [("1", 10**15), ("0", 0), ("0.000000000000001", 1), ("0.1", 10**14)])
def test_a_decimal_is_read_exactly(desk, see, text, units):
    assert see("i1", "--c-inst", text).exit_code == 0
    assert standing(desk)["c_inst"] == units


def test_a_reading_of_the_future_is_refused(desk, see):
    size = desk.size()
    done = see("i1", "--c-inst", "0.88", "--taken", "2999-01-01T00:00:00.000000Z")
    assert done.exit_code == 1
    assert "clock" in done.error
    assert desk.size() == size


def test_a_stale_reading_counts_as_nothing(desk, see):
    assert see("i1", "--c-inst", "0.88", "--taken", "2026-01-01T00:00:00.000000Z").exit_code == 0
    now = standing(desk)
    assert (now["c_inst"], now["c_eff"]) == (0, 0)
    assert now["age_seconds"] > 900


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (("--as", "agent:companion"), "sensor"),
        (("--as", "sensor:nobody"), "not registered"),
        (("--system", "agent:nobody"), "not registered"),
        (("--counterpart", "a|b"), "trust key"),
        (("--domain", "pr\u200bivate"), "U+200B"),
    ],
)
def test_who_and_what_can_not_be_observed(see, words, about):
    done = see("i1", "--c-inst", "0.88", *words)
    assert done.exit_code == 1
    assert about in done.error


def test_another_key_than_the_sensors_is_refused(desk, see):
    done = see("i1", "--c-inst", "0.88", "--key", desk.key("human-ada"))
    assert done.exit_code == 1
    assert "no key of sensor:reading-room" in done.error


def test_people_see_the_ladder(desk, see):
    assert "Nothing was observed" in desk.run("trust", "show").stdout
    see("i1", "--c-inst", "0.88", "--qualifying")
    text = desk.run("trust", "show").stdout
    assert "person:reader-31" in text
    assert "s ago" in text
    lines = {line.split()[0]: line for line in text.splitlines() if line}
    assert "open" in lines["refuge"]
    assert "from 0.70" in lines["befriend"]
    assert "unmet" in lines["befriend"]
    assert "closed" in lines["romance"]


def test_show_can_be_narrowed(desk, see):
    see("i1", "--c-inst", "0.88")
    see("i2", "--c-inst", "0.88", "--domain", "care")
    assert len(desk.run("trust", "show", "--json").objects) == 2
    (one,) = desk.run("trust", "show", "--domain", "care", "--json").objects
    assert one["domain"] == "care"
    assert desk.run("trust", "show", "--counterpart", "person:other", "--json").objects == []


SPEAK = ("decide", "--as", "agent:companion", "--person", "reader-31", "--json")


@pytest.fixture
def trusted(see):
    """Trust in the library that opens the first step of the ladder."""
    for number in range(10):
        see(f"i{number}", "--c-inst", "0.88", "--qualifying")


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("request_id", "words", "code"),
    [
        ("r1", ("--session-domain", "library"), 0),
        ("r2", ("--session-domain", "care"), 4),
        ("r3", (), 4),
    ],
)
def test_trust_counts_in_its_domain_alone(desk, request_id, words, code):
    """Policy case I03."""
    done = desk.run(*SPEAK, "--request", request_id, "--say", "inform", *words)
    assert done.exit_code == code
    assert done.object["reason"] == ("TRUST_FLOOR" if code else "ALLOWED")


@pytest.mark.usefixtures("trusted")
def test_a_domain_that_only_the_payload_names_is_no_domain(desk):
    """Policy case I03: the domain comes from the trusted side."""
    register = ("resource", "add", "person:reader-31/library", "--set", "asset=person")
    assert desk.sign(*register).exit_code == 0
    done = desk.run(*SPEAK, "--request", "r1", "--say", "inform", "--domain", "library")
    assert (done.exit_code, done.object["reason"]) == (4, "TRUST_FLOOR")


def test_no_consent_lifts_a_trust_floor(desk):
    """Policy case I07."""
    speak = ("--say", "befriend", "--person", "reader-31", "--session-domain", "library")
    words = ("--as", "agent:companion", "--through", "service:gateway", "--for", "1h", "--reason", "x")
    done = desk.sign("grant", "issue", *speak, *words)
    assert done.exit_code == 1
    assert "TRUST_FLOOR" in done.error
    assert desk.run(*SPEAK, "--request", "r1", *speak[:2], *speak[4:]).object["request"] is None
