"""A folder of files that the caller of a service passes to an execution."""

import os


class DataPool:
    """A data pool, mounted at /var/runtime/datapool/<parameter>."""

    def __init__(self, path: str) -> None:
        if not os.path.isdir(path):
            raise NotADirectoryError(f'There is no data pool at "{path}"')
        self._path = os.path.abspath(path)

    @property
    def name(self) -> str:
        """Name of the parameter for which the pool was passed."""
        return os.path.basename(self._path)

    @property
    def path(self) -> str:
        """Absolute path of the folder."""
        return self._path

    def list_files(self) -> dict[str, str]:
        """Return the files at the top level of the pool, sorted by name: name -> absolute path."""
        with os.scandir(self._path) as entries:
            return {entry.name: entry.path for entry in sorted(entries, key=lambda entry: entry.name) if entry.is_file()}

    def open(self, name: str, mode: str = "r", encoding: "str | None" = None):
        """Open a file of the pool by name. Raises FileNotFoundError, or ValueError when `name` leaves the pool."""
        root = os.path.realpath(self._path)
        path = os.path.realpath(os.path.join(root, name))
        if not path.startswith(root + os.sep):
            raise ValueError(f'"{name}" lies outside of the data pool "{self.name}"')
        if not os.path.exists(path) and not set(mode) & set("wax"):
            raise FileNotFoundError(f'The data pool "{self.name}" has no file "{name}". It has: {self._names()}')
        text = "b" not in mode
        return open(path, mode, encoding=(encoding or "utf-8") if text else None)

    def _names(self) -> str:
        names = list(self.list_files())
        return ", ".join(names[:20]) + (", ..." if len(names) > 20 else "") if names else "no files"

    def __repr__(self) -> str:
        return f"DataPool({self._path!r})"
