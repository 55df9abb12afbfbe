"""HTTP requests: the host as parsed, the path as normalised, and nothing by which a server takes them for others."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decisions.action import Reduction
from decisions.reducers import reduce_operation

Notation = Callable[[Reduction], set[str]]
SITE = "https://docs.example.com/a"


def request(**fields: Any) -> Reduction:
    return reduce_operation("http", {"method": "GET", "url": SITE, **fields}, home=None)


# Case B13: as written on the left, and the host that it is for on the right.
HOSTS = {
    "https://docs.example.com/": "https://docs.example.com",
    "HTTPS://DOCS.Example.COM./": "https://docs.example.com",
    "https://docs.example.com:443/": "https://docs.example.com",
    "http://docs.example.com:443/": "http://docs.example.com:443",
    "https://docs.example.com:8443/a/%7Euser/": "https://docs.example.com:8443/a/~user",
    "https://docs.example.com/%61?q=1#x": SITE,
    "https://badexample.com/": "https://badexample.com",
    "https://docs.example.com.evil.tld/": "https://docs.example.com.evil.tld",
    "https://docs.example.com-evil.tld/": "https://docs.example.com-evil.tld",
    "https://evil.tld/docs.example.com": "https://evil.tld/docs.example.com",
    "https://evil.tld?docs.example.com": "https://evil.tld",
    "https://evil.tld#@docs.example.com/": "https://evil.tld",
    "https://b\u00fccher.example/": "https://xn--bcher-kva.example",
    "https://d\u043ecs.example.com/": "https://xn--dcs-sed.example.com",
    "http://127.0.0.1/": "http://127.0.0.1",
    "http://169.254.169.254/latest/meta-data/": "http://169.254.169.254/latest/meta-data",
    "http://[::1]/": "http://[::1]",
    "http://[0:0:0:0:0:0:0:1]:80/": "http://[::1]",
}

REFUSED = [
    "https://docs.example.com@evil.tld/", "https://docs.example.com:443@evil.tld/", "https://a:b@docs.example.com/",
    "https://docs.example.com%40evil.tld/", "https://docs.example.com%2eevil.tld/",
    "https://evil.tld\\@docs.example.com", "https:\\\\docs.example.com/", "https:/docs.example.com/",
    "//docs.example.com/", "docs.example.com", "ftp://docs.example.com/", "file:///etc/passwd", "javascript:alert(1)",
    "gopher://docs.example.com/", "http://0x7f.1/", "http://127.1/", "http://2130706433/", "http://0177.0.0.1/",
    "http://0x7f000001/", "http://127.0.0.1./x/..", "http://127.0.0.0x1/", "http://256.0.0.1/", "http://1.2.3.4.5/",
    "http://[::ffff:127.0.0.1]/", "http://[fe80::1%25eth0]/", "http://[::1/", "http://::1/",
    "http://\uff11\uff12\uff17.0.0.1/", "http://\u2460\u2461\u2466.0.0.1/", "https://docs\u3002example\u3002com/",
    "https://docs.ex\u00adample.com/", "https://docs.example.com\u200b/", "https://stra\u00dfe.example/",
    "https://docs.example.com:0/", "https://docs.example.com:443443/", "https://docs.example.com:0443/",
    "https://docs..example.com/", "https://.example.com/", "https://docs.example.com../", "https:///a", "https://",
    "https://docs.example.com/a/../b", "https://docs.example.com/%2e%2e/b", "https://docs.example.com/a%2fb",
    "https://docs.example.com/a//b", "https://docs.example.com/%252e%252e/b", "https://docs.example.com/a%5cb",
    "https://docs.example.com/%zz", "https://docs.example.com/a b", " https://docs.example.com/",
    "https://docs.example.com/\r\nHost: evil.tld", "https://docs.example.com/a%00",
]  # fmt: skip


@pytest.mark.parametrize(("address", "place"), HOSTS.items())
def test_case_b13_the_target_is_the_host_as_parsed(address: str, place: str, notation: Notation) -> None:
    assert notation(request(url=address)) == {f"fetch {place}"}


@pytest.mark.parametrize("address", REFUSED)
def test_case_b13_an_address_that_clients_read_differently_is_refused(address: str, notation: Notation) -> None:
    assert notation(request(url=address)) <= {"!ID_INVALID", "!UNPARSEABLE"}


@pytest.mark.parametrize("address", REFUSED)
def test_what_is_refused_of_a_request_is_refused_of_a_tool_and_of_curl(address: str, notation: Notation) -> None:
    fetched = reduce_operation("tool_call", {"tool_name": "WebFetch", "tool_input": {"url": address}}, home=None)
    assert notation(fetched) <= {"!ID_INVALID", "!UNPARSEABLE"}


METHODS = [
    ({"method": "GET"}, {f"fetch {SITE}"}),
    ({"method": "HEAD"}, {f"fetch {SITE}"}),
    ({"method": "OPTIONS", "headers": None, "body": None}, {f"fetch {SITE}"}),
    ({"method": "GET", "body": ""}, {f"fetch {SITE}"}),
    ({"method": "GET", "headers": {"Content-Length": "0"}}, {f"fetch {SITE}"}),
    ({"method": "GET", "body": "x"}, {f"send {SITE} +egress"}),
    ({"method": "GET", "headers": {"content-length": "7"}}, {f"send {SITE} +egress"}),
    ({"method": "GET", "body": {"bytes": 7, "digest": "x"}}, {f"send {SITE} +egress"}),
    ({"method": "POST"}, {f"send {SITE} +egress"}),
    ({"method": "PUT", "body": "\u00fc", "headers": {"Content-Length": "2"}}, {f"send {SITE} +egress"}),
    ({"method": "PATCH"}, {f"send {SITE} +egress"}),
    ({"method": "DELETE"}, {f"send {SITE} +egress"}),
    ({"method": "get"}, {"!UNPARSEABLE"}),
    ({"method": "CONNECT"}, {"!UNPARSEABLE"}),
    ({"method": "TRACE"}, {"!UNPARSEABLE"}),
    ({"method": "MOVE"}, {"!UNPARSEABLE"}),
    ({"method": "GET /x HTTP/1.1\r\n"}, {"!UNPARSEABLE"}),
    ({"method": ""}, {"!UNPARSEABLE"}),
    ({"method": None}, {"!UNPARSEABLE"}),
]


@pytest.mark.parametrize(("fields", "effects"), METHODS)
def test_method_and_body_tell_sending_from_fetching(fields: Any, effects: set[str], notation: Notation) -> None:
    assert notation(request(**fields)) == effects


MISLEADING = [
    {"X-HTTP-Method-Override": "DELETE"}, {"X-HTTP-Method": "DELETE"}, {"X-Method-Override": "DELETE"},
    {"x_http_method_override": "DELETE"}, {"X-Method": "PUT"}, {"X-Original-URL": "/admin"},
    {"X-Rewrite-URL": "/admin"}, {"X-Original-Method": "PUT"}, {"X-Forwarded-Host": "evil.tld"},
    {"Forwarded": "host=evil.tld"}, {"X-Host": "evil.tld"}, {"X-Forwarded-Proto": "http"},
    {"X-Envoy-Original-Path": "/x"}, {"Destination": "/etc/x"}, {"Upgrade": "websocket"},
    {"Transfer-Encoding": "chunked"}, {"HTTP2-Settings": "x"}, {"Connection": "close, Authorization"},
    {"Trailer": "x"}, {"Content-Length": ["1", "2"]}, {"Content-Length": "1", "content_length": "2"},
    {"Content-Length": "+1"}, {"Content-Length": "1, 1"}, {"Host": ["docs.example.com", "docs.example.com"]},
    {":authority": "evil.tld"}, {"a b": "x"}, {"": "x"}, {"A": "x\r\nB: y"}, {"A": "x\x00"}, {"A": []}, {"A": 1},
    {"A": None}, {"A\u00e9": "x"}, {"Content-Type": ["a/b", "c/d"]},
]  # fmt: skip


@pytest.mark.parametrize("headers", MISLEADING, ids=str)
def test_headers_by_which_a_request_is_taken_for_another_are_opaque(headers: Any, notation: Notation) -> None:
    assert notation(request(headers=headers)) == {"!UNPARSEABLE"}


@pytest.mark.parametrize(
    "address", ["?_method=DELETE", "?a=1&_METHOD=x", "?a;%5fmethod=x", "?X-HTTP-Method-Override=PUT"]
)
def test_a_query_that_names_another_method_is_opaque(address: str, notation: Notation) -> None:
    assert notation(request(url=SITE + address)) == {"!UNPARSEABLE"}


@pytest.mark.parametrize("value", ["evil.tld", "docs.example.com:80", "docs.example.com@evil.tld", "", "127.1"])
def test_a_host_header_for_another_host_is_refused(value: str, notation: Notation) -> None:
    assert notation(request(headers={"Host": value})) == {"!ID_INVALID"}


@pytest.mark.parametrize("value", ["docs.example.com", "Docs.Example.com.", " docs.example.com:443"])
def test_a_host_header_for_the_same_host_is_read(value: str, notation: Notation) -> None:
    assert notation(request(headers={"Host": value})) == {f"fetch {SITE}"}


@pytest.mark.parametrize("name", ["Authorization", "Cookie", "Referer", "X-Api-Key", "X-Anything", "Origin"])
def test_headers_that_tell_something_leave(name: str, notation: Notation) -> None:
    assert notation(request(headers={name: "x", "Accept": "*/*"})) == {f"fetch {SITE} +egress"}


def test_many_headers_are_too_complex(notation: Notation) -> None:
    assert notation(request(headers={f"x-{n}": "x" for n in range(101)})) == {"!TOO_COMPLEX"}


WRONG = [
    {"nosuch": 1}, {"redirected_from": -1}, {"redirected_from": "3"}, {"redirected_from": True}, {"url": None},
    {"body": 7}, {"body": {"bytes": -1, "digest": "x"}}, {"body": {"bytes": 1}},
    {"body": {"bytes": True, "digest": "x"}}, {"body": "abc", "headers": {"Content-Length": "2"}},
    {"headers": "Accept: x"},
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_what_is_not_of_the_form_is_opaque(wrong: Any, notation: Notation) -> None:
    assert notation(request(**wrong)) == {"!UNPARSEABLE"}


@given(
    st.text(max_size=60), st.dictionaries(st.text(max_size=20), st.text(max_size=20), max_size=4), st.text(max_size=9)
)
def test_a_request_is_read_as_one_action_or_not_at_all(tail: str, headers: dict[str, str], method: str) -> None:
    found = request(url=f"https://docs.example.com{tail}", headers=headers, method=method or "GET")
    assert (len(found.actions), bool(found.problems)) in {(1, False), (0, True)}
