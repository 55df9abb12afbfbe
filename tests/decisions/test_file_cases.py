"""Policy cases B03, B05 and B07 in the form of files: spellings, links and anchors."""

import pytest

from grants import acts
from grants.standing import StandingTerms

SOURCE = {
    "environment": "dev", "asset": "source", "sensitivity": "internal", "reversibility": "reversible",
    "about_people": False, "purpose": None,
}  # fmt: skip


def register(court, resource, **attributes):
    court.office.act(
        acts.register_resource, by="registrar:stores", resource=resource, attributes={**SOURCE, **attributes}
    )


def write(court, path, **more):
    return court.ask("file", {"verb": "write", "path": path, "cwd": "/srv/r", **more})


def ratify(court, targets):
    terms = StandingTerms("agent:ops-7", ("file",), ("write",), targets, 'reversibility != "irreversible"')
    court.office.act(acts.ratify_grant, court.law(), by="human:ada", terms=terms, reason="releases")


@pytest.fixture
def folding(court):
    register(court, "file:///srv/r/**", casefold=True)
    register(court, "file:///srv/r/.git/config", asset="control_plane")
    return court


@pytest.mark.parametrize(
    "path",
    [".git/config", ".GIT/config", "/srv/r/.Git/CONFIG", "x/../.gIT/./config", ".git/conf\u0131g", ".\u0121it/config"],
)  # fmt: skip
def test_case_b03_another_spelling_is_the_same_file_where_the_store_folds(folding, path):
    expected = {".git/conf\u0131g": "allow", ".\u0121it/config": "allow"}.get(path, "deny")
    assert write(folding, path).outcome == expected


@pytest.mark.parametrize("path", [".git/config", ".GIT/config"])
def test_case_b03_moving_something_there_is_writing_it(folding, path):
    answer = folding.ask("file", {"verb": "move", "path": "/srv/r/a", "to": f"/srv/r/{path}"})
    assert answer.outcome == "deny"


def test_case_b03_a_store_that_does_not_fold_keeps_names_apart(court):
    register(court, "file:///srv/r/**")
    register(court, "file:///srv/r/.git/config", asset="control_plane")
    assert (write(court, ".GIT/config").outcome, write(court, ".git/config").outcome) == ("allow", "deny")


def test_case_b03_a_grant_reaches_no_other_spelling(folding):
    register(folding, "file:///srv/p/**", environment="prod", reversibility="recoverable", casefold=True)
    ratify(folding, "file:///srv/p/data/**")
    assert write(folding, "/srv/p/data/x").outcome == "allow"
    assert {write(folding, f"/srv/p/{name}/x").outcome for name in ("Data", "DATA", "dat\u0430")} == {"hold"}


@pytest.mark.parametrize(
    ("path", "outcome"),
    [("/srv/app2/src/x", "allow"), ("/srv/app2/lib/src/x", "hold"), ("/srv/app2/src2/x", "hold"),
     ("/srv/app2/src/../x", "hold"), ("/srv/app2/x/../src/y", "allow"), ("/srv/app2/SRC/x", "hold"),
     ("/etc/src/x", "deny"), ("/src/x", "deny")],
)  # fmt: skip
def test_case_b07_a_grant_is_anchored_where_it_says(court, path, outcome):
    register(court, "file:///srv/app2/**", environment="prod", reversibility="recoverable")
    ratify(court, "file:///srv/app2/src/**")
    assert write(court, path).outcome == outcome
