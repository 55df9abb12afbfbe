"""Forms that several of these events share.

Source: docs/events/.
"""

from typing import Annotated, TypeAlias

from pydantic import Field

from ledger.event import Many

Names: TypeAlias = Annotated[tuple[str, ...], Many]
Positive: TypeAlias = Annotated[int, Field(ge=1)]
