"""Finds the modules that a service imports at the top of its files. A warm worker imports them before its job comes."""

import ast
import json
import os
import sys


def main(arguments: list) -> None:
    """Write the names as a JSON array to stdout, without running any code of the service."""
    options = dict(zip(arguments[::2], arguments[1::2]))
    json.dump(imports_of(options.get("--app", "/app")), sys.stdout)


def imports_of(app: str) -> list:
    """Return the sorted names that files below src import at module level, the service's own included."""
    names: set = set()
    for folder, _, files in os.walk(os.path.join(app, "src")):
        for file in files:
            if file.endswith(".py"):
                names |= _imports_in(os.path.join(folder, file))
    return sorted(names)


def _imports_in(file: str) -> set:
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read(), file)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()  # a file that src.program does not import
    names: set = set()
    pending = list(tree.body)
    while pending:
        statement = pending.pop()
        if isinstance(statement, ast.Import):
            names |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.level == 0 and statement.module:
            names.add(statement.module)
            names |= {f"{statement.module}.{alias.name}" for alias in statement.names}
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            pending += [child for child in ast.walk(statement) if isinstance(child, (ast.Import, ast.ImportFrom))]
    return names
