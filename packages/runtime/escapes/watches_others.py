"""Observes other programs: by watches and leases on shared files, and by entries of /proc about the whole machine."""

import fcntl
import os

from src.kit import attempt, libc, read

SHARED = ("/usr/bin/python3", "/usr/lib", "/dev/null", "/dev/urandom", "/etc/passwd", "/app", "/runner", "/proc/1")
MACHINE = (
    "buddyinfo", "cmdline", "diskstats", "interrupts", "key-users", "keys", "locks", "modules", "partitions", "pressure",
    "schedstat", "softirqs", "swaps", "vmstat", "zoneinfo",
)  # fmt: skip


def run(**_):
    tried = {}
    for path in SHARED:
        if not os.path.exists(path):
            continue
        tried[f"watch {path}"] = attempt(watch, path)
        for command in (fcntl.F_NOTIFY, fcntl.F_SETLEASE, fcntl.F_NOTIFY | 1 << 32):
            tried[f"{command} on {path}"] = attempt(control, path, command)
    for name in MACHINE:
        tried[f"/proc/{name}"] = attempt(content, f"/proc/{name}")
    return {"tried": tried}


def watch(path):
    descriptor = libc.inotify_init1(0)
    if descriptor < 0 or libc.inotify_add_watch(descriptor, path.encode(), 0xFFF) < 0:
        raise PermissionError("no watch")


def control(path, command):
    import ctypes

    descriptor = os.open(path, os.O_RDONLY)
    # DN_ACCESS | DN_MULTISHOT, or F_RDLCK
    argument = 0 if command == fcntl.F_SETLEASE else 0x80000001
    if libc.syscall(72 if os.uname().machine == "x86_64" else 25, descriptor, ctypes.c_long(command), argument) < 0:
        raise PermissionError("refused")


def content(path):
    found = read(path)
    if not found:
        raise FileNotFoundError("nothing in it")
    return found
