"""From a web address as received to the reference that it names.

Source: policy case B13 (the host is compared as parsed, never as written).
"""

from decisions.reducers.errors import UnreadableError
from grants import reference
from grants.errors import ReferenceSyntaxError


def web_target(text: str) -> str:
    """Give the canonical reference of an http or https address.

    Raises:
        UnreadableError: ID_INVALID.
    """
    try:
        return str(reference.url(text))
    except ReferenceSyntaxError as error:
        raise UnreadableError(str(error), "ID_INVALID") from error
