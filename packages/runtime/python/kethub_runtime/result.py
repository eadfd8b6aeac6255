"""From what `run` returned to JSON text."""

from kethub_runtime import plain_json
from kethub_runtime.failures import Failure

RESERVED = ("_links", "_embedded")
TITLE = "Result is not JSON"
# Deep enough for any data that people write; far below the recursion limit of the interpreter (1,000).
MAX_DEPTH = 400


def encode_result(value) -> bytes:
    """Return the JSON text of a result. Raises Failure naming the place of what is not JSON.

    Plain results go through the C encoder once. Only when that refuses is the value walked in Python, to convert
    what JSON encoders do not (numpy keys) and to name the place of what cannot be converted.
    """
    value = _without_reserved(value)
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


def _without_reserved(value):
    """Drop `_links` and `_embedded` from the root of the result: the platform puts its own there."""
    if not isinstance(value, dict):
        converted = _default(value, None) if _is_model(value) else value
        if not isinstance(converted, dict):
            return converted
        value = converted
    dropped = [name for name in RESERVED if name in value]
    if dropped:
        import sys

        for name in dropped:
            sys.stdout.write(f'\x1eWARNING The result has a property "{name}". The platform sets it itself, so it is dropped.\n')
        return {key: item for key, item in value.items() if key not in RESERVED}
    return value


def _is_model(value) -> bool:
    kind = type(value)
    return hasattr(kind, "model_dump") or hasattr(kind, "__fields__") or hasattr(kind, "__dataclass_fields__")


def _default(value, _path=None):
    from kethub_runtime.result_walk import convert

    return convert(value, None)
