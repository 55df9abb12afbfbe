"""How much of the long tests is run: ``TALLY_ASSURANCE=1`` means all of it, anything else a seeded sample."""

import os

WHOLE = os.environ.get("TALLY_ASSURANCE") == "1"
