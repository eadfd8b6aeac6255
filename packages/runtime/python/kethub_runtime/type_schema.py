"""JSON Schemas of annotations made of builtins, typing, enums, dataclasses and typed dictionaries, without Pydantic."""

import dataclasses
import enum
import json
import typing

from kethub_runtime.parameter_types import NONE_TYPE, members_of

NAMES = {dict: "object", str: "string", int: "integer", float: "number", bool: "boolean", NONE_TYPE: "null"}
ARRAYS = (list, tuple, set, frozenset)


class Unknown(Exception):
    """A part of the annotation has no schema."""


class Definitions:
    """Schemas of classes by name. A class is registered before its members are read, because it may refer to itself."""

    def __init__(self) -> None:
        self.keys = {}
        self.schemas = {}

    def key_of(self, kind: type) -> str:
        taken = self.keys.values()
        key = kind.__name__ if kind.__name__ not in taken else f"{kind.__name__}-{len(taken)}"
        self.keys[kind] = key
        return key


def schema_of(annotation) -> dict | None:
    """Return the schema, with `$defs` for classes, or None when a part of the annotation has none."""
    definitions = Definitions()
    try:
        schema = _schema(annotation, definitions)
        if definitions.schemas:
            schema = {**schema, "$defs": definitions.schemas}
        json.dumps(schema, allow_nan=False)  # an enum may have any values
    except (Unknown, RecursionError, NameError, TypeError, ValueError):
        return None
    return schema


def _schema(annotation, definitions: Definitions) -> dict:
    if annotation is None:
        annotation = NONE_TYPE
    if annotation is typing.Any or annotation is object:
        return {}
    members = members_of(annotation)
    if len(members) > 1:
        return {"anyOf": [_schema(one, definitions) for one in members]}
    annotation = members[0]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if annotation in ARRAYS or origin in ARRAYS:
        return _array(origin or annotation, arguments, definitions)
    if isinstance(annotation, type) and annotation in NAMES:
        return {"type": NAMES[annotation]}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if origin is None and isinstance(annotation, type):
        return _named(annotation, definitions)
    raise Unknown(annotation)


def _array(kind, arguments: tuple, definitions: Definitions) -> dict:
    unique = {"uniqueItems": True} if kind in (set, frozenset) else {}
    if not arguments:
        return {"type": "array", **unique}
    if kind is tuple and arguments[-1] is not Ellipsis:
        items = [_schema(one, definitions) for one in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "items": _schema(arguments[0], definitions), **unique}


def _named(kind: type, definitions: Definitions) -> dict:
    known = kind in definitions.keys
    key = definitions.keys[kind] if known else definitions.key_of(kind)
    if not known:
        is_enum = issubclass(kind, enum.Enum)
        schema = {"enum": [member.value for member in kind]} if is_enum else _object(kind, definitions)
        definitions.schemas[key] = {"title": kind.__name__, **schema}
    return {"$ref": f"#/$defs/{key}"}


def _object(kind: type, definitions: Definitions) -> dict:
    if dataclasses.is_dataclass(kind):
        fields = [field for field in dataclasses.fields(kind) if field.init]
        missing = dataclasses.MISSING
        names = [field.name for field in fields]
        required = [field.name for field in fields if field.default is missing and field.default_factory is missing]
    elif hasattr(kind, "__required_keys__"):
        names = list(kind.__annotations__)
        required = [name for name in names if name in kind.__required_keys__]
    else:
        raise Unknown(kind)
    hints = typing.get_type_hints(kind)
    properties = {name: _schema(hints[name], definitions) for name in names}
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}
