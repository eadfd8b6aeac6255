"""Converts values that JSON does not know to values that it knows. docs/python-values.md lists the rules."""

from kethub_runtime.failures import Failure
from kethub_runtime.parameter_types import is_secret_type
from kethub_runtime.result import TITLE

REDACTED = "[redacted]"
AS_TEXT = ("uuid", "decimal", "fractions", "pathlib", "ipaddress")
# Types whose attributes are not the data that a service means to return.
NO_DATA = ("function", "method", "builtin_function_or_method", "type", "module", "generator", "coroutine")


def simplified(value, path: str | None):
    """Return `value` in simpler types, one level at least. Raises Failure when no rule fits."""
    kind = type(value)
    if is_secret_type(kind):
        return REDACTED
    if hasattr(kind, "model_dump"):
        return value.model_dump(mode="json")
    if hasattr(kind, "__fields__") and hasattr(value, "dict"):
        return value.dict()
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__ if hasattr(value, name)}
    root = kind.__module__.partition(".")[0]
    if root == "numpy" and hasattr(value, "tolist"):
        simple = value.tolist()
        if type(simple) is not kind:
            return simple
    if root == "enum" or any(base.__module__ == "enum" for base in kind.__mro__[:-1]):
        return value.value
    if root == "datetime":
        return value.isoformat() if hasattr(value, "isoformat") else value.total_seconds()
    if root in AS_TEXT:
        return str(value)
    if kind is complex:
        return [value.real, value.imag]
    simple = _collection(value)
    if simple is not None:
        return simple
    if kind.__name__ not in NO_DATA and not hasattr(value, "__next__") and not isinstance(value, (type, BaseException)):
        attributes = _attributes(value, kind)
        if attributes is not None:
            return attributes
    place = path or "result"
    raise Failure(TITLE, f"run() returned something that is not JSON: {place} is {article(kind)}{_advice(value, kind)}")


def _collection(value):
    """Return sets as sorted lists (by type and text if their items cannot be compared), other collections in their order."""
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return sorted(value, key=lambda item: (type(item).__name__, repr(item)))
    from collections import abc

    if isinstance(value, (bytes, bytearray, memoryview)):
        return None
    if isinstance(value, abc.Mapping):
        return dict(value)
    if isinstance(value, (abc.Sequence, abc.Set, abc.ValuesView)) or type(value).__name__ == "deque":
        return list(value)
    return None


def _attributes(value, kind: type) -> dict | None:
    """Return the public attributes of an object, else the result of its `to_dict()`, else None."""
    names = list(getattr(value, "__dict__", ()))
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    public = {name: getattr(value, name) for name in names if isinstance(name, str) and name[:1] != "_" and hasattr(value, name)}
    if public:
        return public
    if callable(getattr(kind, "to_dict", None)):
        try:
            converted = value.to_dict()
        except Exception:  # It needs arguments, or fails: then the object cannot be converted.
            converted = None
        if isinstance(converted, dict):
            return converted
    # An object without attributes, of a service's own class, is an empty object. One with private attributes only is no data.
    return {} if not names and hasattr(value, "__dict__") and kind is not object else None


def article(kind: type) -> str:
    """Name a class with its article: `a set`, `an app.Graph`."""
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _advice(value, kind: type) -> str:
    if kind in (bytes, bytearray, memoryview):
        return ". Write it to a file in /var/runtime/output, or return text."
    if hasattr(value, "__next__"):
        return ". Return list(...) of it."
    if isinstance(value, BaseException):
        return ". Raise it instead."
    if kind.__name__ == "coroutine":
        return ". Await it."
    if kind.__name__ in NO_DATA:
        return ""
    return " without public attributes. Return a dictionary with what the caller should see."
