"""Results beyond plain JSON types: conversion, and the place of what cannot be converted."""

from kethub_runtime.failures import Failure
from kethub_runtime.parameter_types import is_secret_type
from kethub_runtime.result import MAX_DEPTH, TITLE

REDACTED = "[redacted]"
INFINITY = float("inf")


def convert(value, path: str | None):
    """Return `value` in simpler types, one level at least. Raises Failure when there is no obvious JSON for it."""
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
    if root == "datetime" and hasattr(value, "isoformat"):
        return value.isoformat()
    if root in ("uuid", "decimal", "fractions", "pathlib"):
        return str(value)
    place = path or "result"
    raise Failure(TITLE, f"run() returned something that is not JSON: {place} is {_a(kind)}{_advice(value, kind)}")


def plain(value):
    """Return a copy of `value` of plain JSON types only. Raises Failure naming the place of what is not JSON."""
    return _walk(value, "result", 0, set())


def _walk(value, path: str, depth: int, above: set):
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return _integer(int(value), path)
    if isinstance(value, float):
        return _number(float(value), path)
    if depth >= MAX_DEPTH:
        raise Failure(TITLE, f"run() returned something that is nested too deeply (more than {MAX_DEPTH} levels): {path[:200]}...")
    if id(value) in above:
        raise Failure(TITLE, f"run() returned something that contains itself: {path}")
    above.add(id(value))
    if isinstance(value, dict):
        walked = {}
        for key, item in value.items():
            name = _key(key, path)
            walked[name] = _walk(item, f"{path}{_member(name)}", depth + 1, above)
    elif isinstance(value, (list, tuple)):
        walked = [_walk(item, f"{path}[{index}]", depth + 1, above) for index, item in enumerate(value)]
    else:
        walked = _walk(convert(value, path), path, depth + 1, above)
    above.discard(id(value))
    return walked


def _integer(value: int, path: str) -> int:
    try:
        str(value)
    except ValueError as error:
        raise Failure(TITLE, f"run() returned an integer with too many digits: {path}. Return it as text.") from error
    return value


def _number(value: float, path: str) -> float:
    if value != value or value in (INFINITY, -INFINITY):
        raise Failure(TITLE, f"run() returned something that is not JSON: {path} is {value}. JSON has no NaN and no Infinity; return null or text.")
    return value


def _key(key, path: str) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or key is True or key is False:
        return {None: "null", True: "true", False: "false"}[key]
    if type(key).__module__ == "numpy" and hasattr(key, "item"):
        key = key.item()
    if isinstance(key, int):
        return int.__repr__(_integer(int(key), path))
    if isinstance(key, float):
        return float.__repr__(_number(float(key), path))
    if isinstance(key, str):
        return str.__str__(key)
    raise Failure(TITLE, f"run() returned something that is not JSON: {path} has a key that is {_a(type(key))}: {key!r:.80}. Keys must be text.")


def _member(name: str) -> str:
    return f".{name}" if name.isidentifier() else f"[{name[:80]!r}]"


def _a(kind: type) -> str:
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _advice(value, kind: type) -> str:
    if kind in (set, frozenset):
        return ". Return sorted(...) of it, a list."
    if kind is complex:
        return ". Return [z.real, z.imag]."
    if kind in (bytes, bytearray, memoryview):
        return ". Write it to a file in /var/runtime/output."
    if hasattr(value, "__next__"):
        return ". Return list(...) of it."
    return ""
