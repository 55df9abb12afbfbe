"""What an agent does to a person in conversation: one of nine classes, towards one person, in one domain.

    {"class": "advise", "person": "p-7", "domain": "care"}

The words of the reply are never read here: the class is stated by the enforcement point.

Source: DESIGN sections 10 and 12; policy cases I01, I03.
"""

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError
from decisions.reducers.payload import Fields, check_keys, optional_text, text
from decisions.reducers.vocabulary import VERBS


def reduce_conversation(effects: Effects, payload: Fields) -> None:
    """Note the class of a reply and whom it is for.

    Raises:
        UnreadableError: an unknown class, or no person.
    """
    check_keys(payload, ["class", "verb", "person", "domain"], "a reply")
    classes = {value for key in ("class", "verb") if (value := optional_text(payload, key)) is not None}
    if len(classes) != 1:
        raise UnreadableError("a reply has one class")
    verb = classes.pop()
    if verb not in VERBS["conversation"]:
        raise UnreadableError(f"not a class of reply that is known: {verb[:40]!a}")
    domain = optional_text(payload, "domain")
    person = text(payload, "person")
    if "/" in person:
        raise UnreadableError("a domain is stated in its own field, not behind the person", "ID_INVALID")
    target = f"person:{person}" + ("" if domain is None else f"/{domain}")
    effects.act("conversation", verb, target, "reply")
