"""Where no cgroup measures a program, its parent does: it waits for it and tells what the kernel says that it took."""

import posix
from _signal import SIG_IGN, SIGHUP, SIGINT, SIGTERM, signal


def measure_child(descriptor: int) -> None:
    """Return in a child, which runs the program; the parent ends as the child does."""
    child = posix.fork()
    if child == 0:
        posix.close(descriptor)
        return
    # The program is told to end, and may take its time for it.
    for number in (SIGHUP, SIGINT, SIGTERM):
        signal(number, SIG_IGN)
    # The program's streams are its own: nothing may seem open that it has closed.
    posix.closerange(0, descriptor)
    posix.closerange(descriptor + 1, 65536)
    _, status, used = posix.wait4(child, 0)
    spent = round((used.ru_utime + used.ru_stime) * 1000)
    posix.write(descriptor, b"%d %d\n" % (spent, used.ru_maxrss * 1024))
    posix._exit(128 + posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else posix.WEXITSTATUS(status))
