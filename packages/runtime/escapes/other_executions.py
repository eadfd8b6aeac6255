import os
import socket

from src.kit import attempt, call, connect, read


def run(victim, pids, paths, **_):
    tried = {}
    for pid in pids:
        for part in ("environ", "maps", "mem", "root/tmp/victim", "cwd", "fd/0"):
            tried[f"/proc/{pid}/{part}"] = attempt(read, f"/proc/{pid}/{part}")
    for folder in paths:
        tried[f"executions in {folder}"] = attempt(read, f"{folder}/executions")
        tried[f"results in {folder}"] = attempt(read, f"{folder}/executions/{victim['id']}/output/victim")
    tried["its port"] = attempt(connect, socket.AF_INET, ("127.0.0.1", victim["port"]))
    tried["its abstract socket"] = attempt(connect, socket.AF_UNIX, "\0" + victim["abstract"])
    tried["its file in /tmp"] = attempt(read, "/tmp/victim")
    tried["its result file"] = attempt(read, "/var/runtime/output/victim")
    for identifier in range(64):
        got = attempt(lambda: __import__("ctypes").CDLL(None, use_errno=True).shmat(identifier, None, 0o10000))
        if got.startswith("done") and not got.endswith(("-1", "18446744073709551615", "4294967295")):
            tried[f"shared memory {identifier}"] = got
    others = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) not in (1, os.getpid(), os.getppid())]
    tried["processes that are not its own"] = f"done: {others}" if others else "refused: there are none"
    return {"tried": tried}
