"""Tries to reach, through the proxy to its hosts, undeclared hosts, forbidden addresses, and more than its share."""

import os
import socket
import time

from src.kit import attempt

PROXY = ("127.0.0.1", 3128)
METADATA = ("169.254.169.254:80", "[fd00:ec2::254]:80", "metadata.google.internal:80")
MOST_CONNECTIONS = 64


def run(addresses, port, sockets, **_):
    tried = {}
    here = [f"[{one}]:{port}" if ":" in one else f"{one}:{port}" for one in addresses]
    # The first two are declared: a name and an address of this machine.
    for target in (f"localhost:{port}", f"127.0.0.1:{port}", f"127.1:{port}", f"0:{port}", f"[::ffff:127.0.0.1]:{port}", *here, *METADATA):
        tried[f"CONNECT {target}"] = attempt(ask, f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n")
        tried[f"GET {target}"] = attempt(ask, f"GET http://{target}/ HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n\r\n")
    for odd in (f"localhost:{port}@127.0.0.1:{port}", f"localhost:{port}\t127.0.0.1:{port}", f"/{sockets[0]}", "unix:/run/kethub:1", "localhost:99999"):
        tried[f"CONNECT {odd}"] = attempt(ask, f"CONNECT {odd} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n")
    tried["GET of a path"] = attempt(ask, f"GET /status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")
    tried["another folder of sockets"] = attempt(others)
    tried["more connections than its share"] = attempt(flood)
    return {"tried": tried}


def ask(text):
    with socket.create_connection(PROXY, 30) as one:
        one.sendall(text.encode())
        answer = one.recv(300)
    if not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 30")):
        raise PermissionError(answer[:60])
    return answer


def others():
    found = [name for name in os.listdir("/run/kethub")] if os.path.isdir("/run/kethub") else []
    if len(found) <= 1:
        raise FileNotFoundError("only its own")
    return found


def flood():
    held = []
    for _ in range(4 * MOST_CONNECTIONS):
        one = socket.socket()
        one.settimeout(5)
        try:
            one.connect(PROXY)
        except OSError:
            break
        held.append(one)
    time.sleep(1)
    living = 0
    for one in held:
        one.setblocking(False)
        try:
            living += one.recv(1) != b""
        except BlockingIOError:
            living += 1
        except OSError:
            pass
    if living <= MOST_CONNECTIONS:
        raise PermissionError("not more than its share")
    return living
