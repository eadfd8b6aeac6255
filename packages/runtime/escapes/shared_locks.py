"""Tries to see the victim's locks on files that both have: the device, the interpreter, the root, the layer."""

import fcntl
import os
import struct

from src.kit import attempt

# Files on which the victim holds an exclusive lock (victim.py).
LOCKED = (
    "/dev/null", "/dev/zero", "/usr/bin/python3", "/usr/lib", "/etc/passwd", "/runner/execute.py", os.__file__, "/deps", "/deps/shared.py",
)  # fmt: skip


def run(**_):
    tried = {}
    for path in filter(os.path.exists, LOCKED):
        tried[f"see the lock on {path}"] = attempt(see_flock, path)
        tried[f"see the record lock on {path}"] = attempt(see_record_lock, path)
    return {"tried": tried}


def see_flock(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "another program holds it"
    raise FileNotFoundError("nobody holds it")


def see_record_lock(path):
    asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    found = fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_GETLK, asked)
    if struct.unpack("hhqqi4x", found)[0] == fcntl.F_UNLCK:
        raise FileNotFoundError("nobody holds it")
    return "another program holds it"
