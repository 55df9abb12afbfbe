"""A function as the effect of an operation: it runs under a permit, and not without one.

Source: DESIGN section 10; policy cases D13, D17.
"""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from decisions.errors import EnforcementError
from decisions.pep.denied import GovernanceDenied
from decisions.pep.permit import Permit

if TYPE_CHECKING:
    import asyncio

P = ParamSpec("P")
R = TypeVar("R")


def guarded_by(
    asking: Callable[P, Permit],
    effect: Callable[Concatenate[Permit, P], R],
    otherwise: Callable[[str], Any] | None,
) -> Callable[P, R]:
    """Give the guarded form of a function.

    Args:
        asking: gives the permit of a call.
        effect: the function, which takes its permit and then its own arguments.
        otherwise: says the fixed words of the always-open class where no verdict can be had.

    Raises:
        EnforcementError: what the function does would go on after it has returned: a generator.
    """
    inner = _unwrapped(effect)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise EnforcementError("a generator runs after it was called: guard what consumes it")
    if inspect.iscoroutinefunction(inner):
        return cast("Callable[P, R]", _in_a_loop(asking, effect, otherwise))

    @functools.wraps(effect)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            permit = asking(*args, **kwargs)
        except GovernanceDenied as denied:
            return cast("R", _said(denied, otherwise))
        with permit:
            return _ended(effect(permit, *args, **kwargs))

    return run


def _in_a_loop(
    asking: Callable[P, Permit], effect: Callable[..., Any], otherwise: Callable[[str], Any] | None
) -> Callable[P, Any]:
    import asyncio  # noqa: PLC0415  (start-up time: only what runs in a loop needs it)

    @functools.wraps(effect)
    async def run(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401  (whatever the effect gives)
        inner = asyncio.ensure_future(asyncio.to_thread(asking, *args, **kwargs))
        try:
            permit = await asyncio.shield(inner)
        except asyncio.CancelledError:
            inner.add_done_callback(_abandoned)
            raise
        except GovernanceDenied as denied:
            said = _said(denied, otherwise)
            return await said if inspect.isawaitable(said) else said
        with permit:
            return await effect(permit, *args, **kwargs)

    return run


def _said(denied: GovernanceDenied, otherwise: Callable[[str], Any] | None) -> Any:  # noqa: ANN401  (what it gives)
    if otherwise is None or denied.local_answer is None:
        raise denied
    return otherwise(denied.local_answer)


def _ended(found: R) -> R:
    """Refuse what goes on after the function has returned: nobody would know how it ends."""
    if inspect.iscoroutine(found) or inspect.isgenerator(found):
        found.close()
    if inspect.isawaitable(found) or inspect.isgenerator(found) or inspect.isasyncgen(found):
        raise EnforcementError("what it does goes on after it has returned: make it async def")
    return found


def _abandoned(asking: "asyncio.Future[Permit]") -> None:
    if not asking.cancelled() and asking.exception() is None:
        asking.result().withdraw("the call was cancelled")


def _unwrapped(effect: Callable[..., Any]) -> object:
    """Give the function behind partials and callable objects, which says whether it is async."""
    while isinstance(effect, functools.partial):
        effect = effect.func
    if inspect.isfunction(effect) or inspect.ismethod(effect):
        return inspect.unwrap(effect)
    return getattr(effect, "__call__", effect)  # noqa: B004  (the method is wanted, and not whether there is one)
