"""Maps paths below /var/runtime to a folder, for machines on which that folder cannot be made.

It wraps the functions of `posix`, `open` and the start of processes before `os` is imported, which takes its functions
from `posix`. Libraries that open files in machine code (SQLite, HDF5) are not covered.
"""

import builtins
import io
import posix
import sys

ROOT = "/var/runtime"
ONE_PATH = (
    "access chdir chflags chmod chown getxattr lchflags lchmod lchown listdir listxattr lstat mkdir mkfifo mknod open "
    "pathconf readlink remove removexattr rmdir scandir setxattr stat statvfs truncate unlink utime"
).split()
TWO_PATHS = "link rename replace symlink".split()


def map_paths(folder: str) -> None:
    """Let every path below /var/runtime mean the same below `folder`, in this process and its forks."""
    for name in ONE_PATH + TWO_PATHS:
        function = getattr(posix, name, None)
        if function is not None:
            setattr(posix, name, _wrapped(function, folder, 2 if name in TWO_PATHS else 1))
    opened = _wrapped(io.open, folder, 1)
    builtins.open = io.open = sys.modules["_io"].open = opened
    io.open_code = _wrapped(io.open_code, folder, 1)
    _map_processes(folder)


def mapped(path, folder: str):
    """Return a path (text, bytes or path-like) with /var/runtime replaced; anything else unchanged."""
    kind = type(path)
    if kind is not str and kind is not bytes:
        if not hasattr(path, "__fspath__"):
            return path
        inner = path.__fspath__()
        moved = mapped(inner, folder)
        return path if moved is inner else moved
    root, target = (ROOT, folder) if kind is str else (ROOT.encode(), folder.encode())
    if not path.startswith(root):
        return path
    rest = path[len(root) :]
    return target + rest if not rest or rest[:1] in ("/", b"/") else path


def _wrapped(function, folder: str, paths: int):
    def call(*arguments, **named):
        moved = [mapped(one, folder) for one in arguments[:paths]]
        for name in ("path", "src", "dst", "file", "target"):
            if name in named:
                named[name] = mapped(named[name], folder)
        return function(*moved, *arguments[paths:], **named)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    call.__module__ = function.__module__
    return call


def _map_processes(folder: str) -> None:
    """Map the working directory and the arguments of programs that are started, which know nothing of the mapping."""
    try:
        import _posixsubprocess
    except ImportError:
        return
    start = _posixsubprocess.fork_exec

    def fork_exec(arguments, *more):
        moved = [mapped(one, folder) for one in arguments]
        return start(moved, *(mapped(one, folder) if index == 3 else one for index, one in enumerate(more)))

    _posixsubprocess.fork_exec = fork_exec
