"""Encodes the value that `run` returned as JSON text."""

from kethub_runtime import plain_json
from kethub_runtime.failures import Failure

RESERVED = ("_links", "_embedded")
TITLE = "Result is not JSON"
# Levels of nesting; a deeper result fails. Any data that people write is below, and Python's recursion limit (1,000) far above.
MAX_DEPTH = 400


def encode_result(value) -> bytes:
    """Return the JSON text of a result. Raises Failure naming the place of a value that cannot be JSON.

    The C encoder tries first. Only when it refuses, the value is walked in Python. The walk converts what encoders do
    not (numpy keys) and names the place of a value that cannot be converted.
    """
    value = _without_reserved(value)
    require_distinct_names(value)
    try:
        return plain_json.dumps(value, _default)
    except (ValueError, TypeError, RecursionError, Failure):
        from kethub_runtime.result_walk import plain

        tree = plain(value)
        try:
            return plain_json.dumps(tree, _default)
        except TypeError:  # the private C encoder has another signature in this Python
            import json

            return json.dumps(tree, allow_nan=False).encode("ascii")


def returned_error(value) -> dict | None:
    """Return the problem in a returned object of a class `ErrorResponse`. None for any other result.

    Templates of other platforms return errors instead of raising them: objects with `code` and `detail`.
    """
    if not any(kind.__name__ == "ErrorResponse" for kind in type(value).__mro__):
        return None
    members = plain_json.loads(encode_result(value).decode("utf-8"))
    detail = members.pop("detail", None) or members.pop("message", None) or "The service returned an error without a detail."
    title = members.pop("title", None) or "The service returned an error"
    extensions = {name: item for name, item in members.items() if name not in ("type", "status", "instance")}
    return {"type": "ErrorResponse", "title": str(title), "detail": detail if isinstance(detail, str) else plain_json.dumps(detail, None).decode(), **extensions}


def _without_reserved(value):
    """Drop `_links` and `_embedded` from the root of the result: the platform puts its own there."""
    while not isinstance(value, dict):
        if value is None or isinstance(value, (list, tuple, str, int, float)):
            return value
        value = _default(value)
    dropped = [name for name in RESERVED if name in value]
    if dropped:
        import sys

        for name in dropped:
            sys.stdout.write(f'\x1eWARNING The result has a property "{name}". The platform sets it itself, so it is dropped.\n')
        return {key: item for key, item in value.items() if key not in RESERVED}
    return value


def require_distinct_names(value) -> None:
    """Raise Failure for a dictionary of which two keys have the same name in JSON, such as 1 and "1": one would be lost.

    Looks into dictionaries and lists of any depth. Types are collected first, so long lists of numbers cost little.
    """
    seen = set()
    waiting = [value]
    while waiting:
        container = waiting.pop()
        if id(container) in seen:
            continue
        seen.add(id(container))
        items = container
        if isinstance(container, dict):
            items = container.values()
            if set(map(type, container)) - {str}:
                _require_distinct(container)
        elif not isinstance(container, (list, tuple)):
            continue
        containers = tuple(kind for kind in set(map(type, items)) if issubclass(kind, (dict, list, tuple)))
        if containers:
            waiting.extend(item for item in items if type(item) in containers)


def _require_distinct(value: dict) -> None:
    from kethub_runtime.result_walk import key_name

    names: dict[str, object] = {}
    for key in value:
        try:
            name = key_name(key, "result")
        except Failure:
            return  # the encoder refuses this key, and names its place
        if name in names:
            raise Failure(TITLE, f"run() returned a dictionary with the keys {names[name]!r:.80} and {key!r:.80}, which have the same name in JSON. Give them different names.")
        names[name] = key


def _default(value, _path=None):
    from kethub_runtime.result_rules import simplified

    simple = simplified(value, None)
    require_distinct_names(simple)
    return simple
