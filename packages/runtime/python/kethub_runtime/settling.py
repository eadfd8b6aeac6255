"""What a program may leave to the end of the interpreter: open files to flush, functions to call at exit."""

import sys

# Files that were open when everything else was set aside.
_known: list = []


def set_aside() -> None:
    """Take what was imported out of every later collection and search, which take 0.1 s and more with large packages."""
    import gc

    gc.collect()
    _known.extend(_open_files())
    gc.freeze()


def settle() -> None:
    """Call the functions registered with atexit, then flush what the program has written but not closed."""
    import atexit

    if atexit._ncallbacks():
        # It would wait for child processes without an end; the sandbox ends them.
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
        except (OSError, ValueError):  # its own pipe or file is gone; what remains is nobody's
            continue
