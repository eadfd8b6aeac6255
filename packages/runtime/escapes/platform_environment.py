import os

from src.kit import read


def run(**_):
    seen = {"own": dict(os.environ)}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for part in ("environ", "cmdline", "status", "cgroup", "mountinfo", "comm"):
            try:
                seen[f"{pid}/{part}"] = repr(read(f"/proc/{pid}/{part}", 100_000))
            except OSError as error:
                seen[f"{pid}/{part}"] = f"errno {error.errno}"
    return {"tried": {}, "seen": seen}
