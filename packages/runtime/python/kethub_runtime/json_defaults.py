"""Defaults of parameters and members as JSON, where they have a form in JSON that reads as the same value."""

import dataclasses
import enum
import json

LONGEST = 4_096
PLAIN = (str, int, float, bool, type(None))
MADE_ANEW = (list, dict, set, tuple, frozenset, str, int, float, bool)


class NotJson(Exception):
    """A value has no form in JSON."""


def default_of(value) -> dict:
    """Return {"default": value as JSON}, or {} when it has no such form or is long."""
    try:
        plain = _plain(value, 0)
        return {"default": plain} if len(json.dumps(plain, allow_nan=False)) <= LONGEST else {}
    except Exception:  # user code may run: a property, a serializer of a model
        return {}


def default_of_field(field) -> dict:
    """Return the default of a field of a dataclass. Of factories, only types are called: others may say the time."""
    if field.default is not dataclasses.MISSING:
        return default_of(field.default)
    factory = field.default_factory
    if factory in MADE_ANEW or (isinstance(factory, type) and dataclasses.is_dataclass(factory)):
        try:
            return default_of(factory())
        except Exception:  # a check of the class itself
            return {}
    return {}


def _plain(value, depth: int):
    if depth > 20:
        raise NotJson
    if isinstance(value, enum.Enum):
        return _plain(value.value, depth + 1)
    if type(value) in PLAIN:
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(one, depth + 1) for one in value]
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(one, depth + 1) for one in value)
    if isinstance(value, dict) and all(type(key) is str for key in value):
        return {key: _plain(one, depth + 1) for key, one in value.items()}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return {name: _plain(getattr(value, name), depth + 1) for name in names}
    raise NotJson
