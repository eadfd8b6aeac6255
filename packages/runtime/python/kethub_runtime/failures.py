"""Failures that are reported to the caller with a cause and a remedy instead of a traceback."""


class Failure(Exception):
    """Ends the execution with this title and detail."""

    def __init__(self, title: str, detail: str) -> None:
        super().__init__(detail)
        self.title = title
        self.detail = detail


def problem_of(error: BaseException) -> dict:
    """Return the problem (type, title, detail, extensions) that reports `error` to the caller.

    The type is the name of the exception's class. An exception may have a title and a detail of its own, which are then
    used: Failure, and qhub.commons.runtime.error.HandlerError.
    """
    title, detail = getattr(error, "title", None), getattr(error, "detail", None)
    if isinstance(title, str) and isinstance(detail, str) and not callable(title):
        extensions = getattr(error, "extensions", None)
        reserved = {"type", "title", "detail", "status", "instance", "_links", "_embedded"}
        extra = {key: value for key, value in extensions.items() if key not in reserved} if isinstance(extensions, dict) else {}
        return {"type": "about:blank", "title": title, "detail": detail, **extra}
    name = type(error).__name__
    if isinstance(error, SystemExit):
        code = error.code
        text = code if isinstance(code, str) else f"run ended the process with exit code {code}"
        return {"type": name, "title": name, "detail": text}
    try:
        detail = str(error)
    except Exception:  # A broken __str__ of a service's exception must not hide its class.
        detail = ""
    return {"type": name, "title": name, "detail": detail or name}


def print_traceback(error: BaseException, runner: str) -> None:
    """Write the traceback of `error` to stderr, line by line with severity ERROR, without the runner's own frames."""
    import sys
    import traceback

    report = traceback.TracebackException.from_exception(error, compact=True)
    seen = set()
    pending = [report]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        frames = [frame for frame in one.stack if not frame.filename.startswith((runner, "<frozen importlib"))]
        one.stack = traceback.StackSummary.from_list(frames)
        pending += [one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or [])]
    text = "".join(report.format())
    sys.stderr.write("".join(f"\x1eERROR {line}\n" for line in text.rstrip("\n").split("\n")))
