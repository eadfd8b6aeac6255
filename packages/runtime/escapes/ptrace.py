import os
import time

from src.kit import attempt, call, write


def run(pids, **_):
    child = os.fork()
    if child == 0:
        time.sleep(30)
    tried = {}
    for pid in [1, child, *pids]:
        tried[f"attach to {pid}"] = attempt(call, "ptrace", 16, pid, 0, 0)
        tried[f"seize {pid}"] = attempt(call, "ptrace", 0x4206, pid, 0, 0)
        tried[f"read memory of {pid}"] = attempt(call, "process_vm_readv", pid, 0, 0, 0, 0, 0)
        if pid != child:
            tried[f"take a descriptor of {pid}"] = attempt(lambda: call("pidfd_getfd", call("pidfd_open", pid, 0), 0, 0))
    for pid in pids:
        tried[f"write memory of {pid}"] = attempt(write, f"/proc/{pid}/mem")
    os.kill(child, 9)
    return {"tried": tried}
