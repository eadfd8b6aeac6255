"""Compares what a service imports with its requirements.txt: a package that only this machine has is missing elsewhere."""

import ast
import json
import os
import re
import sys
from importlib import metadata

from kethub_runtime.program import set_up_packages

RUNNER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = {"src", "kethub", "kethub_runtime"}
NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
OPTION = re.compile(r"\s*(-r|--requirement|-c|-e|--editable|.*://)")


def main(arguments: list) -> None:
    """Write a JSON array of {"module", "distribution", "file", "line"} to stdout. Runs no code of the service."""
    options = dict(zip(arguments[::2], arguments[1::2]))
    app, packages = options.get("--app", "/app"), options.get("--deps", "/deps")
    set_up_packages(app, packages, RUNNER)
    json.dump(unlisted(app, packages), sys.stdout)


def unlisted(app: str, packages: str) -> list:
    """Return the imports whose distribution is installed but not required, each at its first place."""
    required = _required(os.path.join(app, "requirements.txt"))
    if required is None:
        return []
    providers: dict = {}
    for one in metadata.distributions(path=[packages]):
        for top in _modules_of(one):
            providers.setdefault(top, set()).add(_normal(one.metadata["Name"] or ""))
    brought = _closure(required, packages)
    own = {entry.removesuffix(".py") for entry in os.listdir(app)} | OURS
    found: dict = {}
    for module, file, line in sorted(_imports(app), key=lambda one: one[1:]):
        top = module.partition(".")[0]
        names = providers.get(top, set())
        if top in own or top in sys.stdlib_module_names or not names or names & brought:
            continue
        found.setdefault(top, {"module": top, "distribution": sorted(names)[0], "file": file, "line": line})
    return list(found.values())


def _required(file: str):
    """Return the normalized names in requirements.txt; None when it refers to what cannot be compared."""
    try:
        with open(file, encoding="utf-8") as lines:
            texts = [line.partition("#")[0].strip() for line in lines]
    except FileNotFoundError:
        return set()
    if any(OPTION.match(text) for text in texts):
        return None
    return {_normal(match[1]) for match in map(NAME.match, texts) if match}


def is_required(package: str, app: str) -> bool:
    """Return whether requirements.txt of the service names the package itself."""
    return _normal(package) in (_required(os.path.join(app, "requirements.txt")) or ())


def _closure(names: set, packages: str) -> set:
    """Add what the installed distributions of these names require themselves, without extras."""
    known = {_normal(one.metadata["Name"] or ""): one for one in metadata.distributions(path=[packages])}
    seen, waiting = set(names), list(names)
    while waiting:
        distribution = known.get(waiting.pop())
        for requirement in (distribution.requires if distribution else None) or []:
            name = _normal(NAME.match(requirement)[1]) if NAME.match(requirement) else ""
            if name and name not in seen:
                seen.add(name)
                waiting.append(name)
    return seen


def _modules_of(distribution) -> set:
    """Return the top modules that a distribution puts in place."""
    text = distribution.read_text("top_level.txt")
    if text:
        return set(text.split())
    files = distribution.files or []
    return {str(file).partition("/")[0].removesuffix(".py") for file in files if str(file).endswith((".py", ".so"))}


def _imports(app: str):
    for folder, _, files in os.walk(os.path.join(app, "src")):
        for file in files:
            if file.endswith(".py"):
                path = os.path.join(folder, file)
                yield from _imports_in(path, os.path.relpath(path, app))


def _imports_in(path: str, shown: str):
    try:
        with open(path, "rb") as source:
            tree = ast.parse(source.read(), path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, shown, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module, shown, node.lineno


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
