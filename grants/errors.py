"""Every error that the grants layer raises.

    GrantError
    |-- IdentifierError          a name with characters that may not stand in one
    |-- ReferenceSyntaxError     a resource reference or pattern that is not in its one spelling
    |-- ExpressionError          a condition outside the language, or that does not fit the declared attributes
    |-- SignatureError           a signature that does not hold: malformed, or of another key, namespace or text
    |-- KeyFileError             a key, or a file of keys, that can't be read or used
    |-- AuthorityError           a signer who may not: unknown, suspended, of another kind, or speaking to another log
    |-- ErasureError             an erasure that may not be: under a hold, too early, or of a part of what stands
    `-- IssueError               an act that can't be prepared: it breaks its schema, or contradicts what stands

Parsers raise only these. Errors of other libraries are wrapped where they arise. A grant that does not apply is a
value of the decision, never an error.
"""


class GrantError(Exception):
    """Base of every error of this package."""


class IdentifierError(GrantError, ValueError):
    """A name holds characters that may not stand in one, or is no name of its kind."""


class ReferenceSyntaxError(GrantError, ValueError):
    """A resource reference or pattern is not in its one spelling, or can't be brought into it."""


class ExpressionError(GrantError, ValueError):
    """A condition is outside the language, or does not fit the attributes and categories that are declared."""


class SignatureError(GrantError, ValueError):
    """A signature is malformed, or is not the key's over this text in this namespace at this time."""


class KeyFileError(GrantError, ValueError):
    """A key or a file of keys can't be read, or holds what we do not accept; the message says what to do."""


class AuthorityError(GrantError):
    """The signer may not do this: unknown, suspended, of another kind, by a key not theirs, or to another log."""


class ErasureError(GrantError):
    """Something may not be erased: it is under a hold, its time has not come, or the value stands elsewhere too."""


class IssueError(GrantError, ValueError):
    """An act can't be prepared: it breaks its schema, or contradicts what stands; the message says what to do."""
