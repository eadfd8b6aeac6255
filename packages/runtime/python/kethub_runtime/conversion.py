"""Converts values of the input to the annotations of `run`, and makes the JSON Schema of an annotation."""

import sys

from kethub_runtime.failures import Failure

TOLD_IN_DETAIL = 10


def convert(value, annotation, name: str):
    """Return `value` as the annotated type. Raises Failure ("Invalid input") with the places of all misfits."""
    from kethub_runtime.coercion import coerce
    from kethub_runtime.mismatch import Mismatch, written

    try:
        return coerce(value, annotation, (name,))
    except Mismatch as mismatch:
        errors = mismatch.errors
    except RecursionError:
        errors = [((name,), "it is nested too deeply")]
    lines = [f"{written(path)}: {message}" for path, message in errors[:TOLD_IN_DETAIL]]
    more = f"; and {len(errors) - TOLD_IN_DETAIL} more" if len(errors) > TOLD_IN_DETAIL else ""
    failure = Failure("Invalid input", "; ".join(lines) + more)
    failure.extensions = {"errors": [{"pointer": _pointer(path), "detail": message} for path, message in errors]}
    raise failure


def by_pydantic(value, annotation, path: tuple):
    """Return `value` as Pydantic converts it, for a model or a type that only Pydantic knows. Raises Mismatch."""
    from kethub_runtime.mismatch import Mismatch

    pydantic = sys.modules.get("pydantic")
    if isinstance(annotation, type) and hasattr(annotation, "parse_obj") and not hasattr(annotation, "model_validate"):
        validate, strict = annotation.parse_obj, None
    else:
        try:
            adapter = pydantic.TypeAdapter(annotation)
        except (AttributeError, NameError, TypeError, *_pydantic_errors(pydantic)):
            from kethub_runtime.coercion import coerce, unknown

            return coerce(value, annotation.__origin__, path) if hasattr(annotation, "__metadata__") else unknown(value, annotation, path)
        validate, strict = adapter.validate_python, adapter.validate_json
    try:
        return validate(value)
    except ValueError as error:
        problem = error
    # In strict mode Pydantic accepts text as a date and a list as a tuple only when it parses JSON itself.
    if strict and hasattr(problem, "errors"):
        from kethub_runtime import plain_json

        try:
            return strict(plain_json.dumps(value, None))
        except ValueError as error:
            problem = error
    if not hasattr(problem, "errors"):
        raise problem
    found = Mismatch(path, str(problem))
    found.errors = [((*path, *(step for step in one["loc"] if step != "__root__")), one["msg"]) for one in problem.errors()[:100]]
    raise found


def _pydantic_errors(pydantic) -> tuple:
    error = getattr(getattr(pydantic, "errors", None), "PydanticUserError", None)
    return (error,) if error else ()


def empty_instance(annotation):
    """Return an instance with all defaults if the annotated model, dataclass or typed dictionary allows one, else None."""
    if hasattr(annotation, "__metadata__"):
        annotation = annotation.__origin__
    if not isinstance(annotation, type):
        return None
    is_made_of_members = hasattr(annotation, "__dataclass_fields__") or hasattr(annotation, "_fields")
    if hasattr(annotation, "__required_keys__"):
        return None if annotation.__required_keys__ else {}
    if not (_is_model(annotation) or is_made_of_members):
        return None
    try:
        return annotation()
    except (TypeError, ValueError):  # Pydantic's ValidationError is a ValueError; dataclasses raise TypeError
        return None


def json_schema(annotation) -> dict | None:
    """Return a JSON Schema of the annotation: Pydantic's if it is imported, else one for builtins, typing and dataclasses."""
    names = {dict: "object", list: "array", str: "string", int: "integer", float: "number", bool: "boolean"}
    if isinstance(annotation, type) and annotation in names:
        return {"type": names[annotation]}
    pydantic = sys.modules.get("pydantic")
    if pydantic and hasattr(pydantic, "TypeAdapter"):
        try:
            return _with_texts(pydantic.TypeAdapter(annotation).json_schema(), annotation)
        except (pydantic.errors.PydanticUserError, TypeError, ValueError, NameError):
            pass  # a type without a schema there, such as fractions.Fraction
    if isinstance(annotation, type) and hasattr(annotation, "schema") and _is_model(annotation):
        return annotation.schema()
    from kethub_runtime.type_schema import schema_of

    return schema_of(annotation)


def _with_texts(schema: dict, annotation) -> dict:
    """Add what the docstring of a class says about its members, which Pydantic leaves out."""
    from kethub_runtime.annotation_notes import parameter_texts

    members = schema.get("properties")
    texts = parameter_texts(annotation) if isinstance(annotation, type) and isinstance(members, dict) else {}
    for name, text in texts.items():
        if isinstance(members.get(name), dict):
            members[name].setdefault("description", text)
    return schema


def _is_model(kind) -> bool:
    return isinstance(kind, type) and (hasattr(kind, "model_validate") or hasattr(kind, "parse_obj"))


def _pointer(path: tuple) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
