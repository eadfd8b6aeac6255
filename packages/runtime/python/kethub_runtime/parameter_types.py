"""Recognizes the annotations of secrets and data pools: kethub's own types, or those of qhub-commons.

Types are recognized by name and shape, not by identity: a service may use either package, and neither is imported just
to compare.
"""

import sys

NONE_TYPE = type(None)


def is_secret_type(annotation) -> bool:
    """Return whether a class is a SecretValue: unwraps once, shows [redacted]."""
    return isinstance(annotation, type) and annotation.__name__ == "SecretValue" and hasattr(annotation, "unwrap")


def is_pool_type(annotation) -> bool:
    """Return whether a class is a DataPool."""
    return isinstance(annotation, type) and annotation.__name__ == "DataPool" and hasattr(annotation, "list_files")


def members_of(annotation) -> tuple:
    """Return the members of a union (`A | B`, Optional[A], Union[A, B]), else the annotation alone."""
    if hasattr(annotation, "__metadata__"):  # Annotated[A, ...]
        return members_of(annotation.__origin__)
    typing = sys.modules.get("typing")
    if type(annotation).__name__ == "UnionType" or (typing and getattr(annotation, "__origin__", None) is typing.Union):
        return annotation.__args__
    return (annotation,)


def is_optional(annotation) -> bool:
    """Return whether None is one of the members."""
    members = members_of(annotation)
    return len(members) > 1 and NONE_TYPE in members


def special_type(annotation):
    """Return the SecretValue or DataPool class in an annotation, or None."""
    for member in members_of(annotation):
        if is_secret_type(member) or is_pool_type(member):
            return member
    return None


def is_builtin(annotation) -> bool:
    """Return whether an annotation is a bare builtin class such as dict, list, str: values pass unchanged."""
    return type(annotation) is type and annotation.__module__ == "builtins"
