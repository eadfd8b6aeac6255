import os
import signal

from src.kit import attempt, call


def run(pids, **_):
    tried = {}
    for pid in pids:
        for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
            tried[f"{number.name} to {pid}"] = attempt(os.kill, pid, number)
            tried[f"{number.name} to the group of {pid}"] = attempt(os.killpg, pid, number)
        tried[f"pidfd of {pid}"] = attempt(call, "pidfd_open", pid, 0)
        tried[f"priority of {pid}"] = attempt(os.setpriority, os.PRIO_PROCESS, pid, 19)
    attempt(os.kill, -1, signal.SIGTERM) if os.getpid() != 1 else None
    attempt(os.kill, -1, signal.SIGKILL) if os.getpid() != 1 else None
    return {"tried": tried}
