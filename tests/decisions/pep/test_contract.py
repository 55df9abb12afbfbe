"""The enforcement points in a process keep the contract of all enforcement points."""

import asyncio

from decisions.pep import EnforcementPoint, GovernanceDenied
from tests.enforcement import WITHIN, EnforcementContract

AGENT = 1001


def point_over(service):
    return EnforcementPoint(service, uid=AGENT, within=WITHIN)


class TestBlock(EnforcementContract):
    def attempt(self, service, operation, request, effect):
        try:
            with point_over(service).enforce(operation, request=request):
                effect()
        except GovernanceDenied as denied:
            return denied.outcome
        return "allow"


class TestGuard(EnforcementContract):
    def attempt(self, service, operation, request, effect):
        guard = point_over(service).guard(lambda: operation, request_of=lambda: request)
        try:
            assert guard(lambda permit: effect())() == "what it gives"
        except GovernanceDenied as denied:
            return denied.outcome
        return "allow"


class TestGuardOfACoroutine(EnforcementContract):
    def attempt(self, service, operation, request, effect):
        @point_over(service).guard(lambda: operation, request_of=lambda: request)
        async def run(permit):
            await asyncio.sleep(0)
            return effect()

        try:
            assert asyncio.run(run()) == "what it gives"
        except GovernanceDenied as denied:
            return denied.outcome
        return "allow"
