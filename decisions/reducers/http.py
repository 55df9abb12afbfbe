"""One HTTP request: ``{"method": ..., "url": ..., "headers": {...}, "body": ..., "redirected_from": ...}``.

A request is one hop. An answer that redirects leads to another request, which is decided on its own and names the
decision before it (``redirected_from``); no hop lends its verdict to the next.

The target is the host as parsed and the path as normalised. GET, HEAD and OPTIONS without a body fetch; a body, or
POST, PUT, PATCH and DELETE, send. Whatever would make a server take the request for another one (another host, path or
method, two lengths, a change of protocol) is opaque.

Source: RFC 9110 sections 6, 7 and 9, RFC 9112 section 6, RFC 7239; policy case B13.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias
from urllib.parse import unquote_plus

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.payload import Fields, check_keys, object_of, text
from decisions.reducers.web import web_target
from grants import host, reference
from grants.errors import ReferenceSyntaxError
from ledger.canon import Json

REDIRECTED: Final = "redirected_from"

_FIELDS = ("method", "url", "headers", "body", REDIRECTED)
_FETCHING = frozenset({"GET", "HEAD", "OPTIONS"})
_SENDING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_MOST_HEADERS = 100
_PART = "the request"

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}", re.ASCII)
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\U0010ffff]*")
# By these a server, or a proxy before it, takes the request for one of another method, host or path.
_MISLEADING = re.compile(
    r"override|rewrite|original|forwarded|(?:^|-)http-method$|^x-method$|^x-host$|^x-envoy-|^x-accel-|^destination$",
)
_UPGRADING = frozenset({"upgrade", "http2-settings", "proxy-connection", "trailer", "transfer-encoding", "keep-alive"})
_ONCE = frozenset({"host", "content-length", "authorization", "content-type"})
# What says how an answer is wanted, and nothing of what is known here.
_TELLS_NOTHING = frozenset(
    {"accept", "accept-charset", "accept-datetime", "accept-encoding", "accept-language", "cache-control", "connection",
     "content-length", "content-type", "dnt", "expect", "host", "if-match", "if-modified-since", "if-none-match",
     "if-range", "if-unmodified-since", "max-forwards", "pragma", "priority", "range", "sec-gpc", "te",
     "upgrade-insecure-requests", "user-agent"}
)  # fmt: skip
_CONNECTION = frozenset({"close", "keep-alive", "te"})
_OVERRIDES = frozenset({"_method", "_httpmethod", "$method", "_http_method", "http_method", "x-http-method"})

Headers: TypeAlias = Mapping[str, tuple[str, ...]]
"""The values of each header, its name in small letters with hyphens."""


def reduce_http(effects: Effects, payload: Fields) -> None:
    """Note where a request goes, and whether it fetches or sends.

    Raises:
        UnreadableError: it can't be read, or servers may read it otherwise.
    """
    check_keys(payload, _FIELDS, "a request")
    redirected_from(payload)
    address = text(payload, "url")
    target = web_target(address)
    headers = _headers(payload.get("headers"))
    _check_host(headers, target)
    _check_overrides(address)
    body = _has_body(payload.get("body"), headers)
    method = text(payload, "method")
    if method not in _FETCHING | _SENDING:
        raise UnreadableError(f"a method that isn't known: {method[:40]!a}")
    verb = "send" if body or method in _SENDING else "fetch"
    effects.act("network", verb, target, _PART, egress=verb == "send" or not headers.keys() <= _TELLS_NOTHING)


def redirected_from(payload: Fields) -> int | None:
    """Give the decision on the request whose answer led here, or None where none did.

    Raises:
        UnreadableError: it is no number of an event.
    """
    found = payload.get(REDIRECTED)
    if found is not None and (type(found) is not int or found < 0):
        raise UnreadableError(f"{REDIRECTED} is the number of the decision before")
    return found if isinstance(found, int) else None


def _headers(given: Json) -> Headers:
    """Read the headers, and refuse those by which the request is taken for another one."""
    found: dict[str, tuple[str, ...]] = {}
    for name, values in _named(given):
        if _MISLEADING.search(name) or name in _UPGRADING:
            raise UnreadableError(f"a header by which the request may be taken for another one: {name}")
        found[name] = (*found.get(name, ()), *values)
    for name in _ONCE & found.keys():
        if len(found[name]) != 1:
            raise UnreadableError(f"more than one {name}")
    if not {word.strip().lower() for value in found.get("connection", ()) for word in value.split(",")} <= _CONNECTION:
        raise UnreadableError("a connection that takes headers away, or changes the protocol")
    return found


def _named(given: Json) -> Iterator[tuple[str, tuple[str, ...]]]:
    listed = {} if given is None else object_of(given, "headers")
    if len(listed) > _MOST_HEADERS:
        raise too_complex(f"more than {_MOST_HEADERS} headers")
    for name, value in listed.items():
        values = value if isinstance(value, list) else [value]
        if not _TOKEN.fullmatch(name):
            raise UnreadableError(f"not the name of a header: {name[:60]!a}")
        texts = tuple(one for one in values if isinstance(one, str) and _VALUE.fullmatch(one))
        if len(texts) != len(values) or not texts:
            raise UnreadableError(f"the value of {name} is no text of one line")
        # Gateways hand both spellings on under one name.
        yield name.lower().replace("_", "-"), texts


def _check_host(headers: Headers, target: str) -> None:
    """Hold that the host that is asked for is the one that the address names."""
    place = reference.parse(target)
    for value in headers.get("host", ()):
        try:
            asked = host.received_authority(place.scheme, value.strip())
        except ReferenceSyntaxError as error:
            raise UnreadableError(f"the header host: {error}", "ID_INVALID") from error
        if asked != place.authority:
            raise UnreadableError("the header host names another host than the address", "ID_INVALID")


def _check_overrides(address: str) -> None:
    """Refuse a query in which frameworks look for another method."""
    query = address.partition("#")[0].partition("?")[2]
    for pair in re.split("[&;]", query):
        name = unquote_plus(pair.partition("=")[0]).strip().lower()
        if name in _OVERRIDES or "method-override" in name.replace("_", "-"):
            raise UnreadableError("an address that names another method")


def _has_body(body: Json, headers: Headers) -> bool:
    """Tell whether the request has a body: its text, or how many bytes it has and their digest."""
    length = headers.get("content-length", (None,))[0]
    if length is not None and not (length.isascii() and length.isdigit() and len(length) <= 15):  # noqa: PLR2004
        raise UnreadableError("a content-length that is no number")
    said = None if length is None else int(length)
    if body is None:
        return bool(said)
    if isinstance(body, str):
        size = len(body.encode())
    else:
        stated = object_of(body, "body")
        check_keys(stated, ["bytes", "digest"], "the body")
        text(stated, "digest")
        count = stated.get("bytes")
        if type(count) is not int or count < 0:
            raise UnreadableError("bytes is the number of the body's bytes")
        size = count
    if said is not None and said != size:
        raise UnreadableError("a content-length that is not the body's")
    return size > 0
