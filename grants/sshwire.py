r"""The fields of the SSH wire format, taken strictly one after the other.

A string is its length in 4 bytes, big-endian, and that many bytes; a uint32 has 4 bytes, big-endian.

>>> fields = Fields(string(b"ssh:") + b"\x01", KeyFileError)
>>> fields.string(), fields.byte(), fields.end()
(b'ssh:', 1, None)

Source: RFC 4251 section 5.
"""

from grants.errors import GrantError, KeyFileError, SignatureError

_UINT32_SIZE = 4


def string(data: bytes) -> bytes:
    """Spell bytes as a string of the wire format."""
    return len(data).to_bytes(_UINT32_SIZE, "big") + data


class Fields:
    """What is left of a blob; each call takes the next field off it.

    Args:
        data: the blob.
        error: what to raise where the blob breaks the format.
    """

    def __init__(self, data: bytes, error: type[KeyFileError | SignatureError]) -> None:
        self._rest = data
        self._error: type[GrantError] = error

    def take(self, size: int) -> bytes:
        """Take so many bytes."""
        if size > len(self._rest):
            raise self._error(f"cut off: {size} bytes are announced and {len(self._rest)} are left")
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def byte(self) -> int:
        """Take one byte as a number."""
        return self.take(1)[0]

    def uint32(self) -> int:
        """Take a number of four bytes."""
        return int.from_bytes(self.take(_UINT32_SIZE), "big")

    def string(self) -> bytes:
        """Take a string."""
        return self.take(self.uint32())

    def text(self) -> str:
        """Take a string of printable ASCII."""
        data = self.string()
        if not data.isascii() or not data.decode("ascii").isprintable():
            raise self._error(f"a field is not printable ASCII: {data[:40]!r}")
        return data.decode("ascii")

    def end(self) -> None:
        """Insist that nothing is left."""
        if self._rest:
            raise self._error(f"{len(self._rest)} bytes follow the last field")
