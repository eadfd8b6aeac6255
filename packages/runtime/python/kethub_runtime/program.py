"""Sets the folders from which the service and its packages are imported."""

import posix
import sys

from kethub_runtime.failures import Failure


def set_up_path(app: str, packages: str, runner: str) -> None:
    """Set sys.path as in a virtual environment: the service, the standard library, its packages; `kethub` last."""
    set_up_packages(app, packages, runner)
    set_up_service(app)


def set_up_packages(app: str, packages: str, runner: str) -> None:
    """Do the same without the service, so that its modules cannot be imported yet.

    Packages come after the standard library, so that an old backport from PyPI (enum34, dataclasses) cannot shadow it.
    """
    sys.path[:] = [entry for entry in sys.path if entry != runner]
    sys.argv[:] = [f"{app}/src/program.py"]
    try:
        names = posix.listdir(packages)
    except (FileNotFoundError, NotADirectoryError):
        names = None
    if names is not None:
        sys.path.append(packages)
        if any(name.endswith(".pth") for name in names):
            import site

            site.addsitedir(packages)
    sys.path.append(runner)


def set_up_service(app: str) -> None:
    """Make the modules of the service importable, before all others."""
    sys.path.insert(0, app)
    _declare_package(f"{app}/src")


def _declare_package(folder: str) -> None:
    """Declare `src` as a package. Without `src/__init__.py`, a required package named src would take precedence."""
    try:
        posix.stat(f"{folder}/__init__.py")
    except OSError:
        package = type(sys)("src")
        package.__path__ = [folder]
        package.__package__ = "src"
        sys.modules["src"] = package


def load_run():
    """Return `run` of src/program.py. Raises Failure when there is none, and passes on exceptions of the import."""
    from src import program

    run = getattr(program, "run", None)
    if run is None:
        raise Failure("No run function", "src/program.py defines no function `run`. Add: def run(data, params): ...")
    if not callable(run):
        raise Failure("No run function", f"`run` in src/program.py is no function but a {type(run).__name__}")
    return run
