"""Runs the attempts of hostile programs as a command of a Dockerfile, as root of its container. Prints what was not refused."""

import importlib
import json
import os
import signal
import stat
import sys

sys.path.insert(0, "/app")

from src.kit import attempt

PROGRAMS = ["host_files", "platform_sockets", "container_socket", "cloud_metadata", "network", "clock", "keyrings", "signals"]
DEVICES = {"disk": (stat.S_IFBLK, 8, 0), "virtual disk": (stat.S_IFBLK, 254, 0), "memory": (stat.S_IFCHR, 1, 1), "kvm": (stat.S_IFCHR, 10, 232)}
MOST = 20_000


def devices():
    tried = {}
    for name, (kind, major, minor) in DEVICES.items():
        attempt(os.mknod, f"/tmp/{name}", kind | 0o666, os.makedev(major, minor))
        tried[name] = attempt(os.open, f"/tmp/{name}", os.O_RDONLY | os.O_NONBLOCK)
    return tried


def processes():
    """Start as many processes as possible, and return their number."""
    children = []
    while len(children) < MOST:
        try:
            child = os.fork()
        except OSError:
            break
        if child == 0:
            signal.pause()
        children.append(child)
    for child in children:
        os.kill(child, signal.SIGKILL)
    return len(children)


with open("/app/hints.json") as file:
    hints = json.load(file)
for name in PROGRAMS:
    for what, answer in importlib.import_module(f"src.{name}").run(**hints)["tried"].items():
        if not answer.startswith("refused"):
            print(f"NOT REFUSED: {name}, {what}: {answer}")
for what, answer in devices().items():
    if not answer.startswith("refused"):
        print(f"NOT REFUSED: device, {what}: {answer}")
print(importlib.import_module("src.platform_environment").run())
print(f"PROCESSES {processes()}")
