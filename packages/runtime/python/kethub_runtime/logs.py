"""Gives log lines a severity. The platform reads it from lines that start with "\\x1e" SEVERITY " ".

A finder waits for the import of a logging framework, and sets it up only then.
"""

import sys

FRAMEWORKS = ("logging", "loguru")


class LogFinder:
    """Waits on sys.meta_path for the import of a logging framework, and sets it up right after."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in FRAMEWORKS or path is not None:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not LogFinder else None
            if spec and spec.loader:
                spec.loader = _Loader(spec.loader)
                return spec
        return None


class _Loader:
    def __init__(self, loader) -> None:
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module) -> None:
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        from kethub_runtime import log_setup

        log_setup.set_up(module)

    def __getattr__(self, name):
        return getattr(self.loader, name)


def apply_environment() -> None:
    """Apply LOG_LEVEL to a framework that was imported before the environment of the execution was known."""
    for name in FRAMEWORKS:
        if name in sys.modules:
            from kethub_runtime import log_setup

            log_setup.set_up(sys.modules[name])
