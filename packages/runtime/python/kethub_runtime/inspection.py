"""Finds the parameters and the result of a service, or why it cannot run, by importing it once at build time."""

import inspect
import json
import os
import sys

from kethub_runtime.accepted_values import accepted
from kethub_runtime.annotation_notes import parameter_texts
from kethub_runtime.conversion import empty_instance, json_schema
from kethub_runtime.inspection_problems import Problem, import_problem, missing_program
from kethub_runtime.json_defaults import default_of
from kethub_runtime.logs import LogFinder
from kethub_runtime.parameter_types import is_builtin, is_optional, is_secret_type, special_type
from kethub_runtime.program import set_up_path
from kethub_runtime.signature import EMPTY, parameters_of

RUNNER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main(arguments: list) -> None:
    """Write the report to stdout and end the process with 0, or with 1 when the service cannot run."""
    options = dict(zip(arguments[::2], arguments[1::2]))
    app = options.get("--app", "/app")
    report = os.dup(1)
    os.dup2(2, 1)
    sys.meta_path.insert(0, LogFinder)
    set_up_path(app, options.get("--deps", "/deps"), RUNNER)
    answer = inspect_service(app)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with open(report, "w", encoding="utf-8") as file:
        json.dump(answer, file)
    os._exit(1 if "problem" in answer else 0)


def inspect_service(app: str) -> dict:
    """Return {"interface", "modules"}, or {"problem": {"code", "title", "detail"}}. `modules` are the imported ones."""
    try:
        run = _load(app)
        return {"interface": _interface(run), "modules": sorted(sys.modules)}
    except Problem as problem:
        return {"problem": {"code": problem.code, "title": problem.title, "detail": problem.detail}}


def _load(app: str):
    if not os.path.isfile(f"{app}/src/program.py"):
        raise missing_program(app)
    try:
        from src import program
    except BaseException as error:
        raise import_problem(error, app) from error
    run = getattr(program, "run", None)
    if run is None:
        functions = [name for name, value in vars(program).items() if inspect.isfunction(value) and value.__module__ == "src.program"]
        found = f" It defines: {', '.join(functions[:10])}." if functions else ""
        raise Problem("run-missing", "No run function", f"src/program.py defines no function `run`.{found} Add: def run(data, params): ...")
    if not callable(run):
        kind = type(run).__name__
        raise Problem("run-missing", "No run function", f"`run` in src/program.py is not a function but a value of type {kind}.")
    return run


def _interface(run) -> dict:
    parameters = parameters_of(run)
    for parameter in parameters:
        if parameter.kind == "positional":
            detail = (
                f'run() declares "{parameter.name}" as positional-only (before the `/`), but input properties are '
                "passed by name. Remove the `/`."
            )
            raise Problem("run-positional-only", "Parameter without a name", detail)
    function = inspect.unwrap(run)
    code = getattr(function, "__code__", None)
    returns = getattr(function, "__annotations__", {}).get("return", EMPTY)
    texts = parameter_texts(function) if code else {}
    return {
        "parameters": [_parameter(one, texts.get(one.name)) for one in parameters if one.kind != "args"],
        "description": inspect.getdoc(function) if code else None,
        "returns": _text(returns),
        "resultSchema": None if returns is EMPTY or isinstance(returns, str) else json_schema(returns),
        "line": code.co_firstlineno if code else None,
        "asynchronous": inspect.iscoroutinefunction(function),
    }


def _parameter(parameter, text: str | None) -> dict:
    annotation = parameter.annotation
    special = None if annotation is EMPTY or is_builtin(annotation) else special_type(annotation)
    if parameter.kind == "kwargs":
        kind = "other"
    elif special:
        kind = "secret" if is_secret_type(special) else "dataPool"
    else:
        kind = "data"
    optional = parameter.kind == "kwargs" or parameter.default is not EMPTY or is_optional(annotation)
    schema = None if special or annotation is EMPTY or parameter.kind == "kwargs" else json_schema(annotation)
    if not optional and kind == "data" and annotation is not EMPTY and not is_builtin(annotation):
        optional = _may_be_empty(annotation)
    accepts = accepted(annotation, schema)
    return {
        "name": parameter.name,
        "kind": kind,
        "required": not optional,
        "annotation": _text(annotation),
        "description": text,
        "schema": schema and {**schema, **_notes(parameter, schema, text)},
        "accepts": accepts,
    }


def _may_be_empty(annotation) -> bool:
    """Return whether an absent member becomes an empty instance: of a model with defaults only."""
    try:
        return empty_instance(annotation) is not None
    except Exception:  # a validator of the model
        return False


def _notes(parameter, schema: dict, text: str | None) -> dict:
    """Return what the signature and the docstring of run() say beyond the type. A description of its own goes first."""
    described = {"description": text} if text and "description" not in schema else {}
    default = {} if parameter.default is EMPTY else default_of(parameter.default)
    return {**described, **default}


def _text(annotation) -> str | None:
    if annotation is EMPTY:
        return None
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation, "src.program")
