"""Numbers as events of deciding spell them.

Source: DESIGN sections 4 and 12.
"""

from typing import Annotated, TypeAlias

from pydantic import Field

Count: TypeAlias = Annotated[int, Field(ge=0)]
Units: TypeAlias = Annotated[int, Field(ge=0, le=10**15)]
"""A fraction in units of 10^-15."""
