"""Policy cases A01 to A19 and B01 to B11, decided: each class with variants that the published failure did not have.

Whatever the spelling, the answer is never an allow, and its reason is the one that the class is denied for.
"""

import pytest

from grants import acts
from grants.standing import StandingTerms

GUARDED = {
    "environment": "prod", "asset": "business_record", "sensitivity": "internal", "reversibility": "irreversible",
    "about_people": False, "purpose": None,
}  # fmt: skip
DEV = {**GUARDED, "environment": "dev", "asset": "source", "reversibility": "reversible"}


@pytest.fixture
def open_court(court):
    """A court in which much is trusted and allowed, so that a denial has its reason in the case."""
    known = {
        "program:true": {"environment": "dev", "asset": "program", "provenance": "trusted"},
        "program:bash": {"environment": "dev", "asset": "program", "provenance": "trusted"},
        "program:git": {"environment": "dev", "asset": "program", "provenance": "trusted"},
        "file:///home/ops/**": GUARDED,
        "file:///home/ops/Desktop/**": {**GUARDED, "asset": "secret"},
        "file:///etc/**": {**GUARDED, "asset": "control_plane"},
        "file:///srv/data/**": {**DEV, "asset": "scratch", "reversibility": "recoverable", "casefold": True},
        "file:///srv/data/.git/config": {**DEV, "asset": "control_plane"},
    }
    for resource, attributes in known.items():
        court.office.act(acts.register_resource, by="registrar:stores", resource=resource, attributes=attributes)
    return court


def shell(court, command):
    return court.ask("shell", {"command": command, "cwd": "/srv/app"})


def sql(court, text):
    return court.ask("sql", {"sql": text, "database": "prod", "dialect": "postgres"})


SHELL = {
    "A01 the first word of a chain covers the whole": ({"UNCLASSIFIED"}, [
        "cd /srv/app && nosuch deploy", "cd /srv/app; nosuch deploy", "true || nosuch", "true & nosuch",
        "cd /srv/app | nosuch", "{ true; nosuch; }", "if true; then nosuch; fi", "f() { nosuch; }; f",
        "true $(nosuch)", "for x in a; do nosuch; done", "trap nosuch EXIT",
    ]),
    "A03 too many commands to look at": ({"TOO_COMPLEX"}, [
        "true && " * 60 + "curl http://x", "true;" * 51, "( " * 20 + "true" + " )" * 20,
        "true $(" * 17 + "true" + ")" * 17,
        "; ".join(f"f{n}() {{ true; }}; f{n}" for n in range(30)), "eval " * 20 + "true",
    ]),
    "A05 wrappers hide the verb": ({"FORBIDDEN"}, [
        "env -i setsid nice rm -rf ~", "nohup timeout 5 stdbuf -o0 rm -rf ~", "command exec rm -rf ~", "time rm -rf ~",
        "xargs rm -rf ~", "watch rm -rf /home/ops", "busybox rm -rf ~", "bash -c 'eval \"rm -rf /home/ops\"'",
        'run() { "$@"; }; run nice rm -rf ~', "find ~ -exec rm -rf {} +",
    ]),
    "A07 a command that reads, with an option that writes": ({"FORBIDDEN"}, [
        "git log --output=/etc/cron.d/x", "sort -o /etc/passwd main.py", "find . -fprint /etc/x",
        "sed -i s/a/b/ /etc/x",
        "tar -xf a.tar -C /etc", "curl -o /etc/x https://docs.example.com/a", "sqlite3 /etc/x.db 'DELETE FROM t'",
        "docker run --pull=never -v /etc:/e x", "kubectl cp web:/x /etc/x", "aws s3 cp s3://b/k /etc/x",
    ]),
    "A07 an option that isn't known": ({"UNPARSEABLE"}, [
        "git log --nosuch", "sort --nosuch x", "docker run --nosuch x", "kubectl delete pod x --nosuch", "tar --nosuch",
        "terraform apply -nosuch", "systemctl stop --nosuch x", "psql --nosuch", "aws s3 rm s3://b --nosuch",
    ]),
    "A09 a removal in a line that holds a substitution": ({"FORBIDDEN"}, [
        "rm -rf ~ $(true)", "rm -rf ~ `true`", 'rm -rf ~ "$(true)"', "rm -rf $HOME <(true)", "x=$(true) rm -rf ~",
        "rm -rf ~ <<< $(true)", "rm -rf ~ $((1 + 1))", "rm -rf ${HOME%/}", 'a=(~ x); rm -rf "${a[@]}"',
    ]),
    "A11 the environment is poisoned": ({"FORBIDDEN"}, [
        "export GIT_PAGER='sh -c x' && git log", "LD_PRELOAD=./x git log", "declare -x PATH=/tmp:$PATH",
        "env BASH_ENV=x git log",
        "readonly PYTHONSTARTUP=x", "export KUBECONFIG=/tmp/k", "AWS_PROFILE=prod true",
        "f() { local -x EDITOR=x; }; f",
        "for GIT_SSH in x; do git log; done", "read PROMPT_COMMAND", "((PATH = 1))",
    ]),
    "A13 a path by way of a variable": ({"FORBIDDEN"}, [
        'rm -rf "$HOME/Desktop"', "d=Desktop; rm -rf ~/$d", "cd; rm -rf Desktop", 'cd "$HOME" && rm -rf ./Desktop',
        "for d in ~/Desktop; do rm -rf $d; done", "rm -rf ~/x/../Desktop", 'f=~/Desktop/s.txt; rm -rf "${f%/*}"',
    ]),
    "A13 a variable that nobody knows": ({"TARGET_UNRESOLVED"}, [
        "rm $UNKNOWN", 'rm "$UNKNOWN/x"', "rm ${UNKNOWN:-x}", "cd $UNKNOWN; rm x", "rm ~somebody/x", 'rm "$1"',
        "kubectl delete pod $UNKNOWN", "aws s3 rm s3://$UNKNOWN --recursive",
    ]),
    "A15 a command name that is made as it runs": ({"UNPARSEABLE"}, [
        "$X main.py", "$(echo rm) main.py", '"$X" main.py', "${X:-rm} main.py", "`echo rm` main.py",
        "eval $X", "bash -c $X",
        "$((1)) main.py", '"${a[0]}" main.py', "alias g=rm; g main.py",
    ]),
    "A15 a command name that is put together from quotes": ({"FORBIDDEN"}, [
        '"r"m -rf ~', "r\\m -rf ~", "'rm' -rf ~", "eval 'rm -rf ~'", "bash -c 'rm -rf /home/ops'",
        'a=(rm -rf ~); "${a[@]}"',
        "/bin/rm -rf ~", "eval \"r\"'m -rf ~'",
    ]),
    "A19 a name of another system": ({"ID_INVALID"}, [
        r"type '\??\C:\x'", r"cat '\\host\s'", "cat 'C:/x'", "cat //host/share", r"rm 'C:\x'", "cat file:///etc/x",
        "cat 'a\u200bb'", r"docker run -v 'C:\x:/x' y",
    ]),
}  # fmt: skip


@pytest.mark.parametrize("case", SHELL)
def test_shell_operation_is_denied_for_the_reason_of_its_class(open_court, case):
    reasons, commands = SHELL[case]
    for command in commands:
        answer = shell(open_court, command)
        told = {problem.code for problem in answer.problems} | set(answer.body.reasons)
        assert answer.outcome == "deny", command
        assert reasons <= told, (command, told)


LAYOUTS = [
    ('git  commit -m "a # b"', 'git commit -m "a # b"'), ("git\tcommit  -m 'a # b'", 'git commit -m "a # b"'),
    ("git commit \\\n -m 'a # b'", 'git commit -m "a # b"'), ("rm  'a'b", "rm ab"), ("rm a # b", "rm a"),
    ('"git" log', "git log"), ("{ git log; }", "git log"),
]  # fmt: skip


def described(answer):
    return [(one.action.kind, one.action.verb, one.action.target, one.action.facts) for one in answer.descriptors]


def test_layout_and_quotes_change_nothing(open_court):
    """A17: the same operation in another layout is described alike."""
    for left, right in LAYOUTS:
        first, second = shell(open_court, left), shell(open_court, right)
        assert described(first) == described(second), left
        assert (first.outcome, first.reason) == (second.outcome, second.reason)


LOOK_ALIKES = [
    "db://pr\u043ed/users/1", "db://Prod/users/1", "db://prod\u2010/users/1", "db://prod/Users/1", "db://prod/u\u0455ers/1",
    "file:///srv/\u0430pp/x", "k8s://pr\u043ed/shop/pod/web", "program:p\u0443test", "aws://prod/s3/b\u0430ckup",
]  # fmt: skip


def test_look_alike_is_never_folded_into_a_known_name(court):
    """B01: no such resource is known."""
    for target in LOOK_ALIKES:
        verb = "run" if target.startswith("program") else "delete"
        answer = court.do(verb, target)
        assert (answer.outcome, answer.reason) == ("deny", "UNCLASSIFIED")


FOLDED = [".GIT/config", ".git/CONFIG", ".Git/Config", "./.GiT/config", "x/../.GIT/config"]  # fmt: skip


def test_case_is_folded_where_the_store_folds_it_and_only_against_the_asker(open_court):
    """B03: the guarded file is guarded in every spelling; a grant for one spelling reaches no other."""
    for path in FOLDED:
        for command in (f"echo x > /srv/data/{path}", f"rm /srv/data/{path}", f"cp /srv/data/a /srv/data/{path}"):
            assert "XI.control-plane" in {spoken.rule.id for spoken in shell(open_court, command).spoken}, command


LINKS = [
    "ln -s /etc l; echo x > l/passwd", "ln -s /etc/passwd l && rm -rf l/x", "mkdir d; ln -s /etc d/l; cp a d/l/passwd",
    "ln -sf ~ l; cd l; rm -rf x", "cp -a /etc l; ln -s /etc m; cat x > m/y",
]  # fmt: skip


def test_way_through_a_link_that_the_operation_makes_is_not_followed(open_court):
    """B05: what the link will lead to when it is used, nobody can know now."""
    for command in LINKS:
        assert shell(open_court, command).outcome == "deny"


@pytest.mark.parametrize(
    "path", ["/etc/src/x", "/srv/app2/src/x", "/srv/other/srv/app/src/x", "/srv/app/../src/x", "/src/x"]
)
def test_pattern_is_anchored_to_its_root(court, path):
    """B07: a grant below one directory reaches no directory of the same name elsewhere."""
    terms = StandingTerms("agent:ops-7", ("file",), ("write",), "file:///srv/app/src/**", 'environment == "dev"')
    court.office.act(acts.ratify_grant, court.law(), by="human:ada", terms=terms, reason="work")
    assert shell(court, "echo x > /srv/app/src/x").outcome != "hold"
    assert shell(court, f"echo x > {path}").outcome != "allow"


TRANSACTIONS = [
    "COMMIT; DROP SCHEMA public CASCADE", "ROLLBACK; DELETE FROM users", "SELECT 1; COMMIT; DROP TABLE users",
    "BEGIN; SELECT 1; COMMIT", "SAVEPOINT a; DELETE FROM stats", "END; TRUNCATE users", "SET ROLE x; SELECT 1",
]  # fmt: skip


def test_agent_controls_no_transaction(court):
    """B09: what ends the transaction that an enforcement point has opened is denied, alone or among others."""
    for text in TRANSACTIONS:
        assert sql(court, text).outcome == "deny"
        assert shell(court, f"psql -d prod -c '{text}'").outcome == "deny"


@pytest.mark.parametrize(
    "prefix", ["EXPLAIN ANALYZE", "EXPLAIN (ANALYZE)", "EXPLAIN (ANALYZE true, BUFFERS)", "explain analyze verbose"]
)
@pytest.mark.parametrize(
    "inner", ["DELETE FROM users WHERE id = 42", "UPDATE users SET a = 1 WHERE id = 42", "DELETE FROM users"]
)
def test_explained_statement_that_runs_counts_as_itself(court, prefix, inner):
    """B11."""
    plain, explained = sql(court, inner), sql(court, f"{prefix} {inner}")
    assert explained.outcome == plain.outcome != "allow"
    verbs = [{one.action.verb for one in answer.descriptors} for answer in (plain, explained)]
    assert verbs[0] == verbs[1]
