"""The exact analysis of constitutions and standing grants: what differs between two, and which rules have no teeth.

A constitution divides all that can be asked into cells: one value, or none, for each attribute of an action. `compare`
tells for two of them which cells are more permissive in the new, and which are less.

>>> from decisions.constitution import DEFAULT_TEXT, load
>>> old = load(DEFAULT_TEXT)
>>> new = load(DEFAULT_TEXT.replace('gate = "0.55"', 'gate = "0.54"'))
>>> found = compare(Rules(old), Rules(new))
>>> found.kind, found.opened > 0, found.closed
('loosening', True, 0)

Source: docs/spec/analysis.md; docs/adr/0015-analysis-by-decision-diagrams.md.
"""

from decisions.analysis.compare import compare
from decisions.analysis.difference import Difference, Fact, TermsChange, Witness
from decisions.analysis.finding import Finding
from decisions.analysis.level import Level
from decisions.analysis.rules import Registered, Rules
from decisions.analysis.teeth import findings
from grants.standing import StandingTerms

__all__ = [
    "Difference",
    "Fact",
    "Finding",
    "Level",
    "Registered",
    "Rules",
    "StandingTerms",
    "TermsChange",
    "Witness",
    "compare",
    "findings",
]
