"""From JSON values to the types that annotations ask for: Pydantic models, dataclasses, enums, and containers of them."""

import sys

from kethub_runtime.failures import Failure
from kethub_runtime.parameter_types import NONE_TYPE, is_builtin, members_of

MAX_ERRORS = 10

JSON_TYPES = {bool: "a boolean", int: "a whole number", float: "a number", str: "text", list: "a list", dict: "an object"}


def convert(value, annotation, name: str):
    """Return `value` as the annotated type. Raises Failure ("Invalid input") with the paths of all wrong fields."""
    if _is_plain(annotation):
        return value
    pydantic = sys.modules.get("pydantic")
    if pydantic and hasattr(pydantic, "TypeAdapter") and not _is_plain_dataclass(annotation):
        adapter = _adapter(pydantic, annotation)
        return _validate(adapter, value, name) if adapter else value
    return _coerce(value, annotation, name)


def empty_instance(annotation):
    """Return an instance made of defaults only when the annotated model or dataclass allows one, else None."""
    if not isinstance(annotation, type):
        return None
    if not (_is_model(annotation) or hasattr(annotation, "__dataclass_fields__")):
        return None
    try:
        return annotation()
    except (TypeError, ValueError):  # Pydantic's ValidationError is a ValueError; dataclasses raise TypeError
        return None


def json_schema(annotation) -> dict | None:
    """Return a JSON Schema of the annotation: Pydantic's where it is imported, else of builtins, typing and dataclasses."""
    names = {dict: "object", list: "array", str: "string", int: "integer", float: "number", bool: "boolean"}
    if isinstance(annotation, type) and annotation in names:
        return {"type": names[annotation]}
    pydantic = sys.modules.get("pydantic")
    if pydantic and hasattr(pydantic, "TypeAdapter"):
        try:
            return pydantic.TypeAdapter(annotation).json_schema()
        except (pydantic.errors.PydanticUserError, TypeError, ValueError, NameError):
            return None  # a type without a schema, such as numpy.ndarray: there is nothing to say about it
    if isinstance(annotation, type) and hasattr(annotation, "schema") and _is_model(annotation):
        return annotation.schema()
    from kethub_runtime.type_schema import schema_of

    return schema_of(annotation)


def _is_model(kind) -> bool:
    return isinstance(kind, type) and (hasattr(kind, "model_validate") or hasattr(kind, "parse_obj"))


def _is_plain_dataclass(annotation) -> bool:
    return isinstance(annotation, type) and hasattr(annotation, "__dataclass_fields__") and not hasattr(annotation, "__pydantic_validator__")


def _is_plain(annotation) -> bool:
    """Whether the annotation consists of builtins, Any and None only: such values are passed as they are."""
    if annotation is None or annotation is NONE_TYPE or is_builtin(annotation):
        return True
    if type(annotation).__module__ == "typing" and getattr(annotation, "_name", None) == "Any" or str(annotation) == "typing.Any":
        return True
    arguments = getattr(annotation, "__args__", None)
    origin = getattr(annotation, "__origin__", None)
    if hasattr(annotation, "__metadata__") or getattr(origin, "_name", None) == "Literal":
        return False
    return bool(arguments) and all(one is Ellipsis or _is_plain(one) for one in arguments)


def _adapter(pydantic, annotation):
    try:
        return pydantic.TypeAdapter(annotation)
    except (pydantic.errors.PydanticUserError, NameError, TypeError):
        return None  # Pydantic has no schema for it (numpy.ndarray, ...): the value is passed as it is


def _validate(adapter, value, name: str):
    import pydantic

    try:
        return adapter.validate_python(value)
    except pydantic.ValidationError:
        from kethub_runtime import plain_json

        # Strict models take JSON's text for a date, a tuple from a list: only their JSON mode knows where the value came from.
        try:
            return adapter.validate_json(plain_json.dumps(value, None))
        except pydantic.ValidationError as error:
            raise _invalid(error.errors(include_url=False, include_context=False, include_input=False), name) from error


def _invalid(errors: list, name: str) -> Failure:
    lines = [f"{_path(name, one['loc'])}: {one['msg']}" for one in errors[:MAX_ERRORS]]
    more = f"; and {len(errors) - MAX_ERRORS} more" if len(errors) > MAX_ERRORS else ""
    failure = Failure("Invalid input", "; ".join(lines) + more)
    failure.extensions = {"errors": [{"pointer": _pointer(name, one["loc"]), "detail": one["msg"]} for one in errors[:100]]}
    return failure


def _path(name: str, location) -> str:
    return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location if step != "__root__")


def _pointer(name: str, location) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in (name, *location))


def _wrong(path: str, message: str) -> Failure:
    return Failure("Invalid input", f"{path}: {message}")


def _coerce(value, annotation, path: str):
    """Convert without Pydantic 2: dataclasses, enums, Pydantic 1 models, and containers and unions of them."""
    members = members_of(annotation)
    if len(members) > 1:
        return _coerce_union(value, members, path)
    annotation = members[0]
    if isinstance(annotation, type) and annotation in JSON_TYPES:
        return _json_type(value, annotation, path)
    origin, arguments = getattr(annotation, "__origin__", None), getattr(annotation, "__args__", ())
    if origin in (list, set, frozenset, tuple):
        if not isinstance(value, list):
            raise _wrong(path, f"a list is needed, not {_json_name(value)}")
        kinds = _item_kinds(value, origin, arguments, path)
        return origin(_coerce(item, kind, f"{path}[{index}]") for index, (item, kind) in enumerate(zip(value, kinds)))
    if origin is dict:
        if not isinstance(value, dict):
            raise _wrong(path, f"an object is needed, not {_json_name(value)}")
        return {key: _coerce(item, arguments[1], f"{path}.{key}") for key, item in value.items()}
    if _is_plain(annotation) or not isinstance(annotation, type):
        return value
    if hasattr(annotation, "model_validate") or hasattr(annotation, "parse_obj"):
        return _model(value, annotation, path)
    if hasattr(annotation, "__dataclass_fields__"):
        return _dataclass(value, annotation, path)
    if hasattr(annotation, "__members__"):
        return _member(value, annotation, path)
    return value


def _coerce_union(value, members, path: str):
    if value is None and NONE_TYPE in members:
        return None
    first = None
    for member in members:
        if member is NONE_TYPE:
            continue
        try:
            return _coerce(value, member, path)
        except Failure as failure:
            first = first or failure
    raise first or _wrong(path, f"{_json_name(value)} fits none of the allowed types")


def _json_type(value, kind, path: str):
    """Return a value of JSON as the builtin asked for. A whole number is a number, but True is not 1."""
    if type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return float(value)
    raise _wrong(path, f"{JSON_TYPES[kind]} is needed, not {_json_name(value)}")


def _item_kinds(value: list, origin, arguments: tuple, path: str):
    """Return what every item has to be: tuple[A, B] says it by position, all others once."""
    if origin is not tuple or arguments[-1] is Ellipsis:
        return [arguments[0]] * len(value)
    if len(value) != len(arguments):
        raise _wrong(path, f"a list of {len(arguments)} is needed, not of {len(value)}")
    return arguments


def _model(value, kind, path: str):
    validate = getattr(kind, "model_validate", None) or kind.parse_obj
    try:
        return validate(value)
    except ValueError as error:
        if not hasattr(error, "errors"):
            raise
        raise _invalid(error.errors(), path) from error


def _dataclass(value, kind, path: str):
    import typing

    if not isinstance(value, dict):
        raise _wrong(path, f"an object is needed, not {_json_name(value)}")
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = [field for field in kind.__dataclass_fields__.values() if field.init and field.name in hints]
    given = {
        field.name: _coerce(value[field.name], hints[field.name], f"{path}.{field.name}") for field in fields if field.name in value
    }
    try:
        return kind(**given)
    except TypeError as error:
        missing = [field.name for field in fields if field.name not in given and _has_no_default(field)]
        if not missing:
            raise
        raise _wrong(path, f"{', '.join(missing)} missing") from error


def _has_no_default(field) -> bool:
    import dataclasses

    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _member(value, kind, path: str):
    for member in kind.__members__.values():
        if member.value == value or member.name == value:
            return member
    allowed = ", ".join(repr(member.value) for member in kind.__members__.values())
    raise _wrong(path, f"{value!r:.80} is not one of {allowed}")


def _json_name(value) -> str:
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)
