"""One execution: warm up, wait for the job, bind, call `run`, report the result on a file descriptor of its own.

It uses `posix` in place of `os`, whose import costs 0.9 ms of 8 and is not needed for anything else here.
"""

import posix
import sys
from _io import open as open_file

from kethub_runtime import plain_json
from kethub_runtime.binding import Job, bind
from kethub_runtime.bridge import start_if_needed
from kethub_runtime.failures import Failure, print_traceback, problem_of
from kethub_runtime.logs import LogFinder, apply_environment
from kethub_runtime.program import load_run, set_up_packages, set_up_service

NO_JOB = 113
RESULT_FD = 3
# High numbers for our descriptors, away from those of the program. They are closed in its children.
HIDDEN_RESULT_FD = 1000
HIDDEN_READY_FD = 1001
RUNNER = __file__.rpartition("/kethub_runtime/")[0]
COROUTINE = 0x80  # co_flags of `async def`


def main(arguments: list) -> None:
    """Run one execution and end the process: 0 with a result, 1 with a problem, 113 when no job came."""
    options = dict(zip(arguments[::2], arguments[1::2]))
    if "--usage" in options:
        from kethub_runtime.usage import measure_child

        measure_child(int(options["--usage"]))
    ready = _hide(int(options["--ready"]), HIDDEN_READY_FD) if "--ready" in options else None
    report = _take_result_fd(ready)
    _set_up_streams(options.get("--marks") == "on")
    if "--paths" in options:
        from kethub_runtime.paths import map_paths

        map_paths(options["--paths"])
    if options.get("--bridge") != "off":
        start_if_needed()
    sys.meta_path.insert(0, LogFinder)
    app = options.get("--app", "/app")
    set_up_packages(app, options.get("--deps", "/deps"), RUNNER)
    _warm_up([name for name in options.get("--import", "").split(",") if name])
    set_up_service(app)
    if "--debug" in options:
        from kethub_runtime.debugger import wait_for_debugger

        wait_for_debugger(int(options["--debug"]), options.get("--debug-packages"))
    if ready is not None:
        _tell_ready(ready)
    frames = _read_frames()
    if not frames:
        posix._exit(NO_JOB)
    process = posix.getpid()
    code, message = _execute(*frames, options)
    _settle()
    if posix.getpid() != process:  # a forked child that returned from run(): its parent reports the result
        posix._exit(code)
    _write(report, message)
    posix._exit(code)


def _take_result_fd(ready: int | None) -> int:
    """Return a descriptor for the result, and close all others except the standard streams and `ready`."""
    report = _hide(RESULT_FD, HIDDEN_RESULT_FD)
    first = RESULT_FD
    for kept in sorted(one for one in (report, ready) if one is not None):
        posix.closerange(first, kept)
        first = kept + 1
    posix.closerange(first, 65536)
    return report


def _hide(descriptor: int, hidden: int) -> int:
    try:
        return posix.dup2(descriptor, hidden, inheritable=False)
    except OSError:  # a lower limit of open files
        return posix.dup(descriptor)


def _tell_ready(descriptor: int) -> None:
    """Report that this process is ready. The runner then freezes the sandbox until a job comes."""
    try:
        posix.write(descriptor, b".")
        posix.close(descriptor)
    except OSError:  # an imported module has closed it
        pass


def _set_up_streams(marks: bool) -> None:
    """Write whole lines: with `-u` alone every piece of a print() is written separately.

    `marks` gives the lines of stderr their severity, where both streams arrive as one.
    """
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        stream = open_file(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
        stream.mode = "w"
        if marks and descriptor == 2:
            from kethub_runtime.marked_stream import marked

            stream = marked(stream)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _warm_up(names: list) -> None:
    for name in names:
        try:
            __import__(name)
        except Exception:  # The service's own import will fail again, and its caller will see why.
            continue
    if names:
        from kethub_runtime.settling import set_aside

        set_aside()


def _read_frames() -> tuple | None:
    """Return the two frames of stdin, or None when it ends early. From then on stdin is empty."""
    with open_file(0, "rb", closefd=False) as stream:
        frames = []
        for _ in range(2):
            length = stream.readline(20)
            if not length.endswith(b"\n"):
                return None
            frame = stream.read(int(length))
            if len(frame) != int(length):
                return None
            frames.append(frame)
    empty = posix.open("/dev/null", posix.O_RDONLY)
    posix.dup2(empty, 0)
    posix.close(empty)
    return tuple(frames)


def _execute(header: bytes, body: bytes, options: dict) -> tuple:
    try:
        job = _job(plain_json.loads(header.decode("utf-8")), body, options)
        run = load_run()
        positional, named = bind(run, job)
        value = _call(run, positional, named)
        _forget_secrets((*positional, *named.values()))
        from kethub_runtime.result import encode_result, returned_error

        problem = returned_error(value)
        if problem:
            sys.stderr.write(f"\x1eERROR {problem['title']}: {problem['detail']}\n")
            return 1, b"E" + plain_json.dumps(problem, None)
        return 0, b"R" + encode_result(value)
    except SystemExit as error:
        if error.code in (None, 0):
            return 0, b"R{}"
        return 1, _problem(error)
    except Failure as error:
        sys.stderr.write(f"\x1eERROR {error.title}: {error.detail}\n")
        return 1, _problem(error)
    except BaseException as error:
        print_traceback(error, RUNNER)
        return 1, _problem(error)


def _job(header: dict, body: bytes, options: dict) -> Job:
    environment = header.get("environment")
    if environment:
        import os

        os.environ.update(environment)
    apply_environment()
    try:
        value = plain_json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Failure("Invalid input", f"The input is not JSON that Python can read: {error}") from error
    if not isinstance(value, dict):
        raise Failure("Invalid input", "The input must be a JSON object")
    folder = options.get("--datapools", "/var/runtime/datapool")
    return Job(value, header.get("secrets") or {}, header.get("dataPools") or [], folder)


def _call(run, positional: list, named: dict):
    value = run(*positional, **named)
    code = getattr(run, "__code__", None)
    if (code and code.co_flags & COROUTINE) or hasattr(value, "__await__"):
        import asyncio

        async def wait():
            return await value

        return asyncio.run(wait())
    return value


def _forget_secrets(arguments: tuple) -> None:
    """Blank the secrets before the result is written: the SecretValue of qhub-commons serializes to its plain value."""
    for argument in arguments:
        if type(argument).__name__ == "SecretValue" and hasattr(argument, "_value"):
            argument._value = "[redacted]"


def _problem(error: BaseException) -> bytes:
    problem = problem_of(error)
    try:
        return b"E" + plain_json.dumps(problem, lambda value: str(value))
    except Exception:  # extensions that cannot be JSON; title and detail can
        return b"E" + plain_json.dumps({key: str(problem[key]) for key in ("type", "title", "detail")}, None)


def _settle() -> None:
    """Do the necessary part of the interpreter's shutdown. A full one costs 11 ms, and 35 ms with numpy."""
    from kethub_runtime.settling import settle

    settle()


def _write(descriptor: int, message: bytes) -> None:
    view = memoryview(message)
    while view:
        view = view[posix.write(descriptor, view) :]
