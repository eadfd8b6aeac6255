"""Does what programs leave to the interpreter's shutdown: flush open files, call functions at exit."""

import sys

# Files that were open when everything else was set aside.
_known: list = []


def set_aside() -> None:
    """Exclude imported objects from later garbage collections and searches, which take 0.1 s or more with large packages."""
    import gc

    gc.collect()
    _known.extend(_open_files())
    gc.freeze()


def settle() -> None:
    """Call the functions registered with atexit, then flush the files that the program has not closed."""
    import atexit

    if atexit._ncallbacks():
        # Its exit function would wait for child processes for ever; the sandbox ends them.
        multiprocessing = sys.modules.get("multiprocessing.util")
        if multiprocessing:
            atexit.unregister(multiprocessing._exit_function)
        atexit._run_exitfuncs()
    _flush_files()


def _open_files() -> list:
    import _io
    import gc

    kinds = {_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom}
    return [one for one in gc.get_objects() if type(one) in kinds]


def _flush_files() -> None:
    import _io

    texts = _known + _open_files()
    texts.sort(key=lambda one: type(one) is not _io.TextIOWrapper)  # text first: it flushes into the buffers
    for stream in texts:
        try:
            if not stream.closed and stream.writable():
                stream.flush()
        except (OSError, ValueError):  # its pipe or file is gone, so the rest is lost
            continue
