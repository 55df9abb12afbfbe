"""References and patterns: one spelling, component-wise containment, no folding."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grants.errors import GrantError, ReferenceSyntaxError
from grants.reference import (
    MAX_DEPTH,
    MAX_LENGTH,
    Pattern,
    Reference,
    candidates,
    file,
    folded,
    is_under,
    member,
    parse,
    url,
)

CANONICAL = [
    "file:///", "file:///a", "file:///srv/app/100%/a b", "file:///srv/*.txt", "file:///.git/config", "file:///a/...",
    "file:///%2e%2e/x", "file:///pr\u043ed", "db://prod", "db://prod/users/42", "db://prod/Order Details",
    "https://example.com", "https://example.com:8443/a/b", "http://example.com:443", "http://1.2.3.4/x",
    "http://[2001:db8::1]:8080/x", "http://[::1]", "https://xn--bcher-kva.example/caf%C3%A9", "https://xn--fa-hia.de",
    "https://a_b.internal/x:y@z;v=1,2", "https://h/a%20b", "https://h/~user", "program:git", "env:PATH",
    "person:p-7", "person:p-7/care", "message:ops/alerts", "message:kim@example.com", "tool:mcp__db__query",
    "ledger:grants/g1", "subject:p-7",
]  # fmt: skip

REFUSED = [
    "", "/", "a", "file", "file:", "file:/", "file:/a", "file://", "file:////", "file://a", "file://host/share",
    "file:///a/",
    "file:///a//b", "file:///./a", "file:///a/..", "file:///..", "file:///a\\b", "file:///\\??\\C:", "FILE:///a",
    "file:///a/**",
    "file:///**", "file:///a ", "file:/// a", "file:///a\nb", "file:///a\0", "file:///a\u200bb", "file:///cafe\u0301",
    "file:///a\ud800", " file:///a", "fiel:///a", "db:prod", "db://", "db:///a", "db://prod/", "db://prod//a",
    "db://pr/../x",
    "https:example.com", "https://", "https:///a", "https://example.com/", "https://Example.com",
    "https://example.com.",
    "https://example.com..", "https://.example.com", "https://a..b", "https://-a.com", "https://a-.com",
    "https://example.com:443",
    "http://example.com:80/a", "https://example.com:", "https://example.com:0", "https://example.com:08",
    "https://example.com:65536",
    "https://example.com:x", "https://example.com:+1", "https://u@example.com", "https://u:p@example.com",
    "https://@example.com",
    "https://example.com/a?b", "https://example.com/a#b", "https://example.com?b", "https://example.com/a/",
    "https://example.com//a",
    "https://example.com/./a", "https://example.com/../a", "https://example.com/%2e%2e/a", "https://example.com/%2E",
    "https://h/a%2fb",
    "https://h/a%2Fb", "https://h/a%5Cb", "https://h/a%252Fb", "https://h/%252e%252e/b", "https://h/%00",
    "https://h/%0a",
    "https://h/%", "https://h/%4", "https://h/%zz", "https://h/%7Euser", "https://h/caf%c3%a9",
    "https://h/caf\u00e9", "https://h/a b",
    "https://h/**", "https://b\u00fccher.example", "https://\u0435xample.com", "https://127.1", "https://0x7f.1",
    "https://2130706433",
    "https://0177.0.0.1", "https://1.2.3.4.5", "https://1.2.3.256", "https://01.2.3.4", "https://example.0x1",
    "https://[::1",
    "https://[::0001]", "https://[0:0:0:0:0:0:0:1]", "https://[::ABCD]", "https://[::ffff:1.2.3.4]",
    "https://[::ffff:102:304]",
    "https://[fe80::1%25eth0]", "https://[fe80::1%eth0]", "https://[]", "https://[::1]x", "https://[1.2.3.4]",
    "https://::1",
    "https://xn--" + "\u00dc".encode("punycode").decode(),
    "https://xn--", "https://xn--a", "https://xn--a-.com", "https://xn--99999999", "https://" + "a" * 64 + ".com",
    "https://" + "a." * 130 + "com", "https://h/" + "%2525252525252541", "program:", "program:a/b", "env:", "env:A/B",
    "subject:p/x", "person:", "person:p/a/b", "person:p/", "message:", "message:a//b", "tool:..", "ledger:.",
    "tool:**", "ftp://h/a",
    "javascript:x", "program: git",
]  # fmt: skip

part_text = st.text(string.ascii_letters + string.digits + " .%*-_\u00e9\u043e", min_size=1, max_size=8).filter(
    lambda part: part not in {".", "..", "**"} and part == part.strip(" "),
)
files = st.lists(part_text, max_size=6).map(lambda parts: Reference("file", "", tuple(parts)))
stores = st.lists(part_text, min_size=1, max_size=5).map(lambda parts: Reference("db", parts[0], tuple(parts[1:])))
web_part = st.text(string.ascii_letters + string.digits + "-_~!:", min_size=1, max_size=6)
webs = st.lists(web_part, max_size=4).map(lambda parts: Reference("https", "example.com:8443", tuple(parts)))
references = files | stores | webs


@pytest.mark.parametrize("text", CANONICAL)
def test_a_canonical_reference_is_itself(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize("text", REFUSED)
def test_refuses_every_other_spelling(text: str) -> None:
    with pytest.raises(ReferenceSyntaxError):
        parse(text)


@given(references)
def test_parse_and_print_are_inverse(reference: Reference) -> None:
    assert parse(str(reference)) == reference


def test_a_reference_can_not_be_made_of_parts_that_parse_refuses() -> None:
    for scheme, authority, parts in [
        ("file", "", ("a/b",)),
        ("file", "host", ()),
        ("https", "h", ("..",)),
        ("nope", "a", ()),
        ("program", "", ()),
    ]:
        with pytest.raises(ReferenceSyntaxError):
            Reference(scheme, authority, parts)


def test_the_caps_are_named() -> None:
    deepest = "file:///" + "/".join("a" * MAX_DEPTH)
    assert len(parse(deepest).parts) == MAX_DEPTH
    with pytest.raises(ReferenceSyntaxError, match="at most 64 parts"):
        parse(deepest + "/a")
    longest = "file:///" + "a" * (MAX_LENGTH - 8)
    assert str(parse(longest)) == longest
    with pytest.raises(ReferenceSyntaxError, match="longer than 4096 characters"):
        parse(longest + "a")
    with pytest.raises(ReferenceSyntaxError, match="longer than 4096 characters"):
        file("a" * 4000, cwd="/" + "b" * 200)


def test_names_the_nearest_scheme() -> None:
    with pytest.raises(ReferenceSyntaxError, match='did you mean "file"'):
        parse("flie:///a")


def test_a_look_alike_is_another_name_and_is_shown_by_its_code_points() -> None:
    """Policy case B01."""
    assert parse("db://pr\u043ed-db") != parse("db://prod-db")
    assert parse("db://Prod-DB") != parse("db://prod-db")
    assert not Pattern.parse("db://prod-db/**").covers(parse("db://pr\u043ed-db/users"))
    with pytest.raises(ReferenceSyntaxError, match=r"U\+043E CYRILLIC SMALL LETTER O"):
        parse("https://pr\u043ed.example")


def test_folding_serves_comparison_only() -> None:
    """Policy case B03."""
    assert folded("file:///r/.GIT/config") == folded("file:///r/.git/config")
    assert folded("STRASSE") == folded("stra\u00dfe")
    assert parse("file:///r/.GIT/config") != parse("file:///r/.git/config")
    assert not Pattern.parse("file:///r/.git/**").covers(parse("file:///r/.GIT/config"))


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("/", None, "file:///"),
        ("/a/", None, "file:///a"),
        ("/a//b/./c/..", None, "file:///a/b"),
        ("/../..", None, "file:///"),
        ("///etc", None, "file:///etc"),
        ("x", "/srv", "file:///srv/x"),
        (".", "/srv/", "file:///srv"),
        ("..", "/", "file:///"),
        ("../../../etc/passwd", "/srv/app", "file:///etc/passwd"),
        ("./~", "/srv", "file:///srv/~"),
        ("a:b", "/srv", "file:///srv/a:b"),
        ("/a", "not used", "file:///a"),
    ],
)
def test_a_path_is_followed_by_its_letters(path: str, cwd: str | None, expected: str) -> None:
    assert str(file(path, cwd)) == expected


@pytest.mark.parametrize(
    ("path", "cwd"),
    [
        ("x", None), ("", "/"), ("x", "srv"), ("x", ""), ("x", "~"), ("x", "C:\\"), ("\\??\\C:\\x", "/"),
        ("\\\\host\\s", "/"),
        ("//host/s", None), ("C:\\x", "/"), ("C:/x", "/"), ("C:", "/"), ("a\\b", "/"), ("~", "/"), ("~kim/x", "/"),
        ("file:///etc", "/"),
        ("https://h/a", "/"), ("a\0b", "/"), ("a\nb", "/"), ("/a\u202eb", None), ("/a\udcff", None), ("/**", None),
        ("/a ", None),
    ],
)  # fmt: skip
def test_refuses_a_path_that_has_no_one_meaning_here(path: str, cwd: str | None) -> None:
    """Policy case A19 among them: no path of another system falls back to a relative one."""
    with pytest.raises(ReferenceSyntaxError):
        file(path, cwd)


@given(st.lists(st.sampled_from(["a", "b", "..", ".", ""]), max_size=8))
def test_a_path_never_leaves_the_root_and_is_canonical(parts: list[str]) -> None:
    reference = file("/x/" + "/".join(parts))
    assert parse(str(reference)) == reference


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://example.com", "http://example.com"),
        ("http://example.com./", "http://example.com"),
        ("HTTPS://EXAMPLE.com:443/A?q#f", "https://example.com/A"),
        ("https://example.com:8443/a/", "https://example.com:8443/a"),
        ("https://example.com?x=/../", "https://example.com"),
        ("https://example.com#@evil", "https://example.com"),
        ("https://B\u00dcCHER.example/caf\u00e9", "https://xn--bcher-kva.example/caf%C3%A9"),
        ("https://XN--BCHER-KVA.example", "https://xn--bcher-kva.example"),
        ("https://h/%7euser/%c3%a9|x", "https://h/~user/%C3%A9%7Cx"),
        ("http://[2001:DB8:0::1]:80/x", "http://[2001:db8::1]/x"),
        ("http://10.0.0.1:8080/x", "http://10.0.0.1:8080/x"),
        ("http://169.254.169.254/latest/meta-data", "http://169.254.169.254/latest/meta-data"),
    ],
)
def test_a_url_comes_in_its_one_spelling(text: str, expected: str) -> None:
    assert str(url(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "example.com", "//example.com", "http:/example.com", "http:example.com", "http:///a",
        "ftp://example.com", "file:///etc",
        "https://docs.example.com@evil.tld/", "https://u:p@example.com/", "https://example.com\\@evil.tld/",
        "https://example.com/a b",
        "https://exa\tmple.com", "https://example.com/\n", " https://example.com", "https://example.com/a/../b",
        "https://example.com/%2e%2e/b", "https://example.com/.%2E/b", "https://example.com//a",
        "https://example.com/a%2fb", "https://h/%",
        "https://h/a%5c..", "https://h/%00", "https://h/%e2%80%8b", "http://127.1/", "http://0x7f.0.0.1/",
        "http://017700000001/",
        "http://2130706433", "http://[::ffff:169.254.169.254]/", "http://[fe80::1%eth0]/", "http://[::1",
        "http://[v1.x]/",
        "http://fa\u00df.de/", "http://\uff45xample.com/", "http://example\u3002com/", "http://a\u200db.com/", "http://\u05d0a.com/",
        "http://\u2488com/",
        "http://example.com:99999/", "http://example.com:/", "http://example.com:-1/", "http://./", "http://..",
        "http://a..b/",
        "http://\U0001f600.com/", "https://" + "\u00fc" * 70 + ".com", "https://h/" + "a" * 5000, "https://h/\ud800",
        "https://\ud800/",
    ],
)  # fmt: skip
def test_refuses_a_url_that_clients_read_differently(text: str) -> None:
    """Policy case B13 among them."""
    with pytest.raises(ReferenceSyntaxError):
        url(text)


def test_the_host_is_compared_whole() -> None:
    """Policy case B13: neither a suffix nor a user before the host passes for the host."""
    pattern = Pattern.parse("https://example.com/**")
    assert pattern.covers(url("https://example.com./a"))
    for other in (
        "https://badexample.com/a",
        "https://example.com.evil.tld/",
        "https://a.example.com/",
        "http://example.com/",
    ):
        assert not pattern.covers(url(other))


@given(
    st.text(st.characters(codec=None)),
    st.sampled_from(["", "file:///", "db://", "https://", "https://h/", "http://[", "tool:"]),
)
def test_only_our_errors_escape(text: str, start: str) -> None:
    for read in (parse, url, Pattern.parse, file):
        try:
            found = read(start + text)
        except GrantError as error:
            assert str(error).isascii()  # noqa: PT017 -- a text that is read raises nothing, and both ways are right
        else:
            again = Pattern.parse(str(found)) if isinstance(found, Pattern) else parse(str(found))
            assert again == found


@given(st.text(string.printable + "\u00e9\u00df\u3002"))
def test_a_url_that_is_read_is_read_again_to_the_same(text: str) -> None:
    try:
        found = url("https://" + text)
    except ReferenceSyntaxError:
        return
    assert url(str(found)) == found


def test_a_member_stands_directly_below() -> None:
    assert str(member(parse("file:///"), "a")) == "file:///a"
    assert str(member(parse("db://prod/users"), "42")) == "db://prod/users/42"
    for parent, name in (
        ("program:git", "x"),
        ("file:///a", ".."),
        ("file:///a", "b/c"),
        ("file:///a", ""),
        ("https://h", "a?b"),
    ):
        with pytest.raises(ReferenceSyntaxError):
            member(parse(parent), name)


@pytest.mark.parametrize(
    "text", ["file:///**", "file:///srv/app/**", "https://h/**", "db://prod/**", "tool:a/**", "file:///a"]
)
def test_a_pattern_is_itself(text: str) -> None:
    assert str(Pattern.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "**", "/**", "file:////**", "file://**", "file:///a/**/", "file:///a/**/**", "file:///**/a",
        "file:///a/*", "file:///a*/**",
        "https://*.example.com/**", "https://*/**", "file:///a**", "file:///srv/../**", "https:///**", "db:///**",
        "https://h:443/**",
    ],
)  # fmt: skip
def test_refuses_every_other_pattern(text: str) -> None:
    """Policy case B17: a pattern that could match nothing is refused when it is read."""
    with pytest.raises(ReferenceSyntaxError):
        Pattern.parse(text)


def test_a_pattern_is_anchored_at_its_root() -> None:
    """Policy case B07."""
    pattern = Pattern.parse("file:///srv/src/**")
    assert pattern.covers(parse("file:///srv/src"))
    assert pattern.covers(parse("file:///srv/src/a/b"))
    for other in (
        "file:///etc/src/x",
        "file:///srv/src2",
        "file:///srv",
        "file:///",
        "file:///x/srv/src/a",
        "db://srv/src/a",
    ):
        assert not pattern.covers(parse(other))
    assert not Pattern.parse("file:///srv/src").covers(parse("file:///srv/src/a"))


def test_candidates_go_from_the_nearest_to_the_root() -> None:
    assert candidates(parse("file:///a/b")) == ("file:///a/b", "file:///a/b/**", "file:///a/**", "file:///**")
    assert candidates(parse("file:///")) == ("file:///", "file:///**")
    assert candidates(parse("db://prod/users")) == ("db://prod/users", "db://prod/users/**", "db://prod/**")
    assert candidates(parse("program:git")) == ("program:git", "program:git/**")


@given(references, references)
def test_candidates_are_exactly_the_patterns_that_cover(one: Reference, other: Reference) -> None:
    keys = candidates(one)
    for pattern in (Pattern(one, subtree=False), Pattern(other, subtree=False), Pattern(other, subtree=True)):
        assert (str(pattern) in keys) is pattern.covers(one)
    # A pattern's text can't hold "*" in its root; where it can be written, it is read back as itself.
    assert all(Pattern.parse(key).covers(one) for key in keys if "*" not in key.removesuffix("/**"))


@given(files, files)
def test_containment_agrees_with_a_walk_up_the_tree(one: Reference, other: Reference) -> None:
    above = [Reference("file", "", one.parts[:depth]) for depth in range(len(one.parts) + 1)]
    assert is_under(one, other) is (other in above)
