"""Writes log records of `logging` and `loguru` as lines with a severity to stdout, in order with the lines of print()."""

import os
import sys

LEVELS = {"TRACE": 5, "DEBUG": 10, "INFO": 20, "NOTICE": 25, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
state: dict = {}


def set_up(module) -> None:
    """Configure a logging framework after its import, and again when LOG_LEVEL becomes known later."""
    if module.__name__ == "logging":
        _set_up_logging(module)
    else:
        _set_up_loguru(module)


def severity_of(level: int) -> str:
    """Return the severity of the platform for a numeric level of the standard library."""
    if level < 20:
        return "DEBUG"
    if level < 25:
        return "INFO"
    if level < 30:
        return "NOTICE"
    return "WARNING" if level < 40 else "ERROR"


def mark(text: str, level: int) -> str:
    """Return the text with the severity in front of each of its lines."""
    prefix = f"\x1e{severity_of(level)} "
    return "\n".join(prefix + line for line in text.rstrip("\n").split("\n"))


def _chosen_level() -> int | None:
    name = os.environ.get("LOG_LEVEL", "").strip().upper()
    return int(name) if name.isdigit() else LEVELS.get(name)


def _set_up_logging(logging) -> None:
    root = logging.getLogger()
    chosen = _chosen_level()
    if "handler" in state:
        if chosen is not None:
            root.setLevel(chosen)
        return

    class SeverityFormatter(logging.Formatter):
        def format(self, record):
            text = super().format(record)
            own = record.name == "root" or record.name.partition(".")[0] == "src"
            return mark(text if own else f"{record.name}: {text}", record.levelno)

    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(SeverityFormatter("%(message)s"))
    state["handler"] = handler
    root.addHandler(handler)
    root.setLevel(chosen if chosen is not None else logging.INFO)
    _keep_handler(logging, root, handler)


def _keep_handler(logging, root, handler) -> None:
    """Make basicConfig() set its level and files. It would do nothing, because the root already has our handler."""
    original = logging.basicConfig

    def basicConfig(**options):
        if options.get("force") or root.handlers != [handler]:
            return original(**options)
        before = root.level
        if "filename" in options or "handlers" in options:
            root.removeHandler(handler)
            original(**options)
            root.addHandler(handler)
        elif options.get("level") is not None:
            root.setLevel(options["level"])
        if _chosen_level() is not None:
            root.setLevel(before)
        return None

    basicConfig.__doc__ = original.__doc__
    logging.basicConfig = basicConfig


def _set_up_loguru(loguru) -> None:
    stream = sys.stdout

    def sink(message) -> None:
        stream.write(mark(str(message), message.record["level"].no) + "\n")
        stream.flush()

    level = _chosen_level()
    loguru.logger.remove()
    loguru.logger.add(sink, level=20 if level is None else level, format="{message}", colorize=False)
