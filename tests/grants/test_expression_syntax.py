"""The compiler takes the language and nothing else, and raises nothing but its own error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grants.errors import ExpressionError, GrantError
from grants.expression import Choice, Expression, Flag, Interval, Name, Ref, compile_expression, explain
from grants.expression.domain import AttributeType
from grants.expression.lexis import MAX_BRACKETS, MAX_LENGTH
from grants.expression.tree import MAX_ATOMS, MAX_DEPTH

ATTRIBUTES: dict[str, AttributeType] = {
    "environment": Choice(("dev", "test", "prod")),
    "about_people": Flag(),
    "egress": Flag(),
    "count": Interval(0, 100),
    "domain": Name(),
    "target": Ref(),
}
CATEGORIES = {
    "live": compile_expression('environment == "prod"', ATTRIBUTES),
    "leak": compile_expression("egress or about_people", ATTRIBUTES),
}


def compiled(text: str) -> Expression:
    return compile_expression(text, ATTRIBUTES, CATEGORIES)


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ('environment == "prod"', {"environment"}),
        ('"prod" == environment', {"environment"}),
        ("environment != 'prod'", {"environment"}),
        ('environment in ("dev", "test")', {"environment"}),
        ('environment not in ["dev"]', {"environment"}),
        ("about_people", {"about_people"}),
        ("about_people == True", {"about_people"}),
        ("not (about_people and egress)", {"about_people", "egress"}),
        ("0 <= count < 7", {"count"}),
        ("count in (1, 2, 3)", {"count"}),
        ('domain == "pr\u043ed"', {"domain"}),
        ('present(domain) and under(target, "file:///")', {"domain", "target"}),
        ('target in ("file:///a", "env:PATH")', {"target"}),
        ("live or leak", {"environment", "egress", "about_people"}),
        ("True", set()),
        ("\n  live\n  and not leak\n", {"environment", "egress", "about_people"}),
    ],
)
def test_compiles_and_knows_what_it_reads(text: str, reads: set[str]) -> None:
    expression = compiled(text)
    assert expression.reads == reads
    assert expression.text == text


def test_knows_the_categories_that_it_uses_through_others() -> None:
    outer = compile_expression("live and count > 3", ATTRIBUTES, CATEGORIES)
    expression = compile_expression("not outer", ATTRIBUTES, {"outer": outer})
    assert expression.uses == {"outer", "live"}
    assert expression.reads == {"environment", "count"}
    assert (expression.atoms, expression.depth) == (2, 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"Submit order"', "constant and no condition"),
        ("1", "constant and no condition"),
        ("None", "constant and no condition"),
        ("environment", "not true or false by itself"),
        ("count", "not true or false by itself"),
        ('about_people and "x"', "constant and no condition"),
        ("enviroment == 'prod'", 'did you mean "environment"'),
        ("laek", 'did you mean "leak"'),
        ('environment == "prd"', 'did you mean "prod"'),
        ('environment in ("dev", "tst")', 'did you mean "test"'),
        ('environment == "pr\u043ed"', r"U\+043E CYRILLIC SMALL LETTER O"),
        ("environment == 1", "one of a few words"),
        ('environment < "prod"', "no order"),
        ("about_people < True", "no order"),
        ('domain >= "a"', "no order"),
        ('target > "file:///a"', "no order"),
        ('environment in ("dev")', "row of constants"),
        ('environment in "prod"', "row of constants"),
        ("environment in ()", "row of constants"),
        ("environment in (domain, 'dev')", "constant is wanted"),
        ("'dev' in environment", "attribute is wanted"),
        ("('dev', 'test') == environment", "constant is wanted"),
        ("about_people == 1", "True or False"),
        ("about_people == 'true'", "True or False"),
        ("count == True", "goes from 0 to 100"),
        ("count > 101", "goes from 0 to 100"),
        ("count == '7'", "goes from 0 to 100"),
        ("domain == 7", "which is a text"),
        ("domain == ''", "which is a text"),
        ("target == 'srv/app'", "a reference starts with its scheme"),
        ("target == 7", "which is a reference"),
        ('under(target, "file:///srv/app/**")', "which is a reference"),
        ('under(target, "file:///srv/../etc")', "may not be empty"),
        ('under(domain, "file:///srv")', "holds no reference"),
        ("under(target)", "only present"),
        ("under(target, domain)", "constant is wanted"),
        ("present()", "only present"),
        ("present('domain')", "attribute is wanted"),
        ("present(live)", "not compared"),
        ("present(domian)", 'did you mean "domain"'),
        ("live == True", "not compared"),
        ("environment == domain", "on one side"),
        ("'a' == 'a'", "on one side"),
        ("1 < 2 < count", "on one side"),
        ("about_people is True", 'use "=="'),
        ("about_people is not True", 'use "=="'),
        ("(about_people, egress)", "Tuple is not part"),
        ("[about_people]", "List is not part"),
        ("(about_people)(egress)", "only present"),
        ("about_people if egress else live", "IfExp is not part"),
        ("", "not a condition"),
        (" \n ", "not a condition"),
    ],
)
def test_refuses_what_is_no_condition_and_says_why(text: str, said: str) -> None:
    """Policy case C03 among them."""
    with pytest.raises(ExpressionError, match=said):
        compiled(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')", "__import__('os').system('true')", "open(target)", "eval('1')", "present.__class__",
        "present",
        "domain.upper() == 'A'", "environment[0] == 'p'", "lambda: True", "(lambda: True)()", "[x for x in (1,)]",
        "any(x for x in (1,))", "{1}", "{1: 2}", "f'{environment}' == 'prod'", "f'prod' == environment", "(x := True)",
        "await egress", "(yield)", "(yield egress)", "*egress", "present(*domain)", "present(name=domain)",
        "present(**domain)",
        "count + 1 == 2", "count == 1 + 1", "count == -1", "count == +1", "count == ~1", "-count == 1",
        "count == 2 ** 9",
        "count == 1.0", "count == 1e3", "count == 1j", "count == 0x10", "count == 0b1", "count == 007", "count == 1_0",
        "count == " + "9" * 4000, "count == 10 ** 10 ** 10", "environment == b'prod'", "environment == r'prod'",
        "environment == u'prod'",
        "environment == 'pr' 'od'", "environment == ('pr' \n 'od')", "environment == 'pr\\x6fd'",
        "environment == 'prod", 'a"b',
        "environment == '''prod'''", 'environment == "prod"# or True', "egress # and live", "egress; live",
        "egress\\\nor live",
        "egress\tor live", "egress\ror live", "egress\x0cor live", "egress\xa0or live", "egress\0", "\0",
        "egress or\u200b live", "\ud800",
        "domain == '\u202e'", "domain == '\ud800'", "domain == 'cafe\u0301'", "domain == '\0'", "\uff45gress",
        "\u0435gress", "egress = True",
        "egress == ...", "egress &  live", "egress | live", "egress ^ live", "!egress", "egress && live",
        "egress @ live", "egress, live",
        "egress or", "or egress", "egress egress", "not", "()", "egress)", "(egress", "[egress)", "egress)(live",
        "1in(1,)", "count==1or egress",
        "import os", "global egress", "del egress", "print", "None == environment", "environment == None",
        "if egress: live", "egress\nlive",
        "match", "_", "__class__", "True()", "True < count",
    ],
)  # fmt: skip
def test_refuses_every_form_beyond_the_language(text: str) -> None:
    with pytest.raises(ExpressionError):
        compiled(text)


def test_the_caps_hold_and_are_named() -> None:
    assert compiled("(" * MAX_BRACKETS + "egress" + ")" * MAX_BRACKETS).atoms == 1
    for text, said in [
        ("egress" + " " * MAX_LENGTH, "at most 4096 characters"),
        ("(" * (MAX_BRACKETS + 1) + "egress" + ")" * (MAX_BRACKETS + 1), "nested more than 32 deep"),
        ("(" * 4000, "nested more than 32 deep"),
        ("not " * (MAX_DEPTH + 1) + "egress", "64 levels"),
        ("not " * 1000 + "egress", "levels deep|nested too deeply"),
    ]:
        with pytest.raises(ExpressionError, match=said):
            compiled(text)
    assert compiled("not " * (MAX_DEPTH - 1) + "egress").depth == MAX_DEPTH


@pytest.mark.parametrize("error", [RecursionError, MemoryError, ValueError])
def test_an_overwhelmed_parser_is_a_refusal(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr("grants.expression.syntax.ast.parse", parse)
    with pytest.raises(ExpressionError, match="nested too deeply"):
        compiled("egress")


@pytest.mark.parametrize(("text", "said"), [("b or b", "2048 atoms and 23 levels"), ("b", "1 atoms and 65 levels")])
def test_categories_can_not_be_stacked_into_a_bomb(text: str, said: str) -> None:
    def stack() -> None:
        expression = compiled("egress")
        for _ in range(MAX_DEPTH + 1):
            expression = compile_expression(text, ATTRIBUTES, {"b": expression})

    with pytest.raises(ExpressionError, match=f"{said} with its categories, at most {MAX_ATOMS} and {MAX_DEPTH}"):
        stack()


def test_a_name_can_not_be_an_attribute_and_a_category() -> None:
    with pytest.raises(ExpressionError, match="both as an attribute and as a category"):
        compile_expression("egress", ATTRIBUTES, {"egress": CATEGORIES["live"]})


def test_a_condition_is_known_by_the_names_declared_for_it() -> None:
    with pytest.raises(ExpressionError, match='unknown name egress; known are "count"'):
        compile_expression("egress", {"count": Interval(0, 1)})


@pytest.mark.parametrize("values", [(), ("a", "a")])
def test_a_choice_has_values_and_each_once(values: tuple[str, ...]) -> None:
    with pytest.raises(ExpressionError):
        Choice(values)


@pytest.mark.parametrize(("low", "high"), [(1, 0), (-1, 1), (0, 2**53), (False, 1), (0, True)])
def test_an_interval_has_two_bounds_in_their_order(low: int, high: int) -> None:
    with pytest.raises(ExpressionError):
        Interval(low, high)


def test_atoms_are_shown_as_they_were_written() -> None:
    text = "'prod' == environment and not (0 <= count < 7) or environment in [ 'dev',\n 'test' ] or present( domain )"
    assert [atom for atom, _ in explain(compiled(text), {})] == [
        "'prod' == environment",
        "0 <= count",
        "count < 7",
        "environment in [ 'dev',  'test' ]",
        "present( domain )",
    ]


words = st.sampled_from([
    "environment", "count", "domain", "target", "about_people", "live", "and", "or", "not", "in", "==", "!=", "<", "<=",
    "(", ")", "[", "]", ",", "'prod'", '"dev"', "7", "True", "None", "present", "under", "'file:///a'", "is", "lambda",
    "if", "else", ":", ".", "+", "-", "f'x'", "=", ":=", "*", "\n", "#", "\\", "\0", "\u0435", "\ud800",
])  # fmt: skip


@given(
    st.lists(words, max_size=24).map(" ".join)
    | st.lists(words, max_size=24).map("".join)
    | st.text(st.characters(codec=None))
)
def test_only_our_errors_escape(text: str) -> None:
    try:
        assert compiled(text).text == text
    except GrantError as error:
        assert str(error).isascii()  # noqa: PT017 -- a text that compiles raises nothing, and both ways are right
