"""A time-stamping authority of our own: RFC 3161 over HTTP, for tests. Not a byte of it is the code under test."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

INTEGER, OCTETS, NULL, OID, GENERALIZED_TIME, SEQUENCE, SET = 0x02, 0x04, 0x05, 0x06, 0x18, 0x30, 0x31
SHA256, ECDSA = "2.16.840.1.101.3.4.2.1", "1.2.840.10045.4.3.2"
SIGNED_DATA, TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"
CONTENT_TYPE, MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.47"
POLICY = "1.3.6.1.4.1.99999.1"


def tlv(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    if len(body) < 128:
        return bytes([tag, len(body)]) + body
    length = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + body


def integer(number: int) -> bytes:
    return tlv(INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


def oid(dotted: str) -> bytes:
    first, second, *rest = map(int, dotted.split("."))
    encoded = bytearray([40 * first + second])
    for number in rest:
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(number & 0x7F | 0x80)
        encoded += bytes(reversed(groups))
    return tlv(OID, bytes(encoded))


def algorithm(dotted: str) -> bytes:
    return tlv(SEQUENCE, oid(dotted), *([tlv(NULL)] if dotted == SHA256 else []))


def read(data: bytes) -> list[tuple[int, bytes]]:
    """Split DER into tags and bodies; enough for a request."""
    found = []
    while data:
        tag, length, start = data[0], data[1], 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(data[2:start], "big")
        found.append((tag, data[start : start + length]))
        data = data[start + length :]
    return found


@dataclass
class Authority:
    """An authority: its root, its certificate, its clock.

    Attributes:
        now: its time; None for the time of day, whenever it is asked.
        status: what it answers: 0 granted, 2 rejection.
        forget_nonce: leave the request's nonce out.
    """

    now: datetime | None = None
    status: int = 0
    forget_nonce: bool = False
    asked: int = 0

    def __post_init__(self) -> None:
        self.root_key, self.key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        root = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test root")])
        own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        critical = True
        self.root = (
            self._certificate(root, root, self.root_key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical)
            .sign(self.root_key, hashes.SHA256())
        )
        self.certificate = (
            self._certificate(own, root, self.key)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical)
            .sign(self.root_key, hashes.SHA256())
        )

    def _certificate(self, subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey):
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        begun = self.time
        return builder.not_valid_before(begun - timedelta(days=1)).not_valid_after(begun + timedelta(days=30))

    @property
    def time(self) -> datetime:
        return self.now or datetime.now(UTC).replace(microsecond=0)

    @property
    def roots(self) -> bytes:
        return self.root.public_bytes(Encoding.PEM)

    def answer(self, request: bytes) -> bytes:
        """Answer a TimeStampReq with a TimeStampResp."""
        self.asked += 1
        if self.status:
            return tlv(SEQUENCE, tlv(SEQUENCE, integer(self.status)))
        ((_, body),) = read(request)
        fields = read(body)
        imprint = tlv(SEQUENCE, fields[1][1])
        nonce = [] if self.forget_nonce else [tlv(tag, value) for tag, value in fields[2:] if tag == INTEGER]
        time = tlv(GENERALIZED_TIME, self.time.strftime("%Y%m%d%H%M%SZ").encode())
        info = tlv(SEQUENCE, integer(1), oid(POLICY), imprint, integer(self.asked), time, *nonce)
        return tlv(SEQUENCE, tlv(SEQUENCE, integer(0)), self._token(info))

    def _token(self, info: bytes) -> bytes:
        der = self.certificate.public_bytes(Encoding.DER)
        identifier = tlv(SEQUENCE, tlv(SEQUENCE, tlv(SEQUENCE, tlv(OCTETS, hashlib.sha256(der).digest()))))
        attributes = b"".join(
            sorted(
                [
                    tlv(SEQUENCE, oid(CONTENT_TYPE), tlv(SET, oid(TST_INFO))),
                    tlv(SEQUENCE, oid(MESSAGE_DIGEST), tlv(SET, tlv(OCTETS, hashlib.sha256(info).digest()))),
                    tlv(SEQUENCE, oid(SIGNING_CERTIFICATE), tlv(SET, identifier)),
                ]
            )
        )
        signature = self.key.sign(tlv(SET, attributes), ec.ECDSA(hashes.SHA256()))
        issuer = tlv(SEQUENCE, self.certificate.issuer.public_bytes(), integer(self.certificate.serial_number))
        signer = tlv(
            SEQUENCE, integer(1), issuer, algorithm(SHA256), tlv(0xA0, attributes), algorithm(ECDSA),
            tlv(OCTETS, signature),
        )  # fmt: skip
        content = tlv(SEQUENCE, oid(TST_INFO), tlv(0xA0, tlv(OCTETS, info)))
        signed = tlv(SEQUENCE, integer(3), tlv(SET, algorithm(SHA256)), content, tlv(0xA0, der), tlv(SET, signer))
        return tlv(SEQUENCE, oid(SIGNED_DATA), tlv(0xA0, signed))

    @contextmanager
    def served(self) -> Iterator[str]:
        """Answer over HTTP on a port of the machine's own choice; gives the address."""
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                reply = authority.answer(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "application/timestamp-reply")
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        server = HTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/stamp"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
