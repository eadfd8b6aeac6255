"""Converts JSON values to single values: numbers, text, dates, UUID, Decimal, paths, complex numbers, bytes.

The modules of dates, UUID and the like are imported with the first such parameter, as together they cost 10 ms.
"""

from kethub_runtime.mismatch import Mismatch, name_of_json

NEEDED = {bool: "a boolean", int: "a whole number", float: "a number", str: "text"}


_readers: dict = {}


def is_scalar(kind: type) -> bool:
    """Return whether `scalar_of` can make values of this type."""
    if not _readers:
        _readers.update(_all_readers())
    return any(base in _readers for base in kind.__mro__)


def scalar_of(value, kind: type, path: tuple):
    """Return `value` as a `kind` for which `is_scalar` holds. Raises Mismatch."""
    base = next(one for one in kind.__mro__ if one in _readers)
    simple = _readers[base](value, base, path)
    if base is kind or type(simple) is kind:
        return simple
    try:
        return kind(simple)
    except (ValueError, TypeError) as error:
        raise Mismatch(path, f"{type(error).__name__}: {error}") from error


def plain(value, kind, path: tuple):
    """Return a number, text or boolean. 2 is accepted as a float and 2.0 as an int; booleans and text are no numbers."""
    if type(value) is kind:
        return value
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError as error:
            raise Mismatch(path, "the number is too large") from error
    if kind is int and type(value) is float and value.is_integer():
        return int(value)
    if kind is int and type(value) is float:
        raise Mismatch(path, f"a whole number is needed, not {value!r}")
    raise Mismatch(path, f"{NEEDED[kind]} is needed, not {name_of_json(value)}")


def _text_as(make, example: str):
    def read(value, kind, path: tuple):
        if type(value) is not str:
            raise Mismatch(path, f"{example} is needed, not {name_of_json(value)}")
        try:
            return make(value, kind)
        except ValueError as error:
            raise Mismatch(path, f"{example} is needed, not {value!r:.80}") from error

    return read


def _moment(value: str, kind):
    if value[-1:] in "Zz" and len(value) > 10:  # Python 3.10 does not read it
        value = f"{value[:-1]}+00:00"
    return kind.fromisoformat(value)


def _decimal(value, kind, path: tuple):
    if type(value) not in (int, float, str):
        raise Mismatch(path, f"a number, or one as text, is needed, not {name_of_json(value)}")
    try:
        return kind(value if type(value) is int else str(value))
    except (ArithmeticError, ValueError) as error:
        raise Mismatch(path, f"a number is needed, not {value!r:.80}") from error


def _complex(value, kind, path: tuple):
    if type(value) in (int, float):
        return complex(value)
    if isinstance(value, list) and len(value) == 2 and all(type(part) in (int, float) for part in value):
        return complex(*value)
    raise Mismatch(path, f"a number or [real, imaginary] is needed, not {name_of_json(value)}")


def _seconds(value, kind, path: tuple):
    return kind(seconds=plain(value, float, path))


def _all_readers() -> dict:
    import datetime
    import decimal
    import fractions
    import pathlib
    import uuid

    return {
        bool: plain, int: plain, float: plain, str: plain, complex: _complex,
        bytes: _text_as(lambda text, _kind: text.encode(), "text"),
        bytearray: _text_as(lambda text, _kind: bytearray(text.encode()), "text"),
        datetime.datetime: _text_as(_moment, "a date and time like 2026-01-31T12:00:00Z"),
        datetime.date: _text_as(_moment, "a date like 2026-01-31"),
        datetime.time: _text_as(lambda text, kind: kind.fromisoformat(text.replace("Z", "+00:00")), "a time like 12:00:00"),
        datetime.timedelta: _seconds,
        uuid.UUID: _text_as(lambda text, kind: kind(text), "a UUID"),
        decimal.Decimal: _decimal, fractions.Fraction: _decimal,
        pathlib.PurePath: _text_as(lambda text, kind: kind(text), "a path"), pathlib.Path: _text_as(lambda text, kind: kind(text), "a path"),
    }  # fmt: skip
