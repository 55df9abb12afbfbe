"""Decide requests by a policy, as quickly as the engine can: ENGINE FILE.

FILE is JSON: the policy in the engine's language, requests, and what the answers are. Whatever can be made ready before
a request comes is made ready, the request's own form too. Every request is decided by itself; printed are the median
and the 99th percentile of the microseconds that it took.
"""

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns
from typing import Any, TypeAlias

Ready: TypeAlias = tuple[Callable[[Any], bool], list[Any]]


def cedarpy(policy: Any, requests: list[dict[str, str]]) -> Ready:
    import cedarpy

    policies = cedarpy.PolicySet.from_str(policy)
    entities = cedarpy.Entities.from_json_str("[]")
    ready = [
        {
            "principal": 'User::"u"',
            "action": f'Action::"{request["kind"]}.{request["verb"]}"',
            "resource": 'Thing::"x"',
            "context": {name: value for name, value in request.items() if name not in ("kind", "verb")},
        }
        for request in requests
    ]
    return lambda asked: cedarpy.is_authorized(asked, policies, entities).allowed, ready


def regorus(policy: Any, requests: list[dict[str, str]]) -> Ready:
    import regorus

    program = regorus.Program.compile_from_modules("{}", [("policy.rego", policy)], ["data.tally.allow"])
    machine = regorus.Rvm()
    machine.load_program(program)
    machine.set_data_json("{}")

    def decide(asked: str) -> bool:
        machine.set_input_json(asked)
        return machine.execute() == "true"

    return decide, [json.dumps(request) for request in requests]


def pycasbin(policy: Any, requests: list[dict[str, str]]) -> Ready:
    from types import SimpleNamespace

    import casbin

    logging.disable(logging.CRITICAL)
    model = casbin.Model()
    model.load_model_from_text(policy["model"])
    enforcer = casbin.Enforcer(model)
    for row in policy["rows"]:
        enforcer.add_policy(*row)
    return enforcer.enforce, [SimpleNamespace(**request) for request in requests]


def main() -> None:
    given = json.loads(Path(sys.argv[2]).read_text())
    decide, ready = globals()[sys.argv[1]](given["policy"], given["requests"])
    wrong = sum(bool(decide(asked)) is not answer for asked, answer in zip(ready, given["answers"], strict=True))
    if wrong:
        raise SystemExit(f"{wrong} of its answers are other ones")
    taken = []
    for asked in ready:
        start = perf_counter_ns()
        decide(asked)
        taken.append((perf_counter_ns() - start) / 1000)
    taken.sort()
    print(json.dumps({"median": taken[len(taken) // 2], "p99": taken[len(taken) * 99 // 100]}))


main()
