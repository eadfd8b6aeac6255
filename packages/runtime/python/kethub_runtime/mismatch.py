"""Values of the input that do not fit the parameters of `run`, with their places."""

MAX_ERRORS = 100
NAMES = {dict: "an object", list: "a list", str: "text", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}


class Mismatch(Exception):
    """Values that do not fit, as pairs of path and message. A path is a tuple of names and indexes."""

    def __init__(self, path: tuple, message: str) -> None:
        super().__init__(message)
        self.errors = [(path, message)]

    def location(self) -> str:
        """Return the first path in Python notation: `params.edges[0].weight`."""
        return written(self.errors[0][0])


def written(path: tuple) -> str:
    first, *steps = path
    return str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def collected(calls, errors=()) -> list:
    """Call each (function, *arguments) and return their values. Raises one Mismatch with the errors of all, at most 100."""
    values, errors = [], list(errors)
    for function, *arguments in calls:
        try:
            values.append(function(*arguments))
        except Mismatch as mismatch:
            errors += mismatch.errors
            if len(errors) > MAX_ERRORS:
                break
    if errors:
        found = Mismatch(*errors[0])
        found.errors = errors[:MAX_ERRORS]
        raise found
    return values


def name_of_json(value) -> str:
    """Return the kind of a JSON value with its article."""
    return NAMES.get(type(value)) or type(value).__name__
