"""Waits for a debugger, such as that of an editor, before the service is imported."""

import sys


def wait_for_debugger(port: int, packages: "str | None") -> None:
    """Listen on 127.0.0.1 until a debugger is attached. `packages` is a folder with debugpy, where the environment has none."""
    if packages:
        sys.path.append(packages)
    try:
        import debugpy
    except ImportError:
        sys.stderr.write("\x1eWARNING debugpy is not installed, so no breakpoints: pip install debugpy\n")
        return
    debugpy.listen(("127.0.0.1", port))
    sys.stderr.write(f"\x1eNOTICE Waiting for a debugger at 127.0.0.1:{port}.\n")
    debugpy.wait_for_client()
