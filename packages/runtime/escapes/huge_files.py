import os
import signal

from src.kit import attempt


def run(most, **_):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    tried = {}
    for place in ("/tmp", "/var/runtime/output"):
        for size in (1 << 62, 1 << 50, most + 1):
            tried[f"sparse file of {size} in {place}"] = attempt(os.truncate, open(f"{place}/huge", "wb").name, size)
            tried[f"reserved file of {size} in {place}"] = attempt(reserve, f"{place}/huge", size)
        tried[f"written file in {place}"] = attempt(fill, f"{place}/huge", most + 1)
    tried["a higher limit"] = attempt(raise_limit)
    return {"tried": tried}


def reserve(path, size):
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)


def fill(path, size):
    with open(path, "wb", buffering=0) as file:
        written = 0
        while written < size:
            written += file.write(bytes(1 << 20))
    return written


def raise_limit():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
