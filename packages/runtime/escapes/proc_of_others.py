import os

from src.kit import attempt, read, write

OF_KERNEL = ["/proc/kcore", "/proc/kmsg", "/proc/sysrq-trigger", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/kallsyms", "/proc/vmallocinfo", "/proc/slabinfo", "/proc/kpagecount"]


def run(pids, **_):
    tried = {}
    for pid in pids:
        for part in ("", "/environ", "/cmdline", "/root", "/cwd", "/exe", "/fd", "/maps", "/task"):
            tried[f"/proc/{pid}{part}"] = attempt(read, f"/proc/{pid}{part}")
    for path in OF_KERNEL:
        got = attempt(read, path)
        # Without rights, addresses read as zero and the list of keys as empty: that reveals nothing.
        tried[path] = "refused: empty" if got in ("done: b''",) or (path == "/proc/kallsyms" and "0000000000000000 " in got) else got
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory", "/proc/sys/net/ipv4/ip_forward", "/proc/self/oom_adj", "/proc/self/loginuid"):
        tried[f"write {path}"] = attempt(write, path, b"-17")
    tried["protect itself from the out-of-memory killer"] = attempt(write, "/proc/self/oom_score_adj", b"-1000")
    return {"tried": tried, "seen": sorted(filter(str.isdigit, os.listdir("/proc")))}
