import os
import shutil
import stat
import subprocess

from src.kit import attempt, libc


def run(**_):
    tried = {
        "setuid": attempt(os.setuid, 0), "setgid": attempt(os.setgid, 0), "setresuid": attempt(os.setresuid, 0, 0, 0),
        "setgroups": attempt(os.setgroups, [0]), "setfsuid": attempt(fsuid),
        "chown": attempt(lambda: os.chown(shutil.copy("/bin/sh", "/tmp/sh"), 0, 0)),
        "capability of a file": attempt(os.setxattr, "/tmp/sh", "security.capability", b"\1\0\0\2\xff\xff\xff\xff" + b"\0" * 12),
        "ambient capability": attempt(prctl, 47, 2, 12), "keep capabilities": attempt(prctl, 8, 1), "allow new privileges": attempt(prctl, 38, 0),
        "securebits": attempt(prctl, 28, 0),
    }  # fmt: skip
    tried.pop("keep capabilities")
    for place in ("/tmp", "/var/runtime/output"):
        copy = shutil.copy("/bin/sh", f"{place}/setuid")
        os.chmod(copy, 0o6755)
        tried[f"setuid program in {place}"] = outcome_of(attempt(subprocess.check_output, [copy, "-p", "-c", "id -u 2>/dev/null || cat /proc/self/status"]))
    for folder in os.environ["PATH"].split(":"):
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if os.stat(f"{folder}/{name}").st_mode & (stat.S_ISUID | stat.S_ISGID):
                tried[f"{folder}/{name}"] = outcome_of(attempt(subprocess.run, [f"{folder}/{name}"]))
    status = dict(line.rstrip("\n").split(":\t", 1) for line in open("/proc/self/status") if ":\t" in line)
    return {"tried": tried, "seen": {name: status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Uid", "Gid", "Groups")}}


def prctl(*arguments):
    if libc.prctl(*arguments, 0, 0, 0) != 0:
        raise OSError(1, "refused")


def fsuid():
    libc.setfsuid(0)
    if libc.setfsuid(-1) != 0:
        raise OSError(1, "refused")


def outcome_of(answer):
    """Judge an answer: a program that runs is harmless as long as it has not become root."""
    return answer if "done" in answer and ("b'0\\n'" in answer or "Uid:\\t0" in answer or "\\t0\\t0\\t" in answer) else f"refused: {answer[:60]}"
