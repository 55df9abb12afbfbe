"""openssl: keys, requests, certificates and digests.

Its options have one dash and a long name. What it takes from elsewhere (``-engine``, ``-provider``, ``-config``) is in
no table, and so opaque.

Source: the manuals of OpenSSL 3.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import Flags, flags, name_of
from decisions.reducers.shell.options import names
from decisions.reducers.shell.word import Word


@dataclass(frozen=True, slots=True)
class _Sort:
    """What a subcommand takes.

    Attributes:
        switches: options without a value.
        valued: options whose value is no file.
        reads: options whose value is a file that is read.
        writes: options whose value is a file that is written.
        operands: whether the operands are files.
        sends: whether it speaks to another machine.
    """

    switches: frozenset[str]
    valued: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    operands: bool = False
    sends: bool = False


def _sort(
    switches: str = "", valued: str = "", reads: str = "", writes: str = "", *, operands: bool = False,
    sends: bool = False,
) -> _Sort:  # fmt: skip
    return _Sort(names(switches), names(valued), names(reads), names(writes), operands, sends)


_FORMS = "inform outform passin passout"
_KEY = _sort("noout text pubin pubout check nocrypt traditional modulus aes256 aes128 des3 topk8", _FORMS, "in", "out")
_SORTS: Mapping[str, _Sort] = {
    "version": _sort("a v d"),
    "ciphers": _sort("v V s tls1_2 tls1_3"),
    "rand": _sort("hex base64", "", "", "out"),
    "prime": _sort("generate hex safe", "bits checks"),
    "x509": _sort(
        "noout text subject issuer dates startdate enddate serial fingerprint sha1 sha256 pubkey hash modulus req "
        "email purpose alias ocsp_uri CAcreateserial",
        f"{_FORMS} days checkend ext set_serial nameopt", "in CA CAkey signkey extfile key", "out CAserial",
    ),
    "req": _sort("new x509 nodes noenc batch text noout verify subject pubkey sha256 sha512 utf8 modulus",
                 f"{_FORMS} subj days newkey addext set_serial pkeyopt reqexts extensions", "in key", "out keyout"),
    "genrsa": _sort("aes256 aes128 des3 traditional F4 3", "passout", "", "out"),
    "genpkey": _sort("aes256 aes128 text", "algorithm pkeyopt outform pass", "paramfile", "out"),
    "ecparam": _sort("genkey noout name list_curves text check", "name inform outform param_enc", "in", "out"),
    "rsa": _KEY,
    "ec": _KEY,
    "pkey": _KEY,
    "pkcs8": _KEY,
    "crl": _sort("noout text issuer lastupdate nextupdate hash fingerprint", _FORMS, "in CAfile", "out"),
    "pkcs12": _sort("export nokeys nocerts clcerts cacerts nodes noenc info legacy", "passin passout name caname",
                    "in inkey certfile CAfile", "out"),
    "dgst": _sort("sha1 sha256 sha384 sha512 md5 hex binary r c", "passin sigopt", "sign verify prverify signature",
                  "out", operands=True),
    "enc": _sort("aes-256-cbc aes-128-cbc aes-256-ctr e d a base64 A salt nosalt pbkdf2 p", "iter md K iv S pass",
                 "in kfile", "out"),
    "base64": _sort("e d A a", "", "in", "out"),
    "verify": _sort("verbose no-CApath", "purpose", "CAfile untrusted CRLfile", "", operands=True),
    "s_client": _sort(
        "showcerts brief tls1_2 tls1_3 verify_return_error quiet status msg debug crlf prexit ign_eof",
        "connect servername verify alpn starttls port host verify_hostname", "CAfile cert key", "", sends=True,
    ),
}  # fmt: skip


def _openssl(call: Call) -> None:
    if not call.words:
        raise UnreadableError("openssl without a subcommand")
    name = name_of(call.words[0], "a subcommand")
    sort = _SORTS.get(name)
    if sort is None:
        raise UnreadableError(f"a subcommand of openssl that isn't known: {name[:40]}")
    found = flags(call.words[1:], sort.switches - sort.valued, sort.valued | sort.reads | sort.writes)
    _check_passphrases(found)
    _named_files(call, sort, found)
    if name == "x509" and "CAserial" not in found.values:
        _count(call, found)
    if sort.operands:
        call.files("read", found.operands)
    elif len(found.operands) > 1:
        raise UnreadableError("operands of openssl that aren't read")
    if sort.sends:
        call.run(egress=True)
    elif name == "req" and "newkey" in found.values and "keyout" not in found.values:
        # Without a name for it the new key goes where the settings say.
        raise unresolved("a new key whose file only openssl's settings know: name it with -keyout")


def _named_files(call: Call, sort: _Sort, found: Flags) -> None:
    for option, values in found.values.items():
        if option in sort.reads | sort.writes:
            _files(call, "read" if option in sort.reads else "write", values)


def _count(call: Call, found: Flags) -> None:
    """Whoever signs counts in a file beside the signing certificate."""
    for value in found.values.get("CA", []):
        text = name_of(value, "a certificate") if value is not None else ""
        head, dot, _ = text.rpartition(".")
        call.files("write", [Word.of(f"{head if dot else text}.srl")])


def _check_passphrases(found: Flags) -> None:
    for option in found.values.keys() & {"passin", "passout", "pass"}:
        if any(value is None or not value.prefix.startswith(("pass:", "stdin")) for value in found.values[option]):
            raise UnreadableError("a passphrase that lies elsewhere")


def _files(call: Call, verb: str, values: list[Word | None]) -> None:
    for value in values:
        if value is None or ":" in value.prefix:
            raise unresolved("a key or a file by an address")
        call.files(verb, [value])


COMMANDS: dict[str, Callable[[Call], None]] = {"openssl": _openssl}
