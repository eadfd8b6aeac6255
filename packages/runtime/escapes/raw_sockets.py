import socket

from src.kit import attempt

FAMILIES = {"netlink": 16, "packet": 17, "alg": 38, "vsock": 40, "bluetooth": 31, "tipc": 30, "xdp": 44, "can": 29, "rds": 21, "key": 15, "nfc": 39, "smc": 43}


def run(**_):
    tried = {}
    for name, family in FAMILIES.items():
        for kind in (1, 2, 3, 5):
            tried[f"{name} {kind}"] = attempt(lambda: socket.socket(family, kind).fileno())
    for protocol in (0, 1, 6, 17, 58, 255):
        tried[f"raw IPv4 {protocol}"] = attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, protocol).fileno())
        tried[f"raw IPv6 {protocol}"] = attempt(lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, protocol).fileno())
    tried["packet by its old name"] = attempt(lambda: socket.socket(socket.AF_INET, 10, 0).fileno())
    tried["transparent"] = attempt(lambda: socket.socket().setsockopt(0, 19, 1))
    tried["mark"] = attempt(lambda: socket.socket().setsockopt(1, 36, 1))
    return {"tried": tried}
