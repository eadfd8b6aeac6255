"""Problems of services that cannot be imported. They name the file, the line and the remedy."""

import importlib.metadata
import importlib.util
import linecache
import os
import shlex
import sys
import traceback

from kethub_runtime.requirements_check import is_required

# Modules with another package name on PyPI, among those that scientific and quantum code imports most.
PACKAGES = {
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "cv2": "opencv-python-headless",
    "PIL": "pillow",
    "yaml": "PyYAML",
    "dotenv": "python-dotenv",
    "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil",
    "Crypto": "pycryptodome",
    "dwave": "dwave-ocean-sdk",
    "neal": "dwave-neal",
    "iqm": "iqm-client",
    "braket": "amazon-braket-sdk",
    "qhub": "qhub-commons",
}


class Problem(Exception):
    """The reason why a build ends: a code for programs, a title and a detail for people."""

    def __init__(self, code: str, title: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.title = title
        self.detail = detail


def missing_program(app: str) -> Problem:
    """Make the problem for a missing src/program.py. It lists the files that exist instead."""
    folder = os.path.join(app, "src")
    if os.path.isdir(folder):
        there = f"The folder src holds: {_listing(folder)}."
    else:
        there = f"There is no folder src. The root holds: {_listing(app)}."
    return Problem("program-missing", "No src/program.py", f"A service needs src/program.py with a function run(data, params). {there}")


def import_problem(error: BaseException, app: str) -> Problem:
    """Make a problem of an exception that the import of src/program.py raised."""
    if isinstance(error, SyntaxError):
        return _syntax(error, app)
    location = _location(error, app)
    if isinstance(error, ModuleNotFoundError) and error.name:
        return Problem("import-failed", "Failing import", f"{location}{error}. {_remedy(error.name, app)}{_demanding(error)}")
    if isinstance(error, ImportError):
        own = f". src holds: {_listing(os.path.join(app, 'src'))}." if error.name == "src" else ""
        return Problem("import-failed", "Failing import", f"{location}{type(error).__name__}: {error}{own}")
    if isinstance(error, SystemExit):
        detail = f"{location}the program ends itself (exit code {error.code}) while it is imported. Put what should run into run()."
        return Problem("program-raised", "Program ends at import", detail)
    return Problem("program-raised", "Program fails at import", f"{location}{type(error).__name__}: {error}")


def _syntax(error: SyntaxError, app: str) -> Problem:
    file = _relative(error.filename or "", app)
    text = f": {error.text.strip()[:200]}" if error.text else ""
    return Problem("program-syntax", "Syntax error", f"{file}, line {error.lineno}: {error.msg}{text}")


def _location(error: BaseException, app: str) -> str:
    """Return `src/program.py, line 3: import x: ` for the innermost line of the service itself."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(app + os.sep)]
    if not frames:
        return ""
    last = frames[-1]
    source = (last.line or linecache.getline(last.filename, last.lineno or 0)).strip()
    return f"{_relative(last.filename, app)}, line {last.lineno}: `{source[:200]}`: "


def _remedy(name: str, app: str) -> str:
    top = name.partition(".")[0]
    if top == "src":
        return f"The ZIP holds no {name.replace('.', '/')}.py; src holds: {_listing(os.path.join(app, 'src'))}."
    beside = os.path.join(app, "src", top)
    if os.path.isfile(beside + ".py") or os.path.isdir(beside):
        return f"It lies beside program.py: write `from src import {top}` or `from src.{name} import ...`."
    version = _installed(top)
    if version is not None and top != name:
        return f"{top}{version} is installed and has no {name}. Change the import, or the version in requirements.txt."
    package = PACKAGES.get(top, top)
    if is_required(package, app):
        return _required_but_missing(package, top, app)
    conda = next((file for file in ("environment.yml", "environment.yaml") if os.path.isfile(os.path.join(app, file))), None)
    if conda and os.path.isfile(os.path.join(app, "requirements.txt")):
        return f"Add {package} to requirements.txt. If `ket up` makes that file from {conda}, add it there, below `pip:`."
    hint = f" {conda} is not read here; `ket up` translates it." if conda else ""
    return f"Add {package} to requirements.txt.{hint}"


def _required_but_missing(package: str, top: str, app: str) -> str:
    """Name the remedy for a package of requirements.txt whose module is not there."""
    try:
        version = importlib.metadata.version(package)
        return f"requirements.txt brings {package} {version}, which has no module {top}. Add the package that has it."
    except importlib.metadata.PackageNotFoundError:
        pass
    if app == "/app":  # here the requirements are installed by the platform, or by ket
        return f"requirements.txt names {package}, but its line did not apply to this Python. Change the condition behind its `;`."
    python = shlex.quote(sys.executable)
    return f"requirements.txt names {package}, but the Python of this environment lacks it. Run: {python} -m pip install -r requirements.txt"


def _installed(top: str) -> "str | None":
    """Return the version of an installed package after a blank, empty if it is unknown. None if it is not installed."""
    try:
        if importlib.util.find_spec(top) is None:
            return None
        return " " + importlib.metadata.version(PACKAGES.get(top, top))
    except importlib.metadata.PackageNotFoundError:
        return ""
    except (ImportError, ValueError):
        return None


def _demanding(error: BaseException) -> str:
    """Name the installed package whose code failed to import something, if it was not the service itself."""
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    if not frames or not frames[-1].startswith("/deps/"):
        return ""
    package = frames[-1][len("/deps/") :].partition("/")[0].removesuffix(".py")
    return f" The package {package} imports it."


def _listing(folder: str) -> str:
    names = sorted(name + ("/" if os.path.isdir(os.path.join(folder, name)) else "") for name in os.listdir(folder))
    return ", ".join(names[:15]) + (", ..." if len(names) > 15 else "") if names else "nothing"


def _relative(file: str, app: str) -> str:
    return os.path.relpath(file, app) if file.startswith(app + os.sep) else file
