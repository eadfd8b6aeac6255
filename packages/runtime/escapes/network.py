import os
import socket

from src.kit import attempt, connect


def run(addresses, port, **_):
    tried = {}
    for address in ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "224.0.0.1", "255.255.255.255", *addresses]:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        tried[f"TCP {address}"] = attempt(connect, family, (address, 443))
        tried[f"TCP {address}, {port}"] = attempt(connect, family, (address, port))
        tried[f"UDP {address}"] = attempt(datagram, family, (address, port))
    tried["a name"] = attempt(socket.getaddrinfo, "example.org", 80)
    tried["interfaces"] = interfaces()
    return {"tried": tried}


def datagram(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as one:
        one.settimeout(1)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        one.sendto(b"escaped", address)
        return one.recv(200)


def interfaces():
    names = [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]
    routes = [line for line in open("/proc/net/route").readlines()[1:]]
    more = [name for name in names if name not in ("lo", "sit0", "tunl0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6gre0")]
    return f"done: {more} {routes} {os.getpid()}" if more or routes else "refused: there is only lo"
