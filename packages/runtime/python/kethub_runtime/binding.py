"""Binds the input of an execution to the arguments of `run`."""

from kethub_runtime.failures import Failure
from kethub_runtime.parameter_types import is_builtin, is_optional, is_secret_type, special_type
from kethub_runtime.signature import EMPTY, parameters_of


class Job:
    """The input of one execution: properties, secrets by parameter name, names and folder of the data pools."""

    __slots__ = ("input", "secrets", "pools", "pool_folder")

    def __init__(self, input, secrets, pools, pool_folder) -> None:
        self.input = input
        self.secrets = secrets
        self.pools = pools
        self.pool_folder = pool_folder


def bind(function, job: Job) -> tuple:
    """Return (positional arguments, keyword arguments) for `function`. Raises Failure naming the parameter."""
    positional, named, taken = [], {}, {"$secrets"}
    rest = None
    for parameter in parameters_of(function):
        if parameter.kind == "args":
            continue
        if parameter.kind == "kwargs":
            rest = parameter
            continue
        taken.add(parameter.name)
        value = _argument(parameter, job)
        if parameter.kind == "positional":
            positional.append(value)
        else:
            named[parameter.name] = value
    if rest:
        for name, value in job.input.items():
            if name not in taken:
                named[name] = _pool(_own("DataPool"), name, job) if name in job.pools else value
        for name in job.secrets:
            if name not in taken and name not in named:
                named[name] = _own("SecretValue")(job.secrets[name])
    return positional, named


def _argument(parameter, job: Job):
    name, annotation = parameter.name, parameter.annotation
    if annotation is EMPTY:
        if name in job.pools:
            return _pool(_own("DataPool"), name, job)
        if name in job.secrets and name not in job.input:
            return _own("SecretValue")(job.secrets[name])
    special = None if annotation is EMPTY or is_builtin(annotation) else special_type(annotation)
    if special:
        value = _secret(special, name, job) if is_secret_type(special) else _pool(special, name, job)
        if value is not EMPTY:
            return value
    elif name in job.input:
        value = job.input[name]
        if annotation is EMPTY or type(value) is annotation or (value is None and parameter.default is None):
            return value
        from kethub_runtime.conversion import convert

        return convert(value, annotation, name)
    return _absent(parameter, special, job)


def _secret(kind, name: str, job: Job):
    return kind(job.secrets[name]) if name in job.secrets else EMPTY


def _pool(kind, name: str, job: Job):
    import os

    path = os.path.join(job.pool_folder, name)
    return kind(path) if os.path.isdir(path) else EMPTY


def _absent(parameter, special, job: Job):
    """Return the value of a parameter that the input does not contain: default, None, an empty model. Else raise Failure."""
    name, annotation = parameter.name, parameter.annotation
    if parameter.default is not EMPTY:
        return parameter.default
    if annotation is not EMPTY and is_optional(annotation):
        return None
    if special:
        if is_secret_type(special):
            raise Failure("Missing secret", f'run() needs the secret "{name}". Pass it with the input: {{"$secrets": {{"{name}": "..."}}}}')
        reference = f'{{"{name}": {{"id": "...", "ref": "DATAPOOL"}}}}'
        raise Failure("Missing data pool", f'run() needs the data pool "{name}". Pass a reference with the input: {reference}')
    if annotation is not EMPTY and not is_builtin(annotation):
        from kethub_runtime.conversion import empty_instance

        instance = empty_instance(annotation)
        if instance is not None:
            return instance
    raise Failure("Missing input", f'run() needs "{name}", but the input has no property "{name}". {_properties(name, job)}')


def _properties(name: str, job: Job) -> str:
    if name in job.secrets:
        return f"It was passed as a secret: declare the parameter as `{name}: SecretValue`."
    names = [one for one in job.input if one != "$secrets"]
    if not names:
        return "The input is empty."
    return f"It has: {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}."


def _own(name: str):
    """Return kethub's own type, for parameters without an annotation."""
    import kethub

    return getattr(kethub, name)
