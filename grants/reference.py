r"""References: the one spelling of each resource's name, and patterns over whole subtrees.

    file:///srv/app/main.py     an absolute path          program:git            a program by name
    db://prod/users/42          store, table, row         env:PATH               an environment variable
    https://host:8443/a/b       a web resource (or http)  message:ops/alerts     a channel
    tool:search                 a tool by name            person:p-7/care        a person under an opaque id, a domain
    ledger:grants               the control plane         subject:p-7            a judgement about a person
    k8s://prod/shop/pod/web     infrastructure, and so docker, terraform, aws, gcloud, az, systemd, host

A reference is a scheme, an authority (the store, the host, the first name; none for files) and the parts below it.
`parse` takes canonical text alone: no ``.``, ``..`` or empty part, no slash at the end (but the bare root
``file:///``), no backslash, nothing invisible. So equality is equality of bytes, and containment goes part by part,
never by string prefix. Text from outside comes in through `file` and `url`.

A pattern is a reference, or a reference and ``/**``: that one and everything below it, from that root and no other.

>>> str(file("../etc//passwd", cwd="/srv"))
'file:///etc/passwd'
>>> str(url("HTTPS://Docs.Example.com.:443/a?q=1#top"))
'https://docs.example.com/a'
>>> Pattern.parse("file:///srv/app/**").covers(parse("file:///srv/application"))
False
>>> candidates(parse("db://prod/users"))
('db://prod/users', 'db://prod/users/**', 'db://prod/**')

A path is normalised by its letters: a symbolic link is the enforcement point's to resolve.

Source: DESIGN sections 8 and 10; RFC 3986; policy cases A19, B01, B03, B05, B07, B13.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from grants import host
from grants.errors import IdentifierError, ReferenceSyntaxError
from grants.identifier import check_text, code_points
from grants.spelling import suggestion

MAX_LENGTH = 4096
MAX_DEPTH = 64

INFRASTRUCTURE: Final = ("k8s", "docker", "terraform", "aws", "gcloud", "az", "systemd", "host")
"""The schemes of what runs on somebody's machines."""

SCHEMES: Final = (
    "file", "db", "http", "https", "program", "env", "person", "message", "tool", "ledger", "subject", *INFRASTRUCTURE,
)  # fmt: skip

_WEB = frozenset({"http", "https"})
_SLASHED = frozenset({"file", "db", *_WEB, *INFRASTRUCTURE})
# How many parts may follow the name in the schemes that have no tree below it.
_MOST_PARTS = {"program": 0, "env": 0, "subject": 0, "person": 1}
_SUBTREE = "/**"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://", re.ASCII)
_DRIVE = re.compile(r"[A-Za-z]:(?:[/\\]|$)", re.ASCII)
_URL = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:[?#].*)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """The canonical name of one resource.

    Attributes:
        scheme: one of `SCHEMES`.
        authority: the store, host or first name; empty for files.
        parts: what stands below the authority, outermost first.
    """

    scheme: str
    authority: str
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # INVARIANT: every Reference is canonical, however it was made.
        _check(self)

    def __str__(self) -> str:
        return _spell(self.scheme, self.authority, self.parts)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One resource, or one resource and everything below it.

    Attributes:
        reference: the root.
        subtree: whether what is below the root is covered as well.
    """

    reference: Reference
    subtree: bool

    @classmethod
    @lru_cache(maxsize=4096)
    def parse(cls, text: str) -> "Pattern":
        """Read a canonical reference, or one with ``/**`` behind it; what was read lately is remembered.

        Raises:
            ReferenceSyntaxError: another spelling, or a ``*`` anywhere else.
        """
        subtree = text.endswith(_SUBTREE)
        root = text.removesuffix(_SUBTREE)
        if subtree and root == "file://":
            root = "file:///"
        if "*" in root:
            raise ReferenceSyntaxError(f"only a final {_SUBTREE} is a pattern: {code_points(text)}")
        pattern = cls(parse(root), subtree)
        if str(pattern) != text:
            raise ReferenceSyntaxError(f"the pattern is written {pattern}: {code_points(text)}")
        return pattern

    def __str__(self) -> str:
        return str(self.reference).removesuffix("/") + _SUBTREE if self.subtree else str(self.reference)

    def covers(self, reference: Reference) -> bool:
        """Tell whether the resource is the root or, for a subtree, lies below it."""
        return is_under(reference, self.reference) if self.subtree else reference == self.reference


@lru_cache(maxsize=4096)
def parse(text: str) -> Reference:
    """Read a canonical reference; what was read lately is remembered.

    Raises:
        ReferenceSyntaxError: the text is not a reference in its one spelling.
    """
    _check_length(text)
    scheme, colon, rest = text.partition(":")
    if not colon or scheme not in SCHEMES:
        raise ReferenceSyntaxError(
            f"a reference starts with its scheme, and not so: {code_points(text)}{suggestion(scheme, SCHEMES)}",
        )
    if scheme in _SLASHED:
        if not rest.startswith("//"):
            raise ReferenceSyntaxError(f"{scheme}: is followed by //: {code_points(text)}")
        rest = rest[2:]
    if text == "file:///":
        return Reference("file", "")
    authority, *parts = rest.split("/")
    if scheme == "file" and not parts:
        raise ReferenceSyntaxError(f"a file reference holds an absolute path, file:///...: {code_points(text)}")
    reference = Reference(scheme, authority, tuple(parts))
    if str(reference) != text:  # pragma: no cover
        raise AssertionError(text)  # the parts were checked, so they spell the text again
    return reference


@lru_cache(maxsize=4096)
def file(path: str, cwd: str | None = None) -> Reference:
    """Name the file at a path as received, following ``.`` and ``..`` by their letters; what was read is remembered.

    Args:
        path: absolute, or relative to ``cwd``.
        cwd: the absolute directory that a relative path starts from.

    Raises:
        ReferenceSyntaxError: a path of another system, a ``~`` that nobody expanded, a relative path without ``cwd``.
    """
    _check_path(path)
    if not path.startswith("/"):
        if cwd is None:
            raise ReferenceSyntaxError(f"a relative path, and no directory to start from: {code_points(path)}")
        _check_path(cwd)
        if not cwd.startswith("/"):
            raise ReferenceSyntaxError(f"the working directory is not absolute: {code_points(cwd)}")
        path = f"{cwd}/{path}"
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return Reference("file", "", tuple(parts))


def url(text: str) -> Reference:
    """Name the resource that an http or https URL as received points to, without query and fragment.

    Raises:
        ReferenceSyntaxError: a user before the host, a spelling that clients read differently, another scheme.
    """
    _check_length(text)
    _check_visible(text)
    match = _URL.fullmatch(text)
    if match is None or "\\" in text or " " in text:
        raise ReferenceSyntaxError(f"not an http or https URL: {code_points(text)}")
    scheme = match[1].lower()
    path = match[3].removeprefix("/").removesuffix("/")
    parts = tuple(host.received_component(part) for part in path.split("/")) if path else ()
    return Reference(scheme, host.received_authority(scheme, match[2]), parts)


def member(parent: Reference, name: str) -> Reference:
    """Name what stands directly below a resource.

    Raises:
        ReferenceSyntaxError: the name can't be a part, or nothing can stand below this resource.
    """
    return Reference(parent.scheme, parent.authority, (*parent.parts, name))


def is_under(reference: Reference, root: Reference) -> bool:
    """Tell whether a resource is the root or lies below it, part by part."""
    return (reference.scheme, reference.authority, reference.parts[: len(root.parts)]) == (
        root.scheme,
        root.authority,
        root.parts,
    )


@lru_cache(maxsize=4096)
def candidates(reference: Reference) -> tuple[str, ...]:
    """List the keys under which a resource can be registered, nearest first.

    First its own text, then its own subtree, then the subtree of each ancestor up to the authority.
    """
    # What lies around a canonical reference is canonical: its texts are made without checking each again.
    scheme, authority, parts = reference.scheme, reference.authority, reference.parts
    roots = (_spell(scheme, authority, parts[:depth]) for depth in range(len(parts), -1, -1))
    return (str(reference), *(root.removesuffix("/") + _SUBTREE for root in roots))


def around(text: str) -> tuple[str, ...]:
    """List the keys of the entries that speak of a resource, or of everything in a subtree, nearest first.

    Raises:
        ReferenceSyntaxError: another spelling.
    """
    pattern = Pattern.parse(text)
    keys = candidates(pattern.reference)
    return keys[1:] if pattern.subtree else keys


def above(reference: Reference) -> Iterator[tuple[Reference, str]]:
    """Give each place above a resource, from the authority down, with the name that leads on from it."""
    for depth, name in enumerate(reference.parts):
        yield Reference(reference.scheme, reference.authority, reference.parts[:depth]), name


def folded(text: str) -> str:
    """Fold case, to compare on the deny side alone, where a file system takes both spellings for one name.

    What this gives is no reference and names nothing: a grant never reaches further by it.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _spell(scheme: str, authority: str, parts: tuple[str, ...]) -> str:
    start = f"{scheme}://{authority}" if scheme in _SLASHED else f"{scheme}:{authority}"
    return "/".join((start, *parts)) if parts or scheme != "file" else "file:///"


def _check(reference: Reference) -> None:
    scheme, authority, parts = reference.scheme, reference.authority, reference.parts
    if scheme not in SCHEMES:
        raise ReferenceSyntaxError(f"unknown scheme {code_points(scheme)}{suggestion(scheme, SCHEMES)}")
    most = _MOST_PARTS.get(scheme, MAX_DEPTH)
    if len(parts) > most:
        raise ReferenceSyntaxError(f"a {scheme} reference has at most {most} parts below its root, not {len(parts)}")
    _check_length(_spell(scheme, authority, parts))
    if scheme in _WEB:
        host.check_authority(scheme, authority)
    elif scheme == "file":
        if authority:
            raise ReferenceSyntaxError(f"a file reference names no host: write file:///, not file://{authority[:64]!a}")
    else:
        _check_part(authority)
    for part in parts:
        _check_part(part)
        if scheme in _WEB:
            host.check_component(part)


# The same names stand in many paths; what is refused is looked at each time.
@lru_cache(maxsize=8192)
def _check_part(part: str) -> None:
    _check_visible(part)
    if part in {"", ".", ".."}:
        raise ReferenceSyntaxError(f"a part may not be empty, '.' or '..': {part!r}")
    if "/" in part or "\\" in part:
        raise ReferenceSyntaxError(f"a part may not hold a slash or a backslash: {code_points(part)}")
    if part == "**":
        raise ReferenceSyntaxError("'**' is for patterns; a reference names one resource")
    if part != part.strip(" "):
        raise ReferenceSyntaxError(f"a part may not start or end with a space: '{code_points(part)}'")


def _check_path(path: str) -> None:
    _check_length(path)
    _check_visible(path)
    if "\\" in path or _DRIVE.match(path) or re.match("//(?!/)", path):
        raise ReferenceSyntaxError(f"a path of another system, not an absolute POSIX path: {code_points(path)}")
    if not path or path.startswith("~"):
        raise ReferenceSyntaxError(f"write the path out (a file called ~ is ./~): {code_points(path) or '(empty)'}")
    if _SCHEME.match(path):
        raise ReferenceSyntaxError(f"a path is wanted here, not a URL: {code_points(path)}")


def _check_visible(text: str) -> None:
    try:
        check_text(text)
    except IdentifierError as error:
        raise ReferenceSyntaxError(str(error)) from error


def _check_length(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise ReferenceSyntaxError(f"longer than {MAX_LENGTH} characters: {len(text)}")
