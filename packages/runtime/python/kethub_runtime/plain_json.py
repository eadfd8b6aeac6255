"""JSON without `import json`, which costs 7 ms (it pulls in re and enum).

It calls the C accelerator `_json`, as the standard library does. That module is private, so everything unexpected
(another Python, an error of any kind) falls back to the json module, which also words the error.
"""

import _json


class _Scanner:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: dict = {}

    @staticmethod
    def parse_constant(name):
        raise ValueError(f"{name} is not JSON")


def loads(text: str):
    """Parse a JSON text. Raises ValueError (json.JSONDecodeError) as json.loads does."""
    try:
        start = len(text) - len(text.lstrip(" \t\n\r"))
        value, end = _json.make_scanner(_Scanner)(text, start)
        if not text[end:].strip(" \t\n\r"):
            return value
    except (ValueError, StopIteration, SystemError, TypeError, AttributeError):
        pass  # json.loads below repeats it and reports the error
    import json

    return json.loads(text, parse_constant=_Scanner.parse_constant)


def dumps(value, default) -> bytes:
    """Return `value` as compact JSON in UTF-8. `default` converts values that JSON does not know, or raises.

    Raises ValueError, TypeError or RecursionError for values that cannot be JSON, such as NaN and Infinity.
    """
    chunks = _json.make_encoder({}, default, _json.encode_basestring, None, ":", ",", False, False, False)(value, 0)
    try:
        return "".join(chunks).encode("utf-8")
    except UnicodeEncodeError:  # A lone surrogate has no UTF-8 form, but JSON can write it as an escape.
        chunks = _json.make_encoder({}, default, _json.encode_basestring_ascii, None, ":", ",", False, False, False)(value, 0)
        return "".join(chunks).encode("ascii")
