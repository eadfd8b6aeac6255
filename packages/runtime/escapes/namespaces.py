import os
import shutil
import subprocess

from src.kit import attempt, call, write

FLAGS = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x8000000, "uts": 0x4000000, "cgroup": 0x2000000, "time": 0x80}


def run(pids, **_):
    tried = {}
    for name, flag in FLAGS.items():
        tried[f"unshare {name}"] = attempt(call, "unshare", flag)
        tried[f"unshare {name} with a user namespace"] = attempt(call, "unshare", flag | FLAGS["user"])
        if name != "time":
            tried[f"clone {name}"] = attempt(clone, flag)
    tried["clone3"] = attempt(call, "clone3", 0, 0)
    for pid in ["1", "self", *map(str, pids)]:
        for name in ("mnt", "net", "pid", "user"):
            tried[f"enter {name} of {pid}"] = attempt(enter, pid, name)
    for command in ("unshare", "nsenter", "bwrap", "newuidmap"):
        if shutil.which(command):
            tried[command] = attempt(subprocess.check_output, [command, "--help"])
    tried["map users"] = attempt(write, "/proc/self/uid_map", b"0 0 1")
    return {"tried": tried}


def clone(flag):
    pid = call("clone", flag | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid


def enter(pid, name):
    descriptor = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)
    return call("setns", descriptor, 0)
