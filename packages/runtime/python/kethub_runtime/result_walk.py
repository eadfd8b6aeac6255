"""Walks results beyond plain JSON types in Python, and names the place of a value that cannot be JSON."""

from kethub_runtime.failures import Failure
from kethub_runtime.result import MAX_DEPTH, TITLE
from kethub_runtime.result_rules import article, simplified

INFINITY = float("inf")


def plain(value):
    """Return a copy of `value` in plain JSON types. Raises Failure naming the place of a value that cannot be JSON."""
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
            name = key_name(key, path)
            if name in walked:
                raise Failure(TITLE, f"run() returned a dictionary with two keys that are {name[:80]!r} in JSON: {path}. Give them different names.")
            walked[name] = _walk(item, f"{path}{_member(name)}", depth + 1, above)
    elif isinstance(value, (list, tuple)):
        walked = [_walk(item, f"{path}[{index}]", depth + 1, above) for index, item in enumerate(value)]
    else:
        walked = _walk(simplified(value, path), path, depth + 1, above)
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


def key_name(key, path: str) -> str:
    """Return the name that a key has in JSON. Raises Failure for a key without one."""
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or key is True or key is False:
        return {None: "null", True: "true", False: "false"}[key]
    if not isinstance(key, (int, float)):
        key = simplified(key, path) if type(key).__module__ != "builtins" else key
    if isinstance(key, int):
        return int.__repr__(_integer(int(key), path))
    if isinstance(key, float):
        return float.__repr__(_number(float(key), path))
    if isinstance(key, str):
        return str.__str__(key)
    raise Failure(TITLE, f"run() returned something that is not JSON: {path} has a key that is {article(type(key))}: {key!r:.80}. Keys must be text.")


def _member(name: str) -> str:
    return f".{name}" if name.isidentifier() else f"[{name[:80]!r}]"
