"""Which types leave nothing to look for: what fits them is canonical but for its keys.

Source: DESIGN section 4.
"""

from typing import Annotated, Literal, NewType, get_args, get_origin

from pydantic import BaseModel


def is_closed(annotation: object) -> bool:
    """Tell a strict type that takes no float and has a bounded depth, so that nothing is left for `canon.check`."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal or annotation is Ellipsis:
        return True
    if origin is not None:
        return all(map(is_closed, inner[:1] if origin is Annotated else inner))
    if isinstance(annotation, NewType):
        return is_closed(annotation.__supertype__)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = [field.annotation for field in annotation.model_fields.values()]
        return bool(annotation.model_config.get("strict")) and all(map(is_closed, fields))
    return annotation in {str, int, bool, type(None)}
