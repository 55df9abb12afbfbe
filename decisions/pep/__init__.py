"""The enforcement point in a process: reduce, ask, enforce, report. It has no policy of its own.

    point = EnforcementPoint(decision_point, uid=os.getuid(), claimed="agent:ops-7")

    @point.guard(lambda path: Operation("typed", {"verb": "delete", "target": f"file://{path}"}))
    def remove(permit: Permit, path: str) -> None:
        os.remove(permit.path(f"file://{path}"))

The effect runs after a recorded, fresh allow and never otherwise. What became of it is reported.

Source: DESIGN sections 7, 10 and 11; docs/guides/enforce.md.
"""

from decisions.pep.denied import GovernanceDenied
from decisions.pep.permit import Permit
from decisions.pep.point import EnforcementPoint
from decisions.pep.seam import DecisionService, why_not
from decisions.pep.spool import Kept, MemorySpool, Spool

__all__ = [
    "DecisionService",
    "EnforcementPoint",
    "GovernanceDenied",
    "Kept",
    "MemorySpool",
    "Permit",
    "Spool",
    "why_not",
]
