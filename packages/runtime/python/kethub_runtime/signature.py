"""The parameters of `run`, read from its code object: `import inspect` would cost 12 ms."""

import sys

EMPTY = type("Empty", (), {"__repr__": lambda self: "EMPTY"})()
FUNCTION = type(lambda: None)
VARARGS, VARKEYWORDS = 0x04, 0x08  # co_flags, see the documentation of the inspect module


class Parameter:
    """One parameter: `kind` is "positional" (only), "named", "args" or "kwargs"."""

    __slots__ = ("name", "kind", "default", "annotation")

    def __init__(self, name, kind, default=EMPTY, annotation=EMPTY) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation


def parameters_of(function) -> list:
    """Return the parameters of a callable, in order, with resolved annotations (EMPTY when they cannot be resolved)."""
    if type(function) is FUNCTION and not function.__dict__:
        parameters = _from_code(function)
    else:
        parameters = _from_signature(function)
    if any(parameter.annotation is not EMPTY and type(parameter.annotation) is not type for parameter in parameters):
        _resolve(function, parameters)
    return parameters


def _from_code(function) -> list:
    code = function.__code__
    names = code.co_varnames
    positional, keyword = code.co_argcount, code.co_kwonlyargcount
    defaults = function.__defaults__ or ()
    keyword_defaults = function.__kwdefaults__ or {}
    annotations = function.__annotations__
    parameters = []
    for index in range(positional + keyword):
        name = names[index]
        if index < positional:
            from_end = index - (positional - len(defaults))
            default = defaults[from_end] if from_end >= 0 else EMPTY
        else:
            default = keyword_defaults.get(name, EMPTY)
        kind = "positional" if index < code.co_posonlyargcount else "named"
        parameters.append(Parameter(name, kind, default, annotations.get(name, EMPTY)))
    rest = positional + keyword
    if code.co_flags & VARARGS:
        parameters.append(Parameter(names[rest], "args"))
        rest += 1
    if code.co_flags & VARKEYWORDS:
        parameters.append(Parameter(names[rest], "kwargs"))
    return parameters


def _from_signature(function) -> list:
    """Read callables that are no plain functions: decorated ones, partials, objects with __call__."""
    import inspect

    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "positional",
        inspect.Parameter.VAR_POSITIONAL: "args",
        inspect.Parameter.VAR_KEYWORD: "kwargs",
    }
    return [
        Parameter(
            one.name,
            kinds.get(one.kind, "named"),
            EMPTY if one.default is inspect.Parameter.empty else one.default,
            EMPTY if one.annotation is inspect.Parameter.empty else one.annotation,
        )
        for one in inspect.signature(function).parameters.values()
    ]


def _resolve(function, parameters: list) -> None:
    """Replace text annotations (`from __future__ import annotations`, forward references) with the types that they name."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    hints = {}
    typing = sys.modules.get("typing")
    if typing:
        try:
            hints = typing.get_type_hints(function, include_extras=True)
        except Exception:  # A name that exists for type checkers only. The others are resolved one by one below.
            hints = {}
    names = getattr(function, "__globals__", {})
    for parameter in parameters:
        if parameter.name in hints:
            parameter.annotation = hints[parameter.name]
        elif isinstance(parameter.annotation, str):
            try:
                parameter.annotation = eval(parameter.annotation, names)
            except Exception:  # The same; a parameter without a known type receives its value unchanged.
                parameter.annotation = EMPTY
