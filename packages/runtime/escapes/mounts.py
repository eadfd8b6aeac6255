import os

from src.kit import attempt, call, write


def run(paths, **_):
    os.makedirs("/tmp/mounted", exist_ok=True)
    tried = {
        "tmpfs": attempt(call, "mount", b"t", b"/tmp/mounted", b"tmpfs", 0, 0),
        "proc": attempt(call, "mount", b"proc", b"/tmp/mounted", b"proc", 0, 0),
        "bind of /": attempt(call, "mount", b"/", b"/tmp/mounted", 0, 4096, 0),
        "/ writable": attempt(call, "mount", 0, b"/", 0, 32, 0),
        "/app writable": attempt(call, "mount", 0, b"/app", 0, 32 | 4096, 0),
        "overlay": attempt(call, "mount", b"o", b"/tmp/mounted", b"overlay", 0, b"lowerdir=/,upperdir=/tmp,workdir=/tmp"),
        "unmount /app": attempt(call, "umount2", b"/app", 2),
        "unmount /proc": attempt(call, "umount2", b"/proc", 2),
        "pivot_root": attempt(call, "pivot_root", b"/tmp", b"/tmp"),
        "chroot": attempt(os.chroot, "/tmp"),
        "fsopen": attempt(call, "fsopen", b"tmpfs", 0),
        "open_tree": attempt(call, "open_tree", -100, b"/", 1),
        "mount_setattr": attempt(call, "mount_setattr", -100, b"/", 0, b"\0" * 32, 32),
        "FUSE": attempt(os.open, "/dev/fuse", os.O_RDWR),
    }
    for path in paths:
        tried[f"bind of {path}"] = attempt(call, "mount", path.encode(), b"/tmp/mounted", 0, 4096, 0)
        tried[f"handle of {path}"] = attempt(call, "name_to_handle_at", -100, path.encode(), b"\0" * 8, b"\0" * 4, 0)
    tried["open by handle"] = attempt(call, "open_by_handle_at", -100, b"\x08\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0", 0)
    tried["then write to /app"] = attempt(write, "/app/escaped")
    return {"tried": tried}
