import os
import socket
import stat

from src.kit import attempt


def run(**_):
    tried = {}
    for name, kind, device in (("disk", stat.S_IFBLK, (8, 0)), ("virtual disk", stat.S_IFBLK, (254, 0)), ("memory", stat.S_IFCHR, (1, 1)), ("kvm", stat.S_IFCHR, (10, 232)), ("terminal", stat.S_IFCHR, (5, 1)), ("null", stat.S_IFCHR, (1, 3))):
        for place in ("/tmp", "/var/runtime/output"):
            tried[f"{name} in {place}"] = attempt(os.mknod, f"{place}/{name}", kind | 0o666, os.makedev(*device))
    for name in ("/dev/mem", "/dev/kvm", "/dev/sda", "/dev/vda", "/dev/fuse", "/dev/net/tun", "/dev/rtc0", "/dev/console", "/dev/kmsg", "/dev/vsock", "/dev/loop-control", "/dev/mapper/control", "/dev/ptmx"):
        if name != "/dev/ptmx":
            tried[name] = attempt(os.open, name, os.O_RDONLY | os.O_NONBLOCK)
    for name in os.listdir("/app/devices") if os.path.isdir("/app/devices") else []:
        tried[f"{name} of the image"] = attempt(os.open, f"/app/devices/{name}", os.O_RDONLY | os.O_NONBLOCK)
    os.mkfifo("fifo")
    socket.socket(socket.AF_UNIX).bind("socket")
    open("honest.txt", "w").write("honest")
    return {"tried": tried}
