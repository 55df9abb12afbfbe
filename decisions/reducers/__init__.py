"""Reducers: from an operation as received to the set of actions that it is made of.

`reduce_operation` is total. Whatever comes in, it gives at least one action or one problem, and a problem makes the
whole operation opaque: the decision point denies it. Nothing in a payload is trusted but what the operation itself
is; what it claims of the resources that it touches (``attributes``) is not read here.

Source: DESIGN section 10; policy cases A and B.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from decisions.action import Reduction
from decisions.operation import PLUGGED_IN
from decisions.reducers.conversation import reduce_conversation
from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.files import reduce_file
from decisions.reducers.http import reduce_http
from decisions.reducers.mcp import reduce_mcp
from decisions.reducers.payload import Fields, check_keys, optional_text, text
from decisions.reducers.program import note_shell_variables, reduce_program
from decisions.reducers.tool_call import reduce_tool_call
from decisions.reducers.typed import reduce_typed
from ledger.canon import Json

VERSION = 2
"""Number of these reducers: it goes up whenever one reads an operation otherwise than before."""

_CLAIMS = "attributes"


def reduce_operation(form: str, payload: Mapping[str, Json], *, home: str | None) -> Reduction:
    """Reduce an operation.

    Args:
        form: one of `decisions.operation.FORMS`; a form with a dot is a plug-in's; any other is opaque, and so is
            ``unreadable``, whose payload says why.
        payload: the operation's own fields, as received.
        home: the absolute home directory of whoever asks, or None where it isn't known.

    Returns:
        Actions and problems, at least one of either.
    """
    effects = Effects()
    try:
        reducer = _reducer_of(form)
        if not isinstance(payload.get(_CLAIMS, {}), dict):
            # One place turns all into problems.
            raise UnreadableError("what is claimed under attributes is one object, of names and values")  # noqa: TRY301
        reducer(effects, {key: value for key, value in payload.items() if key != _CLAIMS}, home)
    except UnreadableError as error:
        effects.refuse(error, "")
    except RecursionError:
        effects.refuse(too_complex("nested too deep to be read"), "")
    except Exception as error:  # noqa: BLE001  (fail closed: a fault of ours must deny, not crash past the decision)
        effects.refuse(UnreadableError(f"the reducer failed: {type(error).__name__}"), "")
    return effects.reduction()


def _reducer_of(form: str) -> "_Reducer":
    """Give ours first: no plug-in takes the place of one."""
    found = _FORMS.get(form)
    if found is not None:
        return found
    if not PLUGGED_IN.fullmatch(form):
        raise UnreadableError(f"no reducer for the form {form[:40]!a}")

    def plugged_in(effects: Effects, payload: Fields, home: str | None) -> None:
        from decisions.reducers.plugins import reduce_by_plugin  # noqa: PLC0415  (start-up time: only a plug-in's form)

        reduce_by_plugin(effects, form, payload, home=home)

    return plugged_in


def read_by(form: str) -> tuple[str, str] | None:
    """Give name and version of the plug-in that reads a form, or None: it is one of ours, or nobody's."""
    if form in _FORMS or not PLUGGED_IN.fullmatch(form):
        return None
    from decisions.reducers.plugins import PLUGINS  # noqa: PLC0415  (start-up time: only a plug-in's form needs them)

    return PLUGINS.read_by(form)


def _shell(effects: Effects, payload: Fields, home: str | None) -> None:
    from decisions.reducers.shell import reduce_shell  # noqa: PLC0415  (start-up time: only a command needs its parser)

    check_keys(payload, ["command", "cwd", "env"], "a shell operation")
    note_shell_variables(effects, payload.get("env"))
    reduce_shell(effects, text(payload, "command"), cwd=optional_text(payload, "cwd"), home=home)


def _sql(effects: Effects, payload: Fields, _home: str | None) -> None:
    from decisions.reducers.sql import reduce_sql  # noqa: PLC0415  (start-up time: only a statement needs its parser)

    check_keys(payload, ["sql", "database", "dialect"], "an SQL operation")
    reduce_sql(
        effects,
        text(payload, "sql"),
        database=optional_text(payload, "database"),
        dialect=optional_text(payload, "dialect"),
    )


def _typed(effects: Effects, payload: Fields, home: str | None) -> None:
    reduce_typed(effects, payload, home=home)


def _tool_call(effects: Effects, payload: Fields, home: str | None) -> None:
    reduce_tool_call(effects, payload, home=home)


def _unreadable(_effects: Effects, payload: Fields, _home: str | None) -> None:
    why = payload.get("why")
    raise UnreadableError(why if isinstance(why, str) else "what came in is no operation")


def _conversation(effects: Effects, payload: Fields, _home: str | None) -> None:
    reduce_conversation(effects, payload)


def _exec(effects: Effects, payload: Fields, home: str | None) -> None:
    reduce_program(effects, payload, home=home)


def _file(effects: Effects, payload: Fields, home: str | None) -> None:
    reduce_file(effects, payload, home=home)


def _http(effects: Effects, payload: Fields, _home: str | None) -> None:
    reduce_http(effects, payload)


def _mcp(effects: Effects, payload: Fields, _home: str | None) -> None:
    reduce_mcp(effects, payload)


_Reducer: TypeAlias = Callable[[Effects, Fields, str | None], None]

_FORMS: Mapping[str, _Reducer] = {
    "conversation": _conversation,
    "exec": _exec,
    "file": _file,
    "http": _http,
    "mcp": _mcp,
    "shell": _shell,
    "sql": _sql,
    "tool_call": _tool_call,
    "typed": _typed,
    "unreadable": _unreadable,
}
