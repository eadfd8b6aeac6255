"""Which modules a service imports at the top of its files: a warm worker imports them before its job comes."""

import ast
import os
import sys


def imports_of(app: str) -> list:
    """Return names of modules from outside the service, imported at module level below src and importable here, sorted.

    Call it after src.program was imported: what is not in sys.modules then was not needed to import it.
    """
    names: set = set()
    for folder, _, files in os.walk(os.path.join(app, "src")):
        for file in files:
            if file.endswith(".py"):
                names |= _imports_in(os.path.join(folder, file))
    return sorted(name for name in names if _is_foreign(name, app))


def _imports_in(file: str) -> set:
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read(), file)
    except (SyntaxError, ValueError):
        return set()  # a file that src.program does not import; the program itself was imported
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


def _is_foreign(name: str, app: str) -> bool:
    module = sys.modules.get(name)
    if module is None or name in sys.builtin_module_names or name == "__future__":
        return False
    file = getattr(module, "__file__", None) or ""
    return name.partition(".")[0] not in ("src", "kethub", "kethub_runtime") and not file.startswith(app + os.sep)
