"""Converts JSON values to builtin, typing, enum, date and dataclass types: the rules of docs/python-values.md.

Only unambiguous values are converted: text is no number, a boolean is no number, null is only null. Values that do not fit
raise a Mismatch that names every place; they are never replaced by another value.
"""

import sys

from kethub_runtime.mismatch import Mismatch, collected, name_of_json
from kethub_runtime.parameter_types import NONE_TYPE, members_of
from kethub_runtime.scalars import is_scalar, plain, scalar_of

FAST = (str, int, float, bool)
ABSTRACT = {
    "Sequence": list, "MutableSequence": list, "Iterable": list, "Collection": list, "Container": list,
    "Set": set, "AbstractSet": set, "MutableSet": set, "Mapping": dict, "MutableMapping": dict,
}  # fmt: skip


def coerce(value, annotation, path: tuple):
    """Return `value`, which is parsed JSON, as the annotated type. Raises Mismatch."""
    annotation = _resolved(annotation)
    if hasattr(annotation, "__metadata__"):
        return _by_pydantic(value, annotation, path)
    members = members_of(annotation)
    if len(members) > 1:
        return _union(value, members, path)
    kind = getattr(annotation, "__origin__", None) or annotation
    arguments = getattr(annotation, "__args__", None) or ()
    if kind in FAST:
        return plain(value, kind, path)
    if _is_anything(kind):
        return value
    if getattr(kind, "_name", None) == "Literal":
        return _literal(value, arguments, path)
    if kind is NONE_TYPE or kind is None:
        if value is None:
            return None
        raise Mismatch(path, f"null is needed, not {name_of_json(value)}")
    if not isinstance(kind, type):
        return unknown(value, annotation, path)
    if getattr(kind, "__module__", "") == "collections.abc":
        kind = ABSTRACT.get(kind.__name__, kind)
    if hasattr(kind, "__get_pydantic_core_schema__") or hasattr(kind, "__pydantic_validator__") or hasattr(kind, "parse_obj"):
        return _by_pydantic(value, annotation, path)
    if hasattr(kind, "__dataclass_fields__"):
        return _dataclass(value, kind, path)
    if hasattr(kind, "__members__"):
        return _member(value, kind, path)
    if hasattr(kind, "_fields") and issubclass(kind, tuple):
        return _named_tuple(value, kind, path)
    if hasattr(kind, "__required_keys__"):
        return _typed_dict(value, kind, path)
    if issubclass(kind, dict):
        return _dict(value, kind, arguments, path)
    if issubclass(kind, (list, set, frozenset, tuple)) or kind.__name__ == "deque":
        return _items(value, kind, arguments, path)
    if kind.__module__.partition(".")[0] == "numpy":
        return _numpy(value, kind, arguments, path)
    if is_scalar(kind):
        return scalar_of(value, kind, path)
    return unknown(value, annotation, path)


def unknown(value, annotation, path: tuple):
    """Return the value unchanged, with a warning in the log: its type cannot be made from JSON."""
    if isinstance(annotation, type) and isinstance(value, annotation):
        return value
    name = f"{annotation.__module__}.{annotation.__qualname__}" if isinstance(annotation, type) else str(annotation)
    location = Mismatch(path, "").location()
    sys.stdout.write(f"\x1eWARNING {location} is declared as {name}, which cannot be made from JSON: run() gets the value as it came.\n")
    return value


def _resolved(annotation):
    """Return the type behind new types, aliases and qualifiers: NewType, `type X = ...`, Annotated, Final, Required."""
    while True:
        if hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        elif hasattr(annotation, "__metadata__") and not any(_is_of_pydantic(one) for one in annotation.__metadata__):
            annotation = annotation.__origin__
        elif getattr(getattr(annotation, "__origin__", None), "_name", None) in ("Final", "ClassVar", "Required", "NotRequired"):
            annotation = annotation.__args__[0]
        else:
            return annotation


def _is_of_pydantic(metadata) -> bool:
    return type(metadata).__module__.partition(".")[0] in ("pydantic", "pydantic_core", "annotated_types")


def _by_pydantic(value, annotation, path: tuple):
    from kethub_runtime.conversion import by_pydantic

    return by_pydantic(value, annotation, path)


def _is_anything(kind) -> bool:
    return kind is object or type(kind).__name__ == "TypeVar" or getattr(kind, "_name", getattr(kind, "__name__", None)) == "Any"


def _union(value, members, path: tuple):
    """Return the value as the member whose type it has, else as the first member that accepts it."""
    if value is None and NONE_TYPE in members:
        return None
    for member in members:
        if type(value) is member:
            return value
    failures = []
    for member in members:
        if member is NONE_TYPE:
            continue
        try:
            return coerce(value, member, path)
        except Mismatch as mismatch:
            failures.append(mismatch)
    # The deepest error says most: {"x": "a"} is a Point with a wrong x, not "no number".
    raise max(failures, key=lambda one: max(len(location) for location, _ in one.errors))


def _literal(value, allowed: tuple, path: tuple):
    for one in allowed:
        if type(one) is type(value) and one == value:
            return one
        if hasattr(type(one), "__members__") and type(one.value) is type(value) and one.value == value:
            return one
    raise Mismatch(path, f"{_short(value)} is not one of {', '.join(repr(getattr(one, 'value', one)) for one in allowed)}")


def _member(value, kind, path: tuple):
    for member in kind.__members__.values():
        if type(member.value) is type(value) and member.value == value:
            return member
    for member in kind.__members__.values():
        if member.name == value or (isinstance(value, (int, float)) and type(value) is not bool and member.value == value):
            return member
    if type(value) is int and hasattr(kind, "__or__") and any(base.__name__ == "Flag" for base in kind.__mro__):
        try:
            return kind(value)
        except ValueError:
            pass  # not a combination of the flags: reported below
    allowed = ", ".join(repr(member.value) for member in kind.__members__.values())
    raise Mismatch(path, f"{_short(value)} is not one of {allowed}")


def _items(value, kind, arguments: tuple, path: tuple):
    if not isinstance(value, list):
        raise Mismatch(path, f"a list is needed, not {name_of_json(value)}")
    if arguments == ((),):  # tuple[()] before Python 3.11
        arguments = ()
    fixed = issubclass(kind, tuple) and arguments and arguments[-1] is not Ellipsis
    if fixed and len(value) != len(arguments):
        raise Mismatch(path, f"a list of {len(arguments)} is needed, not of {len(value)}")
    items = value
    if fixed:
        items = collected((coerce, item, one, (*path, index)) for index, (item, one) in enumerate(zip(value, arguments)))
    elif arguments and not (arguments[0] in FAST and all(type(item) is arguments[0] for item in value)):
        items = collected((coerce, item, arguments[0], (*path, index)) for index, item in enumerate(value))
    try:
        return items if kind is list else kind(items)
    except TypeError as error:
        raise Mismatch(path, f"its items cannot be in a set: {error}") from error


def _dict(value, kind, arguments: tuple, path: tuple):
    if not isinstance(value, dict):
        raise Mismatch(path, f"an object is needed, not {name_of_json(value)}")
    if kind.__name__ == "Counter" and len(arguments) == 1:
        arguments = (*arguments, int)
    if len(arguments) == 2:
        keys = collected((_key, key, arguments[0], (*path, key)) for key in value)
        items = collected((coerce, item, arguments[1], (*path, key)) for key, item in value.items())
        value = dict(zip(keys, items))
        if len(value) < len(items):
            raise Mismatch(path, "two of its names are the same key")
    if kind is dict:
        return value
    if kind.__name__ == "defaultdict":
        return kind(arguments[1] if len(arguments) == 2 and isinstance(arguments[1], type) else None, value)
    return kind(value)


def _key(key: str, annotation, path: tuple):
    """Return the name of a member as a key. JSON names are text, so "1" becomes the number 1 where a number is declared."""
    try:
        return coerce(key, annotation, path)
    except Mismatch as mismatch:
        from kethub_runtime import plain_json

        try:
            return coerce(plain_json.loads(key), annotation, path)
        except ValueError:
            raise mismatch from None


def _named_tuple(value, kind, path: tuple):
    names = kind._fields
    if isinstance(value, list) and len(value) <= len(names):
        value = dict(zip(names, value))
    return _made(kind, value, [(name, name not in kind._field_defaults) for name in names], path)


def _dataclass(value, kind, path: tuple):
    import dataclasses

    missing = dataclasses.MISSING
    fields = [field for field in kind.__dataclass_fields__.values() if field.init and field._field_type is dataclasses._FIELD]
    return _made(kind, value, [(field.name, field.default is missing and field.default_factory is missing) for field in fields], path)


def _typed_dict(value, kind, path: tuple):
    names = [(name, name in kind.__required_keys__) for name in kind.__annotations__]
    made = _made(dict, value, names, path, kind)
    return {**value, **made}


def _made(kind, value, names: list, path: tuple, hinted=None):
    """Call `kind` with its declared members. `names` are pairs of a name and whether it is required."""
    import typing

    if not isinstance(value, dict):
        raise Mismatch(path, f"an object is needed, not {name_of_json(value)}")
    hints = typing.get_type_hints(hinted or kind, include_extras=True)
    absent = [(((*path, name)), "is missing") for name, required in names if required and name not in value]
    present = [name for name, _ in names if name in value]
    made = collected(((coerce, value[name], hints.get(name, object), (*path, name)) for name in present), absent)
    try:
        return kind(**dict(zip(present, made)))
    except (ValueError, TypeError, AssertionError) as error:  # a check of the class itself, in __post_init__
        raise Mismatch(path, f"{type(error).__name__}: {error}") from error


def _numpy(value, kind, arguments: tuple, path: tuple):
    numpy = sys.modules["numpy"]
    if not issubclass(kind, numpy.ndarray):
        if not issubclass(kind, numpy.generic) or isinstance(value, (list, dict, type(None))):
            raise Mismatch(path, f"a {kind.__name__} is needed, not {name_of_json(value)}")
        return _numpy_made(lambda: kind(value), value, path)
    if not isinstance(value, (list, int, float)):
        raise Mismatch(path, f"a list of numbers is needed, not {name_of_json(value)}")
    dtype = getattr(arguments[1], "__args__", (None,))[0] if len(arguments) > 1 else None
    return _numpy_made(lambda: numpy.asarray(value, dtype if isinstance(dtype, type) else None), value, path)


def _numpy_made(make, value, path: tuple):
    try:
        made = make()
    except (ValueError, TypeError, OverflowError) as error:
        raise Mismatch(path, str(error)) from error
    if made.dtype == object:
        raise Mismatch(path, f"numbers are needed, not {name_of_json(value)} of other things")
    return made


def _short(value) -> str:
    return f"{value!r:.80}"
