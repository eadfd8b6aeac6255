"""Measures a program where no cgroup does: its parent waits for it and reports the usage that the kernel counted."""

import posix
from _signal import SIG_IGN, SIGHUP, SIGINT, SIGTERM, signal


def measure_child(descriptor: int) -> None:
    """Fork and return in the child, which runs the program. The parent exits as the child does."""
    child = posix.fork()
    if child == 0:
        posix.close(descriptor)
        return
    # Signals to end are for the program, which may take its time.
    for number in (SIGHUP, SIGINT, SIGTERM):
        signal(number, SIG_IGN)
    # The parent closes the program's streams, so that a stream that the program closes is really closed.
    posix.closerange(0, descriptor)
    posix.closerange(descriptor + 1, 65536)
    _, status, used = posix.wait4(child, 0)
    spent = round((used.ru_utime + used.ru_stime) * 1000)
    posix.write(descriptor, b"%d %d\n" % (spent, used.ru_maxrss * 1024))
    posix._exit(128 + posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else posix.WEXITSTATUS(status))
