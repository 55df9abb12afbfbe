r"""Hosts, ports and paths of web references: one spelling for each, and the way to it from what was received.

A host is a lower-case ASCII name (labels beyond ASCII as ``xn--``), an IPv4 address in dotted decimals, or an IPv6
address in brackets as RFC 5952 writes it. Where clients differ on what a spelling means, it is refused: numbers
that some read as an IPv4 address (``127.1``, ``0x7f.1``), an IPv4 address inside IPv6, zone ids, and characters that
IDNA 2003 and IDNA 2008 map to different labels.

>>> received_host("B\u00dcCHER.Example.")
'xn--bcher-kva.example'
>>> check_host("127.1")
Traceback (most recent call last):
grants.errors.ReferenceSyntaxError: the host reads as a number, and not as an IPv4 address in dotted decimals: 127.1

Source: RFC 3986 section 3.2, RFC 3492, RFC 5891, RFC 5952; policy case B13.
"""

import ipaddress
import re
import stringprep
import unicodedata
from encodings.idna import nameprep
from urllib.parse import quote, unquote

from grants.errors import ReferenceSyntaxError
from grants.identifier import check_text, code_points

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_LABEL_CATEGORIES = frozenset({"Ll", "Lo", "Lm", "Mn", "Mc", "Nd"})
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_PORT = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_LONGEST_HOST = 253
_HIGHEST_PORT = 65535
_DEFAULT_PORTS = {"http": "80", "https": "443"}

_TRIPLET = re.compile(r"%([0-9A-Fa-f]{2})?", re.ASCII)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_CHARACTERS = "!$&'()*+,;=:@%~"
_DECODINGS = 4


def check_authority(scheme: str, authority: str) -> str:
    """Accept ``host[:port]`` in its one spelling: no user, and no port where it is the scheme's own.

    Raises:
        ReferenceSyntaxError: another spelling, or no authority at all.
    """
    host, port = _split_port(authority)
    check_host(host)
    if port is not None and _check_port(port) == _DEFAULT_PORTS[scheme]:
        raise ReferenceSyntaxError(f"port {port} is the one that {scheme} has by itself; leave it out")
    return authority


def received_authority(scheme: str, authority: str) -> str:
    """Bring the authority of a URL as received into its one spelling.

    Raises:
        ReferenceSyntaxError: a user before the host, or a host or port that has no one meaning.
    """
    host, port = _split_port(authority)
    host = received_host(host)
    if port is None or _check_port(port) == _DEFAULT_PORTS[scheme]:
        return host
    return f"{host}:{port}"


def check_host(host: str) -> str:
    """Accept a host in its one spelling.

    Raises:
        ReferenceSyntaxError: any other spelling.
    """
    if host.startswith("["):
        return _check_ipv6(host)
    if len(host) > _LONGEST_HOST:
        raise ReferenceSyntaxError(f"the host is longer than {_LONGEST_HOST} characters")
    labels = host.split(".")
    for label in labels:
        if not _LABEL.fullmatch(label):
            raise ReferenceSyntaxError(f"not a host name in lower-case ASCII: {code_points(host) or '(empty)'}")
        if label.startswith("xn--"):
            _check_a_label(label)
    # The rule that browsers follow: a last label that is a number makes the whole an IPv4 address, in any base.
    if _NUMERIC.fullmatch(labels[-1]):
        _check_ipv4(host)
    return host


def received_host(host: str) -> str:
    """Bring a host as received into its one spelling: lower case, ``xn--`` labels, no dot at the end.

    Raises:
        ReferenceSyntaxError: the host has no one meaning.
    """
    if not host.startswith("["):
        labels = host.removesuffix(".").split(".")
        return check_host(".".join(_to_ascii(label) for label in labels))
    try:
        return check_host(f"[{ipaddress.IPv6Address(host[1:-1])}]")
    except ValueError as error:
        raise ReferenceSyntaxError(f"not an IPv6 address in brackets: {code_points(host)}") from error


def check_component(component: str) -> str:
    """Accept one component of a web path in its one spelling (RFC 3986 section 6.2.2).

    Raises:
        ReferenceSyntaxError: another spelling, or a component that decodes to more than one.
    """
    canonical = received_component(component)
    if canonical != component:
        raise ReferenceSyntaxError(f"the path component {code_points(component)} is written {canonical}")
    return component


def received_component(component: str) -> str:
    """Bring one component of a web path into its one spelling, and refuse what decodes to ``..`` or a separator.

    Raises:
        ReferenceSyntaxError: a broken percent escape, a hidden separator, a control or a dot segment.
    """
    decoded = component
    for _ in range(_DECODINGS):
        _check_decoded(decoded, component)
        decoded = unquote(decoded, errors="replace")
    if unquote(decoded, errors="replace") != decoded:
        raise ReferenceSyntaxError(f"escaped more than {_DECODINGS} times over: {code_points(component)}")
    _check_decoded(decoded, component)
    return quote(_TRIPLET.sub(_one_triplet, component), safe=_PATH_CHARACTERS)


def _split_port(authority: str) -> tuple[str, str | None]:
    if "@" in authority:
        raise ReferenceSyntaxError("a user before the host (the part up to @) may not stand in a reference")
    if not authority:
        raise ReferenceSyntaxError("a web reference needs a host")
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        return authority, None
    return host, port


def _check_port(port: str) -> str:
    if not _PORT.fullmatch(port) or int(port) > _HIGHEST_PORT:
        raise ReferenceSyntaxError(f"not a port from 1 to {_HIGHEST_PORT}: {code_points(port) or '(empty)'}")
    return port


def _check_ipv4(host: str) -> None:
    try:
        ipaddress.IPv4Address(host)
    except ValueError as error:
        raise ReferenceSyntaxError(
            f"the host reads as a number, and not as an IPv4 address in dotted decimals: {code_points(host)}",
        ) from error


def _check_ipv6(host: str) -> str:
    try:
        address = ipaddress.IPv6Address(host[1:-1])
    except ValueError as error:
        raise ReferenceSyntaxError(f"not an IPv6 address in brackets: {code_points(host)}") from error
    # It names the same machine as the IPv4 address does, and Python's own spelling of it changes between versions.
    if address.ipv4_mapped is not None:
        raise ReferenceSyntaxError(f"an IPv4 address inside IPv6: write {address.ipv4_mapped}")
    if address.scope_id is not None or host != f"[{address}]":
        raise ReferenceSyntaxError(f"the IPv6 address is written [{str(address).partition('%')[0]}] and has no zone")
    return host


def _check_a_label(label: str) -> None:
    try:
        decoded = label[4:].encode("ascii").decode("punycode")
        again = check_text(decoded).encode("punycode").decode("ascii")
    except (ValueError, OverflowError) as error:
        raise ReferenceSyntaxError(f"the label {label} does not decode") from error
    if again != label[4:] or decoded.isascii() or decoded.lower() != decoded:
        raise ReferenceSyntaxError(f"the label {label} is not the one spelling of {code_points(decoded)}")


def _to_ascii(label: str) -> str:
    if label.isascii():
        return label.lower()
    lower = unicodedata.normalize("NFC", label.lower())
    try:
        prepared = nameprep(lower)
    except UnicodeError as error:
        raise ReferenceSyntaxError(f"not a label of a host name: {code_points(label)}") from error
    # nameprep maps what IDNA 2008 keeps (sharp s, final sigma, joiners), passes what Unicode 3.2 did not know, and
    # leaves signs alone, among them the full stops of other scripts, which some clients take for dots.
    if prepared != lower or not all(_is_agreed(character) for character in lower):
        raise ReferenceSyntaxError(f"clients read this label differently, write it as xn--: {code_points(label)}")
    return "xn--" + lower.encode("punycode").decode("ascii")


def _is_agreed(character: str) -> bool:
    if stringprep.in_table_a1(character):
        return False
    return character in "-_" or unicodedata.category(character) in _LABEL_CATEGORIES


def _check_decoded(decoded: str, component: str) -> None:
    if decoded in {".", "..", ""} or "/" in decoded or "\\" in decoded:
        raise ReferenceSyntaxError(
            f"the path component stands for more than one: {code_points(component) or '(empty)'}"
        )
    if not decoded.isprintable():
        raise ReferenceSyntaxError(f"the path component hides a control: {code_points(component)}")


def _one_triplet(match: re.Match[str]) -> str:
    if match[1] is None:
        raise ReferenceSyntaxError("a % in a web path is followed by two hexadecimal digits")
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()
