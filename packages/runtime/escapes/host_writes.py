import os

from src.kit import attempt, write

PLACES = ["/", "/usr", "/usr/bin", "/usr/lib", "/etc", "/app", "/app/src", "/runner", "/deps", "/var", "/var/runtime", "/var/runtime/input",
          "/dev", "/proc/sys/kernel", "/sys", "/root", "/home", "/opt", "/run", "/boot"]  # fmt: skip


def run(paths, **_):
    tried = {place: attempt(write, f"{place}/escaped") for place in PLACES}
    tried |= {f"over {path}": attempt(write, path) for path in paths}
    for file in ("/usr/bin/python3", "/app/src/program.py", "/etc/passwd", "/etc/hosts", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
        tried[f"into {file}"] = attempt(write, file)
        tried[f"mode of {file}"] = attempt(os.chmod, file, 0o777)
        tried[f"remove {file}"] = attempt(os.unlink, file)
    tried["rename the code"] = attempt(os.rename, "/app", "/tmp/app")
    return {"tried": tried}
