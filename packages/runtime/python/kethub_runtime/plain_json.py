"""JSON without `import json`, which costs 7 ms (it pulls in re and enum).

The C accelerator `_json` does all the work in the standard library too. It is private, so every deviation from what
is expected here (another Python, an error of any kind) falls back to the json module, which also words the error.
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
        pass  # json.loads below repeats it and says what is wrong
    import json

    return json.loads(text, parse_constant=_Scanner.parse_constant)


def dumps(value, default) -> bytes:
    """Write `value` as compact JSON in UTF-8; `default` converts what JSON does not know, or raises.

    Raises ValueError, TypeError or RecursionError for what cannot be written; NaN and Infinity are refused.
    """
    chunks = _json.make_encoder({}, default, _json.encode_basestring, None, ":", ",", False, False, False)(value, 0)
    try:
        return "".join(chunks).encode("utf-8")
    except UnicodeEncodeError:  # A lone surrogate has no UTF-8 form, but JSON can write it as an escape.
        chunks = _json.make_encoder({}, default, _json.encode_basestring_ascii, None, ":", ",", False, False, False)(value, 0)
        return "".join(chunks).encode("ascii")
