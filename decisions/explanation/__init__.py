"""Why a verdict is what it is: the whole account for an auditor, the next step for an agent, and what would change it.

All of it is worked out from what the decision point judged, when somebody asks; nothing here decides.

Source: DESIGN section 10; docs/guides/explain.md.
"""
