"""Holds a secret for as long as the hostile programs run, and reports when somebody touches it."""

import fcntl
import os
import socket
import struct
import time

LOCKED = (
    "/dev/null", "/dev/zero", "/usr/bin/python3", "/usr/lib", "/etc/passwd", "/runner/execute.py", os.__file__, "/deps", "/deps/shared.py",
)  # fmt: skip
kept = []


def run(secret, port, abstract):
    for path in filter(os.path.exists, LOCKED):
        descriptor = os.open(path, os.O_RDONLY)
        kept.append(descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        fcntl.fcntl(descriptor, fcntl.F_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0))
    for path in ("/tmp/victim", "/var/runtime/output/victim"):
        with open(path, "w") as file:
            file.write(secret)
    listeners = [socket.socket(), socket.socket(socket.AF_UNIX)]
    listeners[0].bind(("127.0.0.1", port))
    listeners[1].bind("\0" + abstract)
    for listener in listeners:
        listener.listen()
        listener.setblocking(False)
    print("ready", flush=True)
    while True:
        time.sleep(0.1)
        for listener in listeners:
            try:
                listener.accept()[0].sendall(secret.encode())
                print("TOUCHED: a connection", flush=True)
            except BlockingIOError:
                pass
        for path in ("/tmp/victim", "/var/runtime/output/victim"):
            if open(path).read() != secret or len(os.listdir("/tmp")) != 1:
                print(f"TOUCHED: {path}", flush=True)
