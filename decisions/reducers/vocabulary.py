"""The kinds of action, their verbs, the facts that a reducer states of each, and how strict a fact is.

Every action carries every fact of its kind, so that no rule ever waits for one. What the payload says of a fact may
make it stricter and never milder: `stricter` takes the larger of two values in the order of strictness.

>>> stricter("scope", "many", "one")
'many'

Source: DESIGN section 10; policy case C05 (a closed vocabulary, nothing absent).
"""

from collections.abc import Mapping
from types import MappingProxyType

from decisions.action import Fact

VERBS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "file": frozenset({"read", "list", "enter", "write", "delete", "set_mode"}),
        "data": frozenset({"read", "insert", "update", "delete", "define", "drop", "authorize", "control_transaction"}),
        "infrastructure": frozenset({"read", "list", "create", "change", "delete", "run"}),
        "exec": frozenset({"run"}),
        "network": frozenset({"fetch", "send"}),
        "environment": frozenset({"set", "read"}),
        "message": frozenset({"send"}),
        "conversation": frozenset(
            {
                "referral",
                "grounding",
                "handoff",
                "inform",
                "advise",
                "accompany",
                "confide",
                "befriend",
                "romance",
                "diagnose",
                "persuade",
            }
        ),
        "judgement": frozenset({"assess"}),
        "control": frozenset({"change"}),
    }
)

_ONE: Mapping[str, Fact] = MappingProxyType({"scope": "one"})

MILDEST: Mapping[str, Mapping[str, Fact]] = MappingProxyType(
    {
        "file": MappingProxyType({"scope": "one", "elevated": False}),
        "data": _ONE,
        "infrastructure": MappingProxyType({"scope": "one", "elevated": False, "egress": False}),
        "exec": MappingProxyType({"scope": "one", "code_origin": "program", "elevated": False, "egress": False}),
        "network": MappingProxyType({"scope": "one", "egress": False}),
        "environment": MappingProxyType({"scope": "one", "code_origin": "program"}),
        "message": MappingProxyType({"scope": "one", "egress": True}),
        "conversation": _ONE,
        "judgement": _ONE,
        "control": _ONE,
    }
)
"""The facts of each kind, each at its mildest value."""

ORDER: Mapping[str, tuple[Fact, ...]] = MappingProxyType(
    {
        "scope": ("one", "many", "all"),
        "code_origin": ("program", "file", "inline", "untrusted"),
        "elevated": (False, True),
        "egress": (False, True),
    }
)
"""The values of each fact, from mild to strict."""

KIND_OF_SCHEME: Mapping[str, str] = MappingProxyType(
    {
        "file": "file",
        "db": "data",
        "k8s": "infrastructure",
        "docker": "infrastructure",
        "terraform": "infrastructure",
        "aws": "infrastructure",
        "gcloud": "infrastructure",
        "az": "infrastructure",
        "systemd": "infrastructure",
        "host": "infrastructure",
        "http": "network",
        "https": "network",
        "program": "exec",
        "tool": "exec",
        "env": "environment",
        "person": "conversation",
        "message": "message",
        "ledger": "control",
        "subject": "judgement",
    }
)
"""The kind of action that is meant where only a target is named."""


SCHEMES_OF_KIND: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "file": frozenset({"file"}),
        "data": frozenset({"db"}),
        "infrastructure": frozenset(
            scheme for scheme, kind in KIND_OF_SCHEME.items() if kind == "infrastructure" or scheme == "tool"
        ),
        "network": frozenset({"http", "https", "tool"}),
        "exec": frozenset({"program", "tool", "file"}),
        "environment": frozenset({"env"}),
        "conversation": frozenset({"person"}),
        "message": frozenset({"message", "person"}),
        "judgement": frozenset({"subject", "person"}),
    }
)
"""On what a kind of action acts; one that is not here acts on any target."""


def stricter(name: str, left: Fact, right: Fact) -> Fact:
    """Take the stricter of two values of a fact."""
    order = ORDER[name]
    return max(left, right, key=order.index)
