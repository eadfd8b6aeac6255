"""JSON Schemas of annotations made of builtins, typing, enums, dataclasses and typed dictionaries, without Pydantic."""

import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import pathlib
import typing
import uuid

from kethub_runtime.annotation_notes import class_text, keywords_of, notes_of_field, parameter_texts
from kethub_runtime.json_defaults import default_of, default_of_field
from kethub_runtime.parameter_types import NONE_TYPE, members_of

NAMES = {dict: "object", str: "string", int: "integer", float: "number", bool: "boolean", NONE_TYPE: "null"}
ARRAYS = (list, tuple, set, frozenset)
ABSTRACT = {
    "Sequence": list, "MutableSequence": list, "Iterable": list, "Collection": list,
    "Set": set, "MutableSet": set, "Mapping": dict, "MutableMapping": dict,
}  # fmt: skip
QUALIFIERS = tuple(getattr(typing, name) for name in ("Required", "NotRequired") if hasattr(typing, name))
SCALARS = {
    bytes: {"type": "string"},
    complex: {"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}]},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
    datetime.timedelta: {"type": "number", "description": "Seconds."},
    decimal.Decimal: {"anyOf": [{"type": "number"}, {"type": "string"}]},
    fractions.Fraction: {"anyOf": [{"type": "number"}, {"type": "string"}]},
    uuid.UUID: {"type": "string", "format": "uuid"},
    pathlib.Path: {"type": "string"},
}  # fmt: skip


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
    if hasattr(annotation, "__metadata__"):
        schema = _schema(annotation.__origin__, definitions)
        return {**schema, **keywords_of(annotation.__metadata__, schema.get("type"))}
    if hasattr(annotation, "__supertype__"):
        return _schema(annotation.__supertype__, definitions)
    members = members_of(annotation)
    if len(members) > 1:
        return {"anyOf": [_schema(one, definitions) for one in members]}
    annotation = members[0]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return {"enum": [one.value if isinstance(one, enum.Enum) else one for one in arguments]}
    if origin in (typing.Final, *QUALIFIERS):
        return _schema(arguments[0], definitions)
    if getattr(origin or annotation, "__module__", None) == "collections.abc":
        origin = ABSTRACT.get((origin or annotation).__name__, origin)
        annotation = origin if not arguments else annotation
    if origin is dict and arguments == ():
        return {"type": "object"}
    if annotation in ARRAYS or origin in ARRAYS:
        return _array(origin or annotation, arguments, definitions)
    if isinstance(annotation, type) and annotation in NAMES:
        return {"type": NAMES[annotation]}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if annotation in SCALARS:
        return dict(SCALARS[annotation])
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
        text = class_text(kind)
        definitions.schemas[key] = {"title": kind.__name__, **({"description": text} if text else {}), **schema}
    return {"$ref": f"#/$defs/{key}"}


def _object(kind: type, definitions: Definitions) -> dict:
    if dataclasses.is_dataclass(kind):
        fields = [field for field in dataclasses.fields(kind) if field.init]
        missing = dataclasses.MISSING
        notes = {field.name: {**notes_of_field(field), **default_of_field(field)} for field in fields}
        required = [field.name for field in fields if field.default is missing and field.default_factory is missing]
    elif hasattr(kind, "__required_keys__"):
        notes = {name: {} for name in kind.__annotations__}
        required = [name for name in notes if name in kind.__required_keys__]
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        notes = {name: default_of(kind._field_defaults[name]) if name in kind._field_defaults else {} for name in kind._fields}
        required = [name for name in notes if name not in kind._field_defaults]
    else:
        raise Unknown(kind)
    hints = typing.get_type_hints(kind, include_extras=True)
    texts = parameter_texts(kind)
    properties = {}
    for name, own in notes.items():
        schema = _schema(hints[name], definitions)
        text = {"description": texts[name]} if name in texts and "description" not in schema else {}
        properties[name] = {**schema, **text, **own}
    made = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    if issubclass(kind, tuple):  # the runtime makes it of an object or of a list
        return {"anyOf": [made, {"type": "array", "maxItems": len(notes)}]}
    return made
