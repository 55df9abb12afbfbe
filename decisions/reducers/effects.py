"""Where a reducer notes what it reads: actions and problems, gathered until the whole operation is read.

A target is checked once more as it is noted: only canonical reference text gets into an action.
"""

from dataclasses import dataclass, field

from decisions.action import Action, Fact, Problem, Reduction, action, reduction
from decisions.reducers.errors import UnreadableError
from decisions.reducers.vocabulary import MILDEST
from grants import reference
from grants.errors import ReferenceSyntaxError

_DETAIL = 200


@dataclass(slots=True)
class Effects:
    """What one operation does, as far as it is read."""

    actions: list[Action] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def act(self, kind: str, verb: str, target: str, part: str, **facts: Fact) -> None:
        """Note an action; facts that are not given stand at their mildest.

        Raises:
            UnreadableError: the target is not a canonical reference.
        """
        self.actions.append(action(kind, verb, canonical(target), {**MILDEST[kind], **facts}, part))

    def refuse(self, error: UnreadableError, part: str) -> None:
        """Note what can't be read."""
        self.problems.append(Problem(error.code, error.detail[:_DETAIL], part))

    def reduction(self) -> Reduction:
        """Give everything noted, each once, in one order.

        An operation in which nothing was found is not known to be harmless: it is opaque.
        """
        if not self.actions and not self.problems:
            self.refuse(UnreadableError("the operation holds nothing that can be decided"), "")
        return reduction(self.actions, self.problems)


def canonical(text: str) -> str:
    """Accept canonical reference text.

    Raises:
        UnreadableError: ID_INVALID.
    """
    try:
        return str(reference.parse(text))
    except ReferenceSyntaxError as error:
        raise UnreadableError(str(error), "ID_INVALID") from error
