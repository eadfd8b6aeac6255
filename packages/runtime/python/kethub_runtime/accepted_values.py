"""Computes how far a schema says what a parameter takes, so that the platform can judge an input before it runs."""

import dataclasses
import enum
import sys
import typing

from kethub_runtime.parameter_types import members_of

# Settings of a Pydantic model by which it takes values that its schema refuses.
OPENING = ("populate_by_name", "validate_by_name", "str_strip_whitespace", "coerce_numbers_to_str", "arbitrary_types_allowed")
EARLY = ("before", "wrap", "plain")
FUNCTIONAL = ("BeforeValidator", "WrapValidator", "PlainValidator", "SkipValidation", "GetPydanticSchema")
MOST_TYPES = 500


class Walk:
    """The types that an annotation reaches: `enums` by name, and what is known of their schemas."""

    def __init__(self) -> None:
        self.seen = set()
        self.enums = {}
        self.is_lax = False
        self.is_open = False


def accepted(annotation, schema) -> str:
    """Return "STRICT" (the schema alone decides), "LAX" (Pydantic also takes text of numbers), or "NONE" (unknown).

    Names of the members of enums are accepted beside their values: they are added to `schema` as x-enum-varnames.
    """
    if not isinstance(schema, dict):
        return "NONE"
    walk = Walk()
    try:
        _visit(annotation, walk)
    except Exception:  # an annotation may be any object, and its types may name what cannot be resolved
        return "NONE"
    if walk.is_open or len(walk.seen) > MOST_TYPES:
        return "NONE"
    _name_members(schema, walk.enums, 0)
    return "LAX" if walk.is_lax else "STRICT"


def _visit(annotation, walk: Walk) -> None:
    if len(walk.seen) > MOST_TYPES or annotation is None:
        return
    for one in getattr(annotation, "__metadata__", ()):
        _visit_metadata(one, walk)
    for member in members_of(annotation):
        if member is not annotation:
            _visit(member, walk)
    if hasattr(annotation, "__supertype__"):
        _visit(annotation.__supertype__, walk)
    for argument in getattr(annotation, "__args__", None) or ():
        if not isinstance(argument, (str, int, enum.Enum)):
            _visit(argument, walk)
    if isinstance(annotation, type) and annotation not in walk.seen:
        walk.seen.add(annotation)
        _visit_class(annotation, walk)


def _visit_metadata(one, walk: Walk) -> None:
    if type(one).__module__.partition(".")[0] not in ("pydantic", "pydantic_core", "annotated_types"):
        return
    walk.is_lax = True
    if type(one).__name__ in FUNCTIONAL:
        walk.is_open = True
    for inner in getattr(one, "metadata", ()):  # of a FieldInfo
        _visit_metadata(inner, walk)


def _visit_class(kind: type, walk: Walk) -> None:
    if issubclass(kind, enum.Enum):
        walk.enums[kind.__name__] = kind
        walk.is_open = walk.is_open or issubclass(kind, enum.Flag)
    elif hasattr(kind, "model_fields") and hasattr(kind, "__pydantic_decorators__"):
        _visit_model(kind, walk)
    elif hasattr(kind, "parse_obj"):  # a model of Pydantic 1, whose validators may take anything
        walk.is_open = True
    elif dataclasses.is_dataclass(kind):
        walk.is_lax = walk.is_lax or hasattr(kind, "__pydantic_validator__")
        walk.is_open = walk.is_open or _decides_early(getattr(kind, "__pydantic_decorators__", None))
        _visit_hints(kind, walk)
    elif hasattr(kind, "__required_keys__") or hasattr(kind, "_fields"):
        _visit_hints(kind, walk)
    elif hasattr(kind, "__get_pydantic_core_schema__"):
        walk.is_open = True
    elif kind.__module__.partition(".")[0] in ("pydantic", "pydantic_core"):
        walk.is_lax = True


def _visit_model(kind: type, walk: Walk) -> None:
    walk.is_lax = True
    config = getattr(kind, "model_config", None) or {}
    if any(config.get(name) for name in OPENING) or _decides_early(kind.__pydantic_decorators__):
        walk.is_open = True
    if "__get_pydantic_core_schema__" in kind.__dict__:
        walk.is_open = True
    for field in kind.model_fields.values():
        if type(getattr(field, "validation_alias", None)).__name__ in ("AliasChoices", "AliasPath"):
            walk.is_open = True
        for one in field.metadata:
            _visit_metadata(one, walk)
        _visit(field.annotation, walk)


def _decides_early(decorators) -> bool:
    """Return whether a validator of a model sees a value before Pydantic does."""
    if decorators is None:
        return False
    if getattr(decorators, "root_validators", None) or getattr(decorators, "validators", None):
        return True
    groups = (decorators.field_validators, decorators.model_validators)
    return any(getattr(one.info, "mode", None) in EARLY for group in groups for one in group.values())


def _visit_hints(kind: type, walk: Walk) -> None:
    for hint in typing.get_type_hints(kind, include_extras=True).values():
        _visit(hint, walk)


def _name_members(node, enums: dict, depth: int) -> None:
    """Add the names of the members to the schemas of enums, which are known by their title and number of values."""
    if depth > 60:
        return
    if isinstance(node, list):
        for one in node:
            _name_members(one, enums, depth + 1)
    elif isinstance(node, dict):
        for key, inner in list(node.items()):
            if key not in ("default", "examples", "enum", "const"):
                _name_members(inner, enums, depth + 1)
        kind = enums.get(node.get("title"))
        values = node.get("enum", [node["const"]] if "const" in node else None)
        if kind is not None and values == [member.value for member in kind]:
            node["x-enum-varnames"] = [sys.intern(member.name) for member in kind]
